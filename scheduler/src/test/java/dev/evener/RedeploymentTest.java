package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jocl.CL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application is undeployed while the server and its JOCL go on: nothing of it stays. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedeploymentTest {
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
        return all;
    }

    private static Set<Thread> threads() {
        Set<Thread> all = new HashSet<>(Thread.getAllStackTraces().keySet());
        all.removeIf(thread -> !thread.getName().startsWith("evener-"));
        return all;
    }

    /** What the JDK found out last to compare a record it keeps with its types (JDK-8078641, mended in 19). */
    private static void forgetByJdk() {
        Last last = new Last(RedeploymentTest.class);
        assertEquals(last.toString() + last.hashCode(), new Last(RedeploymentTest.class) + "" + last.hashCode());
        assertEquals(last, new Last(RedeploymentTest.class));
    }

    private record Last(Class<?> type) {}

    @Test
    void noClassLoaderAndNoThreadStays() throws Exception {
        Set<Thread> before = threads();
        List<WeakReference<Application>> all = runOf(1);
        all.addAll(runOf(2));
        assertEquals(3, all.size());
        forgetByJdk();
        while (all.stream().anyMatch(each -> each.get() != null)) { // the test's time limit ends what never comes
            System.gc();
            Thread.sleep(20);
        }
        Set<Thread> left = threads();
        left.removeAll(before);
        assertTrue(left.isEmpty(), left.toString());
    }

    /** Runs a job whose data are sent and fetched, and reads the result in this thread. */
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
                assertEquals(1, scope.ints().get(99_999));
            }
            return evener;
        }
    }
}
