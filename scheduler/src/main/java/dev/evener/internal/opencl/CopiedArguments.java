package dev.evener.internal.opencl;

import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Reduction;
import dev.evener.internal.run.LaneFailure.Kind;
import dev.evener.internal.run.Merge;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jocl.Pointer;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * Arguments on a device with memory of its own. A buffer that may be seen again has a {@link Mirror} there: a chunk sends
 * what the mirror lacks, works on a part of it, and fetches what it wrote. Any other goes through a chunk buffer, one for
 * each argument position, kept and grown: filled before the first kernel and fetched after the last.
 */
final class CopiedArguments extends ClArguments {
    /** Most gaps of a mirror that are sent one by one: every transfer under way occupies a thread of JOCL's. */
    private static final int MOST_GAPS = 8;

    private final ClGroup group;
    private final ClCommands commands;
    private final MemoryBudget budget;
    private final int alignment;
    private final Mirrors mirrors;
    private final List<Slot> slots = new ArrayList<>();
    private final List<cl_mem> subBuffers = new ArrayList<>();
    private final List<Fetch> fetches = new ArrayList<>();
    private final List<Staged> staged = new ArrayList<>();
    private final List<Mirrored> mirrored = new ArrayList<>();
    private final int[] status = new int[1];
    private long slotBytes;
    private long bytesIn;
    private long bytesOut;

    /** What stands at one argument position. */
    private static final class Slot {
        @Nullable
        cl_mem mem;

        long capacity;

        @Nullable
        ByteBuffer partial;

        @Nullable
        ByteBuffer staging;
    }

    private record Fetch(cl_mem mem, long offset, long bytes, Pointer target) {}

    /** Where a fenced chunk's results go once it is committed. */
    private record Staged(ByteBuffer from, ByteBuffer to) {}

    /** What a mirror will hold of a segment: after a read when the chunk is done, after a write once it counts. */
    private record Mirrored(Mirror mirror, long from, long to, boolean written) {}

    /**
     * @param alignment where sub-buffers may begin, in bytes
     */
    CopiedArguments(ClGroup group, ClCommands commands, MemoryBudget budget, int alignment) {
        this.group = group;
        this.commands = commands;
        this.budget = budget;
        this.alignment = Math.max(1, alignment);
        this.mirrors = new Mirrors(group::allocate, budget.mirrors(), budget.largest());
    }

    @Override
    cl_mem slice(int index, Job.Argument.Buffer argument, long origin, long bytes) {
        HostBuffer host = argument.buffer();
        int segment = (int) (origin / host.segmentBytes());
        long within = origin % host.segmentBytes();
        Mirror mirror = reused(host) ? mirrors.pin(host, segment, roomForMirrors()) : null;
        if (mirror != null && within % alignment != 0) {
            // Granules see to it that this does not happen; should it, the mirror must not keep what changes elsewhere.
            mirror.held.overwrites(within, within + bytes);
            mirror = null;
        }
        if (mirror != null) {
            return mirroredSlice(index, argument, mirror, origin, within, bytes);
        }
        cl_mem mem = ensure(index, bytes);
        Pointer place = Pointer.to(host.segment(segment)).withByteOffset(within);
        if (argument.read()) {
            send(mem, 0, bytes, place);
        }
        if (argument.written()) {
            fetches.add(new Fetch(mem, 0, bytes, fenced() ? stage(index, host, origin, bytes) : place));
        }
        return mem;
    }

    private cl_mem mirroredSlice(
            int index, Job.Argument.Buffer argument, Mirror mirror, long origin, long within, long bytes) {
        cl_mem all = mirror.mem();
        if (argument.read()) {
            sendMissing(mirror, within, within + bytes);
        }
        if (argument.written()) {
            mirror.held.overwrites(within, within + bytes);
            Pointer target =
                    fenced() ? stage(index, argument.buffer(), origin, bytes) : mirror.host.withByteOffset(within);
            fetches.add(new Fetch(all, within, bytes, target));
        }
        mirrored.add(new Mirrored(mirror, within, within + bytes, argument.written()));
        return part(mirror, within, bytes);
    }

    /** The part of a mirror that a kernel sees, from an aligned place on. */
    private cl_mem part(Mirror mirror, long within, long bytes) {
        if (within == 0 && bytes == mirror.bytes) {
            return mirror.mem();
        }
        cl_mem part = Cl.createSubBuffer(mirror.mem(), within, bytes, status);
        subBuffers.add(part);
        return part;
    }

    /** Sends the bytes of {@code [from, to)} of a segment that its mirror does not hold. */
    private void sendMissing(Mirror mirror, long from, long to) {
        int gaps = 0;
        long first = mirror.held.missingFrom(from, to);
        long last = first;
        for (long gap = first; gap < to; gap = mirror.held.missingFrom(last, to)) {
            last = mirror.held.presentFrom(gap, to);
            gaps++;
        }
        if (gaps > MOST_GAPS) {
            send(mirror.mem(), first, last - first, mirror.host.withByteOffset(first));
            return;
        }
        for (long gap = first; gap < to; ) {
            long end = mirror.held.presentFrom(gap, to);
            send(mirror.mem(), gap, end - gap, mirror.host.withByteOffset(gap));
            gap = mirror.held.missingFrom(end, to);
        }
    }

    private Pointer stage(int index, HostBuffer host, long origin, long bytes) {
        ByteBuffer target = host.bytes(origin, Math.toIntExact(bytes));
        Slot slot = slot(index);
        ByteBuffer staging = slot.staging;
        if (staging == null || staging.capacity() < target.capacity()) {
            staging = ByteBuffer.allocateDirect(target.capacity());
            slot.staging = staging;
        }
        staged.add(new Staged(staging, target));
        return Pointer.to(staging);
    }

    @Override
    void done() {
        for (Mirrored each : mirrored) {
            if (!each.written()) {
                each.mirror().held.received(each.from(), each.to());
            }
        }
    }

    @Override
    void commit() {
        for (Staged each : staged) {
            each.to().put(0, each.from(), 0, each.to().capacity());
        }
        staged.clear();
        for (Mirrored each : mirrored) {
            if (each.written()) {
                each.mirror().held.wrote(each.from(), each.to());
            }
        }
        mirrored.clear();
    }

    /** The aligned place before, where a part of a mirror may begin. */
    @Override
    long viewOrigin(long origin) {
        return origin - origin % alignment;
    }

    @Override
    cl_mem halo(int index, Job.Argument.Buffer argument, long origin, long bytes) {
        HostBuffer host = argument.buffer();
        long view = viewOrigin(origin);
        Mirror mirror = reused(host) ? mirrors.pin(host, 0, roomForMirrors()) : null;
        if (mirror != null) {
            sendMissing(mirror, origin, origin + bytes);
            mirrored.add(new Mirrored(mirror, origin, origin + bytes, false));
            return part(mirror, view, origin - view + bytes);
        }
        cl_mem mem = ensure(index, origin - view + bytes);
        send(mem, origin - view, bytes, Pointer.to(host.segment(0)).withByteOffset(origin));
        return mem;
    }

    @Override
    cl_mem whole(int index, Job.Argument.Buffer argument) {
        HostBuffer host = argument.buffer();
        long bytes = host.byteSize();
        Mirror mirror = mirrors.pin(host, 0, roomForMirrors()); // every chunk sees all of it
        if (mirror != null) {
            sendMissing(mirror, 0, bytes);
            mirrored.add(new Mirrored(mirror, 0, bytes, false));
            return mirror.mem();
        }
        cl_mem mem = ensure(index, bytes);
        if (bytes > 0) {
            send(mem, 0, bytes, Pointer.to(host.segment(0)));
        }
        return mem;
    }

    @Override
    cl_mem reduce(int index, Job.Argument.Buffer argument, Reduction operation) {
        int bytes = (int) argument.buffer().byteSize();
        cl_mem mem = ensure(index, bytes);
        Slot slot = slots.get(index);
        ByteBuffer partial = slot.partial;
        if (partial == null || partial.capacity() < bytes) {
            partial = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
            slot.partial = partial;
        }
        partial.limit(bytes);
        Merge.fillIdentity(partial, argument.buffer().type(), operation);
        if (bytes > 0) {
            Pointer host = Pointer.to(partial);
            send(mem, 0, bytes, host);
            fetches.add(new Fetch(mem, 0, bytes, host));
        }
        return mem;
    }

    @Override
    void fetch() {
        for (Fetch fetch : fetches) {
            commands.fetch(fetch.mem(), fetch.offset(), fetch.bytes(), fetch.target());
            bytesOut += fetch.bytes();
        }
    }

    @Override
    ByteBuffer partial(int index) {
        ByteBuffer partial = slots.get(index).partial;
        if (partial == null) {
            throw new IllegalStateException("argument " + index + " is no reduction");
        }
        return partial;
    }

    @Override
    long bytesIn() {
        return bytesIn;
    }

    @Override
    long bytesOut() {
        return bytesOut;
    }

    @Override
    void release() {
        subBuffers.forEach(Cl::release);
        subBuffers.clear();
        fetches.clear();
        staged.clear();
        mirrored.clear();
        mirrors.unpin();
        bytesIn = 0;
        bytesOut = 0;
    }

    @Override
    boolean dropUnused() {
        boolean any = super.dropUnused();
        any |= mirrors.drop();
        for (Slot slot : slots) {
            any |= slot.mem != null;
            free(slot);
        }
        return any;
    }

    @Override
    void distrust() {
        mirrors.forget();
    }

    @Override
    void close() {
        super.close();
        mirrors.close();
        slots.forEach(this::free);
        slots.clear();
    }

    /** Whether a later chunk may find this buffer's content useful that one brings: in another phase, or in another job. */
    private boolean reused(HostBuffer host) {
        if (host.isKeptOnDevices()) {
            return true;
        }
        int phases = 0;
        for (Job.Phase phase : job().phases()) {
            for (Job.Argument argument : phase.arguments()) {
                if (argument instanceof Job.Argument.Buffer b && b.buffer() == host) {
                    phases++;
                    break;
                }
            }
        }
        return phases > 1;
    }

    private long roomForMirrors() {
        return budget.total() - slotBytes - temporaryBytes();
    }

    private void send(cl_mem mem, long offset, long bytes, Pointer host) {
        commands.send(mem, offset, bytes, host);
        bytesIn += bytes;
    }

    private Slot slot(int index) {
        while (slots.size() <= index) {
            slots.add(new Slot());
        }
        return slots.get(index);
    }

    private cl_mem ensure(int index, long bytes) {
        Slot slot = slot(index);
        cl_mem mem = slot.mem;
        if (mem == null || slot.capacity < bytes) {
            free(slot);
            mirrors.shrinkTo(roomForMirrors() - bytes);
            mem = allocateOrMakeRoom(Math.max(1, bytes), group::allocate);
            slot.mem = mem;
            slot.capacity = bytes;
            slotBytes += bytes;
        }
        return mem;
    }

    private void free(Slot slot) {
        cl_mem mem = slot.mem;
        if (mem != null) {
            slot.mem = null;
            slotBytes -= slot.capacity;
            slot.capacity = 0;
            Cl.release(mem);
        }
    }

    @Override
    cl_mem allocateForDevice(long bytes) {
        mirrors.shrinkTo(roomForMirrors() - bytes);
        return allocateOrMakeRoom(bytes, group::allocateForDevice);
    }

    private cl_mem allocateOrMakeRoom(long bytes, LongFunction<cl_mem> allocator) {
        try {
            return allocator.apply(bytes);
        } catch (ClFailure e) {
            if (e.kind() != Kind.MEMORY || !mirrors.drop()) {
                throw e;
            }
            return allocator.apply(bytes);
        }
    }
}
