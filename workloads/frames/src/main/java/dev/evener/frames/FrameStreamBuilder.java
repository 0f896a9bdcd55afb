package dev.evener.frames;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link FrameStream}, with a default each. One thread. */
public final class FrameStreamBuilder {
    /** Frames that exposure is smoothed over, at most. */
    public static final int MOST_SMOOTHED = 100_000;

    final List<Path> inputs;
    final Evener evener;
    final ToneMapSettings settings;
    Allocator memory;
    Tuning tuning = Tuning.defaults();

    @Nullable
    Policy policy;

    @Nullable
    Double smoothing; // frames

    private @Nullable List<ToneMapSettings> each;

    Missing missing = Missing.LEFT_OUT;
    int passes = 1;
    int decoders;
    int writers;
    // Direct memory is limited to the heap's limit by default, and devices need theirs besides.
    long budget = Runtime.getRuntime().maxMemory() / 4;
    PictureFormat format;
    String rate = "25:1";
    int quality = 90;
    Metadata metadata = Metadata.ALL;
    FrameStore store = FrameStore.FILES;

    FrameChoice choice = FrameChoice.NONE;

    private @Nullable PictureSize size;

    Progress progress = (done, total, soFar) -> {};
    FrameWatch watch = source -> picture -> {};
    private boolean jobEach;
    LongSupplier clock = System::nanoTime; // by which frames' steps are timed

    /** Told how far the run is, by one thread at a time; if it throws, it is told nothing more. */
    @FunctionalInterface
    public interface Progress {
        /** One more frame is finished, or has failed: so many of all, all passes together and that which measures; {@code soFar} says what the stages did. */
        void update(long done, long total, Supplier<PipelineReport> soFar);
    }

    /** What comes in the place of a frame that cannot be read. */
    public enum Missing {
        /** No picture. */
        LEFT_OUT,
        /** A black one, in the size of the frame, or of the one that {@link #HELD} would show. */
        BLACK,
        /** The last frame before it that can be read, or if there is none the first one behind. */
        HELD
    }

    /** What the file of a PNG or JPEG picture has beside what it needs to be shown right. */
    public enum Metadata {
        /** Nothing. */
        NONE,
        /** The ICC profile of sRGB, if its colours are that. */
        ICC,
        /** What the frame's file says of its making, too: owner, comments, when and how it was taken. */
        ALL
    }

    FrameStreamBuilder(List<Path> inputs, Evener evener, ToneMapSettings settings) {
        this.inputs = List.copyOf(inputs);
        this.evener = evener;
        this.settings = settings;
        this.format = settings.operator().words() == 1 ? PictureFormat.PNG : PictureFormat.PNG16;
        this.memory = Allocator.of(evener);
        int cores = Runtime.getRuntime().availableProcessors();
        this.decoders = Math.max(1, cores / 2);
        this.writers = Math.max(2, cores / 2); // which mostly wait for the disk
    }

    /** Where buffers come from: by default the {@link Evener}. */
    FrameStreamBuilder memory(Allocator allocator) {
        this.memory = allocator;
        return this;
    }

    /** How kernels are tuned. */
    public FrameStreamBuilder tuning(Tuning chosen) {
        this.tuning = chosen;
        return this;
    }

    /**
     * Maps each input with settings of its own, as of shots or brackets; by default all with the stream's. Exposure is smoothed for those
     * that leave it automatic.
     *
     * @param ofInputs one for each
     * @throws IllegalArgumentException if there are more or fewer
     */
    public FrameStreamBuilder settings(List<ToneMapSettings> ofInputs) {
        this.each = ofEach("settings", ofInputs);
        return this;
    }

    /** What an input is mapped with. */
    ToneMapSettings settings(int input) {
        return each == null ? settings : each.get(input);
    }

    /** Splits every frame so; by default devices have frames whole while several wait, and one alone as the {@link Evener} splits jobs. */
    public FrameStreamBuilder policy(Policy chosen) {
        this.policy = chosen;
        return this;
    }

    /**
     * Exposes each frame for an average of the statistics of its sequence before and after it, though not over a cut; by default each for
     * its own. Consecutive inputs of one folder are a sequence. The same pixels on all devices, whatever else is under way. All frames
     * are measured before the first is mapped, and read twice for it.
     *
     * @param frames after which a frame counts a 1/e-th, before and after; 1 to {@link #MOST_SMOOTHED}
     * @throws IllegalArgumentException if it is outside of that, or the settings' exposure and white are not automatic
     */
    public FrameStreamBuilder smoothing(double frames) {
        if (!(frames >= 1 && frames <= MOST_SMOOTHED)) {
            throw new IllegalArgumentException("exposure smoothed over " + frames + " frames");
        }
        if (!settings.needsStatistics()) {
            throw new IllegalArgumentException("with these settings there is no automatic exposure to be smoothed");
        }
        this.smoothing = frames;
        return this;
    }

    /** What comes in the place of frames that cannot be read; none by default. They are failures in any case. */
    public FrameStreamBuilder missing(Missing chosen) {
        this.missing = chosen;
        return this;
    }

    /** How often to go through the list, at least 1, the default. */
    public FrameStreamBuilder passes(int times) {
        this.passes = atLeastOne(times, "passes");
        return this;
    }

    /** Threads that decode; by default half the cores. */
    public FrameStreamBuilder decoders(int threads) {
        this.decoders = atLeastOne(threads, "decoders");
        return this;
    }

    /** Threads that write pictures; by default half the cores, at least 2. */
    public FrameStreamBuilder writers(int threads) {
        this.writers = atLeastOne(threads, "writers");
        return this;
    }

    /**
     * Bytes of frames and pictures to hold at once in the host's memory; by default a quarter of the JVM's largest heap. The oldest frame
     * is processed however large it is.
     */
    public FrameStreamBuilder budget(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("a memory budget of " + bytes + " bytes");
        }
        this.budget = bytes;
        return this;
    }

    /** Where frames are read and pictures written; by default this machine's file system. */
    public FrameStreamBuilder store(FrameStore where) {
        this.store = where;
        return this;
    }

    /** What of the files to map, and how they are understood; by default as each says. A file without the layer fails. */
    public FrameStreamBuilder choice(FrameChoice ofEach) {
        this.choice = ofEach;
        return this;
    }

    /** Resizes frames before they are measured and mapped; by default pictures have the frames' size. */
    public FrameStreamBuilder size(PictureSize ofPictures) {
        this.size = ofPictures;
        return this;
    }

    /**
     * The size of a frame's picture.
     *
     * @param mapped what it is mapped with
     */
    FrameLayout sizeOf(FrameFile file, ToneMapSettings mapped) throws FrameException {
        FrameLayout picture;
        try {
            picture = size == null ? file.size() : size.of(file.size());
        } catch (IllegalArgumentException e) {
            throw new FrameException(file.path(), "cannot be resized: " + e.getMessage());
        }
        // What kernels look around in, or see as a whole, has to lie in one piece of memory.
        long words = format.pixelWords(picture) * Integer.BYTES;
        requirePiece(file, Math.max(words, format.mostBytes(picture)), format.text());
        long floats = file.coding().hasAlpha() ? 16 : 12;
        if (size != null && !picture.equals(file.size())) {
            long between = floats * file.size().stride() * picture.height();
            long frame = file.coding().bytes(file.size());
            requirePiece(file, Math.max(frame, Math.max(between, floats * picture.words())), "--resize");
        }
        if (file.coding().hasAlpha()) {
            requirePiece(file, picture.bytes(), "--alpha");
        }
        if (mapped.operator() == Operator.GUIDED) {
            requirePiece(file, picture.bytes(), "the operator guided");
        }
        return picture;
    }

    private static void requirePiece(FrameFile file, long bytes, String what) throws FrameException {
        if (bytes > FrameLayout.PIECE_BYTES) {
            throw new FrameException(
                    file.path(),
                    "has " + file.size() + " pixels, for which " + what + " needs " + bytes
                            + " bytes in one piece, and there may be 2 GiB; choose another, or cut the frame");
        }
    }

    /**
     * Has programs built for the first input that is a frame, while others are read. What is wrong with frames and devices is left to the
     * stream, which says it.
     *
     * @return completed with the nanoseconds that it took, never exceptionally
     */
    public CompletableFuture<Long> prepare() {
        for (Path input : inputs) {
            FrameFile file;
            FrameLayout picture;
            try {
                file = open(input);
                picture = sizeOf(file, settings);
            } catch (FrameException e) {
                continue; // then the next file is the first frame
            }
            BufferPool buffers = new BufferPool(this);
            CompletableFuture<?> built;
            long from = System.nanoTime();
            try {
                built = evener.prepare(buffers.unread(file, picture, settings));
            } catch (EvenerException e) {
                built = CompletableFuture.failedFuture(e);
            }
            return built.handle((none, failure) -> {
                long nanos = System.nanoTime() - from;
                buffers.close();
                return nanos;
            });
        }
        return CompletableFuture.completedFuture(0L);
    }

    /** Reads the header of an input. */
    FrameFile open(Path input) throws FrameException {
        return choice.of(store.open(input));
    }

    /**
     * What pictures are written as; PNG by default, with 8 or 16 bits as the operator has them.
     *
     * @throws IllegalArgumentException if it cannot hold what the operator makes
     */
    public FrameStreamBuilder format(PictureFormat chosen) {
        chosen.check(settings.operator());
        this.format = chosen;
        return this;
    }

    /** How good pictures are as {@link PictureFormat#JPEG}, 1 to 100; 90 by default. */
    public FrameStreamBuilder quality(int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("a quality of " + percent + "; it must be 1 to 100");
        }
        this.quality = percent;
        return this;
    }

    /** What files of pictures have beside their pixels; by default all that there is. The same bytes in every run. */
    public FrameStreamBuilder metadata(Metadata kept) {
        this.metadata = kept;
        return this;
    }

    /** Frames in so many seconds, as {@link PictureFormat#Y4M} says it; 25 in 1 by default. */
    public FrameStreamBuilder rate(int frames, int seconds) {
        this.rate = atLeastOne(frames, "frames") + ":" + atLeastOne(seconds, "seconds");
        return this;
    }

    /** Who is told how far the run is. */
    public FrameStreamBuilder progress(Progress listener) {
        this.progress = listener;
        return this;
    }

    /**
     * Gives each frame a job of its own, as who takes jobs down needs it; by default small ones that wait may share one. The same pixels and
     * files.
     */
    public FrameStreamBuilder jobEach() {
        this.jobEach = true;
        return this;
    }

    /** Whether frames may share jobs: where each is read once, mapped as it is and written as it comes. */
    boolean shares() {
        return !jobEach && passes == 1 && smoothing == null && policy == null;
    }

    /** Who sees what becomes of frames. */
    public FrameStreamBuilder watch(FrameWatch watcher) {
        this.watch = watcher;
        return this;
    }

    /**
     * The stream, writing a file for each frame to this folder, which is made if it is not there when the run starts.
     *
     * @throws IllegalArgumentException if the format is that of a stream, {@link PictureFormat#isStream()}
     */
    public FrameStream into(Path folder) {
        return into(folder, inputs.stream().map(format::nameOf).toList());
    }

    /**
     * The same with names of the pictures, one for each input, such as {@link PictureFormat#nameOf(Path, String)} gives.
     *
     * @throws IllegalArgumentException as above, or if there are more names or fewer
     */
    public FrameStream into(Path folder, List<Path> names) {
        if (format.isStream()) {
            throw new IllegalArgumentException("y4m is one stream of all frames; give a channel in place of a folder");
        }
        return new FrameStream(this, new PictureFolder(this, folder, ofEach("names", names)));
    }

    private <T> List<T> ofEach(String what, List<T> given) {
        if (given.size() != inputs.size()) {
            throw new IllegalArgumentException(given.size() + " " + what + " of " + inputs.size() + " inputs");
        }
        return List.copyOf(given);
    }

    /**
     * The stream of one frame at most, writing its picture to this file, whose folder is made if it is not there when
     * the run starts.
     *
     * @throws IllegalArgumentException if there are more frames, or the format is that of a stream
     */
    public FrameStream intoFile(Path picture) {
        if (inputs.size() > 1) {
            throw new IllegalArgumentException(inputs.size() + " frames for one file");
        }
        Path whole = picture.toAbsolutePath();
        Path folder = Objects.requireNonNull(whole.getParent(), "a file's name");
        return into(folder, Collections.nCopies(inputs.size(), picture));
    }

    /**
     * The stream, writing one picture behind the other, in the order of the inputs; those that fail are left out. A run that ends early
     * closes the channel, so that nothing waits for whoever reads from it, unless it could not be written; else it stays open.
     */
    public FrameStream into(WritableByteChannel channel) {
        this.writers = 1;
        return new FrameStream(this, new PictureSequence(this, channel));
    }

    private static int atLeastOne(int value, String what) {
        if (value < 1 || value > 1 << 20) {
            throw new IllegalArgumentException(value + " " + what + "; there must be 1 to " + (1 << 20));
        }
        return value;
    }
}
