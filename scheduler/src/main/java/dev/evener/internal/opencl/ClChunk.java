package dev.evener.internal.opencl;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.internal.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Seams;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * One of the chunks that a lane may have under way: its commands, and the memory that its kernels see. Belongs to the lane's
 * thread; used again for later chunks. All commands of a chunk are enqueued without blocking; where it moves much it is run in
 * pieces, of which one is sent while another is computed and a third is fetched. A chunk behind another begins with the pieces for
 * which there is memory, so that the device goes straight on, and {@linkplain #proceed proceeds} when the other has ended.
 */
class ClChunk {
    private final DeviceInfo info;
    private final ClKernels kernels;
    private final ClCommands commands;
    private final ClArguments arguments;
    private final ClLaunch launch;
    /** What each argument of the phase is on the device. */
    private cl_mem[] memory = new cl_mem[16];
    /** Whether something of it may have reached the host, or be on its way there. */
    private boolean fetching;

    private JobSpec.@Nullable Phase phase;
    private long firstUnit;
    private long units;
    private int piece;
    /** Units whose commands were enqueued. */
    private long begun;

    ClChunk(DeviceInfo info, ClKernels kernels, ClCommands commands, ClLaunch launch, ClArguments arguments) {
        this.info = info;
        this.kernels = kernels;
        this.commands = commands;
        this.arguments = arguments;
        this.launch = launch;
    }

    /**
     * Enqueues a chunk.
     *
     * @param behind whether another chunk of the phase is under way; if so, pieces that would have to wait are for {@link #proceed}
     * @return false if it has to wait for that one: it needs memory that the other has, or what all chunks see is still on its way.
     *     Nothing was enqueued then
     */
    boolean enqueue(JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, boolean behind) {
        release(); // of a chunk that was run and, because its job failed, never settled
        try {
            return run(job, phase, firstUnit, units, fenced, behind);
        } catch (RuntimeException e) {
            if (LaneFailure.kindOf(e) != Kind.MEMORY) {
                arguments.distrust();
                throw e;
            }
            if (behind && !fetching) {
                return false;
            }
            if (behind || !arguments.dropUnused() || fetching) {
                throw e;
            }
            // With all of the device's memory, and from the start: nothing of the chunk has reached the host.
            return run(job, phase, firstUnit, units, fenced, false);
        }
    }

    private boolean run(JobSpec job, JobSpec.Phase of, long first, long count, boolean fenced, boolean behind) {
        boolean done = false;
        fetching = false;
        phase = of;
        firstUnit = first;
        units = count;
        begun = 0;
        arguments.begin(job, fenced);
        try {
            piece = reserve(of, first, count);
            if (behind && ((piece < count && !commands.canOverlap()) || arguments.isIncomplete())) {
                return false;
            }
            commands.begin(piece < count && commands.canOverlap());
            enqueuePieces(job, of, behind);
            done = true;
            return true;
        } finally {
            if (!done) {
                abandon();
            }
        }
    }

    /** @param atOnce whether to stop where a piece would have to wait for another */
    private void enqueuePieces(JobSpec job, JobSpec.Phase of, boolean atOnce) {
        while (begun < units && !(atOnce && arguments.isFull())) {
            int here = (int) Math.min(Math.min(piece, units - begun), Seams.toNext(of, firstUnit + begun));
            arguments.nextPiece();
            enqueue(job, of, firstUnit + begun, here);
            fetching = true;
            begun += here;
            arguments.fetch(begun == units);
            arguments.endPiece();
            commands.flush();
        }
    }

    /** Enqueues the pieces that had to wait. Nothing is under way before this chunk. */
    void proceed() {
        JobSpec.Phase of = phase;
        if (of != null && begun < units) {
            orAbandon(() -> {
                enqueuePieces(arguments.job(), of, false);
                return true;
            });
        }
    }

    /** Enqueues a piece of a chunk, but for what must come back. */
    private void enqueue(JobSpec job, JobSpec.Phase phase, long firstUnit, int units) {
        place(phase, firstUnit, units); // for all passes: once the first one runs, nothing must fail
        fetching |= info.sharesHostMemory();
        List<JobSpec.Pass> passes = phase.passes();
        for (int i = 0; i < passes.size(); i++) {
            JobSpec.Pass pass = passes.get(i);
            cl_kernel kernel = kernels.get(phase, pass).object();
            bind(phase, pass, kernel, firstUnit, units);
            launch.chunk(job, pass.variant(info.kind()), kernel, units);
            arguments.passed(phase, pass);
        }
    }

    /** Whether all of it is enqueued, and has not ended: another chunk's commands may stand behind. */
    boolean mayBeFollowed() {
        return begun == units && commands.any() && !commands.haveEnded();
    }

    /** Waits until all of it is done that was enqueued; if that is not the whole chunk, there is no result. */
    void await() {
        orAbandon(() -> {
            commands.await();
            boolean whole = begun == units;
            if (whole) {
                arguments.done();
            }
            return whole;
        });
    }

    /** @param step of a chunk under way, which is abandoned where this fails or says false */
    private void orAbandon(BooleanSupplier step) {
        boolean goesOn = false;
        try {
            goesOn = step.getAsBoolean();
        } catch (RuntimeException e) {
            if (LaneFailure.kindOf(e) != Kind.MEMORY) {
                arguments.distrust();
            }
            throw e;
        } finally {
            if (!goesOn) {
                abandon();
            }
        }
    }

    /** Something is still enqueued perhaps; nothing it uses may be freed before the queues are empty. */
    private void abandon() {
        if (commands.any()) {
            commands.drain();
        }
        release();
    }

    final void commit() {
        arguments.commit();
    }

    void settle(ChunkTimes times) {
        try {
            commands.measure(times);
            times.bytesIn += arguments.bytesIn();
            times.bytesOut += arguments.bytesOut();
        } finally {
            release();
        }
    }

    ByteBuffer partial(int argument) {
        return arguments.partial(argument);
    }

    /** Frees what only this chunk needed. Its commands must have ended. */
    void release() {
        phase = null;
        commands.release();
        arguments.end();
    }

    /** Frees all. */
    void close() {
        commands.release();
        arguments.close();
    }

    /**
     * Finds memory for all pieces of a chunk: once the first one runs, memory must not be wanting.
     *
     * @return most units of a piece
     */
    private int reserve(JobSpec.Phase phase, long firstUnit, long units) {
        List<JobSpec.Argument> list = phase.arguments();
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i) instanceof JobSpec.Argument.Buffer b) {
                try {
                    long perUnit = bytesPerUnit(b);
                    long first = b.access() instanceof Access.Halo h ? h.firstSeen(firstUnit) : firstUnit;
                    arguments.find(i, b, first * perUnit, seenBytes(b, firstUnit, units));
                } catch (ClFailure e) {
                    throw new EvenerException(phase.describe(i) + ": " + e.getMessage(), e);
                }
            }
        }
        int piece = arguments.cut(phase, firstUnit, units);
        int temporaries = 0;
        for (int i = 0; i < list.size(); i++) {
            try {
                if (list.get(i) instanceof JobSpec.Argument.Buffer b) {
                    arguments.reserve(i, b, mostSeenBytes(b, firstUnit, units, piece));
                } else if (list.get(i) instanceof JobSpec.Argument.Temporary t) {
                    arguments.temporary(temporaries++, t.memory().bytes(piece));
                }
            } catch (ClFailure e) {
                throw new EvenerException(phase.describe(i) + ": " + e.getMessage(), e);
            }
        }
        return piece;
    }

    /** Bytes of each unit's own part; 0 where units have none. */
    static long bytesPerUnit(JobSpec.Argument.Buffer b) {
        long perUnit = b.access() instanceof Access.Slice s
                ? s.elementsPerUnit()
                : b.access() instanceof Access.Halo h ? h.elementsPerUnit() : 0;
        return perUnit * b.buffer().type().bytes();
    }

    /** Bytes of a buffer that units see or write. */
    private static long seenBytes(JobSpec.Argument.Buffer b, long firstUnit, long units) {
        if (b.access() instanceof Access.Slice) {
            return units * bytesPerUnit(b);
        }
        return b.access() instanceof Access.Halo h
                ? (h.endSeen(firstUnit + units, b.buffer()) - h.firstSeen(firstUnit)) * bytesPerUnit(b)
                : b.buffer().byteSize();
    }

    /** The most bytes of a buffer that a piece of a chunk sees or writes. */
    private static long mostSeenBytes(JobSpec.Argument.Buffer b, long firstUnit, long units, int piece) {
        if (piece == units || !(b.access() instanceof Access.Halo h)) {
            return seenBytes(b, firstUnit, piece);
        }
        long has = b.buffer().elements() / h.elementsPerUnit();
        return (Math.min(has, h.before()) + piece + Math.min(has, h.after())) * bytesPerUnit(b);
    }

    /** Finds the memory of all arguments that need any, and has what is missing sent there. */
    private void place(JobSpec.Phase phase, long firstUnit, int units) {
        List<JobSpec.Argument> list = phase.arguments();
        if (memory.length < list.size()) {
            memory = new cl_mem[list.size()];
        }
        int temporaries = 0;
        for (int i = 0; i < list.size(); i++) {
            JobSpec.Argument argument = list.get(i);
            try {
                if (argument instanceof JobSpec.Argument.Buffer b) {
                    memory[i] = place(i, b, firstUnit, units);
                } else if (argument instanceof JobSpec.Argument.Temporary t) {
                    memory[i] = arguments.temporary(temporaries++, t.memory().bytes(units));
                } else if (argument instanceof JobSpec.Argument.Again again) {
                    memory[i] = memory[again.argument()];
                }
            } catch (ClFailure e) {
                throw new EvenerException(phase.describe(i) + ": " + e.getMessage(), e);
            }
        }
    }

    private cl_mem place(int index, JobSpec.Argument.Buffer b, long firstUnit, int units) {
        long bytes = seenBytes(b, firstUnit, units);
        if (b.access() instanceof Access.Slice) {
            return arguments.slice(index, b, firstUnit * bytesPerUnit(b), bytes);
        } else if (b.access() instanceof Access.Halo h) {
            return arguments.halo(index, b, h.firstSeen(firstUnit) * bytesPerUnit(b), bytes);
        } else if (b.access() instanceof Access.Reduce r) {
            return arguments.reduce(index, b, r.operation());
        }
        return arguments.whole(index, b);
    }

    /** Sets the arguments of one kernel; just before it is launched, because another pass may be the same kernel. */
    private void bind(JobSpec.Phase phase, JobSpec.Pass pass, cl_kernel kernel, long firstUnit, int units) {
        for (int i = 0; i < pass.arguments(); i++) {
            int index = pass.firstArgument() + i;
            JobSpec.Argument argument = phase.arguments().get(index);
            try {
                if (argument instanceof JobSpec.Argument.Scalar s) {
                    arguments.scalar(kernel, i, s.value());
                } else if (argument instanceof JobSpec.Argument.ChunkStart) {
                    arguments.scalar(kernel, i, firstUnit);
                } else if (argument instanceof JobSpec.Argument.ChunkUnits) {
                    arguments.scalar(kernel, i, units);
                } else if (argument instanceof JobSpec.Argument.ViewStart v) {
                    arguments.scalar(kernel, i, viewStart(phase, v, firstUnit));
                } else {
                    ClArguments.buffer(kernel, i, memory[index]);
                }
            } catch (ClFailure e) {
                throw new EvenerException(phase.describe(index) + ": " + e.getMessage(), e);
            }
        }
    }

    private long viewStart(JobSpec.Phase phase, JobSpec.Argument.ViewStart argument, long firstUnit) {
        JobSpec.Argument.Buffer seen =
                (JobSpec.Argument.Buffer) phase.arguments().get(argument.argument());
        Access.Halo halo = (Access.Halo) seen.access();
        long perUnit = halo.elementsPerUnit();
        int bytes = seen.buffer().type().bytes();
        return firstUnit * perUnit
                - arguments.viewOrigin(argument.argument(), halo.firstSeen(firstUnit) * perUnit * bytes) / bytes;
    }
}
