package dev.evener;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.ElementType.DOUBLE;
import static dev.evener.ElementType.FLOAT;
import static dev.evener.ElementType.INT;
import static dev.evener.ElementType.SHORT;
import static dev.evener.ElementType.UBYTE;

import dev.evener.Access.Reduction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Published kernels, each declared as one might who has not understood how it touches its buffers, by kinds of mistakes. Each run has
 * memory of its own between guard zones ({@link Memory}), so that a write outside of the application's buffers shows.
 */
final class NaiveDeclarations {
    static final int N = 1 << 12;
    static final int WIDTH = 64;
    static final int ROWS = N / WIDTH;

    /** Who tells of a mistake; of those that nobody finds docs/kernels.md has a list. */
    enum Told {
        REFUSED, // when the job is built, or its kernel is
        FIRST_RUN,
        NOBODY
    }

    /**
     * A declaration.
     *
     * @param words of the message; of what nobody finds, why
     */
    record Naive(String kind, String name, Told told, String words, Function<Memory, JobBuilder> job) {
        @Override
        public String toString() {
            return kind + ": " + name;
        }
    }

    static final String SOURCE = """
            typedef struct { float x, y, z; int id; } particle;
            kernel void square(global const int *x, global int *y) { int i = get_global_id(0); y[i] = x[i] * x[i]; }
            kernel void saxpy(global const int *x, global int *y, int a, int n) {
                int i = get_global_id(0);
                if (i < n) y[i] += a * x[i];
            }
            kernel void stride(global int *x, int by, int n) {
                for (int i = get_global_id(0); i < n; i += get_global_size(0)) x[i] = x[i] * by + 1;
            }
            kernel void stride_copy(global const int *x, global int *y, int n) {
                for (int i = get_global_id(0); i < n; i += get_global_size(0)) y[i] = x[i] + 1;
            }
            kernel void interleaved(global const int *x, global int *y, int items) {
                int i = get_global_id(0);
                for (int k = 0; k < 4; k++) y[k * items + i] = 3 * x[k * items + i];
            }
            kernel void block(global const int *x, global int *y, int n) {
                int i = get_global_id(0);
                for (int k = 0; k < 4; k++) y[4 * i + k] = x[4 * i + k] - 5;
            }
            kernel void two_arrays(global int *y, int n) { int i = get_global_id(0); y[i] = i; y[n + i] = -i; }
            kernel void rows_stride(global int *y, int width, int rows) {
                int x = get_global_id(0);
                for (int r = get_global_id(1); r < rows; r += get_global_size(1)) y[r * width + x] = r - x;
            }
            kernel void neighbours(global const int *x, global int *y, int n) {
                int i = get_global_id(0);
                y[i] = (i > 0 ? x[i - 1] : 0) + 3 * (i < n - 1 ? x[i + 1] : 0);
            }
            kernel void far(global const int *x, global int *y, int n) {
                int i = get_global_id(0);
                y[i] = x[i] + (i >= 40 ? x[i - 40] : 0);
            }
            kernel void heat(global const int *now, global int *next, int width, int height) {
                int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
                if (x >= width - 1 || y >= height - 1) return;
                int i = y * width + x;
                next[i] = now[i - width] + now[i + width] + now[i - 1] + now[i + 1] - 4 * now[i];
            }
            kernel void blur(global const int *in, global int *out, int width, int height) {
                int x = get_global_id(0), y = get_global_id(1), sum = 0;
                for (int d = -3; d <= 3; d++) sum += in[clamp(y + d, 0, height - 1) * width + x];
                out[y * width + x] = sum;
            }
            kernel void row_lengths(global const int *begins, global int *lengths) {
                int i = get_global_id(0);
                lengths[i] = begins[i + 1] - begins[i];
            }
            kernel void gather(global const int *table, global const int *index, global int *y) {
                int i = get_global_id(0);
                y[i] = table[index[i]];
            }
            kernel void scatter(global const int *x, global const int *to, global int *y) {
                int i = get_global_id(0);
                y[to[i]] = x[i];
            }
            kernel void sums(global const int *x, global int *sums, local int *tile, int n) {
                int l = get_local_id(0), i = get_global_id(0);
                tile[l] = i < n ? x[i] : 0;
                for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
                    barrier(CLK_LOCAL_MEM_FENCE);
                    if (l < s) tile[l] += tile[l + s];
                }
                if (l == 0) sums[get_group_id(0)] = tile[0];
            }
            kernel void lane_number(global const int *x, global int *y) {
                int i = get_global_id(0);
                y[i] = x[i] + get_local_id(0);
            }
            kernel void group_number(global const int *x, global int *y) {
                int i = get_global_id(0);
                y[i] = x[i] + get_group_id(0);
            }
            kernel void leaders(global const int *x, global int *firsts) {
                if (get_local_id(0) == 0) firsts[get_group_id(0)] = x[get_global_id(0)];
            }
            kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sixty_fours(global int *y) {
                y[get_global_id(0)] = get_local_id(0);
            }
            kernel void vectors(global const float4 *x, global float4 *y) { int i = get_global_id(0); y[i] = x[i].wzyx; }
            kernel void pairs(global const int2 *x, global int2 *y) { int i = get_global_id(0); y[i] = x[i].yx; }
            kernel void loaded(global const int *x, global int *y) { int i = get_global_id(0); vstore4(vload4(i, x) + 1, i, y); }
            kernel void pixels(global const uchar4 *x, global uchar4 *y) { int i = get_global_id(0); y[i] = x[i].zyxw; }
            kernel void before(global const int *x, global int *y) { int i = get_global_id(0) + 1; y[i - 1] = x[i - 1]; y[i - 2 + (i == 1)] = 7; }
            kernel void behind(global const int *x, global int *y) { int i = get_global_id(0); y[i + 1] = x[i]; }
            kernel void mirrored(global const int *x, global int *y, int n) { int i = get_global_id(0); y[n - 1 - i] = x[i]; }
            kernel void shifted(global const int *x, global int *y, int by) { int i = get_global_id(0); y[i + by] = x[i]; }
            kernel void spread(global const int *x, global int *y) { int i = get_global_id(0); y[2 * i] = x[i]; }
            kernel void halves(global const float *x, global float *y, float by) { int i = get_global_id(0); y[i] = by * x[i]; }
            kernel void doubles(global const double *x, global double *y) { int i = get_global_id(0); y[i] = x[i] + 1; }
            kernel void longs(global int *y, long by) { y[get_global_id(0)] = (int) by; }
            kernel void shorts(global const short *x, global short *y) { int i = get_global_id(0); y[i] = x[i] + 1; }
            kernel void in_tiles(global const int *x, global int *y) {
                int i = get_global_id(0), first = i / 128 * 128;
                y[first + 127 - i % 128] = x[i];
            }
            kernel void sort_step(global int *x, int distance) {
                int i = get_global_id(0), j = i ^ distance;
                if (j > i && x[i] > x[j]) { int t = x[i]; x[i] = x[j]; x[j] = t; }
            }
            kernel void transposed(global const int *in, global int *out, int width, int height) {
                int x = get_global_id(0), y = get_global_id(1);
                out[x * height + y] = in[y * width + x];
            }
            kernel void first_of_tile(global const int *x, global int *y) {
                int i = get_global_id(0);
                if (i % 48 == 0) for (int k = 0; k < 48 && i + k < 4096; k++) y[i + k] = x[i];
            }
            kernel void move(global particle *p, float by) { p[get_global_id(0)].x += by; p[get_global_id(0)].id += 1; }
            kernel void ids(global const particle *p, global int *out) { out[get_global_id(0)] = p[get_global_id(0)].id; }
            kernel void add(global const int *x, global int *y) { int i = get_global_id(0); y[i] += x[i]; }
            kernel void change(global int *x, global int *y) { int i = get_global_id(0); y[i] = x[i]; x[i] = 0; }
            kernel void some(global const int *x, global int *y) { int i = get_global_id(0); if (x[i] % 7 != 3) y[i] = x[i]; }
            kernel void histogram(global const int *x, global int *bins) { atomic_inc(&bins[x[get_global_id(0)] & 63]); }
            kernel void most(global const int *x, global int *most) { atomic_max(&most[0], x[get_global_id(0)]); }
            kernel void flag(global const int *x, global int *found) { if (x[get_global_id(0)] > 200) found[0] = 1; }
            kernel void counter(global const int *x, global int *count) { if (x[get_global_id(0)] > 100) atomic_inc(&count[0]); }
            kernel void last(global const int *x, global int *y) { y[0] = x[get_global_id(0)]; }
            kernel void minus(global const int *a, global const int *b, global int *y) { int i = get_global_id(0); y[i] = a[i] - b[i]; }
            kernel void copy(global int *to, global int *from) { int i = get_global_id(0); to[i] = from[i]; }
            kernel void rows(global const int *in, global int *sums, int width, int height) {
                int r = get_global_id(0), sum = 0;
                if (r >= height) return;
                for (int c = 0; c < width; c++) sum += in[r * width + c];
                sums[r] = sum;
            }
            kernel void column_sums(global const int *in, global int *sums, int width, int height) {
                int c = get_global_id(0), sum = 0;
                if (c >= width) return;
                for (int r = 0; r < height; r++) sum += in[r * width + c];
                sums[c] = sum;
            }
            kernel void invert(global const int *in, global int *out, int pixels) {
                int i = get_global_id(0);
                for (int p = 0; p < 4; p++) out[p * pixels + i] = 255 - in[p * pixels + i];
            }
            kernel void product(global const int *a, global const int *b, global int *c, int n) {
                int x = get_global_id(0), y = get_global_id(1), sum = 0;
                for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
                c[y * n + x] = sum;
            }
            """;

    /** All of them; each is run once. */
    static final List<Naive> ALL = all();

    private NaiveDeclarations() {}

    private static List<Naive> all() {
        List<Naive> all = new ArrayList<>();
        String kind = "a stride over slices";
        run(
                all,
                kind,
                "a loop with fewer units than elements",
                m -> m.units(N / 4, "stride")
                        .updates(m.ints(), slice())
                        .scalar(3)
                        .scalar(N));
        run(
                all,
                kind,
                "a copy by such a loop",
                m -> m.units(N / 8, "stride_copy")
                        .reads(m.ints(), slice())
                        .writes(m.ints(), slice())
                        .scalar(N));
        run(
                all,
                kind,
                "four elements a global size apart",
                m -> m.units(N / 4, "interleaved")
                        .reads(m.ints(), slice(4))
                        .writes(m.ints(), slice(4))
                        .scalar(N / 4));
        run(
                all,
                kind,
                "two arrays as pairs",
                m -> m.units(N / 2, "two_arrays").writes(m.ints(), slice(2)).scalar(N / 2));
        run(
                all,
                kind,
                "rows a range apart",
                m -> m.range(WIDTH, ROWS / 2, "rows_stride")
                        .writes(m.ints(), slice(2 * WIDTH))
                        .scalar(WIDTH)
                        .scalar(ROWS));
        run(
                all,
                kind,
                "columns as slices",
                m -> m.units(WIDTH, "column_sums")
                        .reads(m.ints(), slice())
                        .writes(m.ints(WIDTH), slice())
                        .scalar(WIDTH)
                        .scalar(ROWS));
        run(
                all,
                kind,
                "planes as slices",
                m -> m.units(N / 4, "invert")
                        .reads(m.ints(), slice(4))
                        .writes(m.ints(), slice(4))
                        .scalar(N / 4));

        kind = "offsets without a halo";
        run(
                all,
                kind,
                "the neighbours",
                m -> m.units(N, "neighbours")
                        .reads(m.ints(), slice())
                        .writes(m.ints(), slice())
                        .scalar(N));
        run(
                all,
                kind,
                "one neighbour too few",
                m -> m.units(N, "neighbours")
                        .reads(m.ints(), slice().halo(1, 0))
                        .writes(m.ints(), slice())
                        .scalar(N));
        run(
                all,
                kind,
                "far behind",
                m -> m.units(N, "far")
                        .reads(m.ints(), slice().halo(16, 0))
                        .writes(m.ints(), slice())
                        .scalar(N));
        run(
                all,
                kind,
                "rows of a grid",
                m -> m.range(WIDTH - 2, ROWS - 2, "heat")
                        .reads(m.ints(), slice(WIDTH).from(WIDTH))
                        .updates(m.ints(), slice(WIDTH).from(WIDTH))
                        .scalar(WIDTH)
                        .scalar(ROWS));
        run(
                all,
                kind,
                "a grid without its border",
                m -> m.range(WIDTH - 2, ROWS - 2, "heat")
                        .reads(m.ints(), slice(WIDTH).halo(1, 1))
                        .updates(m.ints(), slice(WIDTH))
                        .scalar(WIDTH)
                        .scalar(ROWS));
        run(
                all,
                kind,
                "a halo too small",
                m -> m.range(WIDTH, ROWS, "blur")
                        .reads(m.ints(), slice(WIDTH).halo(2, 2))
                        .writes(m.ints(), slice(WIDTH))
                        .scalar(WIDTH)
                        .scalar(ROWS));
        run(
                all,
                kind,
                "where the next row begins",
                m -> m.units(N - 1, "row_lengths").reads(m.ints(), slice(1)).writes(m.ints(), slice(1)));

        kind = "a group size left open";
        refused(
                all,
                kind,
                "local memory",
                "give groupSize",
                m -> m.units(N, "sums")
                        .reads(m.ints(), slice())
                        .writes(m.ints(N / 64), whole())
                        .local(INT, 64)
                        .scalar(N));
        run(
                all,
                kind,
                "the number in a group",
                m -> m.units(N, "lane_number").reads(m.ints(), slice()).writes(m.ints(), slice()));
        run(
                all,
                kind,
                "the number of a group",
                m -> m.units(N, "group_number").reads(m.ints(), slice()).writes(m.ints(), slice()));
        run(
                all,
                kind,
                "a result for each group",
                m -> m.units(N, "leaders").reads(m.ints(), slice()).updates(m.ints(), slice()));
        refused(
                all,
                kind,
                "a size that the kernel wants",
                "reqd_work_group_size",
                m -> m.units(N, "sixty_fours").writes(m.ints(), slice()));

        kind = "another order of vectors";
        refused(
                all,
                kind,
                "a float for a unit of float4",
                "float4",
                m -> m.units(N, "vectors").reads(m.floats(), slice()).writes(m.floats(), slice()));
        refused(
                all,
                kind,
                "an int for a unit of int2",
                "int2",
                m -> m.units(N, "pairs").reads(m.ints(), slice(1)).writes(m.ints(), slice(1)));
        run(
                all,
                kind,
                "an int for a unit of vload4",
                m -> m.units(N / 4, "loaded").reads(m.ints(), slice(1)).writes(m.ints(), slice(1)));
        run(
                all,
                kind,
                "all units of vload4",
                m -> m.units(N, "loaded").reads(m.ints(), slice()).writes(m.ints(), slice()));
        refused(
                all,
                kind,
                "a byte for a pixel",
                "uchar4",
                m -> m.units(N, "pixels").reads(m.bytes(), slice()).writes(m.bytes(), slice()));

        kind = "a write outside of the slice";
        run(
                all,
                kind,
                "in front of it",
                m -> m.units(N, "before").reads(m.ints(), slice()).updates(m.ints(), slice()));
        run(
                all,
                kind,
                "behind it",
                m -> m.units(N, "behind").reads(m.ints(), slice()).updates(m.ints(), slice()));
        run(
                all,
                kind,
                "from the end",
                m -> m.units(N, "mirrored")
                        .reads(m.ints(), slice())
                        .writes(m.ints(), slice())
                        .scalar(N));
        run(
                all,
                kind,
                "in the other half",
                m -> m.units(N / 2, "shifted")
                        .reads(m.ints(), slice(1))
                        .writes(m.ints(), slice(1))
                        .scalar(N / 2));
        run(
                all,
                kind,
                "in every second element",
                m -> m.units(N / 2, "spread").reads(m.ints(), slice(1)).updates(m.ints(), slice(1)));
        refused(
                all,
                kind,
                "more than there is",
                "need more",
                m -> m.units(N + 64, "square").reads(m.ints(N), slice(1)).writes(m.ints(N), slice(1)));
        run(
                all,
                kind,
                "a block of elements in units of one",
                m -> m.units(N, "block")
                        .reads(m.ints(), slice())
                        .writes(m.ints(), slice())
                        .scalar(N));

        kind = "an element type";
        refused(
                all,
                kind,
                "ints for floats",
                "float",
                m -> m.units(N, "halves")
                        .reads(m.ints(), slice())
                        .writes(m.floats(), slice())
                        .scalar(2f));
        refused(
                all,
                kind,
                "doubles for floats",
                "float",
                m -> m.units(N, "halves")
                        .reads(m.of(DOUBLE, N), slice())
                        .writes(m.floats(), slice())
                        .scalar(2f));
        refused(
                all,
                kind,
                "floats for doubles",
                "double",
                m -> m.units(N, "doubles").reads(m.floats(), slice()).writes(m.floats(), slice()));
        refused(
                all,
                kind,
                "an int for a float",
                "float",
                m -> m.units(N, "halves")
                        .reads(m.floats(), slice())
                        .writes(m.floats(), slice())
                        .scalar(2));
        refused(
                all,
                kind,
                "an int for a long",
                "long",
                m -> m.units(N, "longs").writes(m.ints(), slice()).scalar(2));
        refused(
                all,
                kind,
                "ints for shorts",
                "short",
                m -> m.units(N, "shorts").reads(m.ints(), slice()).writes(m.of(SHORT, N), slice()));

        kind = "a missing granule";
        run(
                all,
                kind,
                "tiles turned around",
                m -> m.units(N, "in_tiles")
                        .groupSize(64)
                        .reads(m.ints(), slice())
                        .writes(m.ints(), slice()));
        run(
                all,
                kind,
                "a sorting step",
                m -> m.units(N, "sort_step").updates(m.ints(), slice()).scalar(32));
        run(
                all,
                kind,
                "a transposition",
                m -> m.range(WIDTH, ROWS, "transposed")
                        .reads(m.ints(), slice(WIDTH))
                        .writes(m.ints(), slice(WIDTH))
                        .scalar(WIDTH)
                        .scalar(ROWS));
        run(
                all,
                kind,
                "the first of a tile",
                m -> m.units(N, "first_of_tile").reads(m.ints(), slice()).writes(m.ints(), slice()));

        kind = "units of a struct";
        refused(
                all,
                kind,
                "a float",
                "particle",
                m -> m.units(N, "move").updates(m.floats(), slice()).scalar(1f));
        refused(
                all,
                kind,
                "three floats of four",
                "particle",
                m -> m.units(N / 4, "move").updates(m.floats(), slice(3)).scalar(1f));
        refused(
                all,
                kind,
                "an int of each",
                "particle",
                m -> m.units(N / 4, "ids").reads(m.ints(), slice(1)).writes(m.ints(), slice(1)));

        kind = "an access";
        run(
                all,
                kind,
                "reads of what is changed",
                m -> m.units(N, "change").reads(m.ints(), slice()).writes(m.ints(), slice()));
        refused(
                all,
                kind,
                "writes of what is const",
                "const",
                m -> m.units(N, "square").writes(m.ints(), slice()).writes(m.ints(), slice()));
        run(
                all,
                kind,
                "writes of what is updated",
                m -> m.units(N, "add").reads(m.ints(), slice()).writes(m.ints(), slice()));
        nobody(
                all,
                kind,
                "writes of what is left out",
                "elements that are left out of `writes`",
                m -> m.units(N, "some").reads(m.ints(), slice()).writes(m.ints(), slice()));
        run(
                all,
                kind,
                "slices of a table",
                m -> m.units(N, "gather")
                        .reads(m.ints(), slice())
                        .reads(m.indices(), slice())
                        .writes(m.ints(), slice()));
        run(
                all,
                kind,
                "slices of a scatter",
                m -> m.units(N, "scatter")
                        .reads(m.ints(), slice())
                        .reads(m.indices(), slice())
                        .updates(m.ints(), slice()));
        run(
                all,
                kind,
                "slices of bins",
                m -> m.units(N, "histogram").reads(m.ints(), slice()).updates(m.ints(), slice()));
        run(
                all,
                kind,
                "a slice of the second matrix",
                m -> m.range(WIDTH, ROWS, "product")
                        .reads(m.ints(), slice(WIDTH))
                        .reads(m.ints(), slice(WIDTH))
                        .writes(m.ints(), slice(WIDTH))
                        .scalar(WIDTH));

        kind = "a whole that all write";
        refused(
                all,
                kind,
                "a flag",
                "two devices must not write one region",
                m -> m.units(N, "flag").reads(m.ints(), slice()).writes(m.ints(1), whole()));
        run(
                all,
                kind,
                "a counter as a slice",
                m -> m.units(N, "counter").reads(m.ints(), slice()).updates(m.ints(), slice()));
        nobody(
                all,
                kind,
                "a maximum as a sum",
                "a maximum that is declared as a sum",
                m -> m.units(N, "most").reads(m.ints(), slice()).reduces(m.ints(1), Reduction.SUM));
        run(
                all,
                kind,
                "the last one",
                m -> m.units(N, "last").reads(m.ints(), slice()).writes(m.ints(), slice()));

        kind = "reversed arguments";
        refused(
                all,
                kind,
                "out and in",
                "const",
                m -> m.units(N, "square").writes(m.ints(), slice()).reads(m.ints(), slice()));
        run(
                all,
                kind,
                "out and in that are not const",
                m -> m.units(N, "copy").reads(m.ints(), slice()).writes(m.ints(), slice()));
        nobody(
                all,
                kind,
                "two inputs",
                "two inputs of one type in each other's place",
                m -> m.units(N, "minus")
                        .reads(m.indices(), slice())
                        .reads(m.ints(), slice())
                        .writes(m.ints(), slice()));
        run(
                all,
                kind,
                "width and height",
                m -> m.units(32, "rows")
                        .reads(m.ints(), slice())
                        .writes(m.ints(32), slice())
                        .scalar(32)
                        .scalar(N / 32));
        all.addAll(NaiveShapes.all());
        return List.copyOf(all);
    }

    private static void run(List<Naive> all, String kind, String name, Function<Memory, JobBuilder> job) {
        all.add(new Naive(kind, name, Told.FIRST_RUN, "", job));
    }

    private static void refused(
            List<Naive> all, String kind, String name, String words, Function<Memory, JobBuilder> job) {
        all.add(new Naive(kind, name, Told.REFUSED, words, job));
    }

    private static void nobody(
            List<Naive> all, String kind, String name, String why, Function<Memory, JobBuilder> job) {
        all.add(new Naive(kind, name, Told.NOBODY, why, job));
    }

    /** Where a job's buffers are: each with values of its own, and zones around it in which nothing must change. */
    static final class Memory implements AutoCloseable {
        private static final int ZONE = 64 << 10;
        private static final byte UNTOUCHED = 0x3C;

        private final Evener evener;
        private final List<ByteBuffer> all = new ArrayList<>();
        private final List<HostBuffer> buffers = new ArrayList<>();

        Memory(Evener evener) {
            this.evener = evener;
        }

        JobBuilder units(long units, String kernel) {
            return Job.named("naive").source(SOURCE).units(units).kernel(kernel);
        }

        JobBuilder range(long width, long rows, String kernel) {
            return Job.named("naive").source(SOURCE).range(width, rows).kernel(kernel);
        }

        HostBuffer ints() {
            return ints(N);
        }

        HostBuffer ints(int elements) {
            HostBuffer made = of(INT, elements);
            int number = buffers.size();
            for (int i = 0; i < elements; i++) {
                made.ints().put(i, (i * 37 + i / 61 + 11 * number) % 251);
            }
            return made;
        }

        /** Each element's number once, in another order. */
        HostBuffer indices() {
            HostBuffer made = of(INT, N);
            for (int i = 0; i < N; i++) {
                made.ints().put(i, (i * 1229 + 17) % N);
            }
            return made;
        }

        HostBuffer floats() {
            HostBuffer made = of(FLOAT, N);
            for (int i = 0; i < N; i++) {
                made.floats().put(i, i % 127);
            }
            return made;
        }

        HostBuffer bytes() {
            return of(UBYTE, N);
        }

        HostBuffer of(ElementType type, int elements) {
            int bytes = elements * type.bytes();
            ByteBuffer memory =
                    ByteBuffer.allocateDirect(2 * ZONE + bytes + 8192).alignedSlice(4096);
            while (memory.hasRemaining()) {
                memory.put(UNTOUCHED);
            }
            all.add(memory.clear().limit(2 * ZONE + (bytes + 4095) / 4096 * 4096));
            ByteBuffer own = memory.slice(ZONE, bytes).order(ByteOrder.nativeOrder());
            for (int i = 0; i < bytes; i++) {
                own.put(i, (byte) 0);
            }
            HostBuffer made = evener.wrap(type, own);
            buffers.add(made);
            return made;
        }

        List<HostBuffer> buffers() {
            return buffers;
        }

        /** What the buffers hold. */
        List<byte[]> contents() {
            List<byte[]> contents = new ArrayList<>();
            for (HostBuffer each : buffers) {
                byte[] bytes = new byte[(int) each.byteSize()];
                each.bytes().get(0, bytes);
                contents.add(bytes);
            }
            return contents;
        }

        /** Whether the buffers that there were still hold that. */
        boolean hold(List<byte[]> expected) {
            List<byte[]> now = contents();
            return Arrays.deepEquals(
                    expected.toArray(), now.subList(0, expected.size()).toArray());
        }

        /** Whether anything in front of a buffer or behind it is another. */
        boolean isTouchedOutside() {
            for (int i = 0; i < all.size(); i++) {
                long end = ZONE + buffers.get(i).byteSize();
                for (int at = 0; at < all.get(i).limit(); at++) {
                    if ((at < ZONE || at >= end) && all.get(i).get(at) != UNTOUCHED) {
                        return true;
                    }
                }
            }
            return false;
        }

        @Override
        public void close() {
            buffers.forEach(HostBuffer::close);
        }
    }
}
