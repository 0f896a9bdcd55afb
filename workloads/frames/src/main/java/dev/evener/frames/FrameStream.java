package dev.evener.frames;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.frames.FrameStreamBuilder.Missing;
import dev.evener.frames.StreamReport.Failure;
import dev.evener.frames.StreamReport.MappedFrame;
import dev.evener.frames.StreamReport.Step;
import dev.evener.frames.StreamReport.Times;
import dev.evener.internal.HostMemory;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.pipeline.PipelineBuilder;
import dev.evener.kernels.pipeline.StepClock;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.FrameStatistics;
import dev.evener.kernels.tonemap.RunLengths;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads frames, tone-maps, codes and writes them, all at once: a {@link Pipeline} of {@code read} (threads of the host), {@code devices}
 * and {@code write} (threads). Memory does not grow with the inputs: slots are limited, and their buffers come from a pool with a budget.
 *
 * <p><b>Order.</b> Where each picture is a file, frames overtake each other, so that a large or late one holds up none; in one stream of
 * pictures they come in the order of the inputs.
 *
 * <p><b>Sharing.</b> Small frames of one size that would wait for a device with memory of its own share jobs; each has the file that it has
 * in a job of its own.
 *
 * <p><b>Failures.</b> A file that cannot be read, processed or written is one line in the report; the others go on, and it is not tried
 * again in later passes, unless {@link Missing another picture} takes its place. Of two inputs whose pictures would
 * have one name, the second fails.
 *
 * <p><b>Passes.</b> To measure, the list can be gone through several times; where exposure is smoothed, a pass before measures the frames.
 * Each reads them; the last alone writes. All make the same pixels.
 *
 * <p>One run only. {@link #run} is called by one thread; {@link #close} by any other.
 */
public final class FrameStream implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FrameStream.class);

    private final FrameStreamBuilder options;
    private final PictureTarget target;
    private final BufferPool buffers;
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    private final AtomicReference<@Nullable Throwable> cause = new AtomicReference<>(); // why it ends early
    private final ConcurrentSkipListMap<Integer, Failure> failures = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<Integer, Path> written = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<Long, MappedFrame> mapped = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<Integer, FrameStatistics> exposures = new ConcurrentSkipListMap<>();
    private final ConcurrentHashMap<Integer, int[]> histograms = new ConcurrentHashMap<>(); // of those measured, so are
    private final ConcurrentHashMap<Integer, Thumbnail> thumbnails = new ConcurrentHashMap<>();
    private volatile @Nullable Pipeline<Slot> pipeline; // under way or over
    private final int measuring; // passes, none or one, before those that map

    private volatile long total; // of frames, all passes together; none changes it once frames are on their way
    private final Object claims = new Object();

    // Guarded by claims.
    private int[] order = new int[0];
    private long claimed; // of the total
    private final ArrayDeque<Shown> left = new ArrayDeque<>(); // that another slot is to take
    private int open; // slots that may leave some

    // Guarded by this.
    private boolean ran;
    private long done;
    private boolean listening = true;

    FrameStream(FrameStreamBuilder options, PictureTarget target) {
        this.options = options;
        IntStream.range(0, options.inputs.size())
                .forEach(i -> options.format.check(options.settings(i).operator()));
        if (options.choice.alpha() && !options.format.hasAlpha()) {
            throw new IllegalArgumentException("alpha is read, and " + options.format.text() + " has none");
        }
        this.target = target;
        target.refused().forEach(this::fail);
        this.measuring = options.smoothing == null ? 0 : 1;
        this.buffers = new BufferPool(options);
    }

    /** Describes a stream of these files, in this order, through these devices. */
    public static FrameStreamBuilder of(List<Path> inputs, Evener evener, ToneMapSettings settings) {
        return new FrameStreamBuilder(inputs, evener, settings);
    }

    /**
     * Runs the stream to its end. When it returns or throws, all its threads have ended and all its buffers are closed.
     *
     * @throws FrameException if the output folder cannot be made
     * @throws IOException if the channel for all pictures cannot be written
     * @throws InterruptedException if the calling thread is interrupted; files complete by then stay
     * @throws CancellationException if the stream is closed meanwhile
     * @throws IllegalStateException if it was run before, or something of it failed that is no fault of a frame
     */
    public StreamReport run() throws IOException, InterruptedException {
        synchronized (this) {
            if (ran) {
                throw new IllegalStateException("a frame stream runs only once");
            }
            ran = cause.get() == null;
        }
        try (buffers) {
            rethrow();
            target.open();
            try {
                return stream();
            } finally {
                target.close();
            }
        } finally {
            ended.complete(null);
        }
    }

    private StreamReport stream() throws IOException, InterruptedException {
        HostMemory.Use before = HostMemory.Use.soFar();
        PipelineBuilder<Slot> stages = Pipeline.over(options.evener, buffers.slots(), Slot::new)
                .host("read", options.decoders, (slot, reports) -> slot.read());
        PipelineBuilder<Slot> mapping = options.policy == null
                ? stages.distributed("devices", Slot::job)
                : stages.stage("devices", Slot::job).policy(options.policy);
        mapping.host("write", options.writers, Slot::write);
        try (Pipeline<Slot> opened = (target.isInOrder() ? mapping : mapping.unordered()).open()) {
            pipeline = opened;
            try {
                feed(opened); // nothing if it was closed meanwhile
                opened.drain();
            } catch (InterruptedException | RuntimeException | Error e) {
                abort(e);
            }
        }
        rethrow();
        return new StreamReport(
                List.copyOf(mapped.values()),
                List.copyOf(written.values()),
                List.copyOf(failures.values()),
                Objects.requireNonNull(pipeline).report(),
                StreamReport.Memory.of(
                        options.budget,
                        buffers.mostBytes(),
                        HostMemory.Use.soFar().since(before)));
    }

    private void feed(Pipeline<Slot> into) throws InterruptedException {
        int[] inputs =
                IntStream.range(0, options.inputs.size()).filter(i -> !isOut(i)).toArray();
        synchronized (claims) {
            order = inputs;
            total = (long) inputs.length * (measuring + options.passes);
        }
        for (Shown next = claim(true); next != null; next = claim(true)) {
            if (options.smoothing != null && next.number == inputs.length) {
                into.drain();
                SequenceExposure.smooth(options.inputs, exposures, histograms, thumbnails, options.smoothing);
                histograms.clear();
                thumbnails.clear();
            }
            Slot slot = into.acquire();
            List<Shown> frames = slot.begin(next);
            synchronized (claims) {
                open++;
            }
            CompletableFuture<?> ignored = into.submit(slot).whenComplete((report, failure) -> ended(frames, failure));
        }
    }

    /**
     * The next frame that nobody has taken; null if there is none, or the run ends early.
     *
     * @param waits for those that slots may leave yet; else only for new ones
     */
    private @Nullable Shown claim(boolean waits) throws InterruptedException {
        synchronized (claims) {
            while (cause.get() == null) {
                Shown before = waits ? left.poll() : null;
                if (before != null) {
                    return before;
                }
                if (claimed < total) {
                    int input = order[(int) (claimed % order.length)];
                    Path source = options.inputs.get(input);
                    Shown next = new Shown(claimed, input, claimed / order.length, false, source);
                    claimed++;
                    if (!isOut(next.input)) {
                        return next;
                    }
                    progress();
                } else if (waits && open > 0) {
                    claims.wait();
                } else {
                    return null;
                }
            }
            return null;
        }
    }

    /** Another slot is to take it. */
    private void leave(Shown frame) {
        buffers.passed(frame.number); // until then nobody waits for it
        synchronized (claims) {
            left.add(frame);
            claims.notifyAll();
        }
    }

    /** A slot has ended with these frames, or without them. */
    private void ended(List<Shown> frames, @Nullable Throwable failure) {
        try {
            Throwable why =
                    failure instanceof EvenerException && failure.getCause() != null ? failure.getCause() : failure;
            boolean mayBeAnothers =
                    frames.size() > 1 && (why instanceof FrameException || why instanceof EvenerException);
            for (Shown frame : frames) {
                if (mayBeAnothers && !frame.done) {
                    leave(frame.alone());
                    continue;
                }
                buffers.passed(frame.number);
                if (!frame.done) {
                    ended(frame.input, why);
                }
                progress();
            }
        } finally { // whatever a listener throws
            synchronized (claims) {
                open--;
                claims.notifyAll();
            }
        }
    }

    private void ended(int input, @Nullable Throwable why) {
        if (why instanceof FrameException named) {
            fail(input, named);
        } else if (why instanceof EvenerException) {
            fail(input, new FrameException(options.inputs.get(input), String.valueOf(why.getMessage()), why));
        } else if (why != null && !(why instanceof CancellationException)) {
            abort(why);
        }
    }

    private void fail(int input, FrameException why) {
        Failure failure = new Failure(options.inputs.get(input), String.valueOf(why.getMessage()), why, false);
        failures.merge(input, failure, (known, now) -> known.replaced() ? now : known);
    }

    /** Whether an input is out for good. */
    private boolean isOut(int input) {
        Failure known = failures.get(input);
        return known != null && !known.replaced();
    }

    private synchronized void progress() {
        done++;
        if (listening) {
            try {
                options.progress.update(done, total, Objects.requireNonNull(pipeline)::report);
            } catch (RuntimeException e) {
                listening = false;
                LOG.warn("the progress listener failed and is not called again", e);
            }
        }
    }

    /** Ends the run: nobody waits any longer. First cause only; any thread. */
    private void abort(Throwable why) {
        cause.compareAndSet(null, why);
        buffers.stop();
        synchronized (claims) {
            claims.notifyAll();
        }
        target.stop();
        Pipeline<Slot> present = pipeline;
        if (present != null) {
            present.cancel();
        }
    }

    /** Throws what ended the run, if something did. */
    private void rethrow() throws IOException, InterruptedException {
        Throwable first = cause.get();
        if (first instanceof CancellationException cancelled) {
            throw cancelled;
        }
        if (first instanceof InterruptedException e) {
            throw e;
        }
        if (first instanceof UncheckedIOException unwritten) {
            throw unwritten.getCause();
        }
        if (first != null) {
            throw new IllegalStateException("a thread of the frame stream failed: " + first, first);
        }
    }

    /**
     * Ends a run early and waits until it has ended. Without a run it only prevents one. Idempotent; any thread but one that
     * tells a {@link FrameWatch} or a listener something.
     */
    @Override
    public void close() {
        if (!ended.isDone()) {
            abort(new CancellationException("the frame stream was closed"));
        }
        synchronized (this) {
            if (!ran) {
                return;
            }
        }
        ended.join();
    }

    /** A frame that a slot has taken. */
    private static final class Shown {
        final long number;
        final int input;
        final long pass;
        final boolean isAlone; // whether it is to have a job of its own
        private Path source; // what is shown for it
        private @Nullable FrameFile file;
        private Consumer<FrameWatch.Picture> watch = picture -> {};
        private volatile boolean done;

        Shown(long number, int input, long pass, boolean isAlone, Path source) {
            this.number = number;
            this.input = input;
            this.pass = pass;
            this.isAlone = isAlone;
            this.source = source;
        }

        Shown alone() {
            return new Shown(number, input, pass, true, source);
        }

        FrameFile file() {
            return Objects.requireNonNull(file);
        }
    }

    private static final Shown NONE = new Shown(0, 0, 0, false, Path.of(""));

    /** A frame on its way, or several that share a job. Used by one stage at a time; the pipeline hands it on. */
    private final class Slot implements AutoCloseable {
        private final StepClock<Step> clock = new StepClock<>(Step.class, options.clock);
        private List<Shown> frames = List.of();
        private Shown first = NONE; // of these, which decides of what size and kind others are
        private boolean black; // is shown for it
        private boolean maps; // and does not only measure
        private long readFrom;
        private long readTo;
        private long submitted;
        private FrameLayout size = new FrameLayout(1, 1); // of its picture
        private ToneMapSettings settings = options.settings;
        private BufferPool.@Nullable FrameMemory memory;
        private BufferPool.@Nullable PictureMemory picture;
        private @Nullable ManagedBuffer pixels; // the frame's, of that memory
        private boolean again; // whether the host decodes it, as devices could not expand it
        private @Nullable RunLengths runs; // from which devices expand them

        /** With this frame, and those that will be found to share its job. */
        List<Shown> begin(Shown next) {
            release();
            frames = new ArrayList<>(List.of(next));
            first = next;
            again = false;
            maps = next.pass >= measuring;
            FrameStatistics exposure = exposures.get(next.input);
            ToneMapSettings own = maps ? options.settings(next.input) : options.settings;
            settings = exposure == null ? own : own.exposedFor(exposure);
            buffers.begin(next.number);
            return frames;
        }

        void read() throws FrameException, InterruptedException {
            clock.take(); // what a frame that failed left
            readFrom = clock.enter(Step.OPENING);
            int input = first.input;
            if (isOut(input)) {
                throw Objects.requireNonNull(failures.get(input)).cause();
            }
            black = false;
            FrameException failed = null;
            for (int shown = input; shown < options.inputs.size(); shown = instead(shown)) {
                try {
                    first.source = options.inputs.get(shown);
                    load();
                    if (shown == input && !black) {
                        addOthers();
                    }
                    readTo = clock.enter(null);
                    buffers.isRead(Objects.requireNonNull(memory));
                    if (failed != null) {
                        String instead = black ? "a black frame" : first.source.toString();
                        String line = failed.getMessage() + "; " + instead + " is shown in its place";
                        failures.putIfAbsent(input, new Failure(options.inputs.get(input), line, failed, true));
                    }
                    return;
                } catch (FrameException e) {
                    if (!again) {
                        releaseFrame();
                    }
                    failed = failed == null ? e : failed;
                }
            }
            throw Objects.requireNonNull(failed);
        }

        /** The input to try when one cannot be read; none behind the last one. */
        private int instead(int tried) {
            if (options.missing == Missing.LEFT_OUT) {
                return options.inputs.size();
            }
            if (options.missing == Missing.BLACK && !black) {
                black = true;
                return tried; // of which the header may do
            }
            int next = tried;
            do {
                next = next > first.input || next == 0 ? Math.max(next, first.input) + 1 : next - 1;
            } while (failures.containsKey(next) && !isOut(next)); // nor could it be read
            return next;
        }

        private void load() throws FrameException, InterruptedException {
            FrameFile read = options.open(first.source).timed(clock);
            FrameFile file = black ? read.black() : read;
            first.file = file;
            size = options.sizeOf(file, settings);
            boolean expand = !again && buffers.expands(file, size);
            int room = expand && !black && !first.isAlone && !target.isInOrder()
                    ? buffers.together(file, size, settings)
                    : 1;
            clock.enter(Step.WAITING_FOR_ROOM);
            BufferPool.FrameMemory held = again ? memory : null;
            BufferPool.FrameMemory taken =
                    held == null ? buffers.take(file, maps ? size : null, expand, room, first.number) : held;
            memory = taken;
            clock.enter(Step.TAKING_MEMORY);
            Consumer<@Nullable IntFunction<ByteBuffer>> look = rows -> {
                if (rows != null) { // else the host decodes it after all
                    thumbnails.put(first.input, new Thumbnail(file, rows));
                }
            };
            runs = expand ? taken.runs(file, maps ? null : look) : null;
            ManagedBuffer into = taken.frame(file, expand);
            pixels = into;
            if (!expand) {
                LoadedFrame.write(file, into, pieces -> {
                    taken.isMade();
                    file.decode(pieces);
                    if (!maps) {
                        look.accept(file.rows(pieces));
                    }
                });
            }
        }

        /**
         * Has frames share the job of the first one: those behind it of its size and kind, as long as it would wait for a device and there is
         * room. Another slot takes what does not fit, which ends it.
         */
        private void addOthers() throws InterruptedException {
            RunLengths code = runs;
            BufferPool.FrameMemory into = Objects.requireNonNull(memory);
            if (code == null || first.isAlone) {
                return;
            }
            for (int count = 1; count < into.room(); count++) {
                boolean isEnough = Integer.bitCount(count) == 1 && !buffers.wouldWait();
                Shown next = isEnough ? null : claim(false);
                if (next == null) {
                    break;
                }
                if (!add(next, code, into)) {
                    leave(next);
                    break;
                }
                frames.add(next);
            }
            runs = into.all(code);
        }

        /** Reads it; returns false if it is of another kind, or cannot be read: who takes it alone says why. */
        private boolean add(Shown next, RunLengths code, BufferPool.FrameMemory into) {
            try {
                clock.enter(Step.OPENING);
                FrameFile file = options.open(next.source).timed(clock);
                next.file = file;
                return file.codedBytes() > 0
                        && file.size().equals(first.file().size())
                        && file.coding().equals(first.file().coding())
                        && options.settings(next.input).equals(settings)
                        && options.sizeOf(file, settings).equals(size)
                        && into.add(file, code);
            } catch (FrameException e) {
                return false;
            }
        }

        /**
         * Has the host decode a frame of which devices have lost rows, or say what is wrong with it, and runs its job again. In the same
         * memory, as who has more may wait for this thread.
         */
        private Report again() throws FrameException, InterruptedException {
            again = true;
            try {
                read();
            } catch (FrameException e) {
                releaseFrame();
                throw e;
            }
            buffers.giveBack(picture);
            Job job = job();
            return (options.policy == null ? options.evener.submit(job) : options.evener.submit(job, options.policy))
                    .join();
        }

        Job job() {
            submitted = clock.enter(null);
            FrameFile file = first.file();
            ManagedBuffer frame = Objects.requireNonNull(pixels);
            BufferPool.PictureMemory mine = buffers.takePicture(maps ? size : null, Objects.requireNonNull(memory));
            picture = mine;
            if (!maps) {
                return mine.work().measuring(file, size, runs, frame, settings);
            }
            for (Shown each : frames) {
                each.watch = black ? picture -> {} : options.watch.mapping(each.source);
            }
            return mine.work().of(file, size, runs, frame, mine.pixels(size), mine.coded(size), settings);
        }

        void write(List<Report> reports) throws FrameException, InterruptedException {
            int together = frames.size();
            Report report = reports.get(reports.size() - 1);
            List<Shown> places = List.copyOf(frames); // in the job
            RunLengths code = runs;
            if (code != null && !code.isWhole(first.file().size())) {
                if (together == 1) {
                    report = again();
                } else {
                    leaveLost(code.areWhole(first.file().size()));
                }
            }
            FrameJob work = Objects.requireNonNull(picture).work();
            if (!maps) {
                exposures.put(first.input, work.measured());
                histograms.put(first.input, work.histogram());
                release();
                return;
            }
            boolean expanded = runs != null;
            long bytes = Objects.requireNonNull(memory).total() + picture.total();
            releaseFrame(); // devices are done with it, and a reader may wait for it
            try {
                if (together > 1) {
                    clock.enter(Step.FETCHING);
                    work.fetch();
                }
                for (Shown each : List.copyOf(frames)) {
                    long from = clock.enter(null);
                    try {
                        write(each, places.indexOf(each), work);
                    } catch (FrameException e) {
                        if (together == 1) {
                            throw e;
                        }
                        ended(each.input, e);
                    } finally {
                        each.done = together > 1;
                        Times times = new Times(
                                readFrom, readTo, submitted, from, clock.enter(null), bytes / together, clock.take());
                        FrameFile file = each.file();
                        mapped.put(
                                each.number,
                                new MappedFrame(
                                        each.source,
                                        file.layer(),
                                        file.primaries(),
                                        file.warnings(),
                                        size,
                                        expanded,
                                        report,
                                        together,
                                        times));
                    }
                }
            } finally {
                release();
            }
        }

        /** Leaves the frames with lost rows to others, which find out what is wrong with them. */
        private void leaveLost(BitSet whole) {
            for (int place = frames.size() - 1; place >= 0; place--) {
                if (!whole.get(place)) {
                    leave(frames.remove(place).alone());
                }
            }
        }

        /** The picture at this place in the job. */
        private void write(Shown each, int place, FrameJob work) throws FrameException, InterruptedException {
            ManagedBuffer made = Objects.requireNonNull(picture).pixels(size);
            long from = place * options.format.pixelWords(size);
            work.about(place, each.file().metadata());
            each.watch.accept(new FrameWatch.Picture(each.source, size, settings, options.format.words(), made, from));
            buffers.passed(each.number);
            if (each.pass - measuring == options.passes - 1) {
                clock.enter(Step.WRITING);
                Path file = target.write(each.input, size, work, clock);
                if (file != null) {
                    written.put(each.input, file);
                }
            }
        }

        private void release() {
            releaseFrame();
            buffers.giveBack(picture);
            picture = null;
        }

        private void releaseFrame() {
            buffers.giveBack(memory);
            memory = null;
            pixels = null;
            runs = null;
        }

        @Override
        public void close() {
            release();
        }
    }
}
