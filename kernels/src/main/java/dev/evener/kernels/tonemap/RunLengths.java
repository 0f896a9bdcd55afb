package dev.evener.kernels.tonemap;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;

/**
 * A frame as a Radiance file has it in the newer run-length code, for devices to expand: less crosses the bus, and no core of the host
 * goes from code to code. Each row has a head, then its four components one behind the other, red, green, blue and exponent; in each a
 * byte above 128 says that the next byte follows so often less 128, and one up to 128 how many bytes follow as they are (Ward, "Real
 * Pixels", Graphics Gems II, 1991). What it becomes are rows {@linkplain PixelCoding#inPlanes in planes}. Rows whose code takes more or
 * fewer pixels or bytes than it should are counted; they become any pixels, and touch nothing else.
 *
 * @param coded {@code UBYTE}, the code and anything around it
 * @param size bytes of it that count, at most its elements
 * @param rows {@code UINT}, at least two for each row, from top to bottom: where in {@code coded} its head begins, and where its code ends
 */
public record RunLengths(DataBuffer coded, int size, DataBuffer rows) {
    private static final KernelSource SOURCE =
            KernelSource.resource(RunLengths.class, "runs.cl").withTrialLaunch();

    /** As {@code runs.cl} has it. */
    private static final int GROUP = 128;

    /** Bytes before a scanline's components: {@link #MARK} twice, and the width. */
    public static final int HEAD = 4;

    /** The first two bytes of a scanline. */
    public static final byte MARK = 2;

    private static final long ONES = 0x0101010101010101L;
    private static final long MARKS = MARK * ONES;

    /** Arguments of the kernel. */
    static final int ARGUMENTS = 7;

    /** Widest row: the code of wider ones is another. */
    private static final int WIDEST = 32767;

    /**
     * Adds the phase that expands the frame to a job whose units are its rows. The job fails if any is damaged.
     *
     * @param layout its size, at most 32,767 pixels wide
     * @param frame takes it, at least {@link PixelCoding#elements} of {@code UINT}; padding becomes 0
     * @param damaged one {@code UINT}, which takes how many rows are damaged
     * @throws IllegalArgumentException if a buffer has another type or is too small, or the frame is too wide
     */
    public JobBuilder addTo(JobBuilder job, FrameLayout layout, DataBuffer frame, HostBuffer damaged) {
        return addKernel(job.source(SOURCE), layout, frame, damaged)
                .jvm(java(layout))
                .combine(() -> check(layout, damaged), damaged);
    }

    /** Begins a phase of a source that has {@code runs.cl} among others, for kernels that go on with the rows of a chunk. */
    JobBuilder addKernel(JobBuilder job, FrameLayout layout, DataBuffer frame, HostBuffer damaged) {
        BufferChecks.require("code", coded, ElementType.UBYTE, size);
        BufferChecks.require("rows", rows, ElementType.UINT, 2L * layout.height());
        BufferChecks.require("frame", frame, ElementType.UINT, (long) layout.stride() * layout.height());
        if (layout.width() > WIDEST) {
            throw new IllegalArgumentException("rows of " + layout.width() + " pixels have no such run-length code");
        }
        return Forms.add(
                        job.kernel("expand_runs"),
                        Variant.unitsPerItem(1, 1).withRounds(16L * layout.stride()),
                        Variant.itemsPerUnit(GROUP, GROUP))
                .reads(coded, whole())
                .reads(rows, slice(2))
                .writes(frame, slice(layout.stride()))
                .reduces(damaged, Reduction.SUM)
                .scalar(size)
                .scalar(layout.width())
                .scalar(layout.stride());
    }

    /** Host step after the kernel. */
    static void check(FrameLayout layout, HostBuffer damaged) {
        int count = damaged.ints().get(0);
        if (count != 0) {
            throw new EvenerException(count + " of " + layout.height()
                    + " scanlines are damaged: their run-length code has too many or too few pixels or bytes");
        }
    }

    /** The Java form of {@code runs.cl}. */
    JvmKernel java(FrameLayout layout) {
        int width = layout.width();
        int stride = layout.stride();
        return chunk -> {
            ByteBuffer coded = chunk.buffer(0);
            IntBuffer rows = chunk.buffer(1).asIntBuffer();
            ByteBuffer frame = chunk.buffer(2);
            IntBuffer damaged = chunk.buffer(3).asIntBuffer();
            byte[] line = new byte[stride];
            for (int row = 0; row < chunk.units(); row++) {
                int at = rows.get(2 * row) + HEAD;
                int end = rows.get(2 * row + 1);
                boolean good = at >= HEAD && end <= size;
                for (int component = 0; component < 4; component++) {
                    int done = 0;
                    while (good && done < width) {
                        int code = at + 1 < end ? coded.get(at++) & 0xff : 0;
                        int count = code > 128 ? code - 128 : code;
                        good = count > 0 && count <= width - done && (code > 128 || count <= end - at);
                        if (good && code > 128) {
                            Arrays.fill(line, done, done + count, coded.get(at++));
                        } else if (good) {
                            coded.get(at, line, done, count);
                            at += count;
                        }
                        done += good ? count : 0;
                    }
                    Arrays.fill(line, done, stride, (byte) 0);
                    frame.put((4 * row + component) * stride, line);
                }
                damaged.put(0, damaged.get(0) + (good && at == end ? 0 : 1));
            }
        };
    }

    /**
     * Finds the rows of a frame in its code. Where as many heads are as rows, these are the rows, unless one is damaged, which a device
     * finds out; else some pixels look like heads, and it goes from code to code.
     *
     * @param code has it from its beginning, with anything behind its end
     * @param size how many bytes that is
     * @param width pixels of a row
     * @param found takes what {@link #rows} holds, as many as it has room for
     * @return false if the code is damaged
     */
    public static boolean find(ByteBuffer code, int size, int width, IntBuffer found) {
        int rows = found.remaining() / 2;
        int last = heads(code.duplicate().order(ByteOrder.LITTLE_ENDIAN), size, width, found.slice(), rows);
        byte[] all = new byte[size - Math.max(0, last)];
        code.get(size - all.length, all);
        int row = last < 0 ? 0 : rows - 1;
        for (int at = 0; row < rows; row++) {
            int end = end(all, all.length, at, width);
            if (end == 0) {
                return false;
            }
            found.put(found.position() + 2 * row, size - all.length + at);
            found.put(found.position() + 2 * row + 1, size - all.length + end);
            at = end;
        }
        return true;
    }

    /** Notes where heads are, and, but for the last, the next one; where the last one is, or -1 if there are not as many as rows. */
    private static int heads(ByteBuffer code, int size, int width, IntBuffer found, int rows) {
        int head = MARK | MARK << 8 | (width >> 8) << 16 | (width & 0xff) << 24;
        int count = 0;
        int last = -1;
        for (int from = 0; from < size - HEAD; from += Long.BYTES - 1) {
            int to = Math.min(from + Long.BYTES - 1, size - HEAD);
            if (to - from == Long.BYTES - 1 && from + Long.BYTES <= size) {
                // Bit 7 of each byte that is a mark, and perhaps of some behind it (Warren, Hacker's Delight, 6-1).
                long marks = code.getLong(from) ^ MARKS;
                marks = (marks - ONES) & ~marks & ONES << 7;
                if ((marks & marks >>> Byte.SIZE) == 0) {
                    continue;
                }
            }
            for (int at = from; at < to; at++) {
                if (code.getInt(at) == head) {
                    if (count == rows || (count == 0 && at > 0)) {
                        return -1;
                    }
                    if (count > 0) {
                        found.put(2 * count - 1, at);
                    }
                    found.put(2 * count++, at);
                    last = at;
                }
            }
        }
        return count == rows ? last : -1;
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
     */
    public static int end(byte[] bytes, int limit, int start, int width) {
        int at = start + HEAD;
        if (at > limit || !isHead(bytes, start) || said(bytes, start) != width) {
            return 0;
        }
        for (int component = 0; component < 4; component++) {
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
