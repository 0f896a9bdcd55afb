package dev.evener.internal.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ChildJava;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Time in which a process stood still is no time in which a device hung: all were taken for hung when it woke. */
class SuspendedProcessTest {
    private static final long LIMIT = 800;

    @Test
    void aLookFindsWhatIsPastOnlyAfterEightOfThem() {
        Looks looks = new Looks(0);
        for (int i = 1; i <= 7; i++) {
            assertEquals(0, looks.take(i * 100L));
        }
        assertEquals(0, looks.take(LIMIT));
        assertEquals(100, looks.take(900));
        // For ten seconds nobody looked: what began at 850 has until seven looks after that.
        for (int i = 0; i < 7; i++) {
            assertTrue(looks.take(10_900 + i * 100L) < 850);
        }
        assertEquals(900, looks.take(11_600));
    }

    @Test
    void aLimitIsPastAfterEightLooksHoweverLateOneComes() {
        List<Runnable> looks = new ArrayList<>();
        List<Duration> periods = new ArrayList<>();
        Watchdog watchdog = new Watchdog() {
            @Override
            public Future<?> after(Duration delay, Runnable task) {
                throw new AssertionError("one look is not enough");
            }

            @Override
            public Future<?> every(Duration period, Runnable task) {
                periods.add(period);
                looks.add(task);
                return new FutureTask<@Nullable Void>(task, null);
            }

            @Override
            public void close() {}
        };
        List<String> past = new ArrayList<>();
        Future<?> ignored = watchdog.afterLooks(Duration.ofMillis(LIMIT), () -> past.add("past"));
        for (int i = 0; i < 7; i++) {
            looks.get(0).run();
        }
        assertEquals(List.of(), past);
        looks.get(0).run();
        looks.get(0).run(); // it was not cancelled yet
        assertEquals(List.of("past"), past);
        assertEquals(List.of(Duration.ofMillis(100)), periods);
    }

    @Test
    void aJobWithDeadlinesGoesOnWhereItWasWhenItsProcessWasStopped() throws Exception {
        Process program = ChildJava.of(Program.class).start();
        try (BufferedReader said = program.inputReader()) {
            assertEquals("begun", said.readLine());
            signal("STOP", program);
            Thread.sleep(2 * LIMIT);
            signal("CONT", program);
            assertEquals("[] true", said.lines().collect(Collectors.joining("\n")));
            assertEquals(0, program.waitFor());
        } finally {
            program.destroyForcibly();
        }
    }

    private static void signal(String which, Process to) throws IOException, InterruptedException {
        assertEquals(
                0,
                new ProcessBuilder("sh", "-c", "kill -" + which + " " + to.pid())
                        .inheritIO()
                        .start()
                        .waitFor());
    }

    /**
     * Runs jobs on the devices that the argument names until standard input ends, and prints how many failed, how often a device did, and
     * which are quarantined. For .ci/deployment-test, which suspends it, and ends it.
     */
    static final class Service {
        private Service() {}

        public static void main(String[] args) throws IOException {
            int jobs = 0;
            int failed = 0;
            int devices = 0;
            try (Evener evener = Evener.builder()
                            .devices(DeviceSelector.parse(args[0]))
                            .history(History.inMemory())
                            .chunkDeadline(Duration.ofSeconds(3))
                            .open();
                    HostBuffer x = evener.allocate(ElementType.INT, 1 << 14)) {
                Job job = Job.named("rounds")
                        .source("""
                                kernel void rounds(global uint *x) {
                                    uint sum = x[get_global_id(0)];
                                    for (uint i = 0; i < 10000; i++) {
                                        sum = sum * 1664525u + 1013904223u;
                                    }
                                    x[get_global_id(0)] = sum;
                                }
                                """)
                        .units(1 << 14)
                        .kernel("rounds")
                        .updates(x, Access.slice())
                        .build();
                while (jobs == 0 || System.in.available() == 0) {
                    try {
                        devices += evener.submit(job).join().failures().size();
                    } catch (CompletionException e) {
                        System.out.println(e.getCause());
                        failed++;
                    }
                    if (jobs++ == 0) {
                        System.out.println("begun");
                    }
                }
                System.out.println(
                        jobs > 20
                                ? jobs + " jobs, " + failed + " jobs failed, " + devices
                                        + " devices failed, quarantined: "
                                        + evener.health().quarantined().keySet()
                                : "no job");
            }
        }
    }

    /** Runs one chunk, which takes a while however long it is stopped. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) throws Exception {
            try (Evener evener = Evener.builder()
                    .devices(DeviceSelector.parse("jvm"))
                    .history(History.inMemory())
                    .open()) {
                HostBuffer x = evener.allocate(ElementType.INT, 1);
                evener.submit(job(x, chunk -> {})).join(); // so that classes are there
                String failures =
                        evener.submit(job(x, chunk -> work())).join().failures().toString();
                boolean works = evener.submit(job(x, chunk -> {}))
                                .join()
                                .devices()
                                .get(0)
                                .units()
                        == 1;
                System.out.println(failures + " " + works);
            }
        }

        private static Job job(HostBuffer x, JvmKernel kernel) {
            return Job.named("slow")
                    .units(1)
                    .kernel("k")
                    .writes(x, Access.slice())
                    .jvm(kernel)
                    .chunkDeadline(Duration.ofMillis(LIMIT))
                    .deadline(Duration.ofMillis(LIMIT))
                    .build();
        }

        private static void work() {
            System.out.println("begun");
            try {
                for (int i = 0; i < 30; i++) { // a single sleep would be over when the process wakes
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) {
                throw new UncheckedIOException(new IOException(e));
            }
        }
    }
}
