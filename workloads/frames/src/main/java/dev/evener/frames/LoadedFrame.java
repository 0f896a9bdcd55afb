package dev.evener.frames;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.OwnBuffers;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A frame in memory and the buffers for its picture, for whoever runs the job of one frame; a {@link FrameStream} has a pool. Not
 * thread-safe.
 */
public final class LoadedFrame implements AutoCloseable {
    private final FrameFile file;
    private final PictureFormat format;
    private final Evener evener;
    private final OwnBuffers own = new OwnBuffers();
    private final OwnBuffer<ManagedBuffer> frame;
    private final OwnBuffer<ManagedBuffer> pixels;
    private final OwnBuffer<DataBuffer> coded;

    /**
     * Of this file, with buffers of this {@link Evener} that are made when they are first needed.
     *
     * @param format of the picture
     */
    public LoadedFrame(FrameFile file, PictureFormat format, Evener evener) {
        this.file = file;
        this.format = format;
        this.evener = evener;
        frame = own.add(evener::allocateManaged);
        pixels = own.add(evener::allocateManaged);
        coded = own.add(format.isPng() ? evener::allocateManaged : evener::allocate);
    }

    /**
     * Reads its pixels; a job of it may be built meanwhile. Returns this.
     *
     * @throws FrameException if that cannot be done; nothing is left allocated
     * @throws dev.evener.EvenerException if there is no memory for it; the same
     */
    public LoadedFrame decode() throws FrameException {
        try {
            write(file, frame(), file::decode);
            return this;
        } catch (FrameException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** What {@link FrameJob#of} makes of it. */
    public Job job(FrameJob work, ToneMapSettings settings) {
        return work.of(file, layout(), null, frame(), pixels(), coded(), settings);
    }

    /** Its size. */
    public FrameLayout layout() {
        return file.size();
    }

    /** Its pixels as the file has them. */
    public ManagedBuffer frame() {
        return of(file, 1, frame, evener);
    }

    /** A buffer for the pixels of so many files like this one, in segments of whole rows. */
    static ManagedBuffer of(FrameFile file, int count, OwnBuffer<ManagedBuffer> buffer, Evener evener) {
        ElementType type = file.coding().type();
        long elements = (long) count * file.coding().elements(file.size());
        int row = file.coding().rowElements(file.size());
        return buffer.fitting(
                b -> b.type() == type
                        && b.elements() >= elements
                        && (b.segmentCount() == 1 || b.segmentBytes() % ((long) row * type.bytes()) == 0),
                () -> evener.allocateManaged(type, elements, row));
    }

    /** Writes the pixels of a file to pieces of memory, of whole rows, all but the last one alike. */
    @FunctionalInterface
    interface Writer {
        void write(List<ByteBuffer> pieces) throws FrameException;
    }

    /** Has pixels written in a buffer, which may lie in several segments; the others keep their values. */
    static void write(FrameFile file, ManagedBuffer frame, Writer writer) throws FrameException {
        update(frame, 0, file.coding().elements(file.size()), new ArrayList<>(1), writer);
    }

    /** From an element on, behind these pieces. */
    private static void update(ManagedBuffer frame, long from, long end, List<ByteBuffer> pieces, Writer writer)
            throws FrameException {
        if (from >= end) {
            writer.write(pieces);
            return;
        }
        long count = Math.min(frame.segmentBytes() / frame.type().bytes(), end - from);
        frame.update(from, count, scope -> {
            pieces.add(scope.bytes());
            update(frame, from + count, end, pieces, writer);
        });
    }

    /** Its picture, which stays where it was made until somebody looks at it. */
    public ManagedBuffer pixels() {
        return pixels.atLeast(ElementType.UINT, format.pixelWords(layout()));
    }

    private DataBuffer coded() {
        return coded.atLeast(ElementType.UBYTE, format.mostBytes(layout()));
    }

    /** Of all its buffers. */
    public long bytes() {
        FrameLayout layout = layout();
        return file.coding().bytes(layout) + format.pixelWords(layout) * Integer.BYTES + format.mostBytes(layout);
    }

    /** Idempotent. */
    @Override
    public void close() {
        own.close();
    }
}
