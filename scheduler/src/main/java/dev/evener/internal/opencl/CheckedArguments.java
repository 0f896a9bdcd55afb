package dev.evener.internal.opencl;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.Reduction;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.fold.Merge;
import dev.evener.internal.opencl.GuardedRegion.Around;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.Granules;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jocl.Pointer;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Arguments of a chunk whose kernels are checked: memory of its own for each, with guard zones before and behind it, in which a
 * kernel finds exactly what was declared. After each kernel all of it is fetched, and guards and inputs must be as they were.
 *
 * <p>A chunk is run several times under different {@link Setting}s, which a right kernel cannot tell from one another; {@link
 * CheckedChunk} compares the {@link #results}. It is always cut into three pieces or more, which are chunks to the kernel.
 */
final class CheckedArguments extends ClArguments {
    private static final Logger LOG = LoggerFactory.getLogger(CheckedArguments.class);

    /**
     * Bytes of a guard zone, at least, and at most beyond that. A zone is as large as mistakes are: in front there is room for an
     * index from which the chunk's start was taken once too often, behind for all of the buffer.
     */
    private static final int LEAST = 4096;

    private static final long MOST = 32 << 20;

    private static final int LEAST_PIECES = 3;

    /**
     * What distinguishes a run of a chunk from others.
     *
     * @param otherCut whether its pieces begin at other units
     * @param around what kernels should not see
     * @param only the one argument of which that holds, while all others are as usual; -1 for all
     */
    record Setting(boolean otherCut, Around around, int only) {
        static final Setting USUAL = new Setting(false, Around.NEIGHBOURS, -1);

        Around around(int argument) {
            return only < 0 || only == argument ? around : USUAL.around;
        }
    }

    private final ClGroup group;
    private final ClCommands commands;
    private final DeviceInfo device;
    private final int alignment;
    private final List<GuardedRegion> regions = new ArrayList<>(); // of the present piece
    private final List<cl_mem> views = new ArrayList<>();
    private final List<ByteBuffer> images = new ArrayList<>(); // two of each argument, kept for later pieces
    private final int[] status = new int[1];
    private Setting setting = Setting.USUAL;
    private JobSpec.@Nullable Phase phase;
    private long firstUnit;
    private @Nullable ByteBuffer[] results = {};
    private @Nullable ByteBuffer[] kept = {};
    private boolean placing;
    private boolean warned; // once is enough

    CheckedArguments(ClGroup group, ClCommands commands, DeviceInfo device) {
        super(new Temporaries(group::allocate, () -> {})); // has none: see temporary
        this.group = group;
        this.commands = commands;
        this.device = device;
        this.alignment = Math.max(1, device.alignmentBytes());
    }

    /** The runs of another chunk follow. */
    void restart() {
        bytesIn = 0;
        bytesOut = 0;
    }

    /** How the chunk is run from now on. */
    void set(Setting next) {
        setting = next;
    }

    /** What the last run wrote, of each argument of the phase; null for those that none writes. */
    @Nullable
    ByteBuffer[] results() {
        return results;
    }

    /** These are what the chunk computes. */
    void keep(@Nullable ByteBuffer[] computed) {
        kept = computed;
    }

    @Override
    int cut(JobSpec.Phase chunksPhase, long first, long units) {
        phase = chunksPhase;
        firstUnit = first;
        placing = false;
        List<JobSpec.Argument> arguments = chunksPhase.arguments();
        results = new @Nullable ByteBuffer[arguments.size()];
        for (int i = 0; i < results.length; i++) {
            if (arguments.get(i) instanceof JobSpec.Argument.Buffer b && b.written()) {
                boolean merged = b.access() instanceof Access.Reduce;
                long bytes = merged ? b.buffer().byteSize() : units * ClChunk.bytesPerUnit(b);
                ByteBuffer result = ByteBuffer.allocate(size(i, bytes)).order(ByteOrder.nativeOrder());
                if (b.access() instanceof Access.Reduce r) {
                    Merge.fillIdentity(result, b.buffer().type(), r.operation());
                }
                results[i] = result;
            }
        }
        long granule = Granules.ofKernels(job(), device.kind());
        if (!warned && units / granule < LEAST_PIECES) {
            warned = true;
            LOG.warn(
                    "job '{}': device {} has {} units, too few for {} chunks of {} units; mistakes at the edges of chunks"
                            + " may be missed: check the kernel with more units",
                    job().name(),
                    device.id(),
                    units,
                    LEAST_PIECES,
                    granule);
        }
        long piece = Math.max(1, units / granule / LEAST_PIECES);
        long other = piece == 1 ? 2 : piece - Math.max(1, piece / 3);
        return Math.toIntExact(Math.min(units, (setting.otherCut() ? other : piece) * granule));
    }

    @Override
    void nextPiece() {
        free();
        placing = true;
    }

    @Override
    cl_mem slice(int index, JobSpec.Argument.Buffer argument, long origin, long bytes) {
        return ofBuffer(index, argument, origin, bytes);
    }

    /** The kernel is given what it may see and no more. */
    @Override
    long viewOrigin(int index, long origin) {
        return origin;
    }

    @Override
    cl_mem halo(int index, JobSpec.Argument.Buffer argument, long origin, long bytes) {
        return ofBuffer(index, argument, origin, bytes);
    }

    @Override
    cl_mem whole(int index, JobSpec.Argument.Buffer argument) {
        return ofBuffer(index, argument, 0, argument.buffer().byteSize());
    }

    private cl_mem ofBuffer(int index, JobSpec.Argument.Buffer argument, long origin, long bytes) {
        ManagedBuffer host = argument.buffer();
        GuardedRegion made = region(index, origin, bytes, host.byteSize(), ClChunk.bytesPerUnit(argument));
        if (argument.read() && bytes > 0) {
            long segment = origin / host.segmentBytes();
            made.surround(setting.around(index), host.segment((int) segment), (int) (origin % host.segmentBytes()));
        }
        return send(made);
    }

    @Override
    cl_mem reduce(int index, JobSpec.Argument.Buffer argument, Reduction operation) {
        long bytes = argument.buffer().byteSize();
        GuardedRegion made = region(index, 0, bytes, bytes, 0);
        ByteBuffer partial = made.sent().slice(made.front(), made.length()).order(ByteOrder.nativeOrder());
        Merge.fillIdentity(partial, argument.buffer().type(), operation);
        return send(made);
    }

    @Override
    cl_mem temporary(int number, long bytes) {
        if (!placing) {
            return new cl_mem(); // room is found when it is needed
        }
        int index = -1;
        for (int left = number; left >= 0; ) {
            left -= phase().arguments().get(++index) instanceof JobSpec.Argument.Temporary ? 1 : 0;
        }
        return send(region(index, 0, bytes, bytes, 0));
    }

    /** Memory filled with poison. */
    private GuardedRegion region(int index, long origin, long bytes, long size, long perUnit) {
        long before = Math.min(MOST, origin + 2 * perUnit) + LEAST;
        int front = (int) ((before + alignment - 1) / alignment * alignment);
        long total = front + Math.max(1, bytes) + Math.min(MOST, size) + LEAST;
        int length = size(index, bytes);
        ByteBuffer sent = image(2 * index, size(index, total));
        ByteBuffer got = image(2 * index + 1, sent.limit());
        GuardedRegion made = new GuardedRegion(index, origin, front, length, sent, got, group.allocate(total));
        regions.add(made); // first, so that it is freed whatever happens
        JobSpec.Argument argument = phase().arguments().get(index);
        made.fill(setting.around(index).poison(argument instanceof JobSpec.Argument.Temporary), 0, sent.limit());
        if (argument instanceof JobSpec.Argument.Buffer b && b.access() instanceof Access.Slice s && s.isSparse()) {
            made.fill((byte) 0, front, made.end()); // the same in all runs
        }
        return made;
    }

    /** The image of an argument's memory on the host. */
    private ByteBuffer image(int number, int bytes) {
        while (images.size() <= number) {
            images.add(ByteBuffer.allocateDirect(0));
        }
        if (images.get(number).capacity() < bytes) {
            images.set(number, ByteBuffer.allocateDirect(bytes));
        }
        return images.get(number).limit(bytes);
    }

    private int size(int index, long bytes) {
        if (bytes > Integer.MAX_VALUE - LEAST) {
            throw refused(phase().describe(index) + " is too large for the checking mode, with " + bytes
                    + " bytes: check the kernel on less data");
        }
        return (int) bytes;
    }

    private cl_mem send(GuardedRegion made) {
        commands.send(made.all(), 0, made.sent().limit(), Pointer.to(made.sent()));
        bytesIn += made.sent().limit();
        cl_mem view = Cl.createSubBuffer(made.all(), made.front(), Math.max(1, made.length()), status);
        views.add(view);
        return view;
    }

    @Override
    void passed(JobSpec.Phase present, JobSpec.Pass pass) {
        for (GuardedRegion each : regions) {
            commands.fetch(each.all(), 0, each.sent().limit(), Pointer.to(each.got()));
            bytesOut += each.sent().limit();
        }
        commands.flush();
        commands.await();
        for (GuardedRegion each : regions) {
            check(each, pass);
        }
    }

    private void check(GuardedRegion region, JobSpec.Pass pass) {
        int front = region.front();
        int changed = region.mismatch(0, front);
        changed = changed >= 0
                ? changed
                : region.mismatch(region.end(), region.sent().limit());
        JobSpec.Argument argument = phase().arguments().get(region.index());
        if (changed >= 0) {
            throw refused(named(pass, region.index()) + ": the kernel writes outside of what it was given, "
                    + extent(region) + ", first at " + place(region.index(), region.origin() + changed - front));
        }
        if (argument instanceof JobSpec.Argument.Buffer b && !b.written()) {
            changed = region.mismatch(front, region.end());
            if (changed >= 0) {
                throw refused(named(pass, region.index()) + ": the kernel changes "
                        + place(region.index(), region.origin() + changed - front)
                        + ", but the buffer is declared to be read only; declare what is changed with updates(...)");
            }
        }
    }

    /** The argument as the kernel of a pass is given it; as the first that is, if it is not, which wrote there all the same. */
    private String named(JobSpec.Pass pass, int index) {
        for (int i = pass.firstArgument(); i < pass.endArgument(); i++) {
            if (i == index
                    || (phase().arguments().get(i) instanceof JobSpec.Argument.Again again
                            && again.argument() == index)) {
                return phase().describe(i);
            }
        }
        return phase().describe(index) + ", while kernel " + pass.kernel() + " ran";
    }

    private String extent(GuardedRegion region) {
        return region.length() == 0
                ? "which is nothing"
                : place(region.index(), region.origin()) + " to "
                        + place(region.index(), region.origin() + region.length() - 1);
    }

    /** How messages name a byte of an argument: by its unit, where units have parts of their own. */
    String place(int index, long at) {
        JobSpec.Argument argument = phase().arguments().get(index);
        if (argument instanceof JobSpec.Argument.Buffer b) {
            int size = b.buffer().type().bytes();
            long perUnit = ClChunk.bytesPerUnit(b);
            if (perUnit == 0) {
                return "element " + Math.floorDiv(at, size);
            }
            String unit = "unit " + Math.floorDiv(at, perUnit);
            return perUnit == size ? unit : unit + " (its element " + Math.floorMod(at, perUnit) / size + ")";
        }
        return "element "
                + Math.floorDiv(
                        at,
                        ((JobSpec.Argument.Temporary) argument).memory().type().bytes());
    }

    /** The same of a byte of the chunk's result. */
    String placeOfResult(int index, int at) {
        JobSpec.Argument.Buffer b =
                (JobSpec.Argument.Buffer) phase().arguments().get(index);
        return place(index, firstUnit * ClChunk.bytesPerUnit(b) + at);
    }

    JobSpec.Phase phase() {
        JobSpec.Phase present = phase;
        if (present == null) {
            throw new IllegalStateException("no chunk was begun");
        }
        return present;
    }

    static LaneFailure refused(String reason) {
        return new LaneFailure(LaneFailure.Kind.DECLARATION, reason);
    }

    @Override
    void fetch(boolean last) {
        for (GuardedRegion each : regions) {
            ByteBuffer result = results[each.index()];
            if (result != null) {
                JobSpec.Argument.Buffer b =
                        (JobSpec.Argument.Buffer) phase().arguments().get(each.index());
                if (b.access() instanceof Access.Reduce r) {
                    ByteBuffer partial =
                            each.got().slice(each.front(), each.length()).order(ByteOrder.nativeOrder());
                    Merge.into(result, partial, b.buffer().type(), r.operation());
                } else {
                    int at = (int) (each.origin() - firstUnit * ClChunk.bytesPerUnit(b));
                    result.put(at, each.got(), each.front(), each.length());
                }
            }
        }
    }

    @Override
    void commit() {
        for (int i = 0; i < kept.length; i++) {
            ByteBuffer result = kept[i];
            if (result != null
                    && phase().arguments().get(i) instanceof JobSpec.Argument.Buffer b
                    && !(b.access() instanceof Access.Reduce)) {
                long at = firstUnit * ClChunk.bytesPerUnit(b);
                long segment = b.buffer().segmentBytes(); // of a chunk there are no two
                b.buffer().segment((int) (at / segment)).put((int) (at % segment), result, 0, result.capacity());
            }
        }
    }

    @Override
    ByteBuffer partial(int index) {
        ByteBuffer result = kept[index];
        if (result == null) {
            throw new IllegalStateException("argument " + index + " is no reduction");
        }
        return result;
    }

    private void free() {
        views.forEach(Cl::release);
        views.clear();
        regions.forEach(each -> Cl.release(each.all()));
        regions.clear();
    }

    @Override
    void release() {
        free();
    }
}
