package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceProbe;
import dev.evener.DeviceProbe.Figure;
import dev.evener.DeviceProbe.Transfers;
import dev.evener.KernelSource;
import dev.evener.internal.Pages;
import dev.evener.internal.Sampling;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClKernel;
import dev.evener.internal.cl.ClQueue;
import dev.evener.internal.cl.ClQueues;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.cl.ProgramCache;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.recovery.LaneFailure;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * Measures one device, in a context of its own: what a launch costs, how fast its memory is, and, if it has memory of its
 * own, how fast the way there is. Belongs to the thread that made it.
 *
 * <p>Transfers in both directions go through two queues and never block: on one vendor's driver a blocking transfer on one
 * queue holds up those of another, and the two directions then share the speed of one.
 */
final class DeviceMeasurement implements AutoCloseable {
    /** To begin with; more where the device says that its cache holds a good part of it. */
    private static final long LEAST_BYTES = 16L << 20;

    private static final int CACHES = 4;
    /** Of each of two buffers in memory that the host has too, and in memory that it does not. */
    private static final long MOST_HOST_BYTES = 256L << 20;

    private static final long MOST_DEVICE_BYTES = 1L << 30;
    /** A device with little memory gives at most such a part of it to each. */
    private static final int PART = 8;

    private static final long LEAST_TRANSFER = 8L << 20;
    private static final long MOST_TRANSFER = 64L << 20;

    /** Work-items that each compute unit of a GPU is given: enough to hide its memory's latency. */
    private static final int ITEMS_PER_UNIT = 2048;
    /** Of a CPU there is one for each such block. */
    private static final int BLOCK_BYTES = 256 << 10;

    private static final KernelSource SOURCE = KernelSource.resource(DeviceMeasurement.class, "probe.cl");

    private final ClDevice device;
    private final DeviceInfo info;
    private final Consumer<String> progress;
    private final Owned owned = new Owned();
    private final ContextMemory context;
    private final ClQueue queue;
    private final ClCommands commands;
    private final boolean shares;
    private final int vectorBytes;

    /** What is to be released, the latest first. */
    private static final class Owned implements AutoCloseable {
        private final Deque<Runnable> releases = new ArrayDeque<>();

        void add(Runnable release) {
            releases.push(release);
        }

        @Override
        public void close() {
            while (!releases.isEmpty()) {
                releases.pop().run();
            }
        }
    }

    /**
     * @param allowSharing false to measure transfers even where memory could be shared
     * @param progress told what is being measured
     */
    DeviceMeasurement(ClDevice device, ProgramCache cache, boolean allowSharing, Consumer<String> progress) {
        this.device = device;
        this.info = device.info();
        this.progress = progress;
        this.vectorBytes = info.kind() == DeviceKind.CPU ? 64 : 16;
        this.context = new ContextMemory(new ClContext(List.of(device), cache));
        context.retain();
        owned.add(context::release);
        try {
            this.queue = queue(owned);
            this.commands = commands(queue);
            this.shares = allowSharing && context.sharesHostMemory(device, queue);
        } catch (RuntimeException e) {
            owned.close();
            throw e;
        }
    }

    /** Measures everything. */
    DeviceProbe measure() {
        Figure launch = launch();
        long most = info.sharesHostMemory() ? MOST_HOST_BYTES : MOST_DEVICE_BYTES;
        Figure[] memory = halvingUnlessItFits(fitting(most), this::memory);
        Transfers pinned = null;
        Transfers pageable = null;
        if (!shares) {
            pinned = halvingUnlessItFits(fitting(MOST_TRANSFER), bytes -> transfers(bytes, true));
            pageable = halvingUnlessItFits(fitting(MOST_TRANSFER), bytes -> transfers(bytes, false));
        }
        return new DeviceProbe(info.identity(), launch, memory[0], memory[1], pinned, pageable);
    }

    /** Some drivers say only when memory is used for the first time that there is none. */
    private static <T> T halvingUnlessItFits(long most, LongFunction<T> measuring) {
        for (long bytes = most; ; bytes /= 2) {
            try {
                return measuring.apply(bytes);
            } catch (RuntimeException e) {
                if (LaneFailure.kindOf(e) != LaneFailure.Kind.MEMORY || bytes <= Pages.SIZE) {
                    throw e;
                }
            }
        }
    }

    /** The largest power of two that is at most this and what the device can give. */
    private long fitting(long most) {
        long fits = Math.min(most, Math.max(Pages.SIZE, info.memoryBytes() / PART));
        if (info.maxAllocationBytes() > 0) {
            fits = Math.min(fits, Math.max(Pages.SIZE, info.maxAllocationBytes()));
        }
        return Long.highestOneBit(fits);
    }

    // ---- the device itself ----

    private Figure launch() {
        progress.accept("launch");
        try (Owned mine = new Owned()) {
            DeviceBuffer out = buffer(Pages.SIZE, mine);
            ClKernel nothing = kernel("evener_probe_nothing", mine);
            nothing.set(0, out);
            long[] one = {1};
            return Sampling.nanos(times -> run(times, () -> commands.kernel(nothing, null, one, one)));
        }
    }

    /** Copying and reading. */
    private Figure[] memory(long most) {
        try (Owned mine = new Owned()) {
            DeviceBuffer in = buffer(most, mine);
            DeviceBuffer out = buffer(most, mine);
            ClKernel fill = kernel("evener_probe_fill", mine);
            fill.set(0, in);
            long least = Math.min(most, leastBytes());
            progress.accept("copying");
            Figure copy = Sampling.bytesPerSecond(least, most, bytes -> {
                overAll(fill, 1, bytes).run(1); // memory that nobody wrote may be one page of zeros
                return overAll(moving("evener_probe_copy", in, out, mine), 2, bytes);
            });
            progress.accept("reading");
            Figure read = Sampling.bytesPerSecond(least, most, bytes -> {
                overAll(fill, 1, bytes).run(1);
                return overAll(moving("evener_probe_read", in, out, mine), 2, bytes);
            });
            // A copy of so many bytes reads them and writes them.
            return new Figure[] {new Figure(2 * copy.median(), copy.spread(), copy.samples()), read};
        }
    }

    private long leastBytes() {
        long cache = Math.min(MOST_DEVICE_BYTES, device.cacheBytes());
        long least = LEAST_BYTES;
        while (least < CACHES * cache) {
            least *= 2;
        }
        return least;
    }

    private ClKernel moving(String name, DeviceBuffer in, DeviceBuffer out, Owned owner) {
        ClKernel kernel = kernel(name, owner);
        kernel.set(0, in);
        kernel.set(1, out);
        return kernel;
    }

    /** A kernel over the vectors in the first so many bytes, whose last argument says how many they are. */
    private Sampling.Work overAll(ClKernel kernel, int lastArgument, long bytes) {
        long vectors = bytes / vectorBytes;
        kernel.set(lastArgument, vectors);
        long items = info.kind() == DeviceKind.CPU
                ? Math.max(info.computeUnits(), bytes / BLOCK_BYTES)
                : (long) info.computeUnits() * ITEMS_PER_UNIT;
        long[] global = {Math.max(1, Math.min(items, vectors))};
        long[] local = info.kind() == DeviceKind.CPU ? new long[] {1} : null;
        return times -> run(times, () -> commands.kernel(kernel, null, global, local));
    }

    /** Enqueues a command so many times and waits until all are done. */
    private void run(int times, Runnable enqueue) {
        try {
            for (int i = 0; i < times; i++) {
                enqueue.run();
            }
            commands.flush();
            commands.await();
        } finally {
            end(queue, commands);
        }
    }

    /** After a failure nothing that a command under way uses may be freed. */
    private static void end(ClQueue of, ClCommands ended) {
        of.drain();
        ended.release();
    }

    // ---- the way there ----

    private Transfers transfers(long most, boolean pinned) {
        String kind = pinned ? "page-locked" : "pageable";
        try (Owned mine = new Owned()) {
            ClQueue second = queue(mine);
            ClCommands back = commands(second);
            DeviceBuffer target = buffer(most, mine);
            DeviceBuffer source = buffer(most, mine);
            ByteBuffer from = hostMemory(most, pinned, mine);
            ByteBuffer to = hostMemory(most, pinned, mine);
            long least = Math.min(most, LEAST_TRANSFER);
            progress.accept("sending from " + kind + " memory");
            Figure toDevice = Sampling.bytesPerSecond(
                    least, most, bytes -> times -> run(times, () -> commands.send(target, 0, bytes, from, 0)));
            run(1, () -> commands.send(source, 0, most, from, 0)); // what is fetched must be there
            progress.accept("fetching to " + kind + " memory");
            Figure fromDevice = Sampling.bytesPerSecond(
                    least, most, bytes -> times -> run(times, () -> commands.fetch(source, 0, bytes, to, 0)));
            progress.accept("both ways with " + kind + " memory");
            Figure both = Sampling.bytesPerSecond(least, most, bytes -> times -> {
                try {
                    for (int i = 0; i < times; i++) {
                        commands.send(target, 0, bytes, from, 0);
                        commands.flush();
                        back.fetch(source, 0, bytes, to, 0);
                        back.flush();
                    }
                    commands.await();
                    back.await();
                } finally {
                    end(queue, commands);
                    end(second, back);
                }
            });
            return new Transfers(toDevice, fromDevice, new Figure(2 * both.median(), both.spread(), both.samples()));
        }
    }

    /** Memory whose pages are there. */
    private ByteBuffer hostMemory(long bytes, boolean pinned, Owned owner) {
        ByteBuffer memory;
        if (pinned) {
            DeviceBuffer mem = context.context().allocatePageLocked(bytes);
            owner.add(mem::release);
            ByteBuffer mapped = queue.map(mem, true, bytes);
            owner.add(() -> {
                queue.unmap(mem, mapped);
                queue.drain();
            });
            memory = mapped;
        } else {
            memory = Pages.allocate(Math.toIntExact(bytes));
        }
        for (int at = 0; at < bytes; at += Pages.SIZE) {
            memory.put(at, (byte) 1);
        }
        return memory;
    }

    // ---- what is owned ----

    private ClQueue queue(Owned owner) {
        ClQueue made = context.context().queue(device);
        owner.add(made::release);
        return made;
    }

    private ClCommands commands(ClQueue of) {
        return new ClCommands(new ClQueues(of));
    }

    private DeviceBuffer buffer(long bytes, Owned owner) {
        DeviceBuffer made = context.context().allocate(bytes);
        owner.add(made::release);
        return made;
    }

    private ClKernel kernel(String name, Owned owner) {
        ClKernel made = context.context().kernel(SOURCE, "", info.kind(), name);
        owner.add(made::release);
        return made;
    }

    @Override
    public void close() {
        owned.close();
    }
}
