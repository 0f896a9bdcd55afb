package dev.evener.kernels.tonemap;

import dev.evener.Access;
import dev.evener.DataBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import dev.evener.internal.HostTurn;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Runs a job's Java forms as the runtime would: chunk by chunk, sliced buffers from the chunk's start, one private
 * partial per chunk for reductions, host steps between phases.
 */
final class JvmRunner {
    private JvmRunner() {}

    /** Runs with the units cut at these places. */
    static void run(Job job, int... cuts) {
        for (JobSpec.Phase phase : JobSpec.of(job).phases()) {
            clearReductions(phase);
            int first = 0;
            for (int end : bounds(job, cuts)) {
                runChunk(phase, first, end - first);
                first = end;
            }
            Consumer<DataBuffer.HostAccess> hostStep = phase.hostStep();
            if (hostStep != null) {
                hostStep.accept(new HostTurn(b -> b, Set.of(), Set.of(), new Traffic()));
            }
        }
    }

    private static int[] bounds(Job job, int[] cuts) {
        int[] bounds = Arrays.copyOf(cuts, cuts.length + 1);
        bounds[cuts.length] = Math.toIntExact(job.units());
        return bounds;
    }

    private static void clearReductions(JobSpec.Phase phase) {
        for (Argument argument : phase.arguments()) {
            if (argument instanceof Argument.Buffer b && b.access() instanceof Access.Reduce) {
                b.buffer().segment(0).put(new byte[(int) b.buffer().byteSize()]);
            }
        }
    }

    private static void runChunk(JobSpec.Phase phase, int first, int units) {
        List<ByteBuffer> views = new ArrayList<>();
        List<Runnable> merges = new ArrayList<>();
        for (Argument argument : phase.arguments()) {
            views.add(view(argument, first, units, merges));
        }
        Objects.requireNonNull(phase.jvm()).run(new JvmKernel.Chunk() {
            @Override
            public long firstUnit() {
                return first;
            }

            @Override
            public int units() {
                return units;
            }

            @Override
            public ByteBuffer buffer(int index) {
                return views.get(index).duplicate().order(ByteOrder.nativeOrder());
            }

            @Override
            public int viewStart(int index) {
                return phase.arguments().get(index) instanceof Argument.Buffer b
                                && b.access() instanceof Access.Halo halo
                        ? (int) (Math.min(first, halo.before()) * halo.elementsPerUnit())
                        : 0;
            }
        });
        merges.forEach(Runnable::run);
    }

    private static ByteBuffer view(Argument argument, int first, int units, List<Runnable> merges) {
        if (!(argument instanceof Argument.Buffer b)) {
            return ByteBuffer.allocate(0);
        }
        if (b.access() instanceof Access.Slice slice) {
            int unitBytes = (int) slice.elementsPerUnit() * b.buffer().type().bytes();
            return b.buffer()
                    .segment(0)
                    .slice(first * unitBytes, units * unitBytes)
                    .order(ByteOrder.nativeOrder());
        }
        if (b.access() instanceof Access.Halo halo) {
            int unitBytes = (int) halo.elementsPerUnit() * b.buffer().type().bytes();
            int from = (int) Math.max(0, first - halo.before()) * unitBytes;
            long to = Math.min(b.buffer().byteSize(), (first + units + halo.after()) * unitBytes);
            return b.buffer().segment(0).slice(from, (int) to - from).order(ByteOrder.nativeOrder());
        }
        if (b.access() instanceof Access.Reduce reduce) {
            ByteBuffer partial =
                    ByteBuffer.allocateDirect((int) b.buffer().byteSize()).order(ByteOrder.nativeOrder());
            merges.add(() -> merge(b, reduce, partial));
            return partial;
        }
        return b.buffer().segment(0);
    }

    private static void merge(Argument.Buffer b, Access.Reduce reduce, ByteBuffer partial) {
        ByteBuffer all = b.buffer().segment(0);
        for (int i = 0; i < all.capacity() && i < partial.capacity(); i += 4) {
            int x = all.getInt(i);
            int y = partial.getInt(i);
            all.putInt(
                    i,
                    switch (reduce.operation()) {
                        case SUM -> x + y;
                        case MIN -> Integer.compareUnsigned(x, y) < 0 ? x : y;
                        default -> Integer.compareUnsigned(x, y) > 0 ? x : y;
                    });
        }
    }
}
