package dev.evener.record;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.MadeUpDevices;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.event.RunEvent.BufferUse;
import dev.evener.event.RunEvent.BufferUse.How;
import dev.evener.event.RunEvent.BufferUse.Kept;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Made-up records for tests. */
final class Records {
    static final DeviceInfo CPU = MadeUpDevices.device("0.0", "none", "a \"CPU\"", DeviceKind.CPU, 128, 64, 16, "cpu");
    static final DeviceInfo GPU =
            MadeUpDevices.device("1.0", "none", "GPU \u00b5\ud800", DeviceKind.GPU, 512, 128, 32, "gpu");
    static final Recording.Digest DIGEST = new Recording.Digest(12, "0123456789abcdef".repeat(4));
    static final Recording.Task TASK = new Recording.Task(
            "run",
            "scan",
            "all",
            4096,
            "uniform",
            -7,
            Map.of("type", "int"),
            List.of(
                    new Recording.InputFile(Path.of("/data/a b.raw"), 99, "f".repeat(64)),
                    new Recording.InputFile(Path.of("/gone"), 0, null)));

    private Records() {}

    /** Every kind of event, those that may be null in both ways. */
    static List<RunEvent> events(long origin) {
        return List.of(
                new RunEvent.Submitted(
                        origin + 1,
                        1,
                        "scan",
                        "adaptive",
                        1L << 40,
                        16,
                        List.of("a", "b"),
                        List.of(0, 1),
                        List.of(
                                new BufferUse(0, 1, 96, Kept.DEVICE, 32, 64, How.READS, 4, 1, 2, 8, 96, "centres"),
                                new BufferUse(1, 2, 4, Kept.HOST, 0, 4, How.REDUCES, 0, 0, 0, 0, 0))),
                new RunEvent.Waited(origin + 2, 1, "an earlier one"),
                new RunEvent.Planned(
                        origin + 2, 1, List.of(1L << 39, 1L << 39), "stealing", 1234, "a good \u201creason\u201d\n"),
                new RunEvent.Planned(origin + 3, 1, List.of(0L, 1L << 40), "fixed", 0, null),
                new RunEvent.Stolen(origin + 4, 1, 0, 1, 0, 512),
                new RunEvent.Chunk(
                        origin + 9,
                        1,
                        0,
                        1,
                        1L << 39,
                        512,
                        0,
                        origin + 3,
                        origin + 4,
                        origin + 5,
                        origin + 6,
                        origin + 8,
                        5,
                        1,
                        2,
                        3,
                        4),
                new RunEvent.Fault(origin + 10, 1, 0, "device 0.0 failed: smoke"),
                new RunEvent.PhaseEnded(origin + 11, 1, 0, 77, 5),
                new RunEvent.Moved(origin + 12, 1, 1, Report.Cause.FIRST_USE, 9, 0),
                new RunEvent.Ended(origin + 12, 1, 3, 10, null),
                new RunEvent.Submitted(origin + 13, 2, "", "static", 0, 1, List.of(), List.of()),
                new RunEvent.Ended(origin + 14, 2, 0, 0, "no device can take it"));
    }

    /** A record with a line of every kind. */
    static void write(Path file) {
        try (Recorder recorder = Recorder.to(file)) {
            recorder.opened(List.of(CPU, GPU));
            long task = recorder.task(TASK);
            long request = recorder.request(task, "static:0.5,0.5", true);
            events(System.nanoTime()).forEach(recorder::heard);
            recorder.result(request, DIGEST);
            recorder.request(task, "adaptive", false);
            recorder.opened(List.of(CPU));
            recorder.request(task, "single:0", false);
        }
    }

    /** The lines of {@link #write}. */
    static List<String> lines() {
        try {
            Path file = Files.createTempFile("evener", ".record");
            try {
                write(file);
                return Files.readAllLines(file);
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same event, at times counted from an origin. */
    static RunEvent since(RunEvent event, long origin) {
        if (event instanceof RunEvent.Chunk e) {
            return new RunEvent.Chunk(
                    e.at() - origin,
                    e.job(),
                    e.phase(),
                    e.device(),
                    e.firstUnit(),
                    e.units(),
                    e.owner(),
                    e.queued() - origin,
                    e.begun() - origin,
                    e.submitted() - origin,
                    e.start() - origin,
                    e.end() - origin,
                    e.noticeNanos(),
                    e.kernelNanos(),
                    e.transferNanos(),
                    e.bytesIn(),
                    e.bytesOut());
        }
        if (event instanceof RunEvent.Submitted e) {
            return new RunEvent.Submitted(
                    e.at() - origin,
                    e.job(),
                    e.name(),
                    e.policy(),
                    e.units(),
                    e.granule(),
                    e.kernels(),
                    e.devices(),
                    e.buffers());
        }
        if (event instanceof RunEvent.Planned e) {
            return new RunEvent.Planned(e.at() - origin, e.job(), e.shares(), e.sharing(), e.predicted(), e.reason());
        }
        if (event instanceof RunEvent.Stolen e) {
            return new RunEvent.Stolen(e.at() - origin, e.job(), e.phase(), e.thief(), e.victim(), e.units());
        }
        if (event instanceof RunEvent.PhaseEnded e) {
            return new RunEvent.PhaseEnded(e.at() - origin, e.job(), e.phase(), e.hostNanos(), e.parts());
        }
        if (event instanceof RunEvent.Fault e) {
            return new RunEvent.Fault(e.at() - origin, e.job(), e.device(), e.what());
        }
        if (event instanceof RunEvent.Waited e) {
            return new RunEvent.Waited(e.at() - origin, e.job(), e.earlier());
        }
        if (event instanceof RunEvent.Moved e) {
            return new RunEvent.Moved(e.at() - origin, e.job(), e.device(), e.cause(), e.sent(), e.fetched());
        }
        RunEvent.Ended e = (RunEvent.Ended) event;
        @Nullable String failure = e.failure();
        return new RunEvent.Ended(e.at() - origin, e.job(), e.buildNanos(), e.wallNanos(), failure);
    }
}
