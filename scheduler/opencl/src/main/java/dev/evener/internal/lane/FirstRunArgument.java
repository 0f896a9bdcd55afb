package dev.evener.internal.lane;

import dev.evener.internal.HostMemory;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClQueue;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.job.Argument;
import dev.evener.internal.memory.ContextMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An argument in a first run, on a device that works on the host's memory. It takes no more time with large buffers: of
 * the memory, which is the driver's, only what is near the units' parts is ever written, so that the rest are pages
 * that the system has not given yet; and what kernels cannot write is the job's own.
 */
final class FirstRunArgument extends GuardedArgument {
    private static final long MOST_MARGIN = 256 << 20;

    /**
     * Bytes around what units have of a buffer that are filled: as many as they have, but within these bounds, and
     * those of two units; all beyond them is zero.
     */
    static final int NEAR = 64 << 10;

    private static final int MOST_NEAR = 4 * NEAR;

    private static final int MOST = 32 << 20;

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(NEAR);

    /** Bytes on either side of that which are looked at, in which a JVM that has just begun is slow. */
    private static final int FAR = 128 << 10;

    /**
     * Further away are places where units would write that take the buffer for another number of arrays, or are fewer
     * than a stride assumes: whole, half, third to a forty-eighth parts of the buffer away.
     */
    private static final int PARTS = 48;

    /** Bytes at each such place, at most. */
    private static final int SOME = 1024;

    /** Of smaller memory C libraries may give what was used before; of larger the system gives new pages, of zeros. */
    private static final int FRESH = 33 << 20;

    private final ContextMemory memory;
    private final ClDevice device;
    private final ClQueue queue;

    private ByteBuffer mapped = ByteBuffer.allocateDirect(0);
    private boolean isMapped;
    private long step; // between places that are looked at far away,
    private int reach; // up to here
    private int zerosFrom; // what is zero there for certain, beside what units have
    private int zerosTo;
    private int first; // where what units have of the present piece begins and ends
    private int last;

    FirstRunArgument(int index, ContextMemory memory, ClDevice device, ClQueue queue, ClCommands commands) {
        super(index, memory.context(), commands, device.info().alignmentBytes(), MOST_MARGIN);
        this.memory = memory;
        this.device = device;
        this.queue = queue;
    }

    @Override
    public DeviceBuffer place(long firstUnit, int units, int set, boolean first) {
        Argument.Buffer b = argument();
        boolean asItIs = b.isSeenWhole() || (seesAll(b) && around.isNear());
        return !watched && b.range().isAll() && asItIs
                ? memory.inPlace(b.buffer(), 0, device)
                : super.place(firstUnit, units, set, first);
    }

    @Override
    protected DeviceBuffer allocate(long whole) {
        reach = between; // a buffer and its margins, of which the rest is no part
        between = Math.max(between, FRESH);
        step = Math.max(HostMemory.PAGE, whole / PARTS);
        low = 0;
        high = 0;
        zerosTo = 0;
        return context.allocate(between);
    }

    @Override
    protected int fill() {
        findEnds();
        int near = near();
        int lowBefore = low;
        int highBefore = high;
        low = Math.max(0, first - near);
        high = (int) Math.min(between, (long) last + near);
        clear(lowBefore, Math.min(highBefore, low)); // what no byte of this run covers
        clear(Math.max(lowBefore, high), highBefore);
        if (!watched) { // of what cannot change nobody has to know later what was there
            fillIn(held().slice(low, high - low).order(ByteOrder.nativeOrder()));
        } else {
            if (zerosTo == 0 || zerosFrom != farFrom() || zerosTo != farTo()) {
                zerosFrom = farFrom();
                zerosTo = farTo();
                clear(zerosFrom, low);
                clear(high, zerosTo);
                long ignored = atDistance((begin, end) -> {
                    clear(begin, end);
                    return NOWHERE;
                });
            }
            sent = image(sent, high - low);
            fillIn(sent);
            held().put(low, sent, 0, sent.limit());
        }
        unmap();
        return 0;
    }

    /** Where what units have of a buffer begins in the memory, and where it ends. */
    private void findEnds() {
        boolean parts = declared() instanceof Argument.Buffer b && seesAll(b);
        first = parts ? end() : front;
        last = parts ? front : end();
        for (int p = 0; parts && p < argument().pieces(); p++) {
            first = Math.min(first, begin(argument(), p));
            last = Math.max(last, end(argument(), p));
        }
    }

    /** Bytes on either side of that which are filled. */
    private int near() {
        boolean parts = declared() instanceof Argument.Buffer b && b.bytesPerUnit() > 0;
        long unit = parts ? argument().bytesPerUnit() : 0;
        long own = parts ? pieceUnits * unit : last - first;
        return (int) Math.min(MOST, Math.max(2 * unit, Math.max(NEAR, Math.min(own, MOST_NEAR))));
    }

    /** Where it is looked for what changed. */
    private int farFrom() {
        return Math.max(0, low - FAR);
    }

    private int farTo() {
        return (int) Math.min(between, (long) high + FAR);
    }

    /** The first of a few places far from what units have of which something is found. */
    private long atDistance(Place find) {
        int count = Math.min(SOME, last - first);
        long found = NOWHERE;
        for (long at = first % step; count > 0 && at + count <= reach && found == NOWHERE; at += step) {
            boolean far = at + count <= farFrom() || at >= farTo();
            found = far ? find.in((int) at, (int) at + count) : NOWHERE;
        }
        return found;
    }

    @FunctionalInterface
    private interface Place {
        long in(int begin, int end);
    }

    /** Makes zero what is not, so that pages which nobody has written stay so. */
    private void clear(int begin, int end) {
        ByteBuffer its = held();
        for (int at = begin; at < end; at += NEAR) {
            int count = Math.min(NEAR, end - at);
            if (nonZero(at, at + count) != NOWHERE) {
                its.put(at, ZEROS, 0, count);
            }
        }
    }

    /** The memory itself, of which no kernel may be under way. */
    @Override
    protected ByteBuffer held() {
        if (!isMapped) {
            mapped = queue.map(all);
            isMapped = true;
        }
        return mapped;
    }

    @Override
    protected void unmap() {
        if (isMapped) {
            queue.unmap(all, mapped);
            isMapped = false;
        }
    }

    @Override
    public void free() {
        unmap();
        super.free();
        sent = ByteBuffer.allocateDirect(0); // there will hardly be another run
    }

    /** The same, or no zero where nothing was. What is far is known from the run before. */
    @Override
    protected long mismatch(int first, int last) {
        boolean looks = around.isNear();
        long found = looks ? nonZero(Math.max(first, farFrom()), Math.min(last, low)) : NOWHERE;
        found = found == NOWHERE ? super.mismatch(first, last) : found;
        return found == NOWHERE && looks ? nonZero(Math.max(first, high), Math.min(last, farTo())) : found;
    }

    private long nonZero(int begin, int end) {
        for (int at = begin; at < end; at += NEAR) {
            int count = Math.min(NEAR, end - at);
            int found = ZEROS.slice(0, count).mismatch(held().slice(at, count));
            if (found >= 0) {
                return (long) at + found;
            }
        }
        return NOWHERE;
    }

    @Override
    protected long changedFarAway() {
        return around.isNear() ? atDistance(this::nonZero) : NOWHERE;
    }
}
