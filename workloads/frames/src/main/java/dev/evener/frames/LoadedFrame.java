package dev.evener.frames;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.ToneMapSettings;

/**
 * A frame in memory and the buffers for its picture, for whoever runs the job of one frame; a {@link FrameStream} has a pool. Not
 * thread-safe.
 */
public final class LoadedFrame implements AutoCloseable {
    private final FrameFile file;
    private final PictureFormat format;
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
        frame = new OwnBuffer<>(evener::allocateManaged);
        pixels = new OwnBuffer<>(evener::allocateManaged);
        coded = new OwnBuffer<>(format.isPng() ? evener::allocateManaged : evener::allocate);
    }

    /**
     * Reads its pixels, on all cores; a job of it may be built meanwhile. Returns this.
     *
     * @throws FrameException if that cannot be done; nothing is left allocated
     * @throws dev.evener.EvenerException if there is no memory for it; the same
     */
    public LoadedFrame decode() throws FrameException {
        try {
            frame().overwrite(0, file.coding().elements(file.size()), view -> file.decode(view.bytes(), true));
            return this;
        } catch (FrameException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** What {@link FrameJob#of} makes of it. */
    public Job job(FrameJob work, ToneMapSettings settings) {
        return work.of(layout(), file.coding(), frame(), pixels(), coded(), settings);
    }

    /** Its size. */
    public FrameLayout layout() {
        return file.size();
    }

    /** Its pixels as the file has them. */
    public ManagedBuffer frame() {
        return of(file, frame);
    }

    /** A buffer for the pixels of a file. */
    static ManagedBuffer of(FrameFile file, OwnBuffer<ManagedBuffer> buffer) {
        return buffer.atLeast(file.coding().type(), file.coding().elements(file.size()));
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
        try (frame;
                pixels) {
            coded.close();
        }
    }
}
