package dev.evener;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kernels with one mistake each: the checking mode finds it and names job, kernel, argument and the first unit. A job of 1,000
 * units is cut into pieces of 333 units, and for comparison into pieces of 222.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WrongKernelsTest {
    private static final int N = 1000;

    private static final String SOURCE = """
            __kernel void write_next(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i + 1] = in[i];
            }
            __kernel void write_before(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[(long) i - 1] = in[i];
            }
            __kernel void write_absolute(__global const int *in, __global int *out, ulong first) {
                size_t i = get_global_id(0);
                out[first + i] = in[i];
            }
            __kernel void skip_last(__global const int *in, __global int *out, uint units) {
                size_t i = get_global_id(0);
                if (i + 1 < units) out[i] = in[i];
            }
            __kernel void skip_some(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                if (i % 7 != 3) out[i] = in[i];
            }
            __kernel void three_of_four(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                for (int k = 0; k < 3; k++) out[4 * i + k] = in[i];
            }
            __kernel void read_next(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = max(in[i], in[i + 1]);
            }
            __kernel void read_before(__global const int *in, ulong start, ulong first, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = in[start + i] + (first + i > 0 ? in[start + i - 1] : 0);
            }
            __kernel void row_below(__global const int *in, ulong start, ulong first, uint width, ulong rows,
                                    __global int *out) {
                size_t x = get_global_id(0), y = get_global_id(1);
                int below = first + y + 1 < rows ? in[start + (y + 1) * width + x] : 0;
                out[y * width + x] = in[start + y * width + x] - below;
            }
            __kernel void edge_of_chunk(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = i == 0 ? in[0] : in[i - 1];
            }
            __kernel void index_of_chunk(__global const int *table, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = table[i];
            }
            __kernel void read_absolute(__global const int *in, ulong first, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = in[first + i];
            }
            __kernel void change_input(__global int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = in[i]++;
            }
            __kernel void add(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] += in[i];
            }
            __kernel void unset(__global const int *in, __global int *memory, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = in[i] + memory[i];
            }
            __kernel void spill(__global const int *in, __global int *memory, __global int *out) {
                size_t i = get_global_id(0);
                memory[i + 1] = in[i];
                out[i] = in[i];
            }
            __kernel void count(__global const int *in, __global uint *counts) {
                atomic_inc(&counts[in[get_global_id(0)] % 17]);
            }
            __kernel void sum_rows(__global const uint *rows, __global const int *values, __global int *out) {
                size_t i = get_global_id(0);
                int sum = 0;
                for (uint k = rows[i]; k < rows[i + 1]; k++) sum += values[k];
                out[i] = sum;
            }
            __kernel void append_even(__global const int *in, __global int *slots, __global uint *counts) {
                size_t i = get_global_id(0);
                slots[2 * i] = in[i];
                if (i % 2 == 0) counts[i] = 1;
            }
            __kernel void append_three(__global const int *in, __global int *slots, __global uint *counts) {
                size_t i = get_global_id(0);
                for (int k = 0; k < 3; k++) slots[2 * i + k] = k;
                counts[i] = 2;
            }
            __kernel void one_of_two(__global const int *in, __global float *parts) {
                size_t i = get_global_id(0);
                parts[2 * i] = in[i];
            }
            __kernel void copy(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = in[i];
            }
            __kernel void write_far(__global const int *in, __global int *out, int distance) {
                size_t i = get_global_id(0);
                out[i] = in[i];
                out[(long) i + distance] = in[i];
            }
            __kernel void read_far(__global const int *in, __global int *out, int distance) {
                size_t i = get_global_id(0);
                out[i] = in[(long) i + distance];
            }
            __kernel void append_none(__global const int *in, __global int *slots, __global uint *counts) {
                size_t i = get_global_id(0);
                if (in[i] % 5 != 4) slots[2 * i] = in[i];
                counts[i] = 1;
            }
            __kernel void local_id(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = get_local_id(0) == 0 ? in[i] : -in[i];
            }
            __kernel void groups(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = in[i] + get_group_id(0);
            }
            __kernel void groups_of_128(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = in[i] + (get_local_id(0) >= 128);
            }
            __kernel void local_column(__global const int *in, __global int *out, uint width) {
                size_t x = get_global_id(0), y = get_global_id(1);
                out[y * width + x] = in[y * width + x] + (get_local_size(0) > 1);
            }
            __kernel void pairs(__global const int *in, __global int *out, uint units) {
                size_t i = get_global_id(0);
                if (i % 2 == 0 && i + 1 < units) {
                    out[i] = in[i];
                    out[i + 1] = in[i + 1];
                }
            }
            __kernel void push(__global int *out) {
                size_t i = get_global_id(0);
                out[i + 1] = 1;
            }
            __kernel void all_units(__global const int *in, __global int *out, uint n) {
                for (uint i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = in[i];
            }
            __kernel void view_of_chunk(__global const int *in, ulong start, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = in[i];
            }
            """;

    private final List<HostBuffer> buffers = new ArrayList<>();
    private Evener evener;
    private HostBuffer in;
    private HostBuffer wide;
    private HostBuffer out;

    /** A job, and what is said of it behind the name of the device. */
    private record Wrong(Job job, String found) {
        @Override
        public String toString() {
            return job.name();
        }
    }

    @BeforeAll
    void open() {
        evener = Evener.builder().devices(DeviceSelector.parse("0.0")).checked().open();
        in = buffer(ElementType.INT, N, 1);
        wide = buffer(ElementType.INT, 4L * N, 1);
        out = buffer(ElementType.INT, N, 0);
    }

    @AfterAll
    void close() {
        evener.close();
    }

    /** Numbers that begin with 1 and go up by a step. */
    private HostBuffer buffer(ElementType type, long elements, int step) {
        HostBuffer made = evener.allocate(type, elements);
        for (int i = 0; i < elements; i++) {
            made.ints().put(i, 1 + i * step);
        }
        buffers.add(made);
        return made;
    }

    private static JobBuilder job(String kernel) {
        return Job.named("job of " + kernel).source(SOURCE).units(N).chunkView().kernel(kernel);
    }

    private Wrong map(String kernel, String found) {
        return map(kernel, job -> job, found);
    }

    /** A kernel that reads {@code in} and writes {@code out}, with more arguments behind. */
    private Wrong map(String kernel, UnaryOperator<JobBuilder> more, String found) {
        return wrong(more.apply(job(kernel).reads(in, slice()).writes(out, slice())), found);
    }

    private static Wrong wrong(JobBuilder job, String found) {
        return new Wrong(job.build(), found);
    }

    private static String outside(int argument, String given, String first) {
        return ", argument " + argument + ": the kernel writes outside of what it was given, " + given + ", first at "
                + first;
    }

    private static String unwritten(int argument, String first) {
        return ", argument " + argument + ": the kernel does not write " + first + ", but";
    }

    private static String reads(int argument, String what, String in) {
        return ", argument " + argument + ": the kernel reads " + what + " it shows in " + in;
    }

    private static String grouped(int argument, String first) {
        return ", argument " + argument + ": " + first + " is another in work-groups of another size";
    }

    private static String cut(int argument, String first) {
        return ", argument " + argument + ": " + first + " is another when the job is cut at other units";
    }

    Stream<Wrong> kernels() {
        String aHalo = "outside of the chunk's part; declare a (larger) halo, or whole();";
        HostBuffer same = buffer(ElementType.INT, N, 0);
        HostBuffer rows = buffer(ElementType.UINT, N + 1, 3);
        HostBuffer values = buffer(ElementType.INT, 3L * N + 2, 1);
        HostBuffer counts = buffer(ElementType.UINT, 16, 0);
        HostBuffer pair = evener.allocate(ElementType.FLOAT, 2);
        HostBuffer number = buffer(ElementType.UINT, 1, 0);
        HostBuffer longer = buffer(ElementType.INT, 1009, 1);
        HostBuffer target = buffer(ElementType.INT, 1009, 0);
        return Stream.of(
                map("write_next", "write_next" + outside(1, "unit 0 to unit 332", "unit 333")),
                map("write_before", "write_before" + outside(1, "unit 0 to unit 332", "unit -1")),
                map(
                        "write_absolute",
                        JobBuilder::chunkStart,
                        "write_absolute" + outside(1, "unit 333 to unit 665", "unit 666")),
                map("skip_last", JobBuilder::chunkUnits, "skip_last" + unwritten(1, "unit 332")),
                map("skip_some", "skip_some" + unwritten(1, "unit 3")),
                wrong(
                        job("three_of_four").reads(in, slice()).writes(wide, slice(4)),
                        "three_of_four" + unwritten(1, "unit 0 (its element 3)")),
                map("read_next", "read_next" + reads(0, aHalo, "kernel read_next, argument 1, first at unit 332")),
                wrong( // poison alone makes a difference
                        job("read_next").reads(same, slice()).writes(out, slice()),
                        "read_next" + reads(0, aHalo, "kernel read_next, argument 1, first at unit 332")),
                wrong(
                        job("read_before")
                                .reads(in, slice().halo(0, 1))
                                .viewStart(in)
                                .chunkStart()
                                .writes(out, slice()),
                        "read_before" + reads(0, aHalo, "kernel read_before, argument 3, first at unit 333")),
                wrong(
                        job("row_below")
                                .range(8, 120)
                                .reads(in, slice(8).halo(1, 0))
                                .viewStart(in)
                                .chunkStart()
                                .scalar(8)
                                .scalar(120L)
                                .writes(out, slice(8)),
                        "row_below"
                                + reads(0, aHalo, "kernel row_below, argument 5, first at unit 38 (its element 0)")),
                map("edge_of_chunk", "edge_of_chunk" + cut(1, "unit 222")),
                wrong(
                        job("index_of_chunk").reads(in, whole()).writes(out, slice()),
                        "index_of_chunk" + cut(1, "unit 222")),
                wrong(
                        job("read_absolute").reads(in, slice()).chunkStart().writes(out, slice()),
                        "read_absolute" + reads(0, aHalo, "kernel read_absolute, argument 2, first at unit 333")),
                map("change_input", "change_input, argument 0: the kernel changes unit 0, but"),
                wrong(
                        job("change_input").reads(in, whole()).writes(out, slice()),
                        "change_input, argument 0: the kernel changes element 0, but"),
                map(
                        "add",
                        "add"
                                + reads(
                                        1,
                                        "what it was declared to write only, before it was written or outside of the"
                                                + " chunk's part; declare updates(...);",
                                        "kernel add, argument 1, first at unit 0")),
                wrong(
                        job("unset")
                                .reads(in, slice())
                                .temporary(Temporary.perUnit(ElementType.INT, 1))
                                .writes(out, slice()),
                        "unset"
                                + reads(
                                        1,
                                        "a temporary before it was written, or outside of it;",
                                        "kernel unset, argument 2, first at unit 0")),
                wrong(
                        job("spill")
                                .reads(in, slice())
                                .temporary(Temporary.perUnit(ElementType.INT, 1))
                                .writes(out, slice()),
                        "spill" + outside(1, "element 0 to element 332", "element 333")),
                wrong(
                        job("count").reads(in, slice()).reduces(counts, Reduction.SUM),
                        "count" + outside(1, "element 0 to element 15", "element 16")),
                wrong(
                        job("sum_rows")
                                .reads(rows, slice(1))
                                .reads(values, whole())
                                .writes(out, slice()),
                        "sum_rows" + reads(0, aHalo, "kernel sum_rows, argument 2, first at unit 332")),
                wrong(
                        job("append_even").reads(in, slice()).appends(wide, number, 2),
                        "append_even" + unwritten(2, "unit 1")),
                wrong(
                        job("append_three").reads(in, slice()).appends(wide, number, 2),
                        "append_three"
                                + outside(
                                        1,
                                        "unit 0 (its element 0) to unit 332 (its element 1)",
                                        "unit 333 (its element 0)")),
                wrong(
                        job("one_of_two").reads(in, slice()).reduces(pair, Reduction.SUM),
                        "one_of_two" + unwritten(1, "unit 0 (its element 1)")),
                wrong(
                        job("copy")
                                .reads(in, slice())
                                .writes(out, slice())
                                .then("push")
                                .updates(out, slice()),
                        "push" + outside(0, "unit 0 to unit 332", "unit 333")),
                wrong(
                        job("copy")
                                .variant(DeviceKind.CPU, Variant.itemsPerUnit(1).withGroupSize(64))
                                .reads(in, slice())
                                .writes(out, slice()),
                        "copy" + outside(1, "unit 960 to unit 999", "unit 1000")),
                map("all_units", job -> job.scalar(N), "all_units" + outside(1, "unit 0 to unit 332", "unit 333")),
                map( // 1.6 MB away: where nothing of the job lies, and other things of the process may
                        "write_far",
                        job -> job.scalar(400_000),
                        "write_far" + outside(1, "unit 0 to unit 332", "unit 400000")),
                map(
                        "write_far",
                        job -> job.scalar(-400_000),
                        "write_far" + outside(1, "unit 0 to unit 332", "unit -400000")),
                wrong(
                        job("write_far")
                                .units(1009)
                                .reads(longer, slice(1))
                                .writes(target, slice(1))
                                .scalar(400_000),
                        "write_far" + outside(1, "unit 0 to unit 334", "unit 400000")),
                map(
                        "read_far",
                        job -> job.scalar(400_000),
                        "read_far" + reads(0, aHalo, "kernel read_far, argument 1, first at unit 0")),
                map(
                        "read_far",
                        job -> job.scalar(-500_000),
                        "read_far" + reads(0, aHalo, "kernel read_far, argument 1, first at unit 0")),
                wrong(
                        job("append_none").reads(in, slice()).appends(wide, number, 2),
                        "append_none, argument 1: the kernel does not write unit 3 (its element 0), but counts it"),
                wrong( // too few units for groups in the first place
                        job("local_id").units(500).reads(in, slice(1)).writes(out, slice(1)),
                        "local_id" + grouped(1, "unit 1")),
                map("groups", "groups" + grouped(1, "unit 1")),
                map("groups_of_128", "groups_of_128" + grouped(1, "unit 128")), // the size that a CPU's usually have
                wrong(
                        job("local_column")
                                .range(8, 120)
                                .reads(in, slice(8))
                                .writes(out, slice(8))
                                .scalar(8),
                        "local_column" + grouped(1, "unit 0 (its element 0)")),
                wrong( // 1,008 units have thirds of 336
                        job("pairs")
                                .units(1008)
                                .reads(longer, slice(1))
                                .writes(target, slice(1))
                                .chunkUnits(),
                        "pairs" + unwritten(1, "unit 334")),
                wrong(
                        job("view_of_chunk")
                                .reads(in, slice().halo(1, 1))
                                .viewStart(in)
                                .writes(out, slice()),
                        "view_of_chunk" + cut(2, "unit 222")));
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void areFoundAndNamed(Wrong wrong) {
        List<int[]> before = buffers.stream().map(WrongKernelsTest::content).toList();
        String said = assertThrows(
                        CompletionException.class,
                        () -> evener.submit(wrong.job()).join())
                .getCause()
                .getMessage();
        assertTrue(said.startsWith("job '" + wrong.job().name() + "' failed on device 0.0 ("), said);
        assertTrue(said.contains("): kernel " + wrong.found()), said);
        for (int i = 0; i < before.size(); i++) { // and nothing has come of it
            assertEquals(
                    -1,
                    Arrays.mismatch(before.get(i), content(buffers.get(i))),
                    wrong.job().name());
        }
    }

    private static int[] content(HostBuffer buffer) {
        return Ints.first(buffer, (int) buffer.elements());
    }
}
