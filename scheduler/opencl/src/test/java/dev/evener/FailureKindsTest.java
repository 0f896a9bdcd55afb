package dev.evener;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException.BuildFailedException;
import dev.evener.EvenerException.DeadlineExceededException;
import dev.evener.EvenerException.EvenerClosedException;
import dev.evener.EvenerException.JobException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a program can do about a failed job is told by the type of its exception, and what does not build is told once. */
class FailureKindsTest {
    private final List<RunEvent> events = new CopyOnWriteArrayList<>();

    private Evener open() {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .policy(Policies.fixed())
                .history(History.inMemory())
                .listener(events::add)
                .open();
    }

    private static Job job(String name, String source, HostBuffer data) {
        return Job.named(name)
                .source(source)
                .units(data.elements())
                .kernel("k")
                .updates(data, slice())
                .build();
    }

    private static <T extends JobException> T failureOf(Class<T> type, JobFuture future) {
        return assertInstanceOf(
                type, assertThrows(CompletionException.class, future::join).getCause());
    }

    private List<String> kinds() {
        return events.stream()
                .filter(RunEvent.Ended.class::isInstance)
                .map(e -> String.valueOf(((RunEvent.Ended) e).kind()))
                .toList();
    }

    /** The place is that of the application's text, whatever is put in front of it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "p[0] = no_such_thing;|8|no_such_thing|",
                "int i = get_group_id(0); p[i] = nor_this;|33|nor_this|",
                "float half = 1; p[0] = half;|7||'half' is a reserved word of OpenCL C",
                "int kernel = 1; p[0] = kernel;|12||'kernel' is a reserved word of OpenCL C",
            })
    void whatDoesNotBuildIsToldOnceWithItsPlace(String line, int column, String word, String hint) {
        try (Evener evener = open();
                HostBuffer data = evener.allocate(ElementType.INT, 1 << 16)) {
            KernelSource source = KernelSource.of("wrong.cl", "kernel void k(global int *p) {\n\n" + line + "\n}\n")
                    .withMacro("A", 1)
                    .withMacro("B", 2);
            Job job = Job.named("broken")
                    .source(source)
                    .units(1 << 16)
                    .kernel("k")
                    .updates(data, slice())
                    .build();
            for (int i = 0; i < 2; i++) { // the second time from memory
                BuildFailedException e = failureOf(BuildFailedException.class, evener.submit(job));
                String message = e.getMessage();
                assertTrue(
                        message.startsWith("job 'broken': kernel source wrong.cl does not build: wrong.cl:3:"),
                        message);
                assertEquals("wrong.cl 3", e.file() + " " + e.line());
                assertEquals(column, e.column(), message);
                assertEquals(line, e.sourceLine());
                assertTrue(message.lines().skip(1).findFirst().orElse("").equals("    " + line), message);
                assertTrue(e.log().contains(word == null ? "error" : word), e.log());
                assertEquals(hint != null, message.contains("use another name"), message);
                assertTrue(hint == null || message.contains(hint), message);
                assertEquals(0, e.getSuppressed().length, "told once, not for each device");
                assertFalse(e.retryCanHelp());
            }
            assertEquals(DeviceInfo.Health.class, evener.health().getClass()); // no device is blamed
            assertEquals(2, evener.health().working().size());
        }
        assertEquals(List.of("build", "build"), kinds());
    }

    /** Of all that the process prints: no warning of a device, and no line of a compiler's own. */
    @Test
    void whatDoesNotBuildIsSaidByTheExceptionAlone() throws Exception {
        ProcessBuilder builder = ChildJava.of(Broken.class);
        builder.command().add(1, PrintingLogs.OPTION);
        Process program = builder.redirectErrorStream(true).start();
        List<String> said = program.inputReader()
                .lines()
                .filter(line -> !line.startsWith("SLF4J(I)") && !line.contains("waiting for the driver"))
                .map(line -> line.replaceAll("(?:device 0|pthread|basic)\\S*?[^:]*:", "device:"))
                .toList();
        assertEquals(0, program.waitFor(), said::toString);
        assertEquals(
                List.of(
                        "WARN kernel source broken.cl, line 2: this is not UTF-8, so the text is read as Latin-1",
                        "job 'broken': kernel source broken.cl does not build: broken.cl:1:34: use of undeclared"
                                + " identifier 'none'",
                        "job 'broken' failed on device: kernel source unlinked does not build for device:"
                                + " Cannot find symbol none in kernel library"),
                said);
    }

    static final class Broken {
        private Broken() {}

        public static void main(String[] args) throws IOException {
            try (Evener evener = new FailureKindsTest().open();
                    HostBuffer data = evener.allocate(ElementType.INT, 1 << 16)) {
                Path file = Files.createTempDirectory("sources").resolve("broken.cl");
                Files.writeString(
                        file,
                        "kernel void k(global int *p) { p[none] = 1; }\n// \u00e9\n",
                        StandardCharsets.ISO_8859_1);
                tell(evener, KernelSource.file(file), data);
                Files.delete(file);
                Files.delete(file.getParent());
                tell(
                        evener,
                        KernelSource.of("unlinked", "int none(int);\nkernel void k(global int *p) { p[0] = none(1); }"),
                        data);
            }
        }

        private static void tell(Evener evener, KernelSource source, HostBuffer data) {
            Job job = Job.named("broken")
                    .source(source)
                    .units(data.elements())
                    .kernel("k")
                    .updates(data, slice())
                    .build();
            try {
                evener.submit(job).join();
            } catch (CompletionException e) {
                System.out.println(e.getCause().getMessage().lines().findFirst().orElse(""));
            }
        }
    }

    private static final String SLOW = """
            kernel void k(global int *p) {
                int x = get_global_id(0);
                for (int i = 0; i < 100000; i++) x = x * 1664525 + 1013904223;
                p[get_global_id(0)] = x;
            }
            """;

    @Test
    void eachEndHasAKind() {
        Evener evener = open();
        HostBuffer data = evener.allocate(ElementType.INT, 1 << 14);
        Job late = Job.named("late")
                .source(SLOW)
                .units(1 << 14)
                .deadline(Duration.ofMillis(1))
                .kernel("k")
                .updates(data, slice())
                .build();
        assertTrue(
                failureOf(DeadlineExceededException.class, evener.submit(late)).retryCanHelp());
        ManagedBuffer lost = evener.allocateManaged(ElementType.INT, 1 << 14);
        JobFuture cancelled = evener.submit(Job.named("cancelled")
                .source(SLOW)
                .units(1 << 14)
                .kernel("k")
                .writes(lost, slice())
                .build());
        JobFuture needs = evener.submit(Job.named("needs")
                .source(
                        "kernel void k(global const int *p, global int *q) { q[get_global_id(0)] = p[get_global_id(0)]; }")
                .units(1 << 14)
                .kernel("k")
                .reads(lost, slice())
                .writes(data, slice())
                .build());
        cancelled.cancel(true);
        assertThrows(CancellationException.class, cancelled::join);
        DataLostException gone = failureOf(DataLostException.class, needs);
        assertTrue(gone.getMessage().startsWith("job 'needs'") && gone.reason().contains("cancelled"), gone::toString);
        JobRejectedException wrong = failureOf(
                JobRejectedException.class,
                evener.submit(job("wrong", "kernel void k(global int *p, int more) { p[0] = more; }", data)));
        assertTrue(
                wrong.getMessage().endsWith("kernel k has 2 parameters, but 1 arguments were given"), wrong::toString);
        assertThrows(
                JobRejectedException.class, () -> Job.named("none").units(1).build());
        JobFuture running = evener.submit(job("running", SLOW, data));
        evener.close();
        failureOf(EvenerClosedException.class, running);
        assertEquals( // in no order: the cancelled job may end later than the one that would need it
                List.of("cancelled", "data", "deadline", "rejected"),
                kinds().subList(0, 4).stream().sorted().toList());
    }
}
