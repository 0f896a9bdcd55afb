package dev.evener.workloads.replay;

import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameFile;
import dev.evener.frames.FrameJob;
import dev.evener.frames.LoadedFrame;
import dev.evener.frames.PictureFormat;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.record.Recording;
import dev.evener.workloads.workload.Output;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import java.nio.ByteBuffer;
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
record TaskData(Supplier<Job> job, Runnable refresh, Supplier<Output> output, long bytes, Runnable closing)
        implements AutoCloseable {
    /**
     * Prepares it.
     *
     * @throws dev.evener.EvenerException if there is no memory for it
     * @throws dev.evener.workloads.workload.InputException if a file cannot be used
     * @throws FrameException the same, for a frame
     * @throws IllegalArgumentException if it cannot be, as {@link Tasks#check} says
     */
    static TaskData prepare(Evener evener, Tuning tuning, Recording.Task task) throws FrameException {
        if (Tasks.isFrame(task)) {
            return frame(evener, tuning, task);
        }
        Request request = Tasks.request(task, tuning);
        PreparedWorkload prepared = request.workload().prepare(evener, request);
        long bytes = (long) Math.ceil(prepared.items() * prepared.bytesPerItem());
        return new TaskData(prepared::job, prepared::reset, prepared::output, bytes, prepared::close);
    }

    private static TaskData frame(Evener evener, Tuning tuning, Recording.Task task) throws FrameException {
        FrameFile file =
                Tasks.choice(task).of(FrameFile.open(task.files().get(0).path()));
        PictureFormat format = Tasks.format(task);
        LoadedFrame frame = new LoadedFrame(file, format, evener).decode();
        // What is not closed here when something fails is closed with the Evener.
        FrameJob work = new FrameJob(Allocator.of(evener), tuning, format);
        Job job = frame.job(work, Tasks.settings(task.parameters()));
        Runnable refresh = () -> {
            try (ManagedBuffer.Scope scope =
                    frame.pixels().overwrite()) { // so that an old picture is not taken for a new one
                byte[] zeros = new byte[1 << 16];
                for (ByteBuffer all = scope.bytes(); all.hasRemaining(); ) {
                    all.put(zeros, 0, Math.min(zeros.length, all.remaining()));
                }
            }
        };
        Runnable closing = () -> {
            work.close();
            frame.close();
        };
        Supplier<Output> output = () -> Output.pixels(frame.pixels(), frame.layout(), format.words());
        return new TaskData(() -> job, refresh, output, frame.bytes(), closing);
    }

    @Override
    public void close() {
        closing.run();
    }
}
