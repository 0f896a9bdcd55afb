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
import org.jspecify.annotations.Nullable;

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
    private final ClContext context;
    private final Deque<Runnable> owned = new ArrayDeque<>(); // what is to be released, the latest first
    private final ClQueue queue;
    private final ClCommands commands;
    private final boolean shares;

    /**
     * @param allowSharing false to measure transfers even where memory could be shared
     * @param progress told what is being measured
     */
    DeviceMeasurement(ClDevice device, boolean allowSharing, Consumer<String> progress) {
        this.device = device;
        this.info = device.info();
        this.progress = progress;
        this.context = new ClContext(List.of(device), ProgramCache.none());
        owned.push(context::close);
        try {
            this.queue = queue();
            this.commands = new ClCommands(new ClQueues(queue));
            this.shares = allowSharing && new ContextMemory(context).sharesHostMemory(device, queue);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Measures everything. */
    DeviceProbe measure() {
        Figure launch = launch();
        Figure[] memory = unlessItFits(info.sharesHostMemory() ? MOST_HOST_BYTES : MOST_DEVICE_BYTES, this::memory);
        Transfers pinned = shares ? null : unlessItFits(MOST_TRANSFER, bytes -> transfers(bytes, true));
        Transfers pageable = shares ? null : unlessItFits(MOST_TRANSFER, bytes -> transfers(bytes, false));
        return new DeviceProbe(info.identity(), launch, memory[0], memory[1], pinned, pageable);
    }

    /**
     * Measures over the largest power of two of bytes that the device can give, or half as many, and so on: some drivers say only
     * when memory is used for the first time that there is none. Frees what was made for it.
     */
    private <T> T unlessItFits(long most, LongFunction<T> measuring) {
        long fits = Math.min(most, Math.max(Pages.SIZE, info.memoryBytes() / PART));
        if (info.maxAllocationBytes() > 0) {
            fits = Math.min(fits, Math.max(Pages.SIZE, info.maxAllocationBytes()));
        }
        int before = owned.size();
        for (long bytes = Long.highestOneBit(fits); ; bytes /= 2) {
            try {
                return measuring.apply(bytes);
            } catch (RuntimeException e) {
                if (LaneFailure.kindOf(e) != LaneFailure.Kind.MEMORY || bytes <= Pages.SIZE) {
                    throw e;
                }
            } finally {
                release(before);
            }
        }
    }

    private Figure launch() {
        progress.accept("launch");
        ClKernel nothing = kernel("evener_probe_nothing", buffer(Pages.SIZE));
        long[] one = {1};
        return Sampling.nanos(times -> run(times, () -> commands.kernel(nothing, null, one, one)));
    }

    /** Copying and reading. */
    private Figure[] memory(long most) {
        DeviceBuffer in = buffer(most);
        DeviceBuffer out = buffer(most);
        ClKernel fill = kernel("evener_probe_fill", in);
        ClKernel copying = kernel("evener_probe_copy", in, out);
        ClKernel reading = kernel("evener_probe_read", in, out);
        long least = LEAST_BYTES;
        while (least < CACHES * Math.min(MOST_DEVICE_BYTES, device.cacheBytes())) {
            least *= 2;
        }
        Figure[] figures = new Figure[2];
        for (int i = 0; i < 2; i++) {
            ClKernel kernel = i == 0 ? copying : reading;
            progress.accept(i == 0 ? "copying" : "reading");
            figures[i] = Sampling.bytesPerSecond(Math.min(most, least), most, bytes -> {
                overAll(fill, 1, bytes).run(1); // memory that nobody wrote may be one page of zeros
                return overAll(kernel, 2, bytes);
            });
        }
        figures[0] = doubled(figures[0]); // a copy of so many bytes reads them and writes them
        return figures;
    }

    private static Figure doubled(Figure figure) {
        return new Figure(2 * figure.median(), figure.spread(), figure.samples());
    }

    /** A kernel over the vectors in the first so many bytes, whose last argument says how many they are. */
    private Sampling.Work overAll(ClKernel kernel, int lastArgument, long bytes) {
        boolean cpu = info.kind() == DeviceKind.CPU;
        long vectors = bytes / (cpu ? 64 : 16);
        kernel.set(lastArgument, vectors);
        long items =
                cpu ? Math.max(info.computeUnits(), bytes / BLOCK_BYTES) : (long) info.computeUnits() * ITEMS_PER_UNIT;
        long[] global = {Math.max(1, Math.min(items, vectors))};
        long @Nullable [] local = cpu ? new long[] {1} : null;
        return times -> run(times, () -> commands.kernel(kernel, null, global, local));
    }

    private Transfers transfers(long most, boolean pinned) {
        String kind = pinned ? "page-locked" : "pageable";
        ClCommands back = new ClCommands(new ClQueues(queue()));
        DeviceBuffer target = buffer(most);
        DeviceBuffer source = buffer(most);
        ByteBuffer from = hostMemory(most, pinned);
        ByteBuffer to = hostMemory(most, pinned);
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
                end(commands);
                end(back);
            }
        });
        return new Transfers(toDevice, fromDevice, doubled(both));
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
            end(commands);
        }
    }

    /** After a failure nothing that a command under way uses may be freed. */
    private static void end(ClCommands ended) {
        ended.drain();
        ended.release();
    }

    // ---- what is owned ----

    private ClQueue queue() {
        ClQueue made = context.queue(device);
        owned.push(made::release);
        return made;
    }

    private DeviceBuffer buffer(long bytes) {
        DeviceBuffer made = context.allocate(bytes);
        owned.push(made::release);
        return made;
    }

    private ClKernel kernel(String name, DeviceBuffer... arguments) {
        ClKernel made = context.kernel(SOURCE, "", info.kind(), name);
        owned.push(made::release);
        for (int i = 0; i < arguments.length; i++) {
            made.set(i, arguments[i]);
        }
        return made;
    }

    /** Memory whose pages are there. */
    private ByteBuffer hostMemory(long bytes, boolean pinned) {
        ByteBuffer memory;
        if (pinned) {
            DeviceBuffer locked = context.allocatePageLocked(bytes);
            owned.push(locked::release);
            ByteBuffer mapped = queue.map(locked, true, bytes);
            owned.push(() -> {
                queue.unmap(locked, mapped);
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

    private void release(int left) {
        while (owned.size() > left) {
            owned.pop().run();
        }
    }

    @Override
    public void close() {
        release(0);
    }
}
