package dev.evener.workloads.cli;

import dev.evener.EvenerBuilder;
import dev.evener.frames.FrameChoice;
import dev.evener.frames.FrameFile;
import dev.evener.frames.PictureFormat;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.record.Recorder;
import dev.evener.record.Recording;
import dev.evener.workloads.bench.CaseRun.Watch;
import dev.evener.workloads.replay.Digests;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.replay.Tasks;
import dev.evener.workloads.workload.Request;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --record} of every command that runs jobs. */
final class RecordOptions {
    @Option(names = "--record", paramLabel = "FILE")
    private @Nullable Path file;

    /** Finds that a record is asked for, of what cannot be recorded. */
    void refuse(String why) {
        if (file != null) {
            throw UserError.usage("--record: " + why);
        }
    }

    /** Begins the record, if one was asked for; to be closed after the Eveners. */
    Session begin(String command, ReportOptions view) {
        return new Session(file == null ? null : Recorder.to(file), command, view);
    }

    /** A command's run, which is recorded and shown if that was asked for. One thread. */
    static final class Session implements Watch, AutoCloseable {
        private final @Nullable Recorder recorder;
        private final String command;
        private final ReportOptions view;

        private Session(@Nullable Recorder recorder, String command, ReportOptions view) {
            this.recorder = recorder;
            this.command = command;
            this.view = view;
        }

        /** Has this Evener recorded and shown; what is heard is shown if it is {@linkplain ReportOptions#keep kept}. */
        EvenerBuilder on(EvenerBuilder builder) {
            return on(builder, "");
        }

        @Override
        public EvenerBuilder on(EvenerBuilder builder, String title) {
            view.listen(builder, title);
            return recorder == null ? builder : builder.listener(recorder);
        }

        @Override
        public JobLog jobs(Request request, String devices) {
            return noted(() -> Tasks.of(command, request, devices));
        }

        /** The jobs of a recorded task that are run again, on devices of this selector. */
        JobLog again(Recording.Task task, String devices) {
            return noted(() -> new Recording.Task(
                    task.command(),
                    task.workload(),
                    devices,
                    task.items(),
                    task.distribution(),
                    task.seed(),
                    task.parameters(),
                    task.files()));
        }

        /** The jobs of a task; nowhere if nothing is recorded. */
        private JobLog noted(Supplier<Recording.Task> task) {
            return recorder == null ? JobLog.none() : JobLog.of(recorder, task.get());
        }

        /** The jobs of each frame file; none where nothing is recorded. */
        Map<Path, JobLog> frames(
                List<Path> files, ToneMapSettings settings, PictureFormat format, FrameChoice choice, String devices) {
            Map<Path, JobLog> logs = new LinkedHashMap<>();
            Map<String, String> parameters = Tasks.parameters(settings, format, choice);
            for (Path file : recorder == null ? Set.<Path>of() : new LinkedHashSet<>(files)) {
                logs.put(file, noted(() -> {
                    List<Recording.InputFile> digest = List.of(Digests.file(file));
                    long pixels = pixels(file, choice);
                    return new Recording.Task(command, "tonemap", devices, pixels, null, 0, parameters, digest);
                }));
            }
            return logs;
        }

        /** 0 for what is no frame, which the stream will say. */
        private static long pixels(Path frame, FrameChoice choice) {
            try {
                return choice.of(FrameFile.open(frame)).size().pixels();
            } catch (IOException e) {
                return 0;
            }
        }

        /** Completes the record. */
        @Override
        public void close() {
            if (recorder != null) {
                recorder.close();
            }
        }
    }
}
