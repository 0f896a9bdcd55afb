package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClFailure;
import dev.evener.internal.cl.ClKernel;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.Chain;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.memory.ArgumentMemory;
import dev.evener.internal.memory.LaneMemory;
import dev.evener.internal.memory.Work;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ChunkTimes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One of the chunks that a lane may have under way, bound to its device: finds what the device has of its buffers, makes room,
 * then, piece by piece, places the buffers, binds and launches the kernels and has the results fetched; is flushed, waited for,
 * and let go. All commands are enqueued without blocking; where a chunk moves much it is run in pieces, of which one is sent while
 * another is computed and a third is fetched. A chunk behind another begins with the pieces for which there is memory, so that the
 * device goes straight on, and {@linkplain #proceed proceeds} when the other has ended. Belongs to the lane's thread; used again
 * for later chunks.
 */
public class ChunkBinding {
    /** Of what moves less the time is not worth telling from that of kernels: some 20 µs. */
    private static final long LITTLE = 256 << 10;

    protected final DeviceInfo info;
    protected final Kernels kernels;
    protected final ClCommands commands;
    private final LaneMemory lane;
    private final PieceCut pieceCut;
    private final boolean bringsEdges;
    private final IntFunction<ArgumentMemory> maker;
    private final List<ArgumentMemory> arguments = new ArrayList<>(); // made when they are first needed and kept

    // The chunk under way.
    private @Nullable Work work;
    protected @Nullable JobSpec job;
    protected JobSpec.@Nullable Phase phase;
    protected long units;
    private long firstUnit;
    private boolean fenced;
    private boolean behind;
    private boolean exact;
    private boolean stays; // it needs nothing that is not on the device, or is not taken
    private boolean behindOwn; // a chunk of the same chain, taken for done
    private boolean committed; // ahead of its end
    private long begun; // units whose commands were enqueued
    private boolean launched; // a kernel of it: what it writes is no more what it was
    private boolean pieceLaunched; // a kernel of the present piece

    // Its pieces: most units of each, how many may be under way at once, and the one that is.
    private int piece;
    private boolean manyTransfers; // whether it is cut for the sake of what it moves
    private long edge; // units at each end that other lanes wait for, which go first; 0 for none
    private int edges; // commands there are for them; 0 once they were waited for
    private int sets = 1;
    private int set;

    private final int[] ends = new int[LaneMemory.SETS]; // commands there were at the end of each set's piece, or 0

    // By the number of the argument: what kernels see.
    private DeviceBuffer[] memory = new DeviceBuffer[16];
    private LaneMemory.@Nullable KeptImage[] images = new LaneMemory.KeptImage[16]; // instead of that
    private final List<ArgumentMemory> bound = new ArrayList<>(); // those of the phase
    private int at; // the argument being dealt with, for messages, or -1

    private final BooleanSupplier binding = this::bind; // made once for all chunks
    private final BooleanSupplier proceeding = this::enqueuePieces;
    private final BooleanSupplier waiting = this::finish;

    /**
     * @param lane what is kept for all chunks
     * @param bringsEdges whether what other lanes wait for goes ahead of the rest of a chunk in a chain
     * @param maker of the memory of an argument by its number in a phase
     */
    protected ChunkBinding(
            DeviceInfo info,
            Kernels kernels,
            ClCommands commands,
            LaneMemory lane,
            PieceCut pieceCut,
            boolean bringsEdges,
            IntFunction<ArgumentMemory> maker) {
        this.info = info;
        this.kernels = kernels;
        this.commands = commands;
        this.lane = lane;
        this.pieceCut = pieceCut;
        this.bringsEdges = bringsEdges;
        this.maker = maker;
    }

    /**
     * Enqueues a chunk.
     *
     * @param exact whether the device is asked for its times, if that is not done anyway
     * @param before another chunk that is under way; if there is one, pieces that would have to wait are for {@link #proceed}
     * @return false if it has to wait for that one, for memory or for what all chunks see; nothing was enqueued then
     */
    protected boolean enqueue(Work of, boolean fenced, boolean exact, @Nullable ChunkBinding before) {
        this.exact = exact;
        this.fenced = fenced;
        try {
            return begin(of, before);
        } catch (RuntimeException e) {
            boolean wants = LaneFailure.kindOf(e).isForWant();
            if (wants && before != null && !launched) {
                return false;
            } else if (!wants || before != null || launched || !lane.dropUnused()) {
                throw e;
            }
            // With all of the device's memory, and from the start.
            return begin(of, null);
        }
    }

    private boolean begin(Work of, @Nullable ChunkBinding before) {
        release(); // of a chunk that was run and, because its job failed, never settled
        work = of;
        job = of.job();
        phase = of.phase();
        firstUnit = of.firstUnit();
        units = of.units();
        behind = before != null;
        commands.follow(before == null ? null : before.commands);
        behindOwn = before != null && before.committed && isChain() && before.isChain();
        stays = before != null && before.committed && !behindOwn;
        begun = 0;
        edges = 0;
        launched = false;
        return step(binding);
    }

    /** Finds what there is, makes room, enqueues. */
    private boolean bind() {
        List<Argument> list = phase.arguments();
        long traffic = 0;
        boolean complete = true;
        for (at = 0; at < list.size(); at++) {
            if (list.get(at) instanceof Argument.Buffer b) {
                ArgumentMemory argument = argument(at);
                bound.add(argument);
                if (!argument.find(work, b, fenced, stays, behindOwn)) {
                    return false; // what it lacks would be brought while the other job is not done
                }
                traffic += argument.traffic();
                complete &= !argument.isIncomplete();
            }
        }
        piece = cut(traffic);
        int temporaries = 0;
        for (at = 0; at < list.size(); at++) {
            if (list.get(at) instanceof Argument.Buffer) {
                argument(at).reserve(firstUnit, units, piece, sets, manyTransfers);
            } else if (list.get(at) instanceof Argument.Temporary t) {
                reserveTemporary(temporaries++, t.memory().bytes(phase.seesJob() ? job.units() : piece));
            }
        }
        at = -1;
        if (behind && ((piece < units && !commands.canOverlap()) || !complete)) {
            return false;
        }
        edge = edge();
        commands.begin((piece < units || edge > 0) && commands.canOverlap(), exact || traffic > LITTLE || fenced);
        if (edge > 0) {
            enqueueFromEdges();
            return true;
        }
        return enqueuePieces();
    }

    /** Units at its ends that other lanes wait for, if these can go ahead of the rest. */
    private long edge() {
        long reach = bringsEdges && isChain() ? job.reach() : 0;
        boolean any = firstUnit > 0 || firstUnit + units < job.units();
        boolean can = any
                && 2 * reach < units
                && piece == units
                && commands.canOverlap()
                && bound.stream().allMatch(ArgumentMemory::takesAnyOrder);
        return can ? reach : 0;
    }

    /** Enqueues all of it, first what other lanes wait for, which is fetched while the device does the rest. */
    private void enqueueFromEdges() {
        long first = firstUnit > 0 ? firstUnit + edge : firstUnit;
        long end = firstUnit + units < job.units() ? firstUnit + units - edge : firstUnit + units;
        bound.forEach(ArgumentMemory::anyOrder);
        set = 0;
        if (first > firstUnit) {
            enqueueEdge(firstUnit);
        }
        if (end < firstUnit + units) {
            enqueueEdge(end);
        }
        commands.flush();
        edges = commands.count();
        place(first, (int) (end - first));
        launch(first, (int) (end - first));
        begun = units;
        commands.flush();
    }

    private void enqueueEdge(long first) {
        place(first, (int) edge);
        launch(first, (int) edge);
        begun += edge;
        bound.forEach(ArgumentMemory::fetchEdge);
    }

    /** Enqueues pieces: all of them, or, behind another chunk, those that need not wait. */
    private boolean enqueuePieces() {
        while (begun < units && !(behind && ends[(set + 1) % sets] > 0)) {
            long first = firstUnit + begun;
            int here = (int) Math.min(piece, units - begun);
            set = (set + 1) % sets;
            if (ends[set] > 0) { // of the piece that had the set before
                commands.await(ends[set]);
                ends[set] = 0;
                pieceDone();
            }
            place(first, here);
            launch(first, here);
            begun += here;
            for (int i = 0; i < bound.size(); i++) {
                bound.get(i).fetch(begun == units);
            }
            ends[set] = commands.count();
            commands.flush();
        }
        return true;
    }

    private void pieceDone() {
        for (int i = 0; i < bound.size(); i++) {
            bound.get(i).pieceDone(set);
        }
    }

    /** Finds the memory of all arguments that need any, for all passes: once the first one runs, nothing must fail. */
    private void place(long first, int here) {
        List<Argument> list = phase.arguments();
        if (memory.length < list.size()) {
            memory = new DeviceBuffer[list.size()];
            images = new LaneMemory.@Nullable KeptImage[list.size()];
        }
        int temporaries = 0;
        int placed = 0; // images
        for (at = 0; at < list.size(); at++) {
            Argument argument = list.get(at);
            images[at] = null;
            if (argument instanceof Argument.Buffer b) {
                memory[at] = argument(at).place(first, here, set, begun == 0);
                if (b.image() != null) {
                    boolean again = isSeenAgain(at); // by a kernel that may do the other with it
                    images[at] = lane.image(b.image(), b.read() || again, b.written() || again, placed++);
                }
            } else if (argument instanceof Argument.Temporary t) {
                memory[at] = placeTemporary(at, temporaries++, t.memory().bytes(phase.seesJob() ? job.units() : here));
            } else if (argument instanceof Argument.Again again) {
                memory[at] = memory[again.argument()];
                images[at] = images[again.argument()];
            }
        }
        at = -1;
    }

    private boolean isSeenAgain(int argument) {
        return phase.arguments().stream()
                .anyMatch(each -> each instanceof Argument.Again again && again.argument() == argument);
    }

    private void launch(long first, int here) {
        pieceLaunched = false;
        fillImages(first, here);
        List<JobSpec.Pass> passes = phase.passes();
        for (int i = 0; i < passes.size(); i++) {
            JobSpec.Pass pass = passes.get(i);
            ClKernel kernel = kernels.get(phase, pass);
            set(kernel, pass, first, here);
            int before = commands.kernels();
            try {
                kernels.launch(commands, job, phase, pass, kernel, first, here);
            } finally { // it may take two launches, of which one was made
                if (!pieceLaunched && commands.kernels() > before) {
                    pieceLaunched = true;
                    launched = true;
                    bound.forEach(ArgumentMemory::launched);
                }
            }
            takeFromImages(pass, first, here);
            passed(pass);
        }
    }

    /** Fills images with what units see of them; the rest of each holds what it did. */
    private void fillImages(long first, int here) {
        for (at = 0; at < phase.arguments().size(); at++) {
            LaneMemory.KeptImage image = images[at];
            if (image == null || !(phase.arguments().get(at) instanceof Argument.Buffer b)) {
                continue;
            }
            boolean fills = partsAround(b) > 0 || (b.read() && !image.holds(b));
            for (int p = 0; p < b.pieces() && fills; p++) {
                copyImage(true, b, image.get(), p, first, here);
            }
            if (fills) {
                image.fills(b);
            }
        }
        at = -1;
    }

    /** How many rows, layers or planes of an image around those of its units are copied, which kernels should neither see nor write. */
    protected long partsAround(Argument.Buffer image) {
        return 0;
    }

    /** Takes from images what a kernel wrote of its units' parts. */
    private void takeFromImages(JobSpec.Pass pass, long first, int here) {
        for (int written : pass.written()) {
            at = pass.firstArgument() + written;
            LaneMemory.KeptImage image = images[at];
            Argument argument = phase.arguments().get(at);
            if (image != null) {
                at = argument instanceof Argument.Again again ? again.argument() : at;
                Argument.Buffer b = (Argument.Buffer) phase.arguments().get(at);
                for (int p = 0; p < b.ownPieces(); p++) {
                    copyImage(false, b, image.get(), p, first, here);
                }
            }
        }
        at = -1;
    }

    private void copyImage(boolean fill, Argument.Buffer b, DeviceBuffer image, int piece, long first, int here) {
        long part = b.image().partBytes();
        long start = b.range().from();
        long around = partsAround(b);
        long from = Math.max(0, (b.seenFrom(piece, first, here) - start) / part - around);
        long to = Math.min(b.image().parts(), (b.seenTo(piece, first, here) - start) / part + around);
        if (from < to) {
            commands.copyImage(fill, memory[at], from * part, image, b.image(), from, to - from);
        }
    }

    /** Whether a kernel of the chunk that was to be enqueued last was. */
    final boolean hasBegun() {
        return launched;
    }

    /** Sets the arguments of one kernel; just before it is launched, because another pass may be the same kernel. */
    private void set(ClKernel kernel, JobSpec.Pass pass, long first, int here) {
        for (int i = 0; i < pass.arguments(); i++) {
            at = pass.firstArgument() + i;
            Argument argument = phase.arguments().get(at);
            if (argument instanceof Argument.ViewStart v) {
                kernel.set(i, phase.seesJob() ? 0 : argument(v.argument()).viewStart(first));
            } else if (!kernels.set(kernel, i, job, phase, pass, first, here)) {
                kernel.set(i, images[at] == null ? memory[at] : images[at].get());
            }
        }
        at = -1;
    }

    /** The most units of a piece in which the chunk is best run: all of them if it should not be cut. */
    protected int cut(long traffic) {
        long most = commands.canOverlap() ? pieceCut.units(job, phase, info, units, traffic) : units;
        manyTransfers = most < units;
        sets = (int) Math.min(LaneMemory.SETS, (units - 1) / most + 1);
        return Math.toIntExact(most);
    }

    protected void reserveTemporary(int number, long bytes) {
        lane.temporary(number, bytes);
    }

    /**
     * Memory of the chunk's own, of undefined content.
     *
     * @param number which of the phase's temporaries, from 0
     */
    protected DeviceBuffer placeTemporary(int index, int number, long bytes) {
        return lane.temporary(number, bytes);
    }

    /** A kernel of the present piece was enqueued. */
    protected void passed(JobSpec.Pass pass) {}

    // ---- under way ----

    /** Enqueues the pieces that had to wait. Nothing is under way before this chunk. */
    void proceed() {
        if (phase != null && begun < units) {
            behind = false;
            step(proceeding);
        }
    }

    /** Whether all of it is enqueued, and has not ended: another chunk's commands may stand behind. */
    boolean mayBeFollowed() {
        return begun == units && commands.count() > 0 && !commands.haveEnded();
    }

    /** Waits until all of it is done that was enqueued; if that is not the whole chunk, there is no result. */
    protected void await() {
        step(waiting);
    }

    private boolean finish() {
        commands.await();
        boolean whole = begun == units;
        if (whole) {
            for (int i = 0; i < sets; i++) { // those of the last pieces, in their order
                set = (set + 1) % sets;
                pieceDone();
            }
            if (!committed) { // else what is behind it may be writing over what it read
                bound.forEach(ArgumentMemory::done);
            }
        }
        return whole;
    }

    /** @param step of the chunk, which is abandoned where this fails or says false */
    private boolean step(BooleanSupplier step) {
        boolean goesOn = false;
        at = -1;
        try {
            goesOn = step.getAsBoolean();
            return goesOn;
        } catch (RuntimeException e) {
            if (!LaneFailure.kindOf(e).isForWant()) {
                commands.drain(); // one before this may be taken for done already, and be under way
                takeBack();
                lane.distrust();
            }
            throw e instanceof ClFailure && at >= 0
                    ? new EvenerException(phase.describe(at) + ": " + e.getMessage(), e)
                    : e;
        } finally {
            if (!goesOn) {
                abandon();
            }
        }
    }

    /** Something is still enqueued perhaps; nothing it uses may be freed before the queues are empty. */
    private void abandon() {
        if (commands.count() > 0) {
            commands.drain();
        }
        takeBack();
        release();
    }

    /** Waits until the host has what its ends wrote; false if they are done with the rest of it. */
    final boolean awaitEdges() {
        if (edges == 0) {
            return false;
        }
        commands.await(edges);
        edges = 0;
        bound.forEach(ArgumentMemory::edgesFetched);
        return true;
    }

    final void commit() {
        if (!committed) {
            bound.forEach(ArgumentMemory::commit);
        }
    }

    /** Takes it for done, if it is in the queue as a whole and moves nothing. */
    final boolean commitAhead() {
        if (fenced
                || begun < units
                || sets > 1
                || !bound.stream().allMatch(isChain() ? ArgumentMemory::keepsWritten : ArgumentMemory::stays)) {
            return false;
        }
        commit();
        committed = true;
        return true;
    }

    /** Whether ranges of its job's phases wait for each other. */
    private boolean isChain() {
        return job != null && job.reach() != Chain.NONE;
    }

    /** It was taken for done too early. */
    final void takeBack() {
        if (committed) {
            committed = false;
            bound.forEach(ArgumentMemory::takeBack);
        }
    }

    protected void settle(ChunkTimes times) {
        try {
            commands.measure(times);
            lane.countEvicted(times.traffic);
        } finally {
            release();
        }
    }

    final ByteBuffer partial(int index) {
        return argument(index).partial();
    }

    /** Frees what only this chunk needed. Its commands must have ended. */
    protected void release() {
        work = null;
        job = null;
        phase = null;
        committed = false;
        commands.release();
        bound.forEach(ArgumentMemory::release);
        bound.clear();
        Arrays.fill(ends, 0);
        set = -1;
    }

    void close() {
        release();
        arguments.forEach(ArgumentMemory::close);
        arguments.clear();
    }

    protected final ArgumentMemory argument(int index) {
        while (arguments.size() <= index) {
            arguments.add(maker.apply(arguments.size()));
        }
        return arguments.get(index);
    }
}
