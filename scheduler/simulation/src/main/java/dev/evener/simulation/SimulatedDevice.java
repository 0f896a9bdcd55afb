package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.internal.data.Fetch;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Lane;
import dev.evener.policy.WorkProfile;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A device on a virtual clock, which runs the chunks of a {@link VirtualLane}: what they take are the figures of a {@link
 * DeviceModel}, scattered by random numbers of its own. It runs one at a time and holds two, in the order in which it got them.
 * Its chunks are events; what else is asked of it as a {@link Lane} takes no time and keeps nothing. For one thread.
 */
final class SimulatedDevice implements Lane {
    static final long NEVER = Long.MAX_VALUE;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final DeviceModel model;
    private final Map<String, WorkProfile> profiles;
    private final int memory;
    private final SplittableRandom random;
    private final VirtualTime time;
    private final @Nullable SimulatedMemory own; // null if it works on the host's
    private final List<Optional<Bus>>
            way; // from the host, of which others may be on each; empty if its link is its own

    private Chunk first = new Chunk();
    private Chunk second = new Chunk();
    private boolean hasSecond;
    private long settling; // until the times of the last chunk have been read

    private @Nullable Chunk atWork; // what it runs, or is about to
    private boolean running;
    private long due = NEVER; // when it begins or ends that
    private int part; // of the chunk: its transfers in, its kernels, its transfers out
    private boolean waiting; // for a bus, to begin that part
    private Runnable changed = () -> {};
    private double left; // of the part's time, were it disturbed by nobody
    private long seen; // when that was
    private double rate = 1; // of it in a nanosecond

    private double slowness = 1;
    private long late; // by so much the next chunk begins later
    private boolean lost;
    private boolean hanging;

    /** A chunk: what it takes, in nanoseconds and bytes, on a device that is disturbed by nobody, and what became of it. Reused. */
    static final class Chunk {
        /** From taking it until the host has kept a copy of what it updates. */
        long saveNanos;
        /** From there until its commands are enqueued. */
        private long submitNanos;
        /** From there until the device begins. */
        private long startNanos;

        private double kernelNanos;
        private double transferNanos;
        /** Of these two, what goes on at once. */
        private double overlapNanos;
        /** From the end until the lane takes notice. */
        long noticeNanos;
        /** From there until it has read the chunk's times and can tell others. */
        private long settleNanos;
        /** How many times longer it takes while one other device works on the same memory, at least 1; two slow it twice as much. */
        private double slowdown;

        private long bytesIn;
        private long bytesOut;
        private final Traffic traffic = new Traffic();
        private List<Runnable> ends = List.of(); // what is done once it counts

        /** When its commands have been enqueued. */
        long submitted;

        /** What its parts take, each way a part on each bus: all that cannot be hidden is in the middle one. */
        private double[] parts = new double[1];

        private long waitedNanos; // for buses, since it began
        private long started;
        /** When it was done, or {@link #NEVER} as yet. */
        long ended;

        private double busyNanos() {
            return Math.max(1, kernelNanos + transferNanos - overlapNanos);
        }

        /** Into what it does on so many buses, each way, and the rest. */
        private void split(int buses, Link link) {
            parts = parts.length == 2 * buses + 1 ? parts : new double[2 * buses + 1];
            double transfers = buses == 0 || bytesIn + bytesOut == 0 ? 0 : Math.min(transferNanos, busyNanos());
            double scale = transfers / (link.nanosIn((double) bytesIn) + link.nanosOut((double) bytesOut));
            for (int i = 0; i < buses; i++) {
                parts[i] = transfers == 0 ? 0 : scale * link.nanosOn(i, (double) bytesIn, true);
                parts[2 * buses - i] = transfers == 0 ? 0 : scale * link.nanosOn(i, (double) bytesOut, false);
            }
            parts[buses] = busyNanos() - transfers;
        }
    }

    /**
     * @param profiles of kernels that have one
     * @param memory which it works on: devices with the same number take time from one another where a chunk says so
     * @param way the buses that its data cross, the host's first; empty if it shares none
     */
    SimulatedDevice(
            DeviceModel model,
            Map<String, WorkProfile> profiles,
            int memory,
            List<Optional<Bus>> way,
            long seed,
            VirtualTime time) {
        this.way = way;
        this.model = model;
        this.profiles = profiles;
        this.memory = memory;
        this.random = new SplittableRandom(seed);
        this.time = time;
        this.own = model.hasOwnMemory() ? new SimulatedMemory(model.device(), this::fetch) : null;
    }

    /** @param listener is told when it is due earlier than it was, by another's doing */
    void onChange(Runnable listener) {
        changed = listener;
    }

    /** The bus is its own from now on. */
    void hasTurn() {
        due = time.getAsLong();
        changed.run();
    }

    int memory() {
        return memory;
    }

    /** Somebody else's chunk, or the host, waits for bytes that it holds; what comes before them is part of enqueuing the chunk. */
    private boolean fetch(Fetch what) {
        time.spend(Math.round(model.link().nanosOut((double) (what.to() - what.from()))));
        return !lost;
    }

    /** Whether it takes a chunk while it runs another. */
    boolean takesNext() {
        return model.ahead() > 0;
    }

    /** From its lane being called to that being at work, in nanoseconds. */
    long wakeNanos() {
        return draw(model.wakeNanos());
    }

    // ---- its chunks ----

    /** The chunk that was handed to it first. */
    Chunk first() {
        return first;
    }

    /** The first chunk is over, and the next is the first one; false if there is none. */
    boolean goOn() {
        if (hasSecond) { // it has had it for some time
            Chunk over = first;
            first = second;
            second = over;
        }
        boolean any = hasSecond;
        hasSecond = false;
        return any;
    }

    /** Is handed a chunk, which begins when the one before has ended, if there is one, or else when it is to {@link #launch}. */
    Chunk submit(boolean behind, JobSpec job, JobSpec.Phase phase, long firstUnit, long units) {
        Chunk chunk = behind ? second : first;
        draw(job, phase, firstUnit, units, chunk);
        hasSecond = behind;
        chunk.submitted = time.getAsLong() + chunk.saveNanos + chunk.submitNanos;
        chunk.ended = NEVER;
        return chunk;
    }

    /** Begins with the first chunk. */
    void launch() {
        launch(first, first.submitted);
    }

    private void launch(Chunk chunk, long from) {
        atWork = chunk;
        running = false;
        part = 0;
        due = from + chunk.startNanos;
    }

    /** Runs nothing any more. */
    void idle() {
        atWork = null;
        running = false;
        waiting = false;
        due = NEVER;
        leaveBus();
    }

    private void leaveBus() {
        way.forEach(each -> each.ifPresent(bus -> bus.leave(this)));
    }

    /** Whether a part needs no bus, or has it. */
    private boolean enters(int which) {
        int hop = which < way.size() ? which : 2 * way.size() - which;
        return hop == way.size() || way.get(hop).map(bus -> bus.enter(this)).orElse(true);
    }

    /** When it does its next step, or {@link #NEVER}. */
    long due() {
        return due;
    }

    /** Begins or ends a chunk or a part of it, as is due; true if the first has ended. */
    boolean step() {
        Chunk chunk = atWork;
        if (chunk == null) {
            throw new IllegalStateException("a device without a chunk has nothing to do");
        }
        long now = time.getAsLong();
        if (running && !waiting) {
            leaveBus();
            part++;
        } else if (running) {
            chunk.waitedNanos += now - seen;
        }
        while (part < chunk.parts.length && chunk.parts[part] == 0) {
            part++;
        }
        if (part < chunk.parts.length) {
            waiting = !enters(part);
            due = NEVER;
            if (!waiting && !running) {
                chunk.started = now;
                running = true;
            }
            left = chunk.parts[part];
            seen = now;
            return false;
        }
        chunk.ended = now;
        idle();
        if (chunk != first) {
            return false;
        }
        if (hasSecond) {
            launch(second, Math.max(now, second.submitted));
        }
        return true;
    }

    boolean isRunning() {
        return running && !hanging;
    }

    /** Whether others on its memory slow down what it runs. */
    boolean isDisturbed() {
        Chunk chunk = atWork;
        return chunk != null && chunk.slowdown != 1;
    }

    /** Works faster or slower from now on, as so many others work on its memory. */
    void pressure(int others) {
        Chunk chunk = atWork;
        if (!running || chunk == null) {
            return;
        }
        double now = hanging || waiting ? 0 : 1 / (slowness * KernelModel.slowed(chunk.slowdown, others));
        long at = time.getAsLong();
        if (!waiting && (now != rate || at == seen)) {
            left = Math.max(0, left - (at - seen) * rate);
            seen = at;
            due = now == 0 ? NEVER : at + (long) Math.ceil(left / now);
        }
        rate = now;
    }

    /** What the first chunk took. */
    void read(ChunkTimes times) {
        settling = first.settleNanos;
        long busy = first.ended - first.started;
        double stretched = (busy - first.waitedNanos) / first.busyNanos(); // by others, by events
        times.submitted = first.submitted;
        times.start = first.started;
        times.end = first.ended;
        times.kernelNanos = Math.round(first.kernelNanos * stretched);
        times.transferNanos = Math.round(first.transferNanos * stretched);
        times.overlapNanos = times.kernelNanos + times.transferNanos - busy;
        times.bytesIn += first.bytesIn;
        times.bytesOut = first.bytesOut;
        times.traffic.take(first.traffic);
    }

    private void draw(JobSpec job, JobSpec.Phase phase, long firstUnit, long units, Chunk into) {
        KernelModel alone = phase.source() != null ? model.alone().get(job.name()) : null; // its form for one device
        KernelModel kernel = alone != null ? alone : model.kernels().get(phase.kernel());
        if (kernel == null) { // refused before anything runs, but for a job that this device is known to run as a whole
            throw new EvenerException("the machine does not say what a part of job '" + job.name()
                    + "' takes, only the whole: simulate it with the policy single");
        }
        double weight = units;
        if (kernel.wave() > 1) {
            weight = kernel.wave() * Math.ceil(weight / kernel.wave());
        }
        WorkProfile profile = profiles.get(phase.kernel());
        if (profile != null && alone == null) {
            weight *= profile.work((double) firstUnit, (double) units, (double) job.units()) / units;
        }
        move(job, phase, firstUnit, units, kernel.moves(), into);
        double in = (double) into.bytesIn;
        double out = (double) into.bytesOut;
        KernelModel.Launch launch = kernel.launch();
        into.saveNanos = Math.round(launch.saveNanosPerUnit() * units);
        into.submitNanos = draw(launch.submitNanos()) + Math.round(launch.submitNanosPerUnit() * units);
        into.startNanos = draw(launch.startNanos()) + late;
        late = 0;
        into.kernelNanos =
                kernel.factor().at(random.nextDouble()) * (kernel.fixedNanos() + kernel.nanosPerUnit() * weight);
        Link link = model.link();
        into.transferNanos = link.nanos(in, out) * some(link.factor());
        into.overlapNanos =
                link.overlap() * link.hideable(into.kernelNanos, into.transferNanos, in, out) - some(launch.gapNanos());
        into.noticeNanos = draw(launch.noticeNanos());
        into.settleNanos = Math.round(some(launch.settleNanos()));
        into.slowdown = kernel.slowdown();
        into.waitedNanos = 0;
        into.split(way.size(), link);
    }

    /** @param otherwise what is moved where nothing is known of the job's buffers */
    private void move(
            JobSpec job, JobSpec.Phase phase, long firstUnit, long units, KernelModel.Moves otherwise, Chunk into) {
        boolean known = !job.buffers().uses().isEmpty();
        into.traffic.reset();
        into.ends = known && own != null ? own.begin(job, phase, firstUnit, units, into.traffic) : List.of();
        into.bytesIn = known
                ? sum(into.traffic.sent(device().id()))
                : Math.round(otherwise.inPerChunk() + otherwise.inPerUnit() * units);
        into.bytesOut = known
                ? sum(into.traffic.fetched(device().id()))
                : Math.round(otherwise.outPerChunk() + otherwise.outPerUnit() * units);
    }

    private static long sum(Map<?, Long> bytes) {
        return bytes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Of what most devices do not have: figures that are always the same leave the random numbers of others alone. */
    private double some(Times times) {
        return times.quantiles().size() == 1 ? times.median() : times.at(random.nextDouble());
    }

    private long draw(Times times) {
        return Math.round(times.at(random.nextDouble()));
    }

    // ---- what happens to it ----

    /** From now on its work takes so many times as long, but for what takes no time on the device; 1 for as long as ever. */
    void slow(double factor) {
        slowness = factor;
    }

    /** The chunk that it is handed next begins so much later. */
    void holdUp(long nanos) {
        late = nanos;
    }

    /** It is gone: what it will be asked to run fails. */
    void lose() {
        lost = true;
        if (own != null) {
            own.forget();
        }
    }

    boolean isLost() {
        return lost;
    }

    /** From now on no chunk ends. */
    void hang() {
        hanging = true;
        leaveBus();
    }

    boolean isHanging() {
        return hanging;
    }

    /** It works as ever. */
    void recover() {
        lost = false;
        hanging = false;
        slowness = 1;
        if (waiting) {
            hasTurn(); // to ask for the bus again
        }
    }

    static LaneFailure gone() {
        return new LaneFailure(LaneFailure.Kind.DEVICE, "the device was lost");
    }

    // ---- as a lane ----

    @Override
    public DeviceInfo device() {
        return model.device();
    }

    /** As many as its memory holds with all that each of them moves; what it holds of other jobs gives way. */
    @Override
    public long maxChunkUnits(JobSpec.Phase phase) {
        double whole = 0;
        double each = 0;
        for (Argument argument : phase.arguments()) {
            if (argument instanceof Argument.Buffer buffer) {
                each += buffer.bytesPerUnit();
                whole += buffer.bytesPerUnit() == 0
                        ? buffer.range().to() - buffer.range().from()
                        : 0;
            }
        }
        KernelModel kernel = model.kernels().get(phase.kernel());
        if (phase.arguments().isEmpty() && kernel != null) {
            each = kernel.moves().inPerUnit() + kernel.moves().outPerUnit();
            whole = kernel.moves().inPerChunk() + kernel.moves().outPerChunk();
        }
        double memory = device().memoryBytes();
        return own == null || memory == 0 || each == 0
                ? Integer.MAX_VALUE
                : (long) Math.min(Integer.MAX_VALUE, Math.max(1, (memory - whole) / each));
    }

    @Override
    public boolean enqueue(
            JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
        throw new IllegalStateException("a simulated device's chunks are events");
    }

    /** The next chunk goes back, as the one before has failed. */
    @Override
    public void await() {
        hasSecond = false;
        idle();
    }

    @Override
    public boolean holdsData() {
        return own != null;
    }

    @Override
    public void commit() {
        first.ends.forEach(Runnable::run);
    }

    @Override
    public void settle(ChunkTimes times) {
        time.spend(settling);
        settling = 0;
    }

    @Override
    public ByteBuffer partial(int argument) {
        return NOTHING;
    }

    @Override
    public void probe() {
        if (lost) {
            throw gone();
        }
    }

    @Override
    public void close() {}
}
