package dev.evener.frames;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a frame's file says of its making that viewers of pictures show: who owns it, when and how it was taken.
 * Nothing that says how its pixels were to be read, as they are others in the picture, nor where, and no serial
 * numbers. Immutable.
 */
final class FrameMetadata {
    /**
     * A property: its number in Exif, where those below 0x829a but the copyright are of the picture, and its attribute
     * in OpenEXR.
     */
    enum Tag {
        DESCRIPTION(0x010e, "comments"),
        MAKE(0x010f, "cameraMake"),
        MODEL(0x0110, "cameraModel"),
        COPYRIGHT(0x8298, "owner"),
        /** Seconds. */
        EXPOSURE_TIME(0x829a, "expTime"),
        F_NUMBER(0x829d, "aperture"),
        ISO(0x8827, "isoSpeed"),
        /** Local time. */
        CAPTURED(0x9003, "capDate"),
        /** Seconds that are to be added for UTC. */
        OFFSET(0x9011, "utcOffset"),
        /** Millimetres. */
        FOCAL_LENGTH(0x920a, "nominalFocalLength"),
        LENS_MAKE(0xa433, "lensMake"),
        LENS_MODEL(0xa434, "lensModel");

        private final int number;
        private final String attribute;

        Tag(int number, String attribute) {
            this.number = number;
            this.attribute = attribute;
        }

        private boolean isNumber() {
            return switch (this) {
                case EXPOSURE_TIME, F_NUMBER, ISO, OFFSET, FOCAL_LENGTH -> true;
                default -> false;
            };
        }
    }

    static final FrameMetadata NONE = new FrameMetadata(Map.of());

    /** Bytes of a text, so that a segment of a JPEG file, which has 64 KiB, has room for all. */
    static final int LONGEST = 8192;

    private static final int ASCII = 2;
    private static final int SHORT = 3;
    private static final int LONG = 4;
    private static final int RATIONAL = 5;
    private static final int UNDEFINED = 7;
    private static final int EXIF_IFD = 0x8769;
    private static final int VERSION = 0x9000;
    private static final BigInteger MOST = BigInteger.ONE.shiftLeft(32);
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("uuuu:MM:dd HH:mm:ss").withResolverStyle(ResolverStyle.STRICT);

    private final Map<Tag, String> values = new EnumMap<>(Tag.class);

    /** Of what a file says; what makes no sense, as an empty text or a negative exposure, is left out. */
    FrameMetadata(Map<Tag, String> said) {
        said.forEach((tag, text) -> {
            String clean = tag == Tag.CAPTURED ? date(text) : tag.isNumber() ? number(tag, text) : clean(text);
            if (!clean.isEmpty()) {
                values.put(tag, clean);
            }
        });
        if (!values.containsKey(Tag.CAPTURED)) {
            values.remove(Tag.OFFSET);
        }
    }

    /** Of attributes of OpenEXR. */
    static FrameMetadata ofExr(Map<String, String> attributes) {
        Map<Tag, String> said = new EnumMap<>(Tag.class);
        for (Tag tag : Tag.values()) {
            String value = attributes.get(tag.attribute);
            if (value != null) {
                said.put(tag, value);
            }
        }
        return new FrameMetadata(said);
    }

    /** Whether an attribute of OpenEXR of this type is one of them. */
    static boolean isExr(String attribute, String type) {
        return Arrays.stream(Tag.values())
                .anyMatch(tag -> tag.attribute.equals(attribute) && type.equals(tag.isNumber() ? "float" : "string"));
    }

    /** Seconds from one date to another, or nothing, as text. */
    static String seconds(@Nullable String from, @Nullable String to) {
        try {
            return from == null || to == null
                    ? ""
                    : Long.toString(Duration.between(LocalDateTime.parse(from, DATE), LocalDateTime.parse(to, DATE))
                            .toSeconds());
        } catch (DateTimeParseException e) {
            return "";
        }
    }

    private static String date(String text) {
        String date = clean(text);
        return seconds(date, date).isEmpty() ? "" : date;
    }

    private static String clean(String text) {
        String lines = text.replaceAll("\r\n?", "\n")
                .replaceAll("[\\p{Cntrl}&&[^\n\t]]", "")
                .strip();
        int end = lines.length();
        while (lines.substring(0, end).getBytes(StandardCharsets.UTF_8).length > LONGEST) {
            end = lines.offsetByCodePoints(end, -1);
        }
        return lines.substring(0, end);
    }

    private static String number(Tag tag, String text) {
        try {
            double value = Double.parseDouble(text);
            boolean fits = switch (tag) {
                case OFFSET -> Math.abs(value) <= 18 * 3600 && value % 60 == 0; // as far as there are such
                case ISO -> value >= 1 && value < 1 << 16;
                default -> value > 0 && rational(text) != null;
            };
            return fits ? text : "";
        } catch (NumberFormatException e) {
            return "";
        }
    }

    /** A text, or an empty one. */
    String text(Tag tag) {
        return values.getOrDefault(tag, "");
    }

    /** All of it as Exif has it, a TIFF file without a picture; empty if there is nothing. */
    byte[] exif() {
        if (values.isEmpty()) {
            return new byte[0];
        }
        List<Entry> picture = new ArrayList<>();
        List<Entry> taking = new ArrayList<>();
        values.forEach((tag, text) -> (tag.number < Tag.EXPOSURE_TIME.number ? picture : taking).add(entry(tag, text)));
        int version = (int) taking.stream().filter(e -> e.number < VERSION).count();
        taking.add(
                version, new Entry(VERSION, UNDEFINED, 4, ByteBuffer.wrap("0232".getBytes(StandardCharsets.US_ASCII))));
        int at = 8 + bytes(picture) + Entry.BYTES;
        picture.add(new Entry(EXIF_IFD, LONG, 1, ByteBuffer.allocate(4).putInt(0, at)));
        ByteBuffer all = ByteBuffer.allocate(at + bytes(taking));
        all.put("MM\0*".getBytes(StandardCharsets.US_ASCII)).putInt(8);
        put(all, picture);
        put(all, taking);
        return all.array();
    }

    /**
     * A tag's value, of a type of TIFF's; four bytes are in the entry itself, more behind all, from an even place on.
     */
    private record Entry(int number, int type, int count, ByteBuffer data) {
        static final int BYTES = 12;

        int outside() {
            return data.capacity() <= 4 ? 0 : (data.capacity() + 1) / 2 * 2;
        }
    }

    private static Entry entry(Tag tag, String text) {
        if (tag == Tag.ISO) {
            short value = (short) Math.round(Double.parseDouble(text));
            return new Entry(tag.number, SHORT, 1, ByteBuffer.allocate(4).putShort(0, value));
        }
        if (tag.isNumber() && tag != Tag.OFFSET) {
            return new Entry(tag.number, RATIONAL, 1, Objects.requireNonNull(rational(text)));
        }
        String shown = text;
        if (tag == Tag.OFFSET) { // Exif's is to be subtracted
            String zone =
                    ZoneOffset.ofTotalSeconds(-(int) Double.parseDouble(text)).getId();
            shown = zone.equals("Z") ? "+00:00" : zone;
        }
        byte[] bytes = (shown + "\0").getBytes(StandardCharsets.UTF_8);
        ByteBuffer padded = ByteBuffer.allocate(Math.max(4, bytes.length)).put(0, bytes);
        return new Entry(tag.number, ASCII, bytes.length, padded);
    }

    /** A decimal number as two, or null if they do not fit. */
    private static @Nullable ByteBuffer rational(String text) {
        BigDecimal exact = new BigDecimal(text);
        BigInteger above = exact.unscaledValue().multiply(BigInteger.TEN.pow(Math.max(0, -exact.scale())));
        BigInteger below = BigInteger.TEN.pow(Math.max(0, exact.scale()));
        BigInteger common = above.gcd(below);
        BigInteger numerator = above.divide(common);
        BigInteger denominator = below.divide(common);
        return numerator.max(denominator).compareTo(MOST) >= 0
                ? null
                : ByteBuffer.allocate(8).putInt(0, numerator.intValue()).putInt(4, denominator.intValue());
    }

    private static int bytes(List<Entry> entries) {
        return 2 + entries.stream().mapToInt(e -> Entry.BYTES + e.outside()).sum() + 4;
    }

    private static void put(ByteBuffer out, List<Entry> entries) {
        int outside = out.position() + 2 + Entry.BYTES * entries.size() + 4;
        out.putShort((short) entries.size());
        for (Entry each : entries) {
            out.putShort((short) each.number).putShort((short) each.type).putInt(each.count);
            out.putInt(each.outside() == 0 ? each.data.getInt(0) : outside);
            if (each.outside() > 0) {
                out.put(outside, each.data, 0, each.data.capacity());
                outside += each.outside();
            }
        }
        out.putInt(0); // and no other
        out.position(outside);
    }
}
