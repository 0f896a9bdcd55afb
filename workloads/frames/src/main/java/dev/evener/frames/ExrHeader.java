package dev.evener.frames;

import dev.evener.frames.exr.Channel;
import dev.evener.frames.exr.Part;
import dev.evener.frames.exr.Part.Window;
import dev.evener.kernels.tonemap.Primaries;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.DataFormatException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the header of an OpenEXR file: a magic number, the version, and of each part attributes, each a name, a type, a size and a
 * value. Values that do not matter are left out unread, however long they are.
 */
final class ExrHeader {
    /** The first four bytes, little-endian. */
    static final int MAGIC = 20000630;

    private static final int TILED = 0x200;
    private static final int LONG_NAMES = 0x400;
    private static final int DEEP = 0x800;
    private static final int SEVERAL_PARTS = 0x1000;
    private static final int LONGEST_NAME = 255;
    private static final int MOST_CHANNELS = 1 << 12; // of a part
    private static final int MOST_PARTS = 1 << 12;

    private final FileWindow in;
    private final long fileLength;

    private String name = ""; // of the part at hand, like the next
    private String type = "";
    private Part.@Nullable Tiles tiles;
    private final List<Channel> channels = new ArrayList<>();
    private int code = -1;
    private @Nullable Window data;
    private @Nullable Window display;
    private List<Float> luma = Part.luma(new float[8]);
    private Primaries primaries = Primaries.REC709;
    private int chunks = -1;
    private float aspect = 1;
    private final Map<String, String> about = new TreeMap<>();

    private ExrHeader(FileWindow in, long fileLength) {
        this.in = in;
        this.fileLength = fileLength;
    }

    /** Reads it from the file's first byte on. */
    static ExrReader parse(Path file, FileWindow in, long fileLength) throws IOException {
        try {
            return new ExrHeader(in, fileLength).read();
        } catch (DataFormatException e) {
            throw new FrameException(file, String.valueOf(e.getMessage()));
        }
    }

    private ExrReader read() throws IOException, DataFormatException {
        integer();
        int version = integer();
        if ((version & 0xff) != 2) {
            throw new DataFormatException(
                    "is of version " + (version & 0xff) + " of OpenEXR's file format; version 2 is read");
        }
        if ((version & ~(0xff | LONG_NAMES | DEEP | SEVERAL_PARTS | TILED)) != 0) {
            throw new DataFormatException("has unknown flags in its version, 0x" + Integer.toHexString(version));
        }
        boolean several = (version & SEVERAL_PARTS) != 0;
        List<Part> parts = new ArrayList<>();
        for (String first = name(); parts.isEmpty() || !first.isEmpty(); first = several ? name() : "") {
            parts.add(new ExrHeader(in, fileLength).part(first, version));
            if (parts.size() > MOST_PARTS) {
                throw new DataFormatException("has more than " + MOST_PARTS + " parts");
            }
        }
        long tables = ExrReader.tables(parts);
        long start = in.offset();
        if (tables < 0 || start + tables > Math.min(fileLength, Integer.MAX_VALUE)) {
            throw new DataFormatException(
                    "ends within the " + tables + " bytes that say where its chunks are; the file was cut short");
        }
        return ExrReader.ofBest(parts, several, (int) start, fileLength);
    }

    private Part part(String first, int version) throws IOException, DataFormatException {
        for (String attribute = first; !attribute.isEmpty(); attribute = name()) {
            String of = name();
            int size = integer();
            long end = in.offset() + size;
            attribute(attribute, of, size);
            if (in.offset() > end) {
                throw new DataFormatException(
                        "its attribute '" + attribute + "' has " + size + " bytes, which cannot be");
            }
            in.skip(end - in.offset());
        }
        boolean several = (version & SEVERAL_PARTS) != 0;
        boolean deep = several ? type.startsWith("deep") : (version & DEEP) != 0;
        boolean tiled = several ? type.endsWith("tile") || type.equals("tiledimage") : (version & TILED) != 0;
        if (code < 0
                || channels.isEmpty()
                || data == null
                || display == null
                || (tiled && tiles == null)
                || (several && chunks < 0)) {
            throw new DataFormatException(
                    "its header lacks one of the attributes channels, compression, dataWindow and displayWindow"
                            + (tiled ? ", or tiles" : "") + (several ? ", or chunkCount" : ""));
        }
        List<Channel> shown = deep ? List.of() : channels;
        return new Part(
                name,
                deep,
                tiled ? tiles : null,
                shown,
                code,
                data,
                display,
                luma,
                primaries,
                aspect,
                several ? chunks : -1,
                about);
    }

    private void attribute(String attribute, String of, int size) throws IOException, DataFormatException {
        switch (attribute + " " + of) {
            case "channels chlist" -> channels();
            case "compression compression" -> code = bytes(1)[0] & 0xff;
            case "dataWindow box2i" -> data = new Window(integer(), integer(), integer(), integer());
            case "displayWindow box2i" -> display = new Window(integer(), integer(), integer(), integer());
            case "name string" -> name = text(size);
            case "type string" -> type = text(size);
            case "tiles tiledesc" -> tiles = tiles();
            case "pixelAspectRatio float" -> aspect = Float.intBitsToFloat(integer());
            case "chunkCount int" -> chunks = Math.max(0, integer());
            case "chromaticities chromaticities" -> {
                float[] values = new float[8];
                double[] wide = new double[8];
                for (int i = 0; i < values.length; i++) {
                    wide[i] = values[i] = Float.intBitsToFloat(integer());
                }
                luma = Part.luma(values);
                primaries = Primaries.orRec709(wide);
            }
            default -> {
                boolean number = of.equals("float");
                if (FrameMetadata.isExr(attribute, of) && (number ? size == Float.BYTES : size >= 0)) {
                    about.put(
                            attribute,
                            number
                                    ? Float.toString(Float.intBitsToFloat(integer()))
                                    : text(bytes(Math.min(size, FrameMetadata.LONGEST))));
                } // else it changes nothing
            }
        }
    }

    private Part.Tiles tiles() throws IOException, DataFormatException {
        int width = integer();
        int height = integer();
        int mode = bytes(1)[0] & 0xff;
        if (width < 1 || height < 1 || (mode & 15) > 2 || mode >> 4 > 1) {
            throw new DataFormatException("its tiles cannot be: " + width + " x " + height + ", mode " + mode);
        }
        return new Part.Tiles(width, height, mode & 15, mode >> 4 == 1);
    }

    private void channels() throws IOException, DataFormatException {
        channels.clear();
        for (String channel = name(); !channel.isEmpty(); channel = name()) {
            int of = integer();
            boolean linear = (integer() & 0xff) != 0; // and three bytes that mean nothing
            int across = integer();
            int down = integer();
            if (of < 0 || of > 2 || channels.size() == MOST_CHANNELS) {
                throw new DataFormatException("its channel " + channel + " is of type " + of
                        + "; there are 0 to 2, and no more than " + MOST_CHANNELS + " channels");
            }
            channels.add(new Channel(channel, of, linear, across, down));
        }
    }

    private byte[] bytes(int count) throws IOException, DataFormatException {
        byte[] taken = new byte[count];
        if (!in.take(taken, count)) {
            throw new DataFormatException("ends within its header; the file was cut short");
        }
        return taken;
    }

    private int integer() throws IOException, DataFormatException {
        return Integer.reverseBytes(ByteBuffer.wrap(bytes(Integer.BYTES)).getInt());
    }

    private String text(int size) throws IOException, DataFormatException {
        return text(bytes(Math.max(0, Math.min(size, LONGEST_NAME))));
    }

    /** UTF-8, as the format has it; some programs write what is none, and each of its bytes is a letter then. */
    private static String text(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        return text.contains("\ufffd") ? new String(bytes, StandardCharsets.ISO_8859_1) : text;
    }

    /** Text up to a byte of 0. */
    private String name() throws IOException, DataFormatException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        long start = in.offset();
        for (int next = bytes(1)[0]; next != 0; next = bytes(1)[0]) {
            if (text.size() == LONGEST_NAME) {
                throw new DataFormatException(
                        "a name in its header, at byte " + start + ", is longer than " + LONGEST_NAME + " bytes");
            }
            text.write(next);
        }
        return text(text.toByteArray());
    }
}
