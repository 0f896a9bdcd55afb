package dev.evener.bench;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access.Reduction;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * What the first run in guarded memory takes: the first job of each of nine kernels with it and without, in turn, once with the driver's cache
 * and once without, as each text is a new one; and the jobs after that.
 *
 * <pre>{@code java -cp scheduler/bench/target/evener-bench.jar:scheduler/bench/target/lib/* dev.evener.bench.FirstRuns [DEVICES [ROUNDS [UNITS]]]}</pre>
 */
final class FirstRuns {
    private static final int SIDE = 1024;

    private static final String SOURCE = """
            __kernel void saxpy(__global const float *x, __global float *y, float a) {
                size_t i = get_global_id(0);
                y[i] += a * x[i];
            }
            __kernel void guarded(__global const float *x, __global float *y, int n) {
                int i = get_global_id(0);
                if (i < n) y[i] = 3 * x[i];
            }
            __kernel void sums(__global const float *x, __global float *sums, __local float *tile) {
                int l = get_local_id(0);
                tile[l] = x[get_global_id(0)];
                for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
                    barrier(CLK_LOCAL_MEM_FENCE);
                    if (l < s) tile[l] += tile[l + s];
                }
                if (l == 0) sums[get_group_id(0)] = tile[0];
            }
            __kernel void stencil(__global const float *in, __global float *out, int width, int height) {
                int x = get_global_id(0), y = get_global_id(1), i = y * width + x;
                float up = y > 0 ? in[i - width] : 0, down = y + 1 < height ? in[i + width] : 0;
                float left = x > 0 ? in[i - 1] : 0, right = x + 1 < width ? in[i + 1] : 0;
                out[i] = 0.5f * in[i] + 0.125f * (up + down + left + right);
            }
            __kernel void gather(__global const float *table, __global const float *at, __global float *y) {
                int i = get_global_id(0);
                y[i] = table[(int) at[i]];
            }
            __kernel void columns(__global const float *x, __global float *means, int width, int height) {
                int c = get_global_id(0);
                float sum = 0;
                for (int r = 0; r < height; r++) sum += x[r * width + c];
                means[c] = sum / height;
            }
            __kernel void planes(__global const float *x, __global float *y, int n) {
                int i = get_global_id(0);
                for (int p = 0; p < 4; p++) y[p * n + i] = 1 - x[p * n + i];
            }
            __kernel void histogram(__global const float *x, __global int *bins) {
                atomic_inc(&bins[(int) x[get_global_id(0)] & 255]);
            }
            __kernel void iterate(__global const float *x, __global float *y, int rounds) {
                int i = get_global_id(0);
                float v = x[i];
                for (int k = 0; k < rounds; k++) v = v * 0.99f + 0.01f;
                y[i] = v;
            }
            """;

    private final String devices;
    private final int rounds;
    private final int n;
    private final Map<String, BiFunction<JobBuilder, HostBuffer[], JobBuilder>> kernels = new LinkedHashMap<>();

    private FirstRuns(String devices, int rounds, int n) {
        this.devices = devices;
        this.rounds = rounds;
        this.n = n;
        int rows = n / SIDE;
        kernels.put(
                "saxpy",
                (job, b) -> job.units(n)
                        .kernel("saxpy")
                        .reads(b[0], slice())
                        .updates(b[1], slice())
                        .scalar(0.5f));
        kernels.put(
                "guarded, groups of 64",
                (job, b) -> job.units(n)
                        .kernel("guarded")
                        .groupSize(64)
                        .reads(b[0], slice())
                        .writes(b[1], slice())
                        .scalar(n));
        kernels.put(
                "sums of groups",
                (job, b) -> job.units(n / 128)
                        .jobView()
                        .kernel("sums")
                        .variant(Variant.itemsPerUnit(128).withGroupSize(128))
                        .reads(b[0], slice(128))
                        .writes(b[1].range(0, n / 128), slice(1))
                        .local(ElementType.FLOAT, group -> group));
        kernels.put(
                "stencil",
                (job, b) -> job.range(SIDE, rows)
                        .kernel("stencil")
                        .reads(b[0], slice(SIDE).halo(1, 1))
                        .writes(b[1], slice(SIDE))
                        .scalar(SIDE)
                        .scalar(rows));
        kernels.put(
                "gather",
                (job, b) -> job.units(n)
                        .kernel("gather")
                        .reads(b[0], whole())
                        .reads(b[2], slice())
                        .writes(b[1], slice()));
        kernels.put(
                "columns",
                (job, b) -> job.units(SIDE)
                        .kernel("columns")
                        .reads(b[0], columns(SIDE))
                        .writes(b[1].range(0, SIDE), slice())
                        .scalar(SIDE)
                        .scalar(rows));
        kernels.put(
                "planes",
                (job, b) -> job.units(n / 4)
                        .kernel("planes")
                        .reads(b[0], slice().planes(4))
                        .writes(b[1], slice().planes(4))
                        .scalar(n / 4));
        kernels.put(
                "histogram",
                (job, b) ->
                        job.units(n).kernel("histogram").reads(b[2], slice()).accumulates(b[3], Reduction.SUM));
        kernels.put(
                "iterate",
                (job, b) -> job.units(n)
                        .kernel("iterate")
                        .reads(b[0], slice())
                        .writes(b[1], slice())
                        .scalar(100));
    }

    /**
     * Times them all.
     *
     * @param arguments the devices, {@code 0.0,0.1} unless given; how often each first job is timed, 9 unless given; work-items, 1 Mi unless given
     */
    public static void main(String[] arguments) {
        String devices = arguments.length > 0 ? arguments[0] : "0.0,0.1";
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 9;
        int n = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 1 << 20;
        FirstRuns runs = new FirstRuns(devices, rounds, n);
        runs.compare(true);
        runs.compare(false);
    }

    private void compare(boolean cached) {
        System.out.printf(
                "%s, ms of a kernel's first job: without, with; of those after it%n", cached ? "cached" : "not cached");
        kernels.forEach((name, declared) -> {
            List<double[]> all = new ArrayList<>();
            for (int round = cached ? -2 : 0; round < rounds; round++) {
                double[] times = new double[4];
                for (int i = 0; i < 2; i++) {
                    int with = (i + round) & 1;
                    String text = cached ? SOURCE : SOURCE + "// " + System.nanoTime();
                    double[] own = times(with == 1, text, declared);
                    times[with] = own[0];
                    times[2 + with] = own[1];
                }
                if (round >= 0) {
                    all.add(times);
                }
            }
            double[] middle = new double[4];
            double[] least = new double[4];
            for (int i = 0; i < 4; i++) {
                int k = i;
                double[] sorted =
                        all.stream().mapToDouble(each -> each[k]).sorted().toArray();
                middle[i] = sorted[sorted.length / 2];
                least[i] = sorted[0];
            }
            System.out.printf(
                    "%-22s %7.1f %7.1f, more %5.1f (least %7.1f %7.1f, more %5.1f); later %6.3f %6.3f%n",
                    name,
                    middle[0],
                    middle[1],
                    middle[1] - middle[0],
                    least[0],
                    least[1],
                    least[1] - least[0],
                    least[2],
                    least[3]);
        });
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    /** Milliseconds of the first job, and the median of the next. */
    private double[] times(boolean checked, String text, BiFunction<JobBuilder, HostBuffer[], JobBuilder> declared) {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .history(History.inMemory())
                .firstRunChecked(checked)
                .open()) {
            HostBuffer[] buffers = {
                evener.allocate(ElementType.FLOAT, n),
                evener.allocate(ElementType.FLOAT, n),
                evener.allocate(ElementType.FLOAT, n),
                evener.allocate(ElementType.INT, 256)
            };
            for (int i = 0; i < n; i++) {
                buffers[0].floats().put(i, i % 97);
                buffers[2].floats().put(i, (float) (i * 31L % n));
            }
            Job job = declared.apply(
                            Job.named("first")
                                    .source(KernelSource.of("first", text))
                                    .policy(Policies.fixed(0.5, 0.5)),
                            buffers)
                    .build();
            double[] times = new double[12];
            for (int i = 0; i < times.length; i++) {
                long start = System.nanoTime();
                evener.submit(job).join();
                times[i] = (System.nanoTime() - start) / 1e6;
            }
            for (HostBuffer each : buffers) {
                each.close();
            }
            return new double[] {times[0], median(Arrays.copyOfRange(times, 2, times.length))};
        }
    }
}
