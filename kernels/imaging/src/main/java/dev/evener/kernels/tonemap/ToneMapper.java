package dev.evener.kernels.tonemap;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.ManagedBuffer;
import dev.evener.Variant;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.OwnBuffers;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tone-maps frames: builds one job per frame, whose units are the frame's rows. Where exposure or white depend on the
 * frame, the first phase gathers its luminance statistics, a host step turns them into the operator's parameters, and the
 * second phase maps; a row is mapped by the device that already holds it. Otherwise there is only the second phase. Local
 * operators map in two or three phases, whose filters reach over the borders of rows and devices.
 *
 * <pre>{@code
 * try (ToneMapper mapper = new ToneMapper(evener::allocate)) {
 *     Job job = mapper.job(new FrameLayout(1920, 1080), frame, pixels, ToneMapSettings.of(Operator.ACES));
 *     evener.submit(job).join();
 * }
 * }</pre>
 *
 * <p>The frame's and the output's buffers may be larger than the frame, so that a stream of frames of different sizes can
 * use a pool. The mapper owns two small buffers that a running job uses, and for local operators 4 (Reinhard's) or 16 bytes (guided) a
 * pixel, for a {@link Look} 8 and its tables: one mapper serves one frame after another, and
 * frames in flight at the same time need a mapper each. Making a job invalidates the one made before. Not thread-safe,
 * but may be handed from thread to thread between jobs.
 */
public final class ToneMapper implements AutoCloseable {
    /** Rounds in which a CPU's work-item clears and merges its tables. */
    private static final int TABLE_ROUNDS = 2 * 1024;

    private static final KernelSource STATISTICS =
            KernelSource.resource(ToneMapper.class, "pixel.cl", "luminance.cl").withTrialLaunch();
    private static final KernelSource EXPANDED_STATISTICS = KernelSource.resource(
                    ToneMapper.class, "runs.cl", "pixel.cl", "luminance.cl")
            .withTrialLaunch();
    private static final KernelSource MAP = KernelSource.resource(
                    ToneMapper.class, "pixel.cl", "colour.cl", "tonemap.cl")
            .withTrialLaunch();

    private static final int BYTES_PER_PIXEL = 16;
    private static final int GROUP = 256;

    private final Tuning tuning;
    private final OwnBuffers own = new OwnBuffers();
    private final OwnBuffer<HostBuffer> histograms;
    private final OwnBuffer<HostBuffer> parameters;
    private final LocalMapping local;
    private final FrameResizer resizer;
    private final Unassociation unassociation;
    private final OwnBuffer<DataBuffer> wide; // the picture before its look
    private final OwnBuffer<DataBuffer> tables; // of this:
    private @Nullable Look look;
    private final int[] counts = new int[2 * FrameStatistics.BINS]; // of the frame whose statistics are worked out
    private final double[] mass = new double[FrameStatistics.BINS]; // what they count
    private @Nullable FrameStatistics statistics;

    /** A mapper with buffers of its own from this allocator, released by {@link #close}. */
    public ToneMapper(Allocator allocator) {
        this(allocator, Tuning.defaults());
    }

    /** The same, tuned. */
    public ToneMapper(Allocator allocator, Tuning tuning) {
        this.tuning = tuning;
        this.histograms = own.add(allocator::allocate);
        this.parameters = own.add(allocator::allocate);
        this.local = new LocalMapping(own, allocator);
        this.resizer = new FrameResizer(own, allocator);
        this.unassociation = new Unassociation(own, allocator);
        this.wide = own.add(allocator::between);
        this.tables = own.add(allocator::between);
    }

    /** The job that maps one frame of floats, as {@link #describe} says. */
    public Job job(FrameLayout layout, DataBuffer frame, DataBuffer pixels, ToneMapSettings settings) {
        return describe(
                        layout,
                        layout,
                        PixelCoding.FLOATS,
                        null,
                        frame,
                        pixels,
                        settings,
                        settings.operator().words())
                .build();
    }

    /**
     * The job that maps one frame, to be built, or to go on with the pixels. A frame of another size than its picture is resized in linear
     * light, with Lanczos' filter of three lobes, whose result is kept within the range of the pixels of its middle lobe; then measured and
     * mapped. Beyond an edge are the pixels at the edge, or with {@link ToneMapSettings#wrap} beyond the left and right one those at the other.
     * The mapper takes for it 12 bytes for each pixel of the new size, and for each of so many rows of the frame.
     *
     * @param layout the frame's size
     * @param to the picture's
     * @param coding how its pixels are coded
     * @param runs what the frame is expanded from before, if it is in planes; null if it is there, and if it is resized. Of several frames,
     *     which are rows of one job, one below the other in all buffers: each has statistics and parameters of its own. Not by a {@linkplain
     *     Operator#isLocal local} operator, and without a look
     * @param frame at least {@link PixelCoding#elements} of its elements, padding pixels 0
     * @param pixels words, at least {@link FrameLayout#words} times as many as a pixel has; all of those are written
     * @param words of a pixel, at least {@link Operator#words}: 1, or 2 for 16 bits a component
     * @throws IllegalArgumentException if a buffer has the wrong type or is too small
     */
    public JobBuilder describe(
            FrameLayout layout,
            FrameLayout to,
            PixelCoding coding,
            @Nullable RunLengths runs,
            DataBuffer frame,
            DataBuffer pixels,
            ToneMapSettings settings,
            int words) {
        if (words < settings.operator().words() || words > 2) {
            throw new IllegalArgumentException(words + " words a pixel of " + settings.operator());
        }
        int frames = runs == null ? 1 : runs.frames();
        if (frames > 1 && (settings.operator().isLocal() || settings.look() != null)) {
            throw new IllegalArgumentException("a local operator or a look takes one frame a job, not " + frames);
        }
        JobBuilder job = named("tonemap-", to, frames, settings);
        Source source = prepared(job, layout, to, new Source(coding, runs, frame), settings, words);
        if (settings.needsStatistics()) {
            addStatistics(job, to, source, settings);
        } else {
            if (runs != null) {
                runs.addTo(job, layout, frame);
            }
            FloatBuffer all = parameters(frames).floats();
            for (int number = 0; number < frames; number++) {
                all.put(ToneMapParameters.of(settings, null));
            }
        }
        addMap(job, to, source, pixels, settings, words);
        return job;
    }

    /** Each frame's, whose number it has from the source. */
    private HostBuffer parameters(int frames) {
        return parameters.exactly(ElementType.FLOAT, (long) frames * ToneMapParameters.COUNT);
    }

    /** A frame, how it is coded, and what it is expanded from before. */
    private record Source(PixelCoding coding, @Nullable RunLengths runs, DataBuffer frame) {
        int frames() {
            return runs == null ? 1 : runs.frames();
        }
    }

    /** The frame in the picture's size, its colours without alpha. */
    private Source prepared(
            JobBuilder job, FrameLayout layout, FrameLayout to, Source given, ToneMapSettings settings, int words) {
        statistics = null;
        BufferChecks.require(
                "frame", given.frame, given.coding.type(), (long) given.frames() * given.coding.elements(layout));
        // Mostly they are one object; what compares two is made for the first time that it is needed.
        if (given.runs != null && !(given.coding.planes() && Objects.equals(to, layout))) {
            throw new IllegalArgumentException("run-length code becomes bytes in planes, and this frame has others");
        }
        Source source = given;
        if (!Objects.equals(to, layout)) {
            DataBuffer resized = resizer.addTo(job, layout, source.coding, source.frame, to, settings.wrap());
            source = new Source(source.coding.expanded(), null, resized);
        }
        if (source.coding.hasAlpha()) {
            DataBuffer colours = unassociation.addTo(job, to, source.coding, source.frame, words);
            source = new Source(PixelCoding.FLOATS, null, colours);
        }
        return source;
    }

    /**
     * What takes the alpha of pictures of this size whose frames are {@link PixelCoding#FLOATS_WITH_ALPHA}: a code for
     * each pixel, up to 255, or with two words 65,535. Their colours are measured and mapped without it, and black
     * where it is 0.
     */
    public DataBuffer alpha(FrameLayout picture) {
        return unassociation.codes(picture);
    }

    /**
     * The first half of {@link #job}, for pipelines: the frame's statistics, from which the host works out the parameters of
     * {@link #mapJob}, which is to follow for the same frame. The two together have the result of the one job.
     *
     * @param to the size that {@link #describe} resizes it to
     * @param runs as {@link #describe} says
     * @throws IllegalArgumentException as {@link #job} does, or if the settings need no statistics
     */
    public Job statisticsJob(
            FrameLayout layout,
            FrameLayout to,
            PixelCoding coding,
            @Nullable RunLengths runs,
            DataBuffer frame,
            ToneMapSettings settings) {
        if (!settings.needsStatistics()) {
            throw new IllegalArgumentException(
                    "with these settings no statistics are needed: there is one stage, job(...)");
        }
        JobBuilder job = named("tonemap-statistics-", to, 1, settings);
        Source source = prepared(job, layout, to, new Source(coding, runs, frame), settings, 1);
        addStatistics(job, to, source, settings);
        return job.build();
    }

    /**
     * The second half of {@link #job}: maps the frame whose {@link #statisticsJob} this mapper has just run.
     *
     * @throws IllegalArgumentException as {@link #job} does
     */
    public Job mapJob(FrameLayout layout, DataBuffer frame, DataBuffer pixels, ToneMapSettings settings) {
        JobBuilder job = named("tonemap-map-", layout, 1, settings);
        Source source = new Source(PixelCoding.FLOATS, null, frame);
        addMap(job, layout, source, pixels, settings, settings.operator().words());
        return job.build();
    }

    private static JobBuilder named(String prefix, FrameLayout layout, int frames, ToneMapSettings settings) {
        return Job.named(prefix + settings.operator().commandLineName()).units((long) frames * layout.height());
    }

    private void addStatistics(JobBuilder job, FrameLayout layout, Source source, ToneMapSettings settings) {
        PixelCoding coding = source.coding;
        RunLengths runs = source.runs;
        int stride = layout.stride();
        int frames = source.frames();
        HostBuffer histogram = histograms.exactly(ElementType.UINT, (long) frames * counts.length);
        HostBuffer each = parameters(frames);
        JvmKernel java = ToneMapJvm.statistics(coding, layout, 0);
        if (runs == null) {
            job.source(STATISTICS).kernel("luminance_statistics");
        } else {
            JvmKernel expand = runs.java(layout);
            JvmKernel count = ToneMapJvm.statistics(coding, layout, RunLengths.ARGUMENTS);
            java = chunk -> {
                expand.run(chunk);
                count.run(chunk);
            };
            runs.addKernels(job.source(EXPANDED_STATISTICS), layout, source.frame)
                    .then("luminance_statistics");
        }
        addStatisticsVariants(job, coding, stride);
        job.jvm(java)
                .reads(source.frame, slice(coding.rowElements(layout)))
                .reduces(histogram, Reduction.SUM)
                .scalar(stride)
                .scalar(layout.height())
                .chunkStart()
                .chunkUnits();
        coding.arguments(job)
                .hostStep(
                        host -> {
                            IntBuffer counted = histogram.ints();
                            FloatBuffer all = each.floats();
                            for (int number = 0; number < frames; number++) {
                                IntBuffer its = counted.slice(number * counts.length, counts.length);
                                statistics = FrameStatistics.of(its, layout, counts, mass);
                                all.put(ToneMapParameters.of(settings, statistics));
                            }
                        },
                        each); // and nothing else, so that the frame need not be sent again
    }

    private void addMap(
            JobBuilder job, FrameLayout layout, Source source, DataBuffer pixels, ToneMapSettings settings, int words) {
        PixelCoding coding = source.coding;
        DataBuffer frame = source.frame;
        int frames = source.frames();
        BufferChecks.require("frame", frame, coding.type(), (long) frames * coding.elements(layout));
        BufferChecks.require("pixels", pixels, ElementType.UINT, (long) frames * words * layout.words());
        Look after = settings.look();
        if (after != null) {
            DataBuffer before = wide.atLeast(ElementType.UINT, 2L * layout.words());
            DataBuffer held = tables(after); // before the job has any of its buffers
            addMap(job, layout, source, before, settings.withLook(null), 2);
            after.addTo(job, layout.stride(), before, held, pixels, words);
            return;
        }
        if (settings.operator().isLocal()) {
            local.add(job, layout, coding, frame, pixels, parameters(frames), settings, words);
            return;
        }
        int stride = layout.stride();
        job.source(MAP).kernel("tonemap");
        addMapVariants(job, settings, coding, stride, words);
        job.jvm(ToneMapJvm.map(settings, coding, layout, words))
                .reads(frame, slice(coding.rowElements(layout)))
                .writes(pixels, slice((long) words * stride))
                .reads(parameters(frames), whole())
                .scalar(stride)
                .scalar(layout.height())
                .chunkStart()
                .chunkUnits();
        coding.arguments(job);
    }

    /** The tables of a look, where devices have them from frame to frame. */
    private DataBuffer tables(Look of) {
        DataBuffer held = tables.exactly(ElementType.FLOAT, of.floats());
        if (!of.equals(look)) {
            if (held instanceof ManagedBuffer managed) {
                managed.overwrite(0, of.floats(), view -> of.put(view.floats()));
            } else {
                of.put(((HostBuffer) held).floats());
            }
            look = of;
        }
        return held;
    }

    /** The statistics of the last frame mapped, or the last one of several, once its job has ended; null if its settings needed none. */
    public @Nullable FrameStatistics statistics() {
        return statistics;
    }

    /** The histogram that {@link #statistics} were worked out from, for {@link FrameStatistics#of(int[], Double)}. */
    public int[] histogram() {
        return counts.clone();
    }

    /** Releases the mapper's own buffers. Idempotent. Must not be called while a job runs. */
    @Override
    public void close() {
        statistics = null;
        look = null;
        own.close();
    }

    private void addStatisticsVariants(JobBuilder job, PixelCoding coding, int stride) {
        // A work-item ends with a merge of its tables, so there are only a few for each core, to balance the load.
        Variant cpu = Variant.unitsPerItem(rowsPerItem(stride))
                .withGroupSize(1)
                .withOptions(coding.options())
                .withGroupsPerComputeUnit(2)
                .withRounds(rounds(stride) + TABLE_ROUNDS);
        // As many groups as fit on a compute unit at once, each looping, for the same reason.
        Variant other = Variant.itemsPerUnit(stride / 16)
                .withGroupSize(GROUP)
                .withOptions(coding.options())
                .withGroupsPerComputeUnit(8);
        Forms.add(job, cpu, other);
    }

    private void addMapVariants(JobBuilder job, ToneMapSettings settings, PixelCoding coding, int stride, int words) {
        String option = coding.options() + settings.options(words);
        int pixels = tuning.value(Parameter.TONEMAP_ITEM);
        Forms.add(
                job,
                Variant.unitsPerItem(rowsPerItem(stride))
                        .withGroupSize(1)
                        .withOptions(option)
                        .withRounds(rounds(stride)),
                Variant.itemsPerUnit(stride / pixels)
                        .withGroupSize(GROUP)
                        .withOptions(option + " -D LANES=1 -D QUADS=" + pixels / 4));
    }

    /** Rounds of the loops of a CPU's work-item over its rows. */
    private long rounds(int stride) {
        return rowsPerItem(stride) * (stride / 16 + 2L);
    }

    private int rowsPerItem(int stride) {
        return Math.max(1, tuning.value(Parameter.TONEMAP_CPU_BYTES) / (BYTES_PER_PIXEL * stride));
    }
}
