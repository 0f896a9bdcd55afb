package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the header of an OpenEXR file: a magic number, the version, and attributes, each a name, a type, a size and a value. */
final class ExrHeader {
    /** The first four bytes, little-endian. */
    static final int MAGIC = 20000630;

    private static final int TILED = 0x200;
    private static final int LONG_NAMES = 0x400;
    private static final int DEEP = 0x800;
    private static final int SEVERAL_PARTS = 0x1000;
    private static final int LONGEST_NAME = 255;
    private static final List<String> OTHER_CODES = List.of("PXR24", "B44", "B44A", "DWAA", "DWAB");

    /** Rows that are coded together take at most so much. */
    private static final long MOST_CHUNK_BYTES = 1 << 26;

    private final Path file;
    private final ByteBuffer head;
    private final List<ExrReader.Channel> channels = new ArrayList<>();
    private ExrReader.@Nullable Window data;
    private ExrReader.@Nullable Window display;
    private int code = -1;

    private ExrHeader(Path file, byte[] head) {
        this.file = file;
        this.head = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
    }

    static ExrReader parse(Path file, byte[] head, long fileLength) throws FrameException {
        ExrHeader header = new ExrHeader(file, head);
        try {
            return header.read(fileLength);
        } catch (BufferUnderflowException e) {
            throw header.wrong(
                    head.length < HeaderText.MAX_BYTES
                            ? "ends within its header; the file was cut short"
                            : "its header has no end within " + HeaderText.MAX_BYTES
                                    + " bytes; leave out its preview or other large attributes");
        }
    }

    private FrameException wrong(String problem) {
        return new FrameException(file, problem);
    }

    private ExrReader read(long fileLength) throws FrameException {
        head.getInt();
        int version = head.getInt();
        refuseWhatIsNotScanlines(version);
        for (String name = name(); !name.isEmpty(); name = name()) {
            String type = name();
            int size = head.getInt();
            if (size < 0) {
                throw wrong("its attribute '" + name + "' has " + size + " bytes");
            }
            if (size > head.remaining()) {
                throw new BufferUnderflowException();
            }
            int end = head.position() + size;
            attribute(name, type, size);
            head.position(end);
        }
        if (data == null || display == null || channels.isEmpty() || code < 0) {
            throw wrong("its header lacks one of the attributes channels, compression, dataWindow and displayWindow");
        }
        return reader(data, display, compression(), fileLength);
    }

    private void refuseWhatIsNotScanlines(int version) throws FrameException {
        if ((version & 0xff) != 2) {
            throw wrong("is of version " + (version & 0xff) + " of OpenEXR's file format; version 2 is read");
        }
        if ((version & DEEP) != 0) {
            throw wrong("holds deep pixels; flatten them, as with 'oiiotool FILE --flatten -o NEW.exr'");
        }
        if ((version & SEVERAL_PARTS) != 0) {
            throw wrong("has several parts; write the picture's to a file of its own, as with"
                    + " 'oiiotool FILE --subimage 0 -o NEW.exr'");
        }
        if ((version & TILED) != 0) {
            throw wrong("is tiled; write it in scanlines, as with 'oiiotool FILE --scanline -o NEW.exr'");
        }
        if ((version & ~(0xff | LONG_NAMES)) != 0) {
            throw wrong("has unknown flags in its version, 0x" + Integer.toHexString(version));
        }
    }

    private void attribute(String name, String type, int size) throws FrameException {
        switch (name + " " + type) {
            case "channels chlist" -> channels();
            case "compression compression" -> code = size == 1 ? head.get() & 0xff : 255;
            case "dataWindow box2i" -> data = window(size, name);
            case "displayWindow box2i" -> display = window(size, name);
            default -> {} // what does not change how pixels are read
        }
    }

    private ExrReader.Window window(int size, String name) throws FrameException {
        if (size != 4 * Integer.BYTES) {
            throw wrong("its " + name + " has " + size + " bytes; it must be four integers");
        }
        ExrReader.Window window = new ExrReader.Window(head.getInt(), head.getInt(), head.getInt(), head.getInt());
        String problem = FrameLayout.problem(window.width(), window.height());
        if (problem != null) {
            throw wrong("its " + name + " gives " + problem);
        }
        return window;
    }

    private void channels() throws FrameException {
        channels.clear();
        for (String name = name(); !name.isEmpty(); name = name()) {
            int type = head.getInt();
            head.getInt(); // whether it is perceptually linear, and three bytes that mean nothing
            int across = head.getInt();
            int down = head.getInt();
            if (type < 0 || type > 2) {
                throw wrong("its channel " + name + " is of type " + type + "; there are 0 to 2");
            }
            if (across != 1 || down != 1) {
                throw wrong("its channel " + name + " has one sample for " + across + " x " + down
                        + " pixels, as in luminance and chroma; write R, G and B for every pixel");
            }
            channels.add(new ExrReader.Channel(name, type));
        }
    }

    private ExrReader.Compression compression() throws FrameException {
        ExrReader.Compression[] known = ExrReader.Compression.values();
        if (code < known.length) {
            return known[code];
        }
        int other = code - known.length;
        throw wrong("is compressed by " + (other < OTHER_CODES.size() ? OTHER_CODES.get(other) : "code " + code)
                + "; what is read is uncompressed, RLE, ZIPS, ZIP or PIZ: write it anew, as with"
                + " 'oiiotool FILE --compression zip -o NEW.exr'");
    }

    private ExrReader reader(
            ExrReader.Window rows, ExrReader.Window shown, ExrReader.Compression compression, long fileLength)
            throws FrameException {
        List<Integer> colours = new ArrayList<>();
        for (String name : place("R") < 0 && place("Y") >= 0 ? List.of("Y", "Y", "Y") : List.of("R", "G", "B")) {
            int place = place(name);
            if (place < 0 || channels.get(place).type() == 0) {
                throw wrong("has the channels "
                        + channels.stream().map(Object::toString).collect(Collectors.joining(", "))
                        + "; needed are R, G and B, or Y, of half or float");
            }
            colours.add(place);
        }
        long rowBytes = 0;
        for (ExrReader.Channel channel : channels) {
            rowBytes += rows.width() * channel.bytes();
        }
        if (rowBytes * compression.rows > MOST_CHUNK_BYTES) {
            throw wrong("its rows have " + rowBytes + " bytes, of which " + compression.rows
                    + " are coded together; that may be at most " + MOST_CHUNK_BYTES + " bytes");
        }
        long chunks = (rows.height() + compression.rows - 1) / compression.rows;
        long follow = fileLength - head.position();
        // Of each chunk, where it is, its first row, and its size.
        long least = chunks * 16 + rowBytes * rows.height() / compression.most;
        if (follow < least) {
            throw wrong("its header gives " + rows.width() + " x " + rows.height() + " pixels, which need at least "
                    + least + " bytes, but only " + follow + " follow; it was cut short");
        }
        return new ExrReader(
                new FrameLayout((int) shown.width(), (int) shown.height()),
                Math.toIntExact(head.position() + chunks * Long.BYTES),
                compression,
                List.copyOf(channels),
                List.copyOf(colours),
                rows,
                shown);
    }

    private int place(String name) {
        for (int i = 0; i < channels.size(); i++) {
            if (channels.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    /** Text up to a byte of 0. */
    private String name() throws FrameException {
        int start = head.position();
        while (head.get() != 0) {
            if (head.position() - start > LONGEST_NAME) {
                throw wrong("a name in its header, at byte " + start + ", is longer than " + LONGEST_NAME + " bytes");
            }
        }
        return new String(head.array(), start, head.position() - 1 - start, StandardCharsets.ISO_8859_1);
    }
}
