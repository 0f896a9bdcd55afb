package dev.evener.workloads.experiment;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.DeviceVariants;
import dev.evener.policy.Policies;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * How fast a device with memory of its own gets its data and gives it back, in whole jobs with next to nothing to compute:
 * from and to buffers of {@link Evener#allocate}, against memory of the application's. One thread.
 */
final class Transfers {
    private static final KernelSource SOURCE = KernelSource.resource(Transfers.class, "transfers.cl");

    /** Words of a unit, 16 KiB. */
    private static final int UNIT = 4096;

    private static final int WORDS = 1 << 28;
    private static final int PAGE = 4096;
    private static final int WARM_UP = 2;

    /** Page-locked memory is to be worth its making. */
    private static final double AIM = 1.5;

    private final Evener evener;
    private final int rounds;
    private final int words;
    private final Consumer<String> progress;

    /**
     * @param evener with one device, which has memory of its own
     * @param rounds how often everything is measured
     * @param part of 1 GiB in each direction
     * @param progress told what is being done
     */
    Transfers(Evener evener, int rounds, double part, Consumer<String> progress) {
        this.evener = evener;
        this.rounds = rounds;
        this.words = Math.max(1, (int) (WORDS * part) / UNIT) * UNIT;
        this.progress = progress;
    }

    /** A buffer for each direction, and one for a word of each unit. */
    private record Memory(HostBuffer from, HostBuffer to, HostBuffer words) implements AutoCloseable {
        @Override
        public void close() {
            try (from;
                    to;
                    words) {
                // All, whatever one of them throws.
            }
        }
    }

    /** Up, down, and both at once; speeds are of one direction. */
    List<Yardstick> measure() {
        List<Yardstick> found = new ArrayList<>();
        try (Memory own = new Memory(words(words), words(words), words(words / UNIT));
                Memory wrapped = new Memory(wrapped(), wrapped(), words(words / UNIT))) {
            for (String way : List.of("up", "down", "both")) {
                String name = "transfers " + way;
                progress.accept(name);
                Job ownJob = job(way, own);
                Job wrappedJob = job(way, wrapped);
                double[][] nanos = Alternately.nanos(WARM_UP, rounds, () -> nanos(ownJob), () -> nanos(wrappedJob));
                Yardstick.Work work = new Yardstick.Work(name, "GB/s", 4.0 * words);
                found.add(Yardstick.ratio(work, "wrapped memory", AIM, nanos[0], nanos[1]));
            }
        }
        return found;
    }

    private double nanos(Job job) {
        return evener.submit(job, Policies.single(0)).join().wallNanos();
    }

    private HostBuffer words(int count) {
        return evener.allocate(ElementType.UINT, count);
    }

    private HostBuffer wrapped() {
        return evener.wrap(
                ElementType.UINT,
                ByteBuffer.allocateDirect(4 * words + 2 * PAGE)
                        .alignedSlice(PAGE)
                        .limit(4 * words)
                        .order(ByteOrder.nativeOrder()));
    }

    private Job job(String way, Memory memory) {
        Job.Builder job = Job.named("transfers " + way).source(SOURCE).units(words / UNIT);
        switch (way) {
            case "up" -> job.kernel("take").reads(memory.from(), slice(UNIT)).writes(memory.words(), slice(1));
            case "down" -> job.kernel("give").writes(memory.to(), slice(UNIT));
            default -> job.kernel("pass").reads(memory.from(), slice(UNIT)).writes(memory.to(), slice(UNIT));
        }
        return DeviceVariants.add(job, Variant.itemsPerUnit(1, 1), Variant.itemsPerUnit(256, 256))
                .build();
    }
}
