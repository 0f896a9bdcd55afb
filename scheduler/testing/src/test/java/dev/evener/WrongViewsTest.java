package dev.evener;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kernels as they are published, each declared as one might at first: refused when the job is built or begun, or found by the checking
 * mode, at 1,000 units and at odd numbers of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(3)
class WrongViewsTest {
    private static final String SOURCE = """
            __kernel void guard(__global const int *x, __global int *y, int n) {
                int i = get_global_id(0);
                if (i < n) y[i] = x[i] + 1;
            }
            __kernel void add(__global const int *x, __global int *y, int n) {
                int i = get_global_id(0);
                if (i < n) y[i] += x[i];
            }
            __kernel void stencil(__global const int *x, __global int *y, int n) {
                int i = get_global_id(0);
                if (i > 0 && i < n - 1) y[i] = x[i - 1] + 3 * x[i + 1];
            }
            __kernel void gather(__global const int *table, __global const int *at, __global int *y) {
                y[get_global_id(0)] = table[at[get_global_id(0)]];
            }
            __kernel void matvec(__global const int *a, __global const int *x, __global int *y, int width, int rows) {
                int i = get_global_id(0), sum = 0;
                if (i >= rows) return;
                for (int j = 0; j < width; j++) sum += a[i * width + j] * x[j];
                y[i] = sum;
            }
            __kernel void sum_columns(__global const int *a, __global int *sums, int width, int rows) {
                int c = get_global_id(0), sum = 0;
                if (c >= width) return;
                for (int r = 0; r < rows; r++) sum += a[r * width + c];
                sums[c] = sum;
            }
            __kernel void mark_columns(__global int *a, int width, int rows) {
                int c = get_global_id(0);
                if (c < width) for (int r = 0; r < rows; r++) a[r * width + c] = r + 7 * c;
            }
            __kernel void transpose(__global const int *in, __global int *out, int width, int height) {
                int x = get_global_id(0), y = get_global_id(1);
                if (x < width && y < height) out[x * height + y] = in[y * width + x];
            }
            __kernel void planes(__global const int *in, __global int *out, int n) {
                int i = get_global_id(0);
                if (i < n) for (int p = 0; p < 3; p++) out[p * n + i] = 5 - in[p * n + i];
            }
            __kernel void pairs(__global int *x, int distance) {
                int i = get_global_id(0), low = i / distance * 2 * distance + i % distance, a = x[low];
                x[low] += x[low + distance];
                x[low + distance] -= a;
            }
            __kernel void interior(__global const int *in, __global int *out, int width, int height) {
                int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
                if (x < width - 1 && y < height - 1) out[y * width + x] = in[(y - 1) * width + x] - in[(y + 1) * width + x];
            }
            __kernel void eliminate(__global int *a, int width, int k) {
                int x = get_global_id(0), y = get_global_id(1);
                if (y != k) a[y * width + x] -= (y % 3 + 1) * a[k * width + x];
            }
            __kernel void histogram(__global const int *x, __global int *bins, int n) {
                int i = get_global_id(0);
                if (i < n) atomic_inc(&bins[(x[i] & 15)]);
            }
            __kernel void scatter(__global const int *x, __global int *y, int n) {
                int i = get_global_id(0);
                if (i < n) y[n - 1 - i] = x[i];
            }
            __kernel void stride(__global const int *x, __global int *y, int n) {
                for (int i = get_global_id(0); i < n; i += get_global_size(0)) y[i] = x[i] + 1;
            }
            __kernel void sums_of_groups(__global const int *x, __global int *sums, __local int *t, int n) {
                int i = get_global_id(0), l = get_local_id(0);
                t[l] = i < n ? x[i] : 0;
                barrier(CLK_LOCAL_MEM_FENCE);
                if (l == 0) {
                    int sum = 0;
                    for (int k = 0; k < get_local_size(0); k++) sum += t[k];
                    sums[get_group_id(0)] = sum;
                }
            }
            __kernel void reversed(__global const int *x, __global int *y) {
                y[get_group_id(0) * get_local_size(0) + get_local_size(0) - 1 - get_local_id(0)] = x[get_global_id(0)];
            }
            __attribute__((reqd_work_group_size(16, 1, 1)))
            __kernel void sixteen(__global const int *x, __global int *y) {
                y[get_global_id(0)] = x[get_global_id(0)];
            }
            __kernel void floats(__global const float *x, __global int *y) {
                y[get_global_id(0)] = (int) x[get_global_id(0)];
            }
            __kernel void flags(__global const int *x, __global char *found, int n) {
                int i = get_global_id(0);
                if (i < n && x[i] == 5) found[0] = 1;
            }
            typedef struct { int a[8]; } Many;
            __kernel void many(__global int *y, Many m) {
                y[get_global_id(0)] = m.a[get_global_id(0) & 7];
            }
            """;

    private final List<HostBuffer> buffers = new ArrayList<>();
    private Evener evener;

    /** A declaration, and what it is answered. */
    private record Wrong(String name, Supplier<Job> job, String said) {
        @Override
        public String toString() {
            return name;
        }
    }

    @BeforeAll
    void open() {
        evener = Evener.builder().devices(DeviceSelector.parse("0.0")).checked().open();
    }

    @AfterAll
    void close() {
        evener.close();
    }

    private HostBuffer ints(long elements) {
        HostBuffer made = evener.allocate(ElementType.INT, elements);
        for (int i = 0; i < elements; i++) {
            made.ints().put(i, 3 + i * 7 % 1013);
        }
        buffers.add(made);
        return made;
    }

    private static JobBuilder job() {
        return Job.named("naive").source(SOURCE);
    }

    Stream<Wrong> declarations() {
        return Stream.of(1000, 1001, 643).flatMap(this::declarations);
    }

    private Stream<Wrong> declarations(int n) {
        int width = 7;
        HostBuffer x = ints(n);
        HostBuffer y = ints(n);
        HostBuffer a = ints((long) n * width);
        HostBuffer b = ints((long) n * width);
        HostBuffer rgb = ints(3L * n);
        HostBuffer out = ints(3L * n);
        HostBuffer few = ints(width);
        HostBuffer bins = ints(16);
        HostBuffer at = ints(n);
        for (int i = 0; i < n; i++) {
            at.ints().put(i, (i * 37) % n);
        }
        HostBuffer bytes = evener.allocate(ElementType.BYTE, 4L * n);
        HostBuffer flag = evener.allocate(ElementType.INT, 1);
        List<Wrong> all = new ArrayList<>();
        Declarations wrong = (name, said, declared) ->
                all.add(new Wrong(name + " of " + n, () -> declared.get().build(), said));

        // What is written.
        wrong.of(
                "declared to be read",
                "the kernel changes unit 0",
                () -> guard(n).reads(x, slice()).reads(y, slice()).scalar(n));
        wrong.of(
                "updated as if written",
                "before it was written",
                () -> job().units(n)
                        .kernel("add")
                        .reads(x, slice())
                        .writes(y, slice())
                        .scalar(n));
        wrong.of(
                "a length too long",
                "writes outside of what it was given",
                () -> guard(n).groupSize(64)
                        .reads(x, slice())
                        .writes(y, slice())
                        .scalar(n + 20));
        wrong.of(
                "a length too short",
                "does not write unit " + (n - 1),
                () -> guard(n).reads(x, slice()).writes(y, slice()).scalar(n - 1));
        wrong.of(
                "twice as much written",
                "the kernel ",
                () -> guard(n).reads(x, slice()).writes(rgb, slice(2)).scalar(n));
        wrong.of(
                "borders written",
                "does not write unit 0",
                () -> job().units(n)
                        .kernel("stencil")
                        .reads(x, slice().halo(1, 1))
                        .writes(y, slice())
                        .scalar(n));
        wrong.of(
                "all written",
                "is written by all units",
                () -> guard(n).reads(x, slice()).writes(y, whole()).scalar(n));
        wrong.of(
                "scattered as slices",
                "writes outside of what it was given",
                () -> job().units(n)
                        .kernel("scatter")
                        .reads(x, slice())
                        .writes(y, slice())
                        .scalar(n));
        wrong.of(
                "scattered everywhere",
                "is written by all units",
                () -> job().units(n)
                        .kernel("scatter")
                        .reads(x, slice())
                        .updates(y, whole())
                        .scalar(n));
        wrong.of(
                "counted as slices",
                "",
                () -> job().units(n)
                        .kernel("histogram")
                        .reads(x, slice())
                        .updates(bins, slice())
                        .scalar(n));
        wrong.of(
                "counted by the greatest",
                "is another when the job is cut",
                () -> job().units(n)
                        .kernel("histogram")
                        .reads(x, slice())
                        .accumulates(bins, Reduction.MAX)
                        .scalar(n));
        wrong.of(
                "a loop over all",
                "writes outside of what it was given",
                () -> job().units(n / 4)
                        .jobView()
                        .kernel("stride")
                        .reads(x, whole())
                        .writes(y, slice(4))
                        .scalar(n));

        // What is read.
        wrong.of(
                "no halo",
                "outside of the chunk's part",
                () -> job().units(n)
                        .kernel("stencil")
                        .reads(x, slice())
                        .updates(y, slice())
                        .scalar(n));
        wrong.of(
                "half a halo",
                "outside of the chunk's part",
                () -> job().units(n)
                        .kernel("stencil")
                        .reads(x, slice().halo(1, 0))
                        .updates(y, slice())
                        .scalar(n));
        wrong.of(
                "gathered from a slice",
                "outside of the chunk's part",
                () -> job().units(n)
                        .jobView()
                        .kernel("gather")
                        .reads(x, slice())
                        .reads(at, slice())
                        .writes(y, slice()));
        wrong.of(
                "a vector in slices",
                "",
                () -> job().units(n)
                        .kernel("matvec")
                        .reads(a, slice(width))
                        .reads(few, slice(1))
                        .writes(y, slice())
                        .scalar(width)
                        .scalar(n));
        wrong.of(
                "an element of each row",
                "",
                () -> job().units(n)
                        .kernel("matvec")
                        .reads(a, slice(1))
                        .reads(few, whole())
                        .writes(y, slice())
                        .scalar(width)
                        .scalar(n));
        wrong.of(
                "columns read as rows",
                "outside of the chunk's part",
                () -> job().units(n)
                        .kernel("sum_columns")
                        .reads(a, slice(width))
                        .writes(y, slice())
                        .scalar(n)
                        .scalar(width));
        wrong.of(
                "columns written as rows",
                "writes outside of what it was given",
                () -> job().units(n)
                        .kernel("mark_columns")
                        .writes(a, slice(width))
                        .scalar(n)
                        .scalar(width));
        wrong.of(
                "columns of the wrong width",
                "",
                () -> job().units(n)
                        .kernel("sum_columns")
                        .reads(a, columns(n + 1))
                        .writes(y, slice())
                        .scalar(n)
                        .scalar(width));
        wrong.of(
                "rows of a transposed matrix",
                "writes outside of what it was given",
                () -> job().range(width, n)
                        .kernel("transpose")
                        .reads(a, slice(width))
                        .writes(b, slice(width))
                        .scalar(width)
                        .scalar(n));
        wrong.of(
                "cut along the other dimension",
                "",
                () -> job().range(n, width)
                        .along(0)
                        .kernel("transpose")
                        .reads(a, slice(width))
                        .writes(b, slice(width))
                        .scalar(n)
                        .scalar(width));
        wrong.of(
                "planes written one behind the other",
                "writes outside of what it was given",
                () -> job().units(n)
                        .kernel("planes")
                        .reads(rgb, slice().planes(3))
                        .writes(out, slice(3))
                        .scalar(n));
        wrong.of(
                "planes read one behind the other",
                "outside of the chunk's part",
                () -> job().units(n)
                        .kernel("planes")
                        .reads(rgb, slice(3))
                        .writes(out, slice().planes(3))
                        .scalar(n));
        for (Access.Parts pairs : List.of(
                slice().planes(2),
                slice().planes(2).blocksOf(20),
                slice(2).planes(1).blocksOf(40))) {
            wrong.of(
                    "pairs at another distance, " + pairs,
                    "writes outside of what it was given",
                    () -> job().units(320)
                            .kernel("pairs")
                            .updates(a.range(0, 640), pairs)
                            .scalar(40));
        }
        wrong.of(
                "one plane of three",
                "",
                () -> job().units(n)
                        .kernel("planes")
                        .reads(rgb, slice(1))
                        .writes(out, slice().planes(3))
                        .scalar(n));
        wrong.of(
                "no border",
                "",
                () -> job().range(width - 2, n - 2)
                        .kernel("interior")
                        .reads(a, slice(width).halo(2, 2))
                        .updates(b, slice(width))
                        .scalar(width)
                        .scalar(n));
        wrong.of(
                "a border without a halo",
                "outside of the chunk's part",
                () -> job().range(width - 2, n - 2)
                        .kernel("interior")
                        .reads(a, slice(width).from(width))
                        .updates(b, slice(width).from(width))
                        .scalar(width)
                        .scalar(n));
        wrong.of(
                "a border that is written",
                "",
                () -> job().range(width - 2, n - 2)
                        .kernel("interior")
                        .reads(a, slice(width).from(width).halo(1, 1))
                        .writes(b, slice(width).from(width))
                        .scalar(width)
                        .scalar(n));
        wrong.of(
                "no pivot",
                "",
                () -> job().range(width, n)
                        .jobView()
                        .kernel("eliminate")
                        .updates(a, slice(width))
                        .scalar(width)
                        .scalar(n / 2));
        wrong.of(
                "another pivot",
                "",
                () -> job().range(width, n)
                        .kernel("eliminate")
                        .updates(a, slice(width).alsoReads(0, width))
                        .scalar(width)
                        .scalar(n / 2));

        // Groups and types.
        wrong.of(
                "no local memory",
                "has 4 parameters, but 3 arguments were given",
                () -> sums(n).reads(x, slice()).writes(y, slice()).scalar(n));
        wrong.of(
                "a buffer for local memory",
                "give local(type, count)",
                () -> sums(n).reads(x, slice())
                        .writes(y, slice())
                        .reads(at, whole())
                        .scalar(n));
        wrong.of(
                "local memory of floats",
                "local memory of float, but the kernel's parameter is int*",
                () -> sums(n).reads(x, slice())
                        .writes(y, slice())
                        .local(ElementType.FLOAT, 64)
                        .scalar(n));
        wrong.of(
                "groups of any size",
                "",
                () -> job().units(n)
                        .jobView()
                        .kernel("reversed")
                        .reads(x, slice())
                        .writes(y, slice()));
        wrong.of(
                "groups of another size",
                "give groupSize(16)",
                () -> job().units(n)
                        .jobView()
                        .kernel("sixteen")
                        .groupSize(32)
                        .reads(x, slice())
                        .writes(y, slice()));
        wrong.of(
                "bytes for floats",
                "a buffer of char, but the kernel's parameter is float*",
                () -> job().units(n).kernel("floats").reads(bytes, slice()).writes(y, slice()));
        wrong.of(
                "ints for flags",
                "a buffer of int, but the kernel's parameter is char*",
                () -> job().units(n)
                        .kernel("flags")
                        .reads(x, slice())
                        .reduces(flag, Reduction.MAX)
                        .scalar(n));
        wrong.of(
                "a number for a struct",
                "a value of 8 bytes, but the kernel's parameter, a Many, has 32",
                () -> job().units(n).kernel("many").writes(y, slice()).scalar(5L));
        return all.stream();
    }

    private interface Declarations {
        void of(String name, String said, Supplier<JobBuilder> declared);
    }

    private static JobBuilder guard(int n) {
        return job().units(n).kernel("guard");
    }

    private static JobBuilder sums(int n) {
        return job().units(n).jobView().kernel("sums_of_groups").groupSize(64);
    }

    @ParameterizedTest
    @MethodSource("declarations")
    void areRefusedOrFound(Wrong wrong) {
        String said;
        try {
            Job built = wrong.job().get();
            said = assertThrows(
                            CompletionException.class,
                            () -> evener.submit(built).join())
                    .getCause()
                    .getMessage();
        } catch (EvenerException refused) {
            said = refused.getMessage();
        }
        assertTrue(said.startsWith("job 'naive'"), said);
        assertTrue(said.contains(wrong.said()), said);
    }
}
