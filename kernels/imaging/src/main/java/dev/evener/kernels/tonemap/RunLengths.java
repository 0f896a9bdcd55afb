package dev.evener.kernels.tonemap;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A frame as a Radiance file has it in the newer run-length code, for devices to expand: less crosses the bus, and no core of the host
 * writes pixels. Each row has its four components one behind the other, red, green, blue and exponent; in each a byte above 128 says that
 * the next byte follows so often less 128, and one up to 128 how many bytes follow as they are (Ward, "Real Pixels", Graphics Gems II,
 * 1991). What it becomes are rows {@linkplain PixelCoding#inPlanes in planes}. Bytes that are no such code make any pixels, and touch
 * nothing else.
 *
 * @param coded {@code UBYTE}, the code and anything around it
 * @param size bytes of it that count, at most its elements
 * @param starts {@code UINT}, at least four for each row, from top to bottom: where in {@code coded} each component begins
 */
public record RunLengths(DataBuffer coded, int size, DataBuffer starts) {
    private static final KernelSource SOURCE =
            KernelSource.resource(RunLengths.class, "runs.cl").withTrialLaunch();

    /** As {@code runs.cl} has it. */
    private static final int GROUP = 4 * 32;

    /** Bytes before a scanline's components: {@link #MARK} twice, and the width. */
    public static final int HEAD = 4;

    /** The first two bytes of a scanline. */
    public static final byte MARK = 2;

    /** Arguments of the kernel. */
    static final int ARGUMENTS = 6;

    /** Widest row: the code of wider ones is another. */
    private static final int WIDEST = 32767;

    /**
     * Scanlines whose ends one thread at a time looks for. Until the JVM has compiled that for good it counts each branch, and many threads
     * in the same code contend for these counts: eight take 0.35 s for what takes them 0.05 s later.
     */
    private static final int FIRST = 2000;

    private static volatile int scanned; // of these

    /**
     * Adds the phase that expands the frame to a job whose units are its rows.
     *
     * @param layout its size, at most 32,767 pixels wide
     * @param frame takes it, at least {@link PixelCoding#elements} of {@code UINT}; padding becomes 0
     * @throws IllegalArgumentException if a buffer has another type or is too small, or the frame is too wide
     */
    public JobBuilder addTo(JobBuilder job, FrameLayout layout, DataBuffer frame) {
        return addKernel(job.source(SOURCE), layout, frame).jvm(java(layout));
    }

    /** Begins a phase of a source that has {@code runs.cl} among others, for kernels that go on with the rows of a chunk. */
    JobBuilder addKernel(JobBuilder job, FrameLayout layout, DataBuffer frame) {
        BufferChecks.require("code", coded, ElementType.UBYTE, size);
        BufferChecks.require("starts", starts, ElementType.UINT, 4L * layout.height());
        BufferChecks.require("frame", frame, ElementType.UINT, (long) layout.stride() * layout.height());
        if (layout.width() > WIDEST) {
            throw new IllegalArgumentException("rows of " + layout.width() + " pixels have no such run-length code");
        }
        return Forms.add(
                        job.kernel("expand_runs"),
                        Variant.unitsPerItem(1, 1).withRounds(16L * layout.stride()),
                        Variant.itemsPerUnit(GROUP, GROUP))
                .reads(coded, whole())
                .reads(starts, slice(4))
                .writes(frame, slice(layout.stride()))
                .scalar(size)
                .scalar(layout.width())
                .scalar(layout.stride());
    }

    /** The Java form of {@code runs.cl}. */
    JvmKernel java(FrameLayout layout) {
        int width = layout.width();
        int stride = layout.stride();
        return chunk -> {
            ByteBuffer coded = chunk.buffer(0);
            IntBuffer starts = chunk.buffer(1).asIntBuffer();
            ByteBuffer frame = chunk.buffer(2);
            byte[] line = new byte[stride];
            for (int i = 0; i < 4 * chunk.units(); i++) {
                expand(coded, starts.get(i), width, line);
                frame.put(i * stride, line);
            }
        };
    }

    /**
     * Rows as they are expanded, each to be used until the next one is asked for. One thread.
     *
     * @param code what the buffers hold, as {@code begin}
     */
    public IntFunction<ByteBuffer> rows(FrameLayout layout, ByteBuffer code, IntBuffer begin) {
        byte[] line = new byte[layout.stride()];
        ByteBuffer planes = ByteBuffer.allocate(4 * line.length);
        return row -> {
            planes.clear();
            for (int i = 4 * row; i < 4 * row + 4; i++) {
                expand(code, begin.get(i), layout.width(), line);
                planes.put(line);
            }
            return planes.flip();
        };
    }

    /** Expands a component that begins here; what follows its {@code width} bytes in the line becomes 0. */
    private void expand(ByteBuffer code, int start, int width, byte[] line) {
        int at = start;
        int done = 0;
        while (done < width && at >= 0 && at + 1 < size) {
            int next = code.get(at++) & 0xff;
            int count = Math.min(width - done, next > 128 ? next - 128 : Math.max(next, 1));
            if (next > 128) {
                Arrays.fill(line, done, done + count, code.get(at++));
            } else {
                count = Math.min(count, size - at);
                code.get(at, line, done, count);
                at += count;
            }
            done += count;
        }
        Arrays.fill(line, done, line.length, (byte) 0);
    }

    /** Whether a scanline of this code begins here, of which there are at least {@link #HEAD} bytes. */
    public static boolean isHead(byte[] bytes, int at) {
        return bytes[at] == MARK && bytes[at + 1] == MARK && bytes[at + 2] >= 0;
    }

    /** Pixels that such a scanline says it has. */
    public static int said(byte[] bytes, int at) {
        return bytes[at + 2] << 8 | (bytes[at + 3] & 0xff);
    }

    /**
     * Where a scanline ends that begins here; 0 if it is none, is damaged or is not all there.
     *
     * @param limit the end of what is there
     * @param width pixels that it must have
     * @param components takes where each of its four components begins; null if nobody asks
     */
    public static int end(byte[] bytes, int limit, int start, int width, int @Nullable [] components) {
        if (scanned >= FIRST) {
            return scan(bytes, limit, start, width, components);
        }
        synchronized (RunLengths.class) {
            scanned++;
            return scan(bytes, limit, start, width, components);
        }
    }

    private static int scan(byte[] bytes, int limit, int start, int width, int @Nullable [] components) {
        int at = start + HEAD;
        if (at > limit || !isHead(bytes, start) || said(bytes, start) != width) {
            return 0;
        }
        for (int component = 0; component < 4; component++) {
            if (components != null) {
                components[component] = at;
            }
            for (int left = width, count; left > 0; left -= count) {
                int code = at < limit ? bytes[at] & 0xff : 0;
                // Runs and literals follow each other as if by chance: a branch would be guessed wrongly too often.
                int run = (128 - code) >> 31; // all ones in a run
                count = code - (128 & run);
                at += 2 + ((count - 1) & ~run);
                if (count == 0 || count > left || at > limit) {
                    return 0;
                }
            }
        }
        return at;
    }
}
