package dev.evener.kernels.tonemap;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.ManagedBuffer;
import dev.evener.Temporary;
import dev.evener.Variant;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A frame as a Radiance file has it in the newer run-length code, for devices to expand: less crosses the bus, and no core of the host
 * looks at pixels. Each row has a {@linkplain #isHead head} and its four components one behind the other, red, green, blue and exponent; in
 * each a byte above 128 says that the next byte follows so often less 128, and one up to 128 how many bytes follow as they are (Ward, "Real
 * Pixels", Graphics Gems II, 1991). What it becomes are rows {@linkplain PixelCoding#inPlanes in planes}. Devices find where rows begin.
 * Those that they do not find, because the code is damaged or bytes of it look like another row, become 0, and are said to be lost.
 *
 * <p>Several frames of one size may be expanded by one job, as rows one below the other. Then their codes lie behind each other without gaps,
 * and {@linkplain #ends behind} the last one a word for each frame in the machine's order of bytes: where its code ends. What is wrong with one
 * frame's code touches no other.
 *
 * @param coded {@code UBYTE}, the code from the first row's head on, and anything behind it
 * @param size bytes of all code, at most the buffer's elements; of those behind only the ends of several frames are looked at
 * @param lost {@code UINT}, at least one for each row: takes 0, or 1 if the row was not found
 * @param frames how many, at least 1
 */
public record RunLengths(DataBuffer coded, int size, DataBuffer lost, int frames) {
    private static final KernelSource SOURCE =
            KernelSource.resource(RunLengths.class, "runs.cl").withTrialLaunch();

    /** As {@code runs.cl} has it. */
    private static final int GROUP = 4 * 32;

    private static final int WARP = 32;

    /** Bytes before a scanline's components: {@link #MARK} twice, and the width. */
    public static final int HEAD = 4;

    /** The first two bytes of a scanline. */
    public static final byte MARK = 2;

    /** Arguments of the kernels, and which of them are buffers for the Java form. */
    static final int ARGUMENTS = 25;

    private static final String SIZE = "codeBytes";
    private static final int CODED = 3;
    private static final int FRAME = 17;
    private static final int LOST = 18;

    /** Widest row: the code of wider ones is another. */
    private static final int WIDEST = 32767;

    /** Where behind so many bytes of code the ends of several frames begin, {@link Integer#BYTES} each. */
    public static int ends(int size) {
        return (size + Integer.BYTES - 1) / Integer.BYTES * Integer.BYTES;
    }

    /** Of one frame. */
    public RunLengths(DataBuffer coded, int size, DataBuffer lost) {
        this(coded, size, lost, 1);
    }

    /**
     * Adds the phase that expands the frames to a job whose units are their rows.
     *
     * @param layout the size of each, at most 32,767 pixels wide
     * @param frame takes them, at least {@link PixelCoding#elements} of {@code UINT} for each; padding becomes 0
     * @throws IllegalArgumentException if a buffer has another type or is too small, or the frame is too wide
     */
    public JobBuilder addTo(JobBuilder job, FrameLayout layout, DataBuffer frame) {
        return addKernels(job.source(SOURCE), layout, frame).jvm(java(layout));
    }

    /** Begins a phase of a source that has {@code runs.cl} among others, for kernels that go on with the rows of a chunk. */
    JobBuilder addKernels(JobBuilder job, FrameLayout layout, DataBuffer frame) {
        BufferChecks.require(
                "code", coded, ElementType.UBYTE, frames == 1 ? size : ends(size) + (long) frames * Integer.BYTES);
        BufferChecks.require("lost", lost, ElementType.UINT, (long) frames * layout.height());
        BufferChecks.require("frame", frame, ElementType.UINT, (long) frames * layout.stride() * layout.height());
        if (layout.width() > WIDEST) {
            throw new IllegalArgumentException("rows of " + layout.width() + " pixels have no such run-length code");
        }
        int width = layout.width();
        int height = layout.height();
        long rows = (long) frames * height;
        long heads = 2 * rows + 64;
        Temporary lines = Temporary.of(ElementType.UINT, 1 + 6 * heads + rows);
        table(job.kernel("clear_lines"), 1, rows)
                .temporary(lines)
                .scalar(height)
                .scalar(frames);
        found(table(job.then("find_lines"), GROUP, size + heads * (4L * width + 5)), lines, width, height);
        found(table(job.then("order_lines"), 1, heads * heads), lines, width, height);
        return Forms.perUnit(job.then("expand_runs"), "", 16L * layout.stride(), GROUP, GROUP, "")
                .reads(coded, whole())
                .temporary(lines)
                .writes(frame, slice(layout.stride()))
                .writes(lost, slice(1))
                .scalar(SIZE, size)
                .scalar(width)
                .scalar(layout.stride())
                .scalar(height)
                .scalar(frames)
                .chunkStart();
    }

    private void found(JobBuilder kernel, Temporary lines, int width, int height) {
        kernel.reads(coded, whole())
                .temporary(lines)
                .scalar(SIZE, size)
                .scalar(width)
                .scalar(height)
                .scalar(frames);
    }

    /** A kernel that works on the table of scanlines, with as many work-items as there are; on CPUs a few, as each has a section of the code. */
    private static JobBuilder table(JobBuilder kernel, int items, long rounds) {
        return Forms.add(
                kernel,
                Variant.unitsPerItem(1)
                        .withGroupSize(1)
                        .withGroupsPerComputeUnit(4)
                        .withRounds(rounds),
                Variant.itemsPerUnit(items).withGroupSize(Math.max(items, WARP)));
    }

    /** The Java form of {@code runs.cl}, which goes from row to row. */
    JvmKernel java(FrameLayout layout) {
        int stride = layout.stride();
        return chunk -> {
            ByteBuffer code = chunk.buffer(CODED);
            ByteBuffer frame = chunk.buffer(FRAME);
            IntBuffer isLost = chunk.buffer(LOST).asIntBuffer();
            int first = (int) chunk.firstUnit();
            int its = chunk.scalar(CODED + 2).intValue();
            int height = layout.height();
            byte[] line = new byte[stride];
            for (int done = 0, until; done < chunk.units(); done = until) {
                int number = (first + done) / height;
                until = Math.min(chunk.units(), (number + 1) * height - first);
                int from = (first + done) % height;
                int begin = number == 0 ? 0 : code.getInt(ends(its) + (number - 1) * Integer.BYTES);
                int bytes = (frames == 1 ? its : code.getInt(ends(its) + number * Integer.BYTES)) - begin;
                ByteBuffer own = code.slice(begin, bytes);
                int[] starts = starts(own, bytes, layout.width(), from + until - done);
                for (int i = 0; i < 4 * (until - done); i++) {
                    int start = 4 * from + i < starts.length ? starts[4 * from + i] : bytes;
                    expand(own, bytes, start, layout.width(), line);
                    frame.put((4 * done + i) * stride, line);
                    isLost.put(done + i / 4, start == bytes ? 1 : 0);
                }
            }
        };
    }

    /** A job of code in these buffers, of which this one has so many bytes as it has. */
    public Job sized(Job other) {
        return other.with(SIZE, size);
    }

    /** Whether no row of any frame was lost, once the job has run; of a managed buffer in a scope. */
    public boolean isWhole(FrameLayout layout) {
        return areWhole(layout).cardinality() == frames;
    }

    /** The same of each frame. */
    public BitSet areWhole(FrameLayout layout) {
        int rows = layout.height();
        return lost instanceof ManagedBuffer managed
                ? managed.read(0, (long) frames * rows, scope -> withoutLoss(scope.ints(), rows))
                : withoutLoss(((HostBuffer) lost).ints(), rows);
    }

    private BitSet withoutLoss(IntBuffer numbers, int rows) {
        BitSet whole = new BitSet(frames);
        for (int frame = 0; frame < frames; frame++) {
            int from = frame * rows;
            whole.set(frame, IntStream.range(from, from + rows).allMatch(i -> numbers.get(i) == 0));
        }
        return whole;
    }

    /**
     * Where the components of the first rows begin, four for each row; fewer if the code is damaged, those of the rows before that.
     *
     * @param code what the buffer holds, of which so many bytes count
     */
    private static int[] starts(ByteBuffer code, int size, int width, int rows) {
        int[] starts = new int[4 * rows];
        int at = 0;
        for (int i = 0; i < starts.length; i++) {
            if (i % 4 == 0) {
                boolean isHead = size - at >= HEAD
                        && code.get(at) == MARK
                        && code.get(at + 1) == MARK
                        && ((code.get(at + 2) & 0xff) << 8 | (code.get(at + 3) & 0xff)) == width;
                at = isHead ? at + HEAD : -1;
            }
            starts[i] = at;
            for (int left = width; left > 0 && at >= 0; ) {
                int next = at < size ? code.get(at) & 0xff : 0;
                int count = next > 128 ? next - 128 : next;
                at += next > 128 ? 2 : 1 + next;
                left -= count;
                at = count == 0 || left < 0 || at > size ? -1 : at;
            }
            if (at < 0) {
                return Arrays.copyOf(starts, i / 4 * 4);
            }
        }
        return starts;
    }

    /**
     * Rows as they are expanded, each to be used until the next one is asked for; null if the code is damaged. One thread.
     *
     * @param code what the buffer holds, of one frame
     */
    public @Nullable IntFunction<ByteBuffer> rows(FrameLayout layout, ByteBuffer code) {
        int[] starts = starts(code, size, layout.width(), layout.height());
        if (starts.length < 4 * layout.height()) {
            return null;
        }
        byte[] line = new byte[layout.stride()];
        ByteBuffer planes = ByteBuffer.allocate(4 * line.length);
        return row -> {
            planes.clear();
            for (int i = 4 * row; i < 4 * row + 4; i++) {
                expand(code, size, starts[i], layout.width(), line);
                planes.put(line);
            }
            return planes.flip();
        };
    }

    /** Expands a component that begins here; what follows its {@code width} bytes in the line becomes 0. */
    private static void expand(ByteBuffer code, int size, int start, int width, byte[] line) {
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
}
