package dev.evener.frames;

import dev.evener.frames.FrameMetadata.Tag;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.PixelCoding;
import dev.evener.kernels.tonemap.Primaries;
import dev.evener.kernels.tonemap.RunLengths;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the header of a Radiance picture: an identifier line, lines of information, an empty line, the resolution. */
final class RadianceHeader {
    /** It ends, with its resolution line, within this many bytes. */
    static final int MAX_BYTES = 1 << 16;

    private static final int MAX_LINES = 1000;
    private static final Pattern RESOLUTION =
            Pattern.compile("([+-])([XY])[ \t]+([0-9]{1,18})[ \t]+([+-])([XY])[ \t]+([0-9]{1,18})[ \t]*");

    private final Path file;
    private final byte[] head;
    private final int end; // of what was read of the file
    private int position; // of the next line
    private double exposure = 1;
    private double tallness = 1; // a pixel's height over its width
    private final double[] correction = {1, 1, 1};
    private final Set<String> warnings = new LinkedHashSet<>();
    private final Map<String, String> dates = new TreeMap<>();
    private boolean xyz;
    private Primaries primaries = Primaries.REC709;

    private RadianceHeader(Path file, byte[] head, int end) {
        this.file = file;
        this.head = head;
        this.end = end;
    }

    static RadianceReader parse(Path file, byte[] head, int end, long fileLength) throws FrameException {
        return new RadianceHeader(file, head, end).read(fileLength);
    }

    private RadianceReader read(long fileLength) throws FrameException {
        line();
        int lines = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (++lines > MAX_LINES) {
                throw new FrameException(file, "its header has more than " + MAX_LINES + " lines");
            }
            information(line);
        }
        return resolution(line(), fileLength);
    }

    /** The next line without its end (LF or CR LF). */
    private String line() throws FrameException {
        int start = position;
        while (position < end && head[position] != '\n') {
            position++;
        }
        if (position == end) {
            throw new FrameException(
                    file,
                    end < MAX_BYTES
                            ? "ends within its header, at byte " + position
                                    + "; an empty line and one like '-Y 512 +X 1024' must come before the pixels"
                            : "its header has no end within " + MAX_BYTES + " bytes");
        }
        int length = position - start;
        position++;
        boolean two = length > 0 && head[start + length - 1] == '\r';
        return new String(head, start, two ? length - 1 : length, StandardCharsets.ISO_8859_1);
    }

    /** Radiance lets programs add any other line, their command line above all. */
    private void information(String line) throws FrameException {
        if (line.startsWith("FORMAT=")) {
            String format = line.substring("FORMAT=".length()).strip();
            xyz = format.equals("32-bit_rle_xyze");
            if (!xyz && !format.equals("32-bit_rle_rgbe")) {
                throw new FrameException(
                        file, "is of FORMAT " + format + "; it must be 32-bit_rle_rgbe or 32-bit_rle_xyze");
            }
        } else if (line.startsWith("EXPOSURE=")) {
            exposure = times(exposure, line.substring("EXPOSURE=".length()), line);
        } else if (line.startsWith("PIXASPECT=")) {
            tallness = times(tallness, line.substring("PIXASPECT=".length()), line);
        } else if (line.startsWith("CAPDATE=") || line.startsWith("GMT=")) { // each program adds when it ran
            int end = line.indexOf('=');
            dates.putIfAbsent(line.substring(0, end), line.substring(end + 1).strip());
        } else if (line.startsWith("PRIMARIES=")) {
            primaries = primaries(line.substring("PRIMARIES=".length()).strip());
        } else if (line.startsWith("COLORCORR=")) {
            String[] factors = line.substring("COLORCORR=".length()).strip().split("\\s+", -1);
            for (int i = 0; i < 3; i++) {
                correction[i] = times(correction[i], factors.length == 3 ? factors[i] : "", line);
            }
        }
    }

    /** What is not eight numbers says nothing. */
    private static Primaries primaries(String text) {
        try {
            return Primaries.parse(text.replaceAll("\\s+", ","));
        } catch (IllegalArgumentException e) {
            return Primaries.REC709;
        }
    }

    /** What is no positive number counts as 1, and is said once for a line. */
    private double times(double product, String factor, String line) {
        double result = Double.NaN;
        try {
            result = product * Double.parseDouble(factor.strip());
        } catch (NumberFormatException e) {
            // Said below, together with numbers that make no sense.
        }
        if (result > 0 && result < Double.POSITIVE_INFINITY) {
            return result;
        }
        warnings.add("its header says '" + FrameException.printable(line)
                + "', which is no positive number and counts as 1");
        return product;
    }

    private RadianceReader resolution(String line, long fileLength) throws FrameException {
        Matcher m = RESOLUTION.matcher(line);
        if (!m.matches() || m.group(2).equals(m.group(5))) {
            throw new FrameException(
                    file,
                    "its resolution line is '" + line + "'; it must be like '-Y 512 +X 1024', in any orientation");
        }
        boolean columns = m.group(2).equals("X");
        long major = Long.parseLong(m.group(3));
        long minor = Long.parseLong(m.group(6));
        long width = columns ? major : minor;
        long height = columns ? minor : major;
        FrameFile.checkSize(file, width, height);
        long data = fileLength - position;
        long least = major * leastBytes(minor);
        if (data < least) {
            throw new FrameException(
                    file,
                    "its header gives " + width + " x " + height + " pixels, which need at least " + least
                            + " bytes even if run-length coded, but only " + data + " follow; it was cut short");
        }
        // X grows to the right and Y upwards, so that a descending Y is the order of rows from the top.
        boolean xDescends = m.group(columns ? 1 : 4).equals("-");
        boolean yAscends = m.group(columns ? 4 : 1).equals("+");
        var orientation =
                new RadianceReader.Orientation(columns, columns ? xDescends : yAscends, columns ? yAscends : xDescends);
        PixelCoding coding = PixelCoding.rgbe(exposure, matrix());
        // A guess by the first scanline's mark, right for all files but those whose scanlines differ: they take longer.
        boolean planes = position + 1 < head.length
                && head[position] == RunLengths.MARK
                && head[position + 1] == RunLengths.MARK
                && orientation.isReadingOrder();
        return new RadianceReader(
                new FrameLayout((int) width, (int) height).withPixelAspect(1 / tallness),
                position,
                orientation,
                planes,
                planes ? coding.inPlanes() : coding,
                xyz ? Primaries.XYZ : primaries,
                metadata(),
                List.copyOf(warnings));
    }

    private FrameMetadata metadata() {
        if (dates.isEmpty()) {
            return FrameMetadata.NONE;
        }
        String date = dates.getOrDefault("CAPDATE", "");
        String offset = FrameMetadata.seconds(date, dates.get("GMT"));
        return new FrameMetadata(Map.of(Tag.CAPTURED, date, Tag.OFFSET, offset));
    }

    /**
     * The shortest scanline: flat, or in the older run-length code a pixel and repeats whose counts grow by a factor of
     * 256 each. The newer code, with at most 127 bytes in two, is never shorter than both.
     */
    static long leastBytes(long length) {
        long bytes = Integer.BYTES;
        for (long covered = 1; covered < length; covered *= 256) {
            bytes += Integer.BYTES;
        }
        return Math.min(Integer.BYTES * length, bytes);
    }

    /** Takes the colour correction back; empty where there is none. */
    private List<Float> matrix() {
        if (correction[0] == 1 && correction[1] == 1 && correction[2] == 1) {
            return List.of();
        }
        List<Float> matrix = new ArrayList<>(Collections.nCopies(9, 0f));
        for (int i = 0; i < 3; i++) {
            matrix.set(4 * i, (float) Math.min(Float.MAX_VALUE, 1 / correction[i]));
        }
        return matrix;
    }
}
