package dev.evener.internal.opencl;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceProbe;
import dev.evener.DeviceProbe.Figure;
import dev.evener.DeviceProbe.Transfers;
import dev.evener.KernelSource;
import dev.evener.internal.Pages;
import dev.evener.internal.Sampling;
import dev.evener.internal.recovery.LaneFailure;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.cl_command_queue;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;

/**
 * Measures one device, in a context of its own: what a launch costs, how fast its memory is, and, if it has memory of its
 * own, how fast the way there is. Belongs to the thread that made it.
 *
 * <p>Transfers in both directions go through two queues and never block: on one vendor's driver a blocking transfer on one
 * queue holds up those of another, and the two directions then share the speed of one.
 */
final class ClProbe implements AutoCloseable {
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

    private static final KernelSource SOURCE = KernelSource.resource(ClProbe.class, "probe.cl");

    private final ClDevice device;
    private final DeviceInfo info;
    private final Consumer<String> progress;
    private final Owned owned = new Owned();
    private final ClGroup group;
    private final cl_command_queue queue;
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
    ClProbe(ClDevice device, ProgramCache cache, boolean allowSharing, Consumer<String> progress) {
        this.device = device;
        this.info = device.info();
        this.progress = progress;
        this.vectorBytes = info.kind() == DeviceKind.CPU ? 64 : 16;
        this.group = new ClGroup(List.of(device), cache);
        group.retain();
        owned.add(group::release);
        try {
            this.queue = queue(owned);
            this.commands = commands(queue);
            this.shares = allowSharing && group.sharesHostMemory(device, queue);
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
            cl_mem out = buffer(Pages.SIZE, mine);
            cl_kernel nothing = kernel("evener_probe_nothing", mine);
            ClArguments.buffer(nothing, 0, out);
            long[] one = {1};
            return Sampling.nanos(times -> run(times, () -> commands.kernel(nothing, null, one, one)));
        }
    }

    /** Copying and reading. */
    private Figure[] memory(long most) {
        try (Owned mine = new Owned()) {
            cl_mem in = buffer(most, mine);
            cl_mem out = buffer(most, mine);
            cl_kernel fill = kernel("evener_probe_fill", mine);
            ClArguments.buffer(fill, 0, in);
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
        long cache =
                Math.min(MOST_DEVICE_BYTES, Cl.deviceNumber(device.handle(), CL.CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 0));
        long least = LEAST_BYTES;
        while (least < CACHES * cache) {
            least *= 2;
        }
        return least;
    }

    private cl_kernel moving(String name, cl_mem in, cl_mem out, Owned owner) {
        cl_kernel kernel = kernel(name, owner);
        ClArguments.buffer(kernel, 0, in);
        ClArguments.buffer(kernel, 1, out);
        return kernel;
    }

    /** A kernel over the vectors in the first so many bytes, whose last argument says how many they are. */
    private Sampling.Work overAll(cl_kernel kernel, int lastArgument, long bytes) {
        long vectors = bytes / vectorBytes;
        Cl.setArg(kernel, lastArgument, Long.BYTES, Pointer.to(new long[] {vectors}));
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
            Cl.flush(queue);
            commands.await();
        } finally {
            end(queue, commands);
        }
    }

    /** After a failure nothing that a command under way uses may be freed. */
    private static void end(cl_command_queue of, ClCommands ended) {
        Cl.drain(of);
        ended.release();
    }

    // ---- the way there ----

    private Transfers transfers(long most, boolean pinned) {
        String kind = pinned ? "page-locked" : "pageable";
        try (Owned mine = new Owned()) {
            cl_command_queue second = queue(mine);
            ClCommands back = commands(second);
            cl_mem target = buffer(most, mine);
            cl_mem source = buffer(most, mine);
            Pointer from = Pointer.to(hostMemory(most, pinned, mine));
            Pointer to = Pointer.to(hostMemory(most, pinned, mine));
            long least = Math.min(most, LEAST_TRANSFER);
            progress.accept("sending from " + kind + " memory");
            Figure toDevice = Sampling.bytesPerSecond(
                    least, most, bytes -> times -> run(times, () -> commands.send(target, 0, bytes, from)));
            run(1, () -> commands.send(source, 0, most, from)); // what is fetched must be there
            progress.accept("fetching to " + kind + " memory");
            Figure fromDevice = Sampling.bytesPerSecond(
                    least, most, bytes -> times -> run(times, () -> commands.fetch(source, 0, bytes, to)));
            progress.accept("both ways with " + kind + " memory");
            Figure both = Sampling.bytesPerSecond(least, most, bytes -> times -> {
                try {
                    for (int i = 0; i < times; i++) {
                        commands.send(target, 0, bytes, from);
                        Cl.flush(queue);
                        back.fetch(source, 0, bytes, to);
                        Cl.flush(second);
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
            cl_mem mem = Cl.createBuffer(group.context(), CL.CL_MEM_READ_WRITE | CL.CL_MEM_ALLOC_HOST_PTR, bytes, null);
            owner.add(() -> Cl.release(mem));
            ByteBuffer mapped = Cl.map(queue, mem, CL.CL_MAP_READ | CL.CL_MAP_WRITE, bytes);
            owner.add(() -> {
                Cl.unmap(queue, mem, mapped);
                Cl.drain(queue);
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

    private cl_command_queue queue(Owned owner) {
        cl_command_queue made = Cl.createQueue(group.context(), device.handle());
        owner.add(() -> Cl.release(made));
        return made;
    }

    private ClCommands commands(cl_command_queue of) {
        return new ClCommands(ClQueues.one(of), new ClClock(), device.needsBlockingTransfers());
    }

    private cl_mem buffer(long bytes, Owned owner) {
        cl_mem made = group.allocate(bytes);
        owner.add(() -> Cl.release(made));
        return made;
    }

    private cl_kernel kernel(String name, Owned owner) {
        cl_kernel made = Cl.createKernel(group.program(SOURCE, "", info.kind()), name);
        owner.add(() -> Cl.release(made));
        return made;
    }

    @Override
    public void close() {
        owned.close();
    }
}
