package dev.evener.frames;

import dev.evener.DataBuffer;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.frames.FrameMetadata.Tag;
import dev.evener.frames.FrameStreamBuilder.Metadata;
import dev.evener.frames.StreamReport.Step;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.pipeline.StepClock;
import dev.evener.kernels.png.PngAlpha;
import dev.evener.kernels.png.PngEncoder;
import dev.evener.kernels.png.PngEncoder.Colour;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.FrameStatistics;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.PixelCoding;
import dev.evener.kernels.tonemap.Primaries;
import dev.evener.kernels.tonemap.RunLengths;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.kernels.tuning.Tuning;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The job that takes a frame from its pixels as the file has them to a picture as its file will have it: statistics, map, and what the
 * format needs: PNG's filters, symbols and their packing, or rows of bytes. It has buffers of its own that a running job uses, so frames
 * under way at the same time need one each. Not thread-safe, but may be handed from thread to thread between jobs.
 */
public final class FrameJob implements AutoCloseable {
    private static final int GATHERED = 1 << 18;

    /** Which of a job's buffers is run-length code: kernels see all of that. */
    private static final int CODE = 3;

    /** Jobs that are kept: a stream has a few buffers for frames, and a few for pictures, which come together in any way. */
    private static final int MOST_MADE = 24;

    private final PictureFormat format;
    private final int quality;
    private final Metadata metadata;
    private final ToneMapper mapper;
    /** Where a JPEG file of the JDK's has the unit of its densities, and where its first segment ends. */
    private static final int JFIF_DENSITY = 13;

    private static final int JFIF_END = 20;

    private static final byte[] SRGB = SrgbProfile.bytes();

    /** The profile in PNG, in whose place there is no chunk {@code sRGB}, behind what those that know no profiles take. */
    private static final List<byte[]> SRGB_CHUNKS = List.of(
            joined(latin("cHRM"), ints(31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)), // of white first
            joined(latin("gAMA"), ints(45455)),
            joined(latin("iCCPsRGB IEC61966-2.1\0\0"), SrgbProfile.stored()));

    private final PngEncoder encoder;
    private final LightLevel light;
    private FrameLayout size = new FrameLayout(1, 1);
    private Operator operator = Operator.REINHARD;
    private Colour colour = Colour.SRGB;
    private FrameMetadata about = FrameMetadata.NONE;
    private int written; // of the frames of a job, the next
    private int brightest; // that the picture is made for, in cd/m²; 0 if it is for plain displays
    private @Nullable HostBuffer rows; // as the format has them, if it is not PNG
    private List<Object> common = List.of(); // to all jobs that were made and are kept
    private final List<Made> made = new ArrayList<>();

    /** What jobs that differ in their buffers only have in common. */
    private record Shape(
            FrameLayout layout, FrameLayout picture, PixelCoding coding, ToneMapSettings settings, int frames) {
        /** To be compared: what compares records is made at each start of the program. */
        List<Object> plain() {
            List<Object> from = List.of(layout.width(), layout.height(), layout.pixelAspect());
            List<Object> to = List.of(picture.width(), picture.height(), picture.pixelAspect());
            List<Object> how = List.of(coding.rgbe(), coding.planes(), coding.hasAlpha(), coding.bias());
            return List.of(from, to, how, coding.fraction(), coding.matrix(), settings, frames);
        }
    }

    private record Made(Job job, List<DataBuffer> buffers) {
        /** The job, of what code there is now. */
        Job of(@Nullable RunLengths runs) {
            return runs == null ? job : runs.sized(job);
        }

        /** The same job on these, or null if it has to be built for them. */
        @Nullable
        Made on(List<DataBuffer> others) {
            boolean fits = buffers.size() == others.size();
            Map<DataBuffer, DataBuffer> changes = new HashMap<>();
            for (int i = 0; fits && i < others.size(); i++) {
                DataBuffer before = buffers.get(i);
                DataBuffer now = others.get(i);
                fits = now.type() == before.type()
                        && (i == CODE ? now.elements() == before.elements() : now.elements() >= before.elements());
                if (!now.equals(before)) {
                    changes.put(before, now);
                }
            }
            return fits ? new Made(job.with(changes), others) : null;
        }
    }

    /** One with buffers of its own from this allocator, released by {@link #close}. */
    public FrameJob(Allocator memory, Tuning tuning, PictureFormat format) {
        this(memory, tuning, format, 90, Metadata.ALL);
    }

    /** The same with a quality of {@link PictureFormat#JPEG}, 1 to 100. */
    FrameJob(Allocator memory, Tuning tuning, PictureFormat format, int quality, Metadata metadata) {
        this.format = format;
        this.quality = quality;
        this.metadata = metadata;
        this.mapper = new ToneMapper(memory, tuning);
        this.encoder = new PngEncoder(memory);
        this.light = new LightLevel(memory);
    }

    /**
     * The job of a file's frame. Making one invalidates the one made before.
     *
     * @param picture its size, if not that of the frame, which is resized then
     * @param runs what the frame is expanded from before, if it is run-length code; not of one that is resized. Of several frames, if they
     *     {@linkplain #mayShare may share} a job, which lie one below the other in all buffers
     * @param frame at least {@link PixelCoding#elements} of the frame's elements
     * @param pixels takes the picture, at least {@link PictureFormat#pixelWords} of {@code UINT}
     * @param coded takes what {@link #write} writes, at least {@link PictureFormat#mostBytes} of {@code UBYTE}; of PNG best managed, as it
     *     then fetches the file's bytes alone, else a host buffer
     * @throws IllegalArgumentException if a buffer has the wrong type or is too small, or the format cannot hold what the operator makes
     */
    Job of(
            FrameFile file,
            FrameLayout picture,
            @Nullable RunLengths runs,
            DataBuffer frame,
            DataBuffer pixels,
            DataBuffer coded,
            ToneMapSettings settings) {
        int frames = runs == null ? 1 : runs.frames();
        Shape its = new Shape(file.size(), picture, file.coding(), settings, frames);
        if (!format.isPng() && !(coded instanceof HostBuffer)) {
            throw new IllegalArgumentException(format.text() + " needs a host buffer for its rows");
        }
        rows = coded instanceof HostBuffer host ? host : null;
        List<DataBuffer> buffers =
                runs == null ? List.of(frame, pixels, coded) : List.of(frame, pixels, coded, runs.coded(), runs.lost());
        List<Object> plain = its.plain();
        if (!plain.equals(common)) {
            made.clear();
            common = plain;
        }
        encoder.into(coded);
        for (Made each : made) {
            if (each.buffers.equals(buffers)) { // the same ones; an index would hash them all each time
                return each.of(runs);
            }
        }
        Made next = made.isEmpty() ? null : made.get(0).on(buffers);
        if (next == null) {
            made.clear(); // should its own buffers have to grow
            next = new Made(build(its, runs, frame, pixels, coded), buffers);
        }
        if (made.size() == MOST_MADE) {
            made.remove(0);
        }
        made.add(next);
        return next.of(runs);
    }

    private Job build(Shape its, @Nullable RunLengths runs, DataBuffer frame, DataBuffer pixels, DataBuffer coded) {
        ToneMapSettings settings = its.settings;
        FrameLayout layout = its.picture;
        operator = settings.operator();
        format.check(operator);
        JobBuilder job = mapper.describe(its.layout, layout, its.coding, runs, frame, pixels, settings, format.words());
        size = layout;
        Double peak = settings.peak();
        boolean pq = operator == Operator.PQ;
        brightest = operator.words() == 1 ? 0 : peak != null ? peak.intValue() : pq ? 10_000 : 1_000;
        if (pq && (format.isPng() || format.hasAlpha())) {
            light.addTo(job, layout, pixels);
        }
        colour = switch (operator) {
            case PQ -> Colour.PQ;
            case HLG -> Colour.HLG;
            default -> format.words() == 1 ? Colour.SRGB : Colour.SRGB16;
        };
        if (!format.isPng()) {
            DataBuffer alpha = its.coding.hasAlpha() ? mapper.alpha(layout) : null;
            return format.addRows(job, layout, pixels, alpha, rows()).build();
        }
        return encoder.addTo(job, colour, layout.width(), layout.height(), layout.stride(), its.frames, pixels, coded)
                .build();
    }

    /**
     * A job that only finds out what {@link #measured} says, of what {@link #of} maps.
     *
     * @param settings such that statistics are needed
     */
    Job measuring(
            FrameFile file,
            FrameLayout picture,
            @Nullable RunLengths runs,
            DataBuffer frame,
            ToneMapSettings settings) {
        made.clear(); // whose parameters these replace
        return mapper.statisticsJob(file.size(), picture, file.coding(), runs, frame, settings);
    }

    /**
     * The statistics of the frame whose job was the last to run.
     *
     * @throws NullPointerException if it needed none
     */
    public FrameStatistics measured() {
        return Objects.requireNonNull(mapper.statistics(), "nothing was measured");
    }

    /** The histogram that they were worked out from. */
    int[] histogram() {
        return mapper.histogram();
    }

    /**
     * Whether several frames of one size, each mapped as its file has it, may share a job: where all steps know rows of different frames apart.
     *
     * @param size of frames and pictures
     */
    static boolean mayShare(PictureFormat format, FrameLayout size, ToneMapSettings settings) {
        return format == PictureFormat.PNG
                && PngEncoder.takesSeveral(size.height())
                && !settings.operator().isLocal()
                && settings.look() == null;
    }

    /** Fetches all pictures of a job that has run, and had several frames. */
    void fetch() {
        encoder.fetch();
    }

    /**
     * What is written next, once the job has run: at first its first frame, of whose making nothing is known.
     *
     * @param frame which one of the job, from 0 on
     * @param said what its file says of its making
     */
    void about(int frame, FrameMetadata said) {
        written = frame;
        about = said;
    }

    /** Writes the picture of the frame whose job has run: its file, or of {@link PictureFormat#Y4M} a frame of the stream. */
    public void write(WritableByteChannel out) throws IOException {
        int width = size.width();
        switch (format) {
            case PNG, PNG16 -> encoder.write(out, written, chunks());
            case PNG_ALPHA, PNG_ALPHA16 -> {
                ByteBuffer bytes = rows().bytes(0, (int) format.mostBytes(size));
                PngAlpha.write(out, colour, width, size.height(), bytes, chunks());
            }
            case PPM, PPM16 -> {
                text(out, "P6\n" + width + " " + size.height() + (format.words() == 1 ? "\n255\n" : "\n65535\n"));
                writeAll(out, rows().bytes(0, (int) format.mostBytes(size)));
            }
            case RAW, RAW16 -> writeAll(out, rows().bytes(0, (int) format.mostBytes(size)));
            case JPEG -> jpeg(out);
            case Y4M, Y4M10 -> {
                int luma = format.words() * width; // in bytes
                int chroma = format.words() * ((width + 1) / 2);
                text(out, "FRAME\n");
                plane(out, 0, luma, 1);
                plane(out, luma, chroma, 2);
                plane(out, luma + chroma, chroma, 2);
            }
        }
    }

    /** The same; what the channel does not take is fetching before the first byte of a PNG, and else encoding. */
    void write(WritableByteChannel out, StepClock<Step> clock) throws IOException {
        clock.enter(format.isPng() ? Step.FETCHING : Step.ENCODING);
        write(clock.timed(out, Step.WRITING, Step.ENCODING));
        clock.enter(Step.WRITING); // until the file has its name
    }

    /** Of PNG, what stands before the rows. */
    private List<byte[]> chunks() {
        boolean profiled = metadata != Metadata.NONE && operator.words() == 1;
        List<byte[]> chunks = new ArrayList<>(profiled ? SRGB_CHUNKS : List.of(colour.chunk()));
        if (brightest > 0) {
            ByteBuffer display = ByteBuffer.allocate(24);
            Primaries.REC2020.xy().forEach(v -> display.putShort((short) Math.round(50_000 * v)));
            display.putInt(10_000 * brightest).putInt(1);
            chunks.add(joined(latin("mDCV"), display.array()));
        }
        if (operator == Operator.PQ) {
            chunks.add(joined(latin("cLLI"), light.chunk()));
        }
        if (size.pixelAspect() != 1) {
            int[] aspect = size.aspectRatio();
            chunks.add(joined(latin("pHYs"), ints(aspect[1], aspect[0]), new byte[1])); // of no unit
        }
        if (metadata == Metadata.ALL) {
            byte[] exif = about.exif();
            if (exif.length > 0) {
                chunks.add(joined(latin("eXIf"), exif));
            }
            addText(chunks, "Description", about.text(Tag.DESCRIPTION));
            addText(chunks, "Copyright", about.text(Tag.COPYRIGHT));
        }
        return chunks;
    }

    private static void addText(List<byte[]> chunks, String keyword, String text) {
        if (!text.isEmpty()) { // as it is, in no language, and with no translated keyword
            chunks.add(joined(latin("iTXt" + keyword + "\0\0\0\0\0"), text.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private HostBuffer rows() {
        return Objects.requireNonNull(rows, "no picture was made");
    }

    private void jpeg(WritableByteChannel out) throws IOException {
        byte[] rgb = new byte[(int) format.mostBytes(size)];
        rows().bytes(0, rgb.length).get(rgb);
        BufferedImage image = new BufferedImage(size.width(), size.height(), BufferedImage.TYPE_3BYTE_BGR);
        image.getRaster().setDataElements(0, 0, size.width(), size.height(), rgb); // which counts red as the first
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (ImageOutputStream stream = new MemoryCacheImageOutputStream(file)) {
            ImageWriteParam coding = writer.getDefaultWriteParam();
            coding.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
            coding.setCompressionQuality(quality / 100f);
            writer.setOutput(stream);
            writer.write(null, new IIOImage(image, null, null), coding);
        } finally {
            writer.dispose();
        }
        ByteBuffer whole = ByteBuffer.wrap(file.toByteArray());
        int[] aspect = size.aspectRatio();
        whole.put(JFIF_DENSITY, (byte) 0) // of no unit: a pixel's width and height
                .putShort(JFIF_DENSITY + 1, (short) aspect[0])
                .putShort(JFIF_DENSITY + 3, (short) aspect[1]);
        writeAll(out, whole.duplicate().limit(JFIF_END));
        byte[] exif = metadata == Metadata.ALL ? about.exif() : new byte[0];
        if (exif.length > 0) {
            segment(out, 1, "Exif\0\0", exif);
        }
        if (metadata != Metadata.NONE) {
            segment(out, 2, "ICC_PROFILE\0\1\1", SRGB); // the first of one
        }
        writeAll(out, whole.position(JFIF_END));
    }

    /** An application's segment of JPEG. */
    private static void segment(WritableByteChannel out, int number, String name, byte[] data) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(4).putShort((short) (0xffe0 + number));
        head.putShort((short) (2 + name.length() + data.length));
        writeAll(out, ByteBuffer.wrap(joined(head.array(), latin(name), data)));
    }

    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] ints(int... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * numbers.length);
        bytes.asIntBuffer().put(numbers);
        return bytes.array();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** So many bytes of every row, or of every other one, from a place in it on. */
    private void plane(WritableByteChannel out, int from, int count, int every) throws IOException {
        ByteBuffer gathered = ByteBuffer.allocate(Math.max(GATHERED, count));
        for (int row = 0; row < size.height(); row += every) {
            if (gathered.remaining() < count) {
                writeAll(out, gathered.flip());
                gathered.clear();
            }
            gathered.put(rows().bytes((long) row * format.pitch(size) + from, count));
        }
        writeAll(out, gathered.flip());
    }

    static void text(WritableByteChannel out, String text) throws IOException {
        writeAll(out, ByteBuffer.wrap(latin(text)));
    }

    private static void writeAll(WritableByteChannel out, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
    }

    /**
     * The same to where a store has it. Where that is this machine's files, it appears under its name only when complete, replacing an
     * older one; until then its bytes are in a file {@code .evener-*.part} in the same folder, which is removed on failure. Its folder is
     * made if need be; a link is followed.
     *
     * @throws FrameException if the file cannot be written
     * @throws InterruptedException if the calling thread was interrupted; nothing is left behind
     */
    void write(Path file, FrameStore store, StepClock<Step> clock) throws FrameException, InterruptedException {
        try {
            store.write(file, out -> write(out, clock));
        } catch (ClosedByInterruptException e) {
            Thread.interrupted(); // as by convention, whoever throws the exception clears the flag
            throw (InterruptedException) new InterruptedException("interrupted while writing a picture").initCause(e);
        } catch (IOException e) {
            throw new FrameException(file, "cannot be written: " + FrameException.reason(e), e);
        }
    }

    /** Releases its buffers. Idempotent. Must not be called while a job runs. */
    @Override
    public void close() {
        try (mapper;
                encoder) {
            rows = null;
            made.clear();
            light.close();
        }
    }
}
