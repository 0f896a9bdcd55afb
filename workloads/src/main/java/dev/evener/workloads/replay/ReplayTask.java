package dev.evener.workloads.replay;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameFile;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.record.Recording;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.InputFile;
import dev.evener.workloads.workload.Output;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.util.ArrayList;
import java.util.List;

/** A recorded task with its data, ready to run. Owns its buffers. Not thread-safe, and idle whenever a method is called. */
interface ReplayTask extends AutoCloseable {
    /** The job. */
    Job job();

    /** Makes the data as they were at first. */
    void refresh();

    /** What the job computed. */
    Output output();

    /** Bytes of host memory, roughly. */
    long bytes();

    @Override
    void close();

    /**
     * Finds what cannot be run, before any device is opened.
     *
     * @throws IllegalArgumentException if there is no such workload or parameter, or a value cannot be
     */
    static void check(Recording.Task task) {
        if (isFrame(task)) {
            FrameTasks.settings(task.parameters());
            if (task.files().size() != 1) {
                throw new IllegalArgumentException(
                        "a frame comes from one file, not " + task.files().size());
            }
        } else {
            Workload workload = Workloads.named(task.workload());
            for (String name : TunedTasks.others(task).keySet()) {
                if (workload.parameters().stream().noneMatch(p -> p.name().equals(name))) {
                    throw new IllegalArgumentException(workload.name() + " has no parameter '" + name + "'");
                }
            }
            TunedTasks.tuning(task, Tuning.defaults());
            if (task.files().isEmpty()) {
                request(task);
            } else {
                Values.of(workload, TunedTasks.others(task));
            }
        }
    }

    /** Whether it is a frame of a file, not one that is made up. */
    static boolean isFrame(Recording.Task task) {
        return task.command().equals("tonemap");
    }

    /**
     * Prepares it.
     *
     * @throws dev.evener.EvenerException if there is no memory for it
     * @throws dev.evener.workloads.workload.InputException if a file cannot be used
     * @throws FrameException the same, for a frame
     * @throws IllegalArgumentException if it cannot be, as {@link #check} says
     */
    static ReplayTask prepare(Evener evener, Tuning tuning, Recording.Task task) throws FrameException {
        return isFrame(task) ? FrameReplay.of(evener, tuning, task) : new WorkloadReplay(evener, tuning, task);
    }

    private static Request request(Recording.Task task) {
        Workload workload = Workloads.named(task.workload());
        Values values = Values.of(workload, TunedTasks.others(task));
        if (task.files().isEmpty()) {
            String distribution = task.distribution();
            return Request.synthetic(
                    workload,
                    values,
                    task.items(),
                    distribution == null ? Distribution.UNIFORM : Distribution.named(distribution),
                    task.seed());
        }
        List<InputFile> files = new ArrayList<>();
        task.files().forEach(file -> files.add(InputFile.of(file.path())));
        return Request.ofFiles(workload, values, files);
    }

    /** One of the workloads. */
    final class WorkloadReplay implements ReplayTask {
        private final PreparedWorkload prepared;

        private WorkloadReplay(Evener evener, Tuning tuning, Recording.Task task) {
            Request request = request(task).tuned(TunedTasks.tuning(task, tuning));
            prepared = request.workload().prepare(evener, request);
        }

        @Override
        public Job job() {
            return prepared.job();
        }

        @Override
        public void refresh() {
            prepared.reset();
        }

        @Override
        public Output output() {
            return prepared.output();
        }

        @Override
        public long bytes() {
            return (long) (prepared.items() * prepared.bytesPerItem());
        }

        @Override
        public void close() {
            prepared.close();
        }
    }

    /** A frame that is tone-mapped. */
    final class FrameReplay implements ReplayTask {
        private final FrameLayout layout;
        private final HostBuffer frame;
        private final HostBuffer pixels;
        private final ToneMapper mapper;
        private final Job job;

        private FrameReplay(
                FrameLayout layout, HostBuffer frame, HostBuffer pixels, ToneMapper mapper, Recording.Task task) {
            this.layout = layout;
            this.frame = frame;
            this.pixels = pixels;
            this.mapper = mapper;
            this.job = mapper.job(layout, frame, pixels, FrameTasks.settings(task.parameters()));
        }

        private static FrameReplay of(Evener evener, Tuning tuning, Recording.Task task) throws FrameException {
            FrameFile file = FrameFile.open(task.files().get(0).path());
            FrameLayout layout = file.size();
            // What is not closed here when something fails is closed with the Evener.
            HostBuffer frame = evener.allocate(ElementType.FLOAT, layout.floats());
            file.decode(frame.bytes());
            HostBuffer pixels = evener.allocate(ElementType.UINT, layout.words());
            return new FrameReplay(layout, frame, pixels, new ToneMapper(evener::allocate, tuning), task);
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void refresh() {
            for (int i = 0; i < layout.words(); i++) { // so that an old picture is not taken for a new one
                pixels.ints().put(i, 0);
            }
        }

        @Override
        public Output output() {
            return Output.pixels(pixels, layout);
        }

        @Override
        public long bytes() {
            return frame.byteSize() + pixels.byteSize();
        }

        @Override
        public void close() {
            mapper.close();
            frame.close();
            pixels.close();
        }
    }
}
