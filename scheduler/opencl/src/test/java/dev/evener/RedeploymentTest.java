package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jocl.CL;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An application is undeployed while the server and its JOCL go on: nothing of it stays. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("nightly")
class RedeploymentTest {
    private static final int LOOKS = 1000;

    /** What an application brings, all but JOCL. */
    private static final class Application extends URLClassLoader {
        Application(List<URL> path) {
            super(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.startsWith("org.jocl.")
                    ? CL.class.getClassLoader().loadClass(name)
                    : super.loadClass(name, resolve);
        }
    }

    private static Application deployed() throws IOException {
        List<URL> path = new ArrayList<>();
        for (String entry : System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                .split(":", -1)) {
            path.add(Path.of(entry).toUri().toURL());
        }
        return new Application(path);
    }

    private static List<WeakReference<Application>> runOf(int applications) throws Exception {
        List<WeakReference<Application>> all = new ArrayList<>();
        List<AutoCloseable> open = new ArrayList<>();
        for (int i = 0; i < applications; i++) {
            Application application = deployed();
            Thread.currentThread().setContextClassLoader(application); // as servers do
            @SuppressWarnings("unchecked")
            Callable<AutoCloseable> work = (Callable<AutoCloseable>) application
                    .loadClass(Work.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            open.add(work.call());
            all.add(new WeakReference<>(application));
        }
        for (AutoCloseable each : open) { // the first is closed first: what the second found was not JOCL's own
            each.close();
        }
        Thread.currentThread().setContextClassLoader(null);
        return all;
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name ->
                        name.startsWith("evener-") || name.startsWith("AsyncOpThread") || name.startsWith("Cleaner-"))
                .toList();
    }

    /** What the JDK found out last to compare a record it keeps with its types (JDK-8078641, mended in 19). */
    private static void forgetByJdk() {
        Last last = new Last(RedeploymentTest.class);
        if (!last.equals(new Last(RedeploymentTest.class)) || (last.toString() + last.hashCode()).isEmpty()) {
            throw new IllegalStateException(last.toString());
        }
    }

    private record Last(Class<?> type) {}

    /** In a process of its own, which finds no verdict on its devices: also what tests them leaves nothing. */
    @Test
    void noClassLoaderAndNoThreadStays(@TempDir Path cache) throws Exception {
        ProcessBuilder builder = ChildJava.of(Server.class);
        builder.environment().put("EVENER_CACHE", cache.toString());
        Process server = builder.start();
        try {
            assertEquals("0 []", server.inputReader().readLine());
            assertEquals(0, server.waitFor());
        } finally {
            server.destroyForcibly();
        }
    }

    static final class Server {
        private Server() {}

        public static void main(String[] arguments) throws Exception {
            List<WeakReference<Application>> all = runOf(1);
            all.addAll(runOf(2));
            forgetByJdk();
            for (int i = 0; i < LOOKS; i++) {
                System.gc();
                Thread.sleep(20);
                if (threads().isEmpty() && all.stream().allMatch(each -> each.get() == null)) {
                    break;
                }
            }
            System.out.println(all.stream().filter(each -> each.get() != null).count() + " " + threads());
            System.exit(0);
        }
    }

    /** Runs a job whose data are sent and fetched, and reads the result in this thread. What .ci/deployment-test deploys to Tomcat. */
    public static final class Work implements Callable<AutoCloseable> {
        @Override
        public AutoCloseable call() {
            Evener evener = Evener.builder()
                    .devices(DeviceSelector.parse("0.0,0.1"))
                    .sharedMemory(false)
                    .history(History.inMemory())
                    .open();
            ManagedBuffer x = evener.allocateManaged(ElementType.INT, 100_000);
            evener.submit(Job.named("ones")
                            .source("kernel void ones(global int *x) { x[get_global_id(0)] = 1; }")
                            .units(100_000)
                            .kernel("ones")
                            .writes(x, Access.slice())
                            .build())
                    .join();
            try (ManagedBuffer.Scope scope = x.read()) {
                if (scope.ints().get(99_999) != 1) {
                    throw new IllegalStateException("the result is wrong");
                }
            }
            return evener;
        }
    }
}
