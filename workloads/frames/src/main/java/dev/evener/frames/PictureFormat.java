package dev.evener.frames;

import dev.evener.DataBuffer;
import dev.evener.HostBuffer;
import dev.evener.JobBuilder;
import dev.evener.internal.files.PlainFiles;
import dev.evener.kernels.png.PngEncoder;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.PictureRows;
import dev.evener.kernels.tonemap.PictureRows.Layout;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What pictures are written as. Devices make the bytes of all but JPEG, whose files the JDK makes of theirs. */
public enum PictureFormat {
    /** PNG, compressed: 8 bits, sRGB. */
    PNG(Layout.RGB, 1),
    /** Netpbm's P6: a line of text with the size, then red, green and blue of each pixel. */
    PPM(Layout.RGB, 1),
    /** Red, green, blue and 255 of each pixel, a byte each, rows from top to bottom, and nothing else. */
    RAW(Layout.RGBA, 1),
    /** A stream of all frames for video encoders, YUV4MPEG2: 8 bits, 4:2:0 with chroma in the middle of four pixels, Rec. 709, full range. */
    Y4M(Layout.YUV420, 1),
    /** JPEG: 8 bits, sRGB, chroma of two by two pixels. */
    JPEG(Layout.RGB, 1),
    /** PNG with 16 bits: sRGB, or with a {@code cICP} chunk that names the curve of {@link Operator#PQ} or {@link Operator#HLG}. */
    PNG16(Layout.RGB, 2),
    /** P6 of the same samples, two bytes each, the upper one first. */
    PPM16(Layout.RGB, 2),
    /** The same without the line of text: red, green and blue of each pixel. */
    RAW16(Layout.RGB, 2),
    /** {@link #Y4M} of 10 bits in narrow range, BT.2020, of {@link Operator#PQ} or {@link Operator#HLG}. */
    Y4M10(Layout.YUV420_10, 2),
    /** {@link #PNG} with alpha, of frames without it opaque; compressed by the threads that write. */
    PNG_ALPHA(Layout.RGBA, 1),
    /** {@link #PNG16} with alpha. */
    PNG_ALPHA16(Layout.RGBA16, 2);

    private final Layout layout;
    private final int words;

    PictureFormat(Layout layout, int words) {
        this.layout = layout;
        this.words = words;
    }

    /**
     * The same with alpha.
     *
     * @throws IllegalArgumentException if there is none
     */
    public PictureFormat withAlpha() {
        return switch (this) {
            case PNG -> PNG_ALPHA;
            case PNG16 -> PNG_ALPHA16;
            default -> throw new IllegalArgumentException(text() + " has no alpha; png has");
        };
    }

    /**
     * The same with so many bits.
     *
     * @throws IllegalArgumentException if there is none
     */
    public PictureFormat withBits(int bits) {
        String found = text() + (bits == 8 ? "" : bits);
        return Arrays.stream(values())
                .filter(each -> each.text().equals(found))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        text() + " does not have " + bits + " bits; all have 8, png, ppm and raw 16, y4m 10"));
    }

    /** Its name in records, and, with 8 bits, on the command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What the file of a frame's picture is called: as the frame's, with the format's ending. */
    public Path nameOf(Path frame) {
        return nameOf(frame, "");
    }

    /** The same with something before the ending. */
    public Path nameOf(Path frame, String suffix) {
        Path last = frame.getFileName();
        String name = last == null ? "frame" : last.toString();
        String ending = suffix + ending();
        try {
            if (last == null || last.equals(Path.of(name))) {
                return Path.of(stem(name) + ending);
            }
        } catch (InvalidPathException e) {
            // As below.
        }
        // What is no letter of the locale, as é in the C locale, has no text that leads back to it; a URI has its
        // bytes.
        return Path.of(URI.create(stem(frame.toUri().toString()) + ending)).getFileName();
    }

    /** Whether pictures have alpha. */
    public boolean hasAlpha() {
        return layout == Layout.RGBA16 || this == PNG_ALPHA;
    }

    private String ending() {
        return hasAlpha() ? ".png" : this == JPEG ? ".jpg" : "." + text().replaceFirst("1[06]$", "");
    }

    /** Whether a file of this name is a picture in this format, by its ending. */
    public boolean isNamedSo(Path picture) {
        String name = String.valueOf(picture.getFileName()).toLowerCase(Locale.ROOT);
        return name.endsWith(ending()) || (this == JPEG && name.endsWith(".jpeg"));
    }

    /**
     * Whether a file may be replaced as it begins like a picture that was written here, or is empty: PNG by its
     * chunks, JPEG by its version; Netpbm's by a header without comments, a stream by its first word. {@link #RAW}
     * has nothing to be known by.
     */
    public boolean mayBeOwn(Path file) throws IOException {
        String own = switch (this) {
            case PNG, PNG16, PNG_ALPHA, PNG_ALPHA16 ->
                "\\x89PNG.{8}IHDR.{8}[\\x08\\x10][\\x02\\x06].{11}"
                        + "(cHRM.{40}gAMA.{12}iCCPsRGB IEC61966|(sRGB.{9}|cICP.{12})(IDAT|pHYs|eXIf|iTXt|mDCV|cLLI)).*";
            case JPEG -> "\\xff\\xd8\\xff\\xe0..JFIF\\x00\\x01\\x02.*";
            case PPM, PPM16 -> "P6\\n\\d+ \\d+\\n(255|65535)\\n.*";
            case Y4M, Y4M10 -> "YUV4MPEG2 .*";
            case RAW, RAW16 -> ".*";
        };
        try (InputStream in = PlainFiles.open(file)) {
            String start = new String(in.readNBytes(128), StandardCharsets.ISO_8859_1);
            return start.isEmpty()
                    || Pattern.compile(own, Pattern.DOTALL).matcher(start).matches();
        }
    }

    private static String stem(String name) {
        int dot = name.lastIndexOf('.');
        return dot > 0 ? name.substring(0, dot) : name;
    }

    /** 32-bit words of a mapped pixel, as {@link Operator#words} says: 2 with 16 bits a sample. */
    public int words() {
        return words;
    }

    /** Whether all pictures are one stream, with a header. */
    public boolean isStream() {
        return this == Y4M || this == Y4M10;
    }

    /** Whether devices compress it, so that nobody knows beforehand how much they will make; else rows stay as they are. */
    boolean isPng() {
        return this == PNG || this == PNG16;
    }

    /** Requires an operator that it can hold. */
    void check(Operator operator) {
        if (operator.words() > words || (this == Y4M10 && operator.words() == 1)) {
            throw new IllegalArgumentException(text() + " cannot hold what " + operator.commandLineName() + " makes");
        }
    }

    /** Words of a mapped picture, padding included. */
    public long pixelWords(FrameLayout size) {
        return (long) words * size.words();
    }

    /**
     * The format of this name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the names
     */
    public static PictureFormat parse(String text) {
        for (PictureFormat each : values()) {
            if (each.text().equals(text) && !each.hasAlpha()) {
                return each;
            }
        }
        String names = Arrays.stream(values())
                .filter(f -> f.words == 1 && !f.hasAlpha())
                .map(PictureFormat::text)
                .collect(Collectors.joining(", "));
        throw new IllegalArgumentException("there is no format '" + text + "'; choose one of " + names);
    }

    /** Bytes that a picture of this size may take on devices. */
    public long mostBytes(FrameLayout size) {
        return switch (this) {
            case PNG -> PngEncoder.Colour.SRGB.mostBytes(size.width(), size.height());
            case PNG16 -> PngEncoder.Colour.PQ.mostBytes(size.width(), size.height());
            default -> (long) pitch(size) * size.height();
        };
    }

    /** Bytes from one row to the next, where rows stay as they are. */
    int pitch(FrameLayout size) {
        return layout.pitch(samples(size.width()));
    }

    /** Goes on with the job that makes the picture, where rows stay as they are. */
    JobBuilder addRows(
            JobBuilder job, FrameLayout size, DataBuffer pixels, @Nullable DataBuffer alpha, HostBuffer out) {
        int width = samples(size.width());
        return PictureRows.addTo(job, layout, width, size.height(), words * size.stride(), pixels, alpha, out);
    }

    /** What a row has as its layout counts: of 16 bits a word is three bytes of the file. */
    private int samples(int width) {
        return layout == Layout.RGB ? words * width : width;
    }
}
