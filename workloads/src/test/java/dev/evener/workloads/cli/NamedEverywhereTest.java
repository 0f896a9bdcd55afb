package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DataLostException;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.histogram.Histogram;
import dev.evener.policy.Policies;
import dev.evener.record.RecordReader;
import dev.evener.record.Recorder;
import dev.evener.record.Recording;
import dev.evener.testing.Faults;
import dev.evener.workloads.view.RunEvents;
import dev.evener.workloads.view.TraceWriter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * The name of a buffer is wherever somebody reads of a job: report, explanation, record, trace, the checking mode, and errors of lanes,
 * of primitives and of what is lost.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NamedEverywhereTest {
    private static final int N = 1024;
    private static final String TEXT = """
            kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }
            kernel void beyond(global const int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0) + 1]; }
            """;

    @TempDir
    Path folder;

    /** Whose devices are taken for such that have memory of their own. */
    private static EvenerBuilder builder(String devices) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .sharedMemory(false)
                .history(History.inMemory());
    }

    private static ManagedBuffer centres(Evener evener) {
        return evener.allocateManaged(ElementType.INT, N).named("centres");
    }

    private static JobBuilder twice(ManagedBuffer centres) {
        return Job.named("j")
                .source(TEXT)
                .units(N)
                .kernel("twice")
                .updates(centres, Access.slice())
                .policy(Policies.fixed());
    }

    private static Report report() {
        try (Evener evener = builder("0.0").open()) {
            return evener.submit(twice(centres(evener)).build()).join();
        }
    }

    private Recording.Run recorded() throws Exception {
        Path file = folder.resolve("a.record");
        try (Recorder recorder = Recorder.to(file);
                Evener evener = builder("0.0").listener(recorder).open()) {
            evener.submit(twice(centres(evener)).build()).join();
        }
        return RecordReader.read(file).runs().get(0);
    }

    private static String message(Executable mistake) {
        Throwable thrown = assertThrows(Throwable.class, mistake);
        return thrown.getMessage();
    }

    private Map<String, Callable<String>> places() {
        Map<String, Callable<String>> all = new LinkedHashMap<>();
        all.put("report", () -> report().toMap().toString());
        all.put("explanation", () -> report().explain());
        all.put("record", () -> {
            Recording.Run unused = recorded();
            return Files.readString(folder.resolve("a.record"));
        });
        all.put("record that was read", () -> recorded().events().toString());
        all.put("trace", () -> {
            Recording.Run run = recorded();
            ByteArrayOutputStream trace = new ByteArrayOutputStream();
            TraceWriter.write(trace, List.of(new RunEvents("run", run.devices(), run.events(), 0)), Map.of());
            return trace.toString(StandardCharsets.UTF_8);
        });
        all.put(
                "checking mode",
                () -> message(() -> {
                    try (Evener evener = builder("0.0").checked().open()) {
                        evener.submit(Job.named("j")
                                        .source(TEXT)
                                        .units(N)
                                        .kernel("beyond")
                                        .reads(centres(evener), Access.slice())
                                        .writes(evener.allocate(ElementType.INT, N), Access.slice())
                                        .build())
                                .join();
                    }
                }));
        all.put(
                "a lane that failed",
                () -> message(() -> {
                    try (Evener evener =
                            Faults.inject(builder("0.0"), "lane=0,fault=error").open()) {
                        evener.submit(twice(centres(evener)).unprotected().build())
                                .join();
                    }
                }));
        all.put(
                "what is lost",
                () -> message(() -> {
                    try (Evener evener =
                            Faults.inject(builder("0.0"), "lane=0,fault=error").open()) {
                        ManagedBuffer centres = centres(evener);
                        assertThrows(
                                Exception.class,
                                () -> evener.submit(twice(centres).unprotected().build())
                                        .join());
                        centres.read().close();
                    }
                }));
        all.put(
                "a primitive",
                () -> message(() -> {
                    try (Evener evener = builder("jvm").open()) {
                        Histogram.run(
                                evener,
                                Bins.even(256, 0, 256),
                                evener.allocate(ElementType.INT, N),
                                evener.allocate(ElementType.FLOAT, 256).named("centres"));
                    }
                }));
        all.put(
                "an image over it",
                () -> message(() -> {
                    try (Evener evener = builder("jvm").open()) {
                        new Image<>(centres(evener), Image.Shape.plane(ImageFormat.R_FLOAT, 8, 9));
                    }
                }));
        all.put(
                "bytes beyond its end",
                () -> message(() -> {
                    try (Evener evener = builder("jvm").open()) {
                        evener.allocate(ElementType.INT, N).named("centres").bytes(4L * N, 1);
                    }
                }));
        return all;
    }

    @TestFactory
    Stream<DynamicTest> itsNameIsIn() {
        return places().entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> {
                    String text = each.getValue().call();
                    assertTrue(text.contains("centres"), text);
                }));
    }

    /** A message does not end in the middle of a sentence where nobody noted what became of the data. */
    @Test
    void whatIsLostIsSaidWhereItsReasonIsNotKnown() {
        DataLostException lost = new DataLostException("bytes from 0 on of the buffer 'centres' of 4 int", "");
        assertTrue(
                lost.getMessage()
                        .startsWith(
                                "bytes from 0 on of the buffer 'centres' of 4 int are lost: no reason is known; write"),
                lost::getMessage);
        assertTrue(!lost.reason().isBlank());
    }
}
