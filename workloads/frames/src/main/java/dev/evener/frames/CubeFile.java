package dev.evener.frames;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.ManagedBuffer;
import dev.evener.internal.files.PlainFiles;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Look;
import dev.evener.kernels.tonemap.PictureRows;
import dev.evener.kernels.tonemap.PixelCoding;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.kernels.tuning.Tuning;
import java.io.IOException;
import java.io.InputStream;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tables of colours in {@code .cube} files: Adobe's Cube LUT Specification 1.0, and Resolve's with curves before a
 * cube. Read as a {@link Look}; written of a tone-mapping operator, which is what other programs make of light what
 * is made of it here.
 *
 * <p>A file that is written takes linear light of Rec. 709. Its curves are logarithms, log<sub>2</sub>(1 + x /
 * least), so that the cube has as many entries for each stop; its cube is the operator, as devices map the light of
 * each entry with 16 bits. {@code least} becomes four codes of 8 bits, below which they are nearly in proportion to
 * light, and the largest light is {@value #COLOURED} stops above that at which grey changes no more by half of one,
 * as a pure colour needs. What is darker than 0 counts as that.
 */
public final class CubeFile {
    /** Entries along the cube's edge, and of the curves, in a file that is written. */
    static final int EDGE = 65;

    static final int CURVE = Look.MOST_CURVE;

    private static final long LARGEST =
            1L << 28; // bytes; 129^3 lines of three numbers with all their digits have 90 MB
    private static final int LONGEST = 1000; // bytes of a line
    private static final String MARK = "\u00ef\u00bb\u00bf"; // of UTF-8
    private static final int COLOURED = 4;
    private static final int LINEAR = 4 * 257; // codes of 16 bits, as the next
    private static final int SAME = 129;
    private static final int PROBED = 40; // stops on either side of 1

    private final Path file;
    private int line;
    private int curveSize;
    private int cubeSize;
    private final float[] domain = {0, 0, 0, 1, 1, 1}; // of all tables but those with a range of their own
    private final float[] curveRange = new float[2];
    private final float[] cubeRange = new float[2];
    private float[] values = new float[0];
    private int count; // of the numbers in it

    private CubeFile(Path file) {
        this.file = file;
    }

    /**
     * Reads a file: 1D of 2 to 65,536 entries, 3D of 2 to 129 along each edge, or both.
     *
     * @throws FrameException if it cannot be read, or is no such file; the message has the line
     */
    public static Look read(Path file) throws FrameException {
        try (InputStream in = PlainFiles.open(file)) {
            byte[] bytes = in.readNBytes((int) LARGEST + 1);
            if (bytes.length > LARGEST) {
                throw new FrameException(file, "has more than " + LARGEST + " bytes, which no such table needs");
            }
            return new CubeFile(file).parse(bytes);
        } catch (FrameException e) {
            throw e;
        } catch (IOException e) {
            throw new FrameException(file, "cannot be read: " + FrameException.reason(e), e);
        }
    }

    private Look parse(byte[] bytes) throws FrameException {
        String all = new String(bytes, StandardCharsets.ISO_8859_1);
        Iterator<String> lines = (all.startsWith(MARK) ? all.substring(MARK.length()) : all)
                .lines()
                .iterator();
        while (lines.hasNext()) {
            String whole = lines.next();
            line++;
            if (whole.length() > LONGEST) {
                throw wrong("is longer than " + LONGEST + " bytes; this is no .cube file");
            }
            String text = whole.strip();
            if (!text.isEmpty() && !text.startsWith("#")) {
                char first = text.charAt(0);
                if ((first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z')) {
                    keyword(text);
                } else {
                    entry(text);
                }
            }
        }
        return look();
    }

    private void keyword(String text) throws FrameException {
        String[] words = text.split("\\s+", -1);
        String keyword = words[0].toUpperCase(Locale.ROOT);
        if (keyword.equals("TITLE")) {
            return;
        }
        if (count > 0) {
            throw wrong("'" + text + "' stands behind the first entry; keywords stand before");
        }
        switch (keyword) {
            case "LUT_1D_SIZE" -> curveSize = size(words, Look.MOST_CURVE);
            case "LUT_3D_SIZE" -> cubeSize = size(words, Look.MOST_CUBE);
            case "DOMAIN_MIN" -> System.arraycopy(numbers(words, 3), 0, domain, 0, 3);
            case "DOMAIN_MAX" -> System.arraycopy(numbers(words, 3), 0, domain, 3, 3);
            case "LUT_1D_INPUT_RANGE" -> System.arraycopy(numbers(words, 2), 0, curveRange, 0, 2);
            case "LUT_3D_INPUT_RANGE" -> System.arraycopy(numbers(words, 2), 0, cubeRange, 0, 2);
            default ->
                throw wrong("'" + words[0] + "' is none of TITLE, LUT_1D_SIZE, LUT_3D_SIZE, DOMAIN_MIN, DOMAIN_MAX,"
                        + " LUT_1D_INPUT_RANGE and LUT_3D_INPUT_RANGE; take the line out if the table is right"
                        + " without it");
        }
    }

    private int size(String[] words, int most) throws FrameException {
        if ((words[0].contains("1") ? curveSize : cubeSize) > 0) {
            throw wrong(words[0] + " stands in a line before");
        }
        int size = words.length == 2 && words[1].matches("\\d{1,9}") ? Integer.parseInt(words[1]) : 0;
        if (size < 2 || size > most) {
            throw wrong(words[0] + " is a number from 2 to " + most + "; export the table with so many entries");
        }
        return size;
    }

    private void entry(String text) throws FrameException {
        if (count == 0) {
            if (curveSize + cubeSize == 0) {
                throw wrong("'" + text + "' stands before LUT_1D_SIZE or LUT_3D_SIZE; this is no .cube file");
            }
            values = new float[3 * (curveSize + cubeSize * cubeSize * cubeSize)];
        }
        if (count == values.length) {
            throw wrong("there are more entries than " + values.length / 3 + ", as the size has it");
        }
        System.arraycopy(numbers(("entry " + text).split("\\s+", -1), 3), 0, values, count, 3);
        count += 3;
    }

    /** The numbers behind a word. */
    private float[] numbers(String[] words, int wanted) throws FrameException {
        float[] numbers = new float[wanted];
        boolean right = words.length == wanted + 1;
        for (int i = 0; right && i < wanted; i++) {
            Float number = number(words[i + 1]);
            right = number != null;
            numbers[i] = number == null ? 0 : number;
        }
        if (!right) {
            String text = String.join(" ", words).replaceFirst("^entry ", "");
            throw wrong("'" + text + "' must have " + wanted + " numbers such as 0.5 or 5e-1, within 1e9"
                    + (text.contains(",") ? "; decimals are behind a point, and blanks between numbers" : ""));
        }
        return numbers;
    }

    private static @Nullable Float number(String word) {
        for (int i = 0; i < word.length(); i++) {
            if ("+-.0123456789eE".indexOf(word.charAt(i)) < 0) { // of Java's numbers some end in letters
                return null;
            }
        }
        try {
            float number = Float.parseFloat(word);
            return Math.abs(number) <= 1e9f ? number : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private Look look() throws FrameException {
        if (curveSize + cubeSize == 0) {
            throw new FrameException(file, "has neither LUT_1D_SIZE nor LUT_3D_SIZE; this is no .cube file");
        }
        if (count == 0 || count < values.length) {
            throw new FrameException(
                    file,
                    "ends at line " + line + " with " + count / 3 + " entries of "
                            + (curveSize + cubeSize * cubeSize * cubeSize) + "; it was cut short");
        }
        int curves = 3 * curveSize;
        float[] unit = {0, 0, 0, 1, 1, 1};
        try {
            return new Look(
                    Arrays.copyOf(values, curves),
                    curveSize == 0 ? unit : of(curveRange, domain),
                    Arrays.copyOfRange(values, curves, count),
                    cubeSize == 0
                            ? unit
                            : of(cubeRange, curveSize == 0 ? domain : unit)); // a domain is that of what comes in
        } catch (IllegalArgumentException e) {
            throw new FrameException(file, "cannot be used: " + e.getMessage());
        }
    }

    private static float[] of(float[] range, float[] otherwise) {
        return range[0] == 0 && range[1] == 0
                ? otherwise
                : new float[] {range[0], range[0], range[0], range[1], range[1], range[1]};
    }

    private FrameException wrong(String problem) {
        return new FrameException(file, "line " + line + ": " + problem);
    }

    /**
     * Writes what an operator makes of light.
     *
     * @param settings of an operator that looks at no neighbours and has 8 bits, with which no statistics are needed
     * @throws IllegalArgumentException of others
     */
    public static void write(WritableByteChannel out, Evener evener, Tuning tuning, ToneMapSettings settings)
            throws IOException {
        if (settings.operator().isLocal() || settings.operator().words() > 1 || settings.needsStatistics()) {
            throw new IllegalArgumentException("a table has no neighbours, no frame to be measured and no HDR display");
        }
        try (ToneMapper mapper = new ToneMapper(Allocator.of(evener), tuning)) {
            float[] ends = ends(evener, mapper, settings);
            float[] curve = curve(ends);
            StringBuilder text = new StringBuilder(1 << 24);
            text.append("# ").append(settings.operator().commandLineName());
            text.append(", of linear light of Rec. 709 from 0 to ")
                    .append(ends[1])
                    .append(", to the codes of sRGB\n");
            text.append("LUT_1D_SIZE ")
                    .append(CURVE)
                    .append("\nLUT_1D_INPUT_RANGE 0 ")
                    .append(ends[1]);
            text.append("\nLUT_3D_SIZE ").append(EDGE).append("\nLUT_3D_INPUT_RANGE 0 1\n");
            for (float each : curve) {
                append(text, each, ' ');
                append(text, each, ' ');
                append(text, each, '\n');
            }
            float[] light = light(curve, ends[1]);
            float[] frame = new float[3 * EDGE * EDGE * EDGE];
            for (int i = 0; i < frame.length; i += 3) {
                frame[i] = light[i / 3 % EDGE];
                frame[i + 1] = light[i / 3 / EDGE % EDGE];
                frame[i + 2] = light[i / 3 / EDGE / EDGE];
            }
            int[] codes = map(evener, mapper, settings, frame);
            for (int i = 0; i < codes.length; i++) {
                append(text, codes[i] / 65535f, i % 3 == 2 ? '\n' : ' ');
            }
            FrameJob.text(out, text.toString());
        }
    }

    /** A number from 0 to 1, with eight digits behind the point. */
    private static void append(StringBuilder text, float number, char behind) {
        long digits = Math.round(number * 1e8);
        text.append(digits / 100_000_000).append('.');
        String rest = Long.toString(digits % 100_000_000);
        text.append("00000000", rest.length(), 8).append(rest).append(behind);
    }

    /** The least light that matters, and the largest. */
    private static float[] ends(Evener evener, ToneMapper mapper, ToneMapSettings settings) {
        float[] greys = new float[3 * (2 * PROBED + 1)];
        for (int i = 0; i < greys.length; i++) {
            greys[i] = (float) Math.scalb(1.0, i / 3 - PROBED);
        }
        int[] codes = map(evener, mapper, settings, greys);
        int first = 0;
        int last = greys.length / 3 - 1;
        while (first < last && codes[3 * first + 1] < LINEAR) {
            first++;
        }
        int most = codes[3 * last + 1];
        while (last > first + 1 && Math.abs(codes[3 * (last - 1) + 1] - most) < SAME) {
            last--;
        }
        return new float[] {greys[3 * first], Math.scalb(greys[3 * last], COLOURED)};
    }

    private static float[] curve(float[] ends) {
        float[] curve = new float[CURVE];
        double whole = StrictMath.log1p(ends[1] / (double) ends[0]);
        for (int i = 0; i < CURVE; i++) {
            double value = StrictMath.log1p(i / (CURVE - 1.0) * ends[1] / ends[0]) / whole;
            curve[i] = (float) (Math.round(value * 1e8) / 1e8); // as it is written
        }
        return curve;
    }

    /** The light that the curve leads to each entry of the cube. */
    private static float[] light(float[] curve, float most) {
        float[] light = new float[EDGE];
        int at = 0;
        for (int i = 0; i < EDGE; i++) {
            double wanted = i / (EDGE - 1.0);
            while (at < CURVE - 2 && curve[at + 1] < wanted) {
                at++;
            }
            double part = (wanted - curve[at]) / ((double) curve[at + 1] - curve[at]);
            light[i] = (float) (most * Math.min(1, (at + part) / (CURVE - 1)));
        }
        return light;
    }

    /** Codes of 16 bits. */
    private static int[] map(Evener evener, ToneMapper mapper, ToneMapSettings settings, float... rgb) {
        FrameLayout layout = new FrameLayout(rgb.length / 3, 1);
        if (rgb.length / 3 % EDGE == 0) {
            layout = new FrameLayout(rgb.length / 3 / EDGE, EDGE);
        }
        int width = layout.width();
        try (HostBuffer frame = evener.allocate(ElementType.FLOAT, layout.floats());
                ManagedBuffer pixels = evener.allocateManaged(ElementType.UINT, 2L * layout.words())) {
            FloatBuffer floats = frame.floats();
            for (int i = 0; i < rgb.length; i++) {
                int pixel = i / 3;
                floats.put(pixel / width * layout.rowFloats() + i % 3 * layout.stride() + pixel % width, rgb[i]);
            }
            evener.submit(mapper.describe(layout, layout, PixelCoding.FLOATS, null, frame, pixels, settings, 2)
                            .build())
                    .join();
            int[] codes = new int[rgb.length];
            try (ManagedBuffer.Scope scope = pixels.read()) {
                IntBuffer words = scope.ints();
                for (int i = 0; i < rgb.length; i++) {
                    int at = 2 * (i / 3 / width * layout.stride() + i / 3 % width);
                    codes[i] = PictureRows.sample(words.get(at), words.get(at + 1), i % 3);
                }
            }
            return codes;
        }
    }
}
