package dev.evener.kernels.tonemap;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access;
import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.Forms;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.OwnBuffers;
import java.nio.FloatBuffer;
import java.util.Arrays;

/**
 * The phases that resize a frame in linear light before it is measured and mapped, {@code resize.cl}: Lanczos' filter
 * of three lobes, as wide as a pixel of the smaller size. Units are rows of the new size; each sees the rows of the
 * frame that weigh. It has a table of weights for each direction, the rows between the two, and the resized frame. One
 * frame after another, as its {@link ToneMapper}.
 */
final class FrameResizer {
    private static final KernelSource SOURCE = KernelSource.resource(FrameResizer.class, "pixel.cl", "resize.cl");

    /** Lobes of the filter to either side. */
    private static final int LOBES = 3;

    /**
     * Words before the weights of a place, as {@code resize.cl} has it: the first pixel, and which of the next make its
     * range.
     */
    private static final int HEAD = 3;

    /** Smaller weights than this are 0. */
    private static final double LEAST = 0x1p-24;

    private static final int GROUP = 256;

    private final OwnBuffer<HostBuffer> down;
    private final OwnBuffer<HostBuffer> across;
    private final OwnBuffer<DataBuffer> between;
    private final OwnBuffer<DataBuffer> resized;

    FrameResizer(OwnBuffers own, Allocator allocator) {
        this.down = own.add(allocator::allocate);
        this.across = own.add(allocator::allocate);
        this.between = own.add(allocator::between);
        this.resized = own.add(allocator::between);
    }

    /**
     * Adds the phases to a job whose units are the rows of the new size.
     *
     * @param wrap whether what is beyond the left and right edge are the pixels at the other
     * @return what takes the resized frame, {@link PixelCoding#expanded}
     */
    DataBuffer addTo(
            JobBuilder job, FrameLayout from, PixelCoding coding, DataBuffer frame, FrameLayout to, boolean wrap) {
        Table rows = Table.of(from.height(), to.height());
        Table columns = Table.of(from.width(), to.width());
        int stride = from.stride();
        int lines = coding.channels() * stride;
        int resizedLines = coding.channels() * to.stride();
        DataBuffer middle = between.atLeast(ElementType.FLOAT, (long) lines * to.height());
        DataBuffer out = resized.atLeast(ElementType.FLOAT, (long) resizedLines * to.height());
        String option = coding.options();

        long rowElements = coding.rowElements(from);
        int perRow = perRow(rowElements, from.height(), to.height());
        long rounds = (stride / 16L) * (rows.taps + 1L);
        Forms.perUnit(job.source(SOURCE).kernel("resize_down"), option, rounds, stride, GROUP, " -D LANES=1")
                .jvm(down(rows, from, coding, perRow))
                .reads(frame, rows.access(rowElements, perRow));
        (perRow == 0 ? job.scalar(0L) : job.viewStart(frame))
                .writes(middle, slice(lines))
                .reads(rows.into(down), whole())
                .scalar(rows.taps)
                .scalar(from.height())
                .scalar(stride)
                .scalar(perRow)
                .chunkStart()
                .chunkUnits();
        coding.arguments(job);

        rounds = (long) resizedLines * (columns.taps + 1L);
        Forms.perUnit(job.kernel("resize_across"), option, rounds, resizedLines, GROUP, " -D LANES=1")
                .jvm(across(columns, coding.channels(), from, to, wrap))
                .reads(middle, slice(lines))
                .writes(out, slice(resizedLines))
                .reads(columns.into(across), whole())
                .scalar(columns.taps)
                .scalar(from.width())
                .scalar(stride)
                .scalar(wrap ? 1 : 0)
                .scalar(to.width())
                .scalar(to.stride())
                .chunkUnits();
        return out;
    }

    /**
     * Elements of the frame for each row of the new size, of whole vectors; 0 if that leaves none, and all rows see
     * all.
     */
    private static int perRow(long rowElements, int height, int newHeight) {
        long each = rowElements * height / newHeight;
        return (int) (each / FrameLayout.ROW_MULTIPLE * FrameLayout.ROW_MULTIPLE);
    }

    /**
     * What the pixels of one direction are made of.
     *
     * @param taps pixels for each
     * @param words a head and so many weights for each
     * @param last of the pixels that there are
     */
    @SuppressWarnings("ArrayRecordComponent") // which nobody changes or compares
    private record Table(int taps, int[] words, int last) {
        static Table of(int size, int newSize) {
            double step = (double) size / newSize;
            double width = Math.max(1, step); // of a lobe
            int taps = 2 * (int) Math.ceil(LOBES * width) + 1;
            int[] words = new int[Math.multiplyExact(newSize, HEAD + taps)];
            double[] weights = new double[taps];
            for (int i = 0; i < newSize; i++) {
                double centre = (i + 0.5) * step - 0.5;
                int first = (int) Math.ceil(centre) - taps / 2;
                double sum = 0;
                int from = taps;
                int to = 0;
                for (int tap = 0; tap < taps; tap++) {
                    double away = (first + tap - centre) / width;
                    weights[tap] = lanczos(away);
                    sum += weights[tap];
                    if (Math.abs(away) < 1) {
                        from = Math.min(from, tap);
                        to = tap + 1;
                    }
                }
                int at = i * (HEAD + taps);
                words[at] = first;
                words[at + 1] = from;
                words[at + 2] = to;
                for (int tap = 0; tap < taps; tap++) {
                    double weight = weights[tap] / sum;
                    words[at + HEAD + tap] = Float.floatToRawIntBits(Math.abs(weight) < LEAST ? 0 : (float) weight);
                }
            }
            return new Table(taps, words, size - 1);
        }

        private static double lanczos(double away) {
            if (away == 0) {
                return 1;
            }
            double angle = StrictMath.PI * away;
            return Math.abs(away) >= LOBES
                    ? 0
                    : LOBES * StrictMath.sin(angle) * StrictMath.sin(angle / LOBES) / (angle * angle);
        }

        HostBuffer into(OwnBuffer<HostBuffer> buffer) {
            HostBuffer table = buffer.atLeast(ElementType.UINT, words.length);
            table.ints().put(0, words);
            return table;
        }

        /** The pixel of a place's first tap, which may be beyond an edge. */
        int first(int place) {
            return words[place * (HEAD + taps)];
        }

        /** The pixel of a place's tap, or else of the one at the edge. */
        int pixel(int place, int tap) {
            return Math.max(0, Math.min(last, first(place) + tap));
        }

        /** Parts of so many elements for each place, with as many others as the pixels reach. */
        Access access(long rowElements, int perRow) {
            if (perRow == 0) {
                return whole();
            }
            long before = 0;
            long after = 0;
            for (int place = 0; place < words.length / (HEAD + taps); place++) {
                long own = (long) place * perRow;
                before = Math.max(before, own - rowElements * pixel(place, 0));
                after = Math.max(after, rowElements * (pixel(place, taps - 1) + 1L) - own - perRow);
            }
            return slice(perRow).halo((before + perRow - 1) / perRow, (after + perRow - 1) / perRow);
        }

        /** The weight of a place's tap. */
        float weight(int place, int tap) {
            return Float.intBitsToFloat(words[place * (HEAD + taps) + HEAD + tap]);
        }

        /** Whether it is in the middle lobe. */
        boolean counts(int place, int tap) {
            int at = place * (HEAD + taps);
            return tap >= words[at + 1] && tap < words[at + 2];
        }
    }

    /** So many sums at once, and the range of what counts. */
    private static final class Sums {
        private final float[] sum;
        private final float[] low;
        private final float[] high;

        Sums(int count) {
            sum = new float[count];
            low = new float[count];
            high = new float[count];
        }

        void clear() {
            Arrays.fill(sum, 0);
            Arrays.fill(low, Float.MAX_VALUE);
            Arrays.fill(high, -Float.MAX_VALUE);
        }

        void add(int i, float v, float weight, boolean counts) {
            sum[i] += weight * v;
            if (counts) {
                low[i] = v < low[i] ? v : low[i];
                high[i] = v > high[i] ? v : high[i];
            }
        }

        /** The sums, kept within their ranges. */
        float[] kept() {
            for (int i = 0; i < sum.length; i++) {
                float c = sum[i] < low[i] ? low[i] : sum[i];
                c = c > high[i] ? high[i] : c;
                sum[i] = c > -0x1p-100f && c < 0x1p-100f ? 0 : c;
            }
            return sum;
        }
    }

    /** Argument 0 the frame, 2 the rows between. */
    private static JvmKernel down(Table table, FrameLayout from, PixelCoding coding, int perRow) {
        int stride = from.stride();
        return chunk -> {
            long start = perRow == 0 ? 0 : chunk.viewStart(0) - chunk.firstUnit() * perRow;
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(0), stride, (int) start);
            FloatBuffer lines = chunk.buffer(2).asFloatBuffer();
            float[] row = new float[3 * stride];
            float[] alpha = new float[stride];
            Sums sums = new Sums(coding.channels() * stride);
            for (int unit = 0; unit < chunk.units(); unit++) {
                int place = (int) chunk.firstUnit() + unit;
                sums.clear();
                for (int tap = 0; tap < table.taps; tap++) {
                    PixelMath.sanitised(frame, table.pixel(place, tap), row);
                    for (int x = 0; x < row.length; x++) {
                        sums.add(x, row[x], table.weight(place, tap), table.counts(place, tap));
                    }
                    if (coding.hasAlpha()) {
                        frame.alpha(table.pixel(place, tap), alpha);
                        for (int x = 0; x < stride; x++) {
                            sums.add(3 * stride + x, alpha[x], table.weight(place, tap), table.counts(place, tap));
                        }
                    }
                }
                float[] kept = sums.kept();
                lines.put(unit * kept.length, kept);
            }
        };
    }

    /** Argument 0 the rows between, 1 the resized frame. */
    private static JvmKernel across(Table table, int channels, FrameLayout from, FrameLayout to, boolean wrap) {
        return chunk -> {
            FloatBuffer lines = chunk.buffer(0).asFloatBuffer();
            FloatBuffer resized = chunk.buffer(1).asFloatBuffer();
            float[] line = new float[from.stride()];
            Sums sums = new Sums(to.width());
            float[] out = new float[to.stride()]; // padding is 0
            for (int each = 0; each < channels * chunk.units(); each++) {
                lines.get(each * line.length, line);
                sums.clear();
                for (int x = 0; x < to.width(); x++) {
                    for (int tap = 0; tap < table.taps; tap++) {
                        int pixel = wrap ? Math.floorMod(table.first(x) + tap, from.width()) : table.pixel(x, tap);
                        sums.add(x, line[pixel], table.weight(x, tap), table.counts(x, tap));
                    }
                }
                System.arraycopy(sums.kept(), 0, out, 0, to.width());
                resized.put(each * out.length, out);
            }
        };
    }
}
