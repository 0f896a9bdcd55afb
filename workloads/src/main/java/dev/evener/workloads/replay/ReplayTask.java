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
import java.util.function.Supplier;

/**
 * A recorded task with its data, ready to run. Owns its buffers. Not thread-safe, and idle whenever a method is called.
 *
 * @param job the job
 * @param refresh makes the data as they were at first
 * @param output what the job computed
 * @param bytes of host memory, roughly
 * @param closing lets go of the data
 */
record ReplayTask(Supplier<Job> job, Runnable refresh, Supplier<Output> output, long bytes, Runnable closing)
        implements AutoCloseable {
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
            return;
        }
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

    /** Whether it is a frame of a file, not a synthetic one. */
    private static boolean isFrame(Recording.Task task) {
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
        if (isFrame(task)) {
            return frame(evener, tuning, task);
        }
        Request request = request(task).tuned(TunedTasks.tuning(task, tuning));
        PreparedWorkload prepared = request.workload().prepare(evener, request);
        long bytes = (long) (prepared.items() * prepared.bytesPerItem());
        return new ReplayTask(prepared::job, prepared::reset, prepared::output, bytes, prepared::close);
    }

    private static Request request(Recording.Task task) {
        Workload workload = Workloads.named(task.workload());
        Values values = Values.of(workload, TunedTasks.others(task));
        if (task.files().isEmpty()) {
            String name = task.distribution();
            Distribution distribution = name == null ? Distribution.UNIFORM : Distribution.named(name);
            return Request.synthetic(workload, values, task.items(), distribution, task.seed());
        }
        List<InputFile> files = new ArrayList<>();
        task.files().forEach(file -> files.add(InputFile.of(file.path())));
        return Request.ofFiles(workload, values, files);
    }

    private static ReplayTask frame(Evener evener, Tuning tuning, Recording.Task task) throws FrameException {
        FrameFile file = FrameFile.open(task.files().get(0).path());
        FrameLayout layout = file.size();
        // What is not closed here when something fails is closed with the Evener.
        HostBuffer frame = evener.allocate(ElementType.FLOAT, layout.floats());
        file.decode(frame.bytes());
        HostBuffer pixels = evener.allocate(ElementType.UINT, layout.words());
        ToneMapper mapper = new ToneMapper(evener::allocate, tuning);
        Job job = mapper.job(layout, frame, pixels, FrameTasks.settings(task.parameters()));
        Runnable refresh = () -> {
            for (int i = 0; i < layout.words(); i++) { // so that an old picture is not taken for a new one
                pixels.ints().put(i, 0);
            }
        };
        Runnable closing = () -> {
            mapper.close();
            frame.close();
            pixels.close();
        };
        Supplier<Output> output = () -> Output.pixels(pixels, layout);
        return new ReplayTask(() -> job, refresh, output, frame.byteSize() + pixels.byteSize(), closing);
    }

    @Override
    public void close() {
        closing.run();
    }
}
