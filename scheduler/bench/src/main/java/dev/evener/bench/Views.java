package dev.evener.bench;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.ManagedBuffer;
import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * What a kernel takes that sees its job, over the same that sees its chunk, in turn: five kernels, half of each on two devices, or all of
 * it on one.
 *
 * <pre>{@code java -cp scheduler/bench/target/evener-bench.jar:scheduler/bench/target/lib/* dev.evener.bench.Views [DEVICES [ROUNDS]]}</pre>
 */
final class Views {
    private static final KernelSource SOURCE = KernelSource.of("views", """
            #ifdef CHUNK
            #define STARTS , ulong start, ulong first
            #define IN(i) in[start + (i) - first * width]
            #define OUT(i) out[(i) - first * width]
            #else
            #define STARTS
            #define first 0
            #define IN(i) in[i]
            #define OUT(i) out[i]
            #endif
            __kernel void saxpy(__global const float *x, __global float *y, float a) {
                size_t i = get_global_id(0);
                y[i] += a * x[i];
            }
            __kernel void tone(__global const float *rgb, __global uchar *out, float key) {
                size_t i = get_global_id(0);
                float r = rgb[3 * i] * key, g = rgb[3 * i + 1] * key, b = rgb[3 * i + 2] * key;
                float y = 0.2126f * r + 0.7152f * g + 0.0722f * b, by = 255.0f / (1.0f + y);
                out[3 * i] = (uchar) min(r * by, 255.0f);
                out[3 * i + 1] = (uchar) min(g * by, 255.0f);
                out[3 * i + 2] = (uchar) min(b * by, 255.0f);
            }
            __kernel void stencil(__global const float *in, __global float *out, uint width, uint height STARTS) {
                size_t x = get_global_id(0), y = get_global_id(1) + first, i = y * width + x;
                float up = y > 0 ? IN(i - width) : 0, down = y + 1 < height ? IN(i + width) : 0;
                float left = x > 0 ? IN(i - 1) : 0, right = x + 1 < width ? IN(i + 1) : 0;
                OUT(i) = 0.5f * IN(i) + 0.125f * (up + down + left + right);
            }
            __kernel void bodies(__global const float4 *all, __global float4 *out, uint n STARTS) {
                size_t i = get_global_id(0);
                float4 at = all[i + first], force = 0;
                for (uint k = 0; k < n; k++) {
                    float4 d = all[k] - at;
                    float near = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
                    force += d * (at.w / (near * sqrt(near)));
                }
                out[i] = force;
            }
            __kernel void product(__global const float *a, __global const float *b, __global float *c, uint n) {
                size_t x = get_global_id(0), y = get_global_id(1);
                float sum = 0;
                for (uint k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
                c[y * n + x] = sum;
            }
            """);

    private final Evener evener;
    private final int rounds;
    private final List<ManagedBuffer> buffers = new ArrayList<>();

    private Views(Evener evener, int rounds) {
        this.evener = evener;
        this.rounds = rounds;
    }

    /**
     * Times them all.
     *
     * @param arguments the devices, {@code 0.0,0.1} unless given; how often each job is timed, 60 unless given
     */
    public static void main(String[] arguments) {
        String devices = arguments.length > 0 ? arguments[0] : "0.0,0.1";
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 60;
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .history(History.inMemory())
                .open()) {
            Views views = new Views(evener, rounds);
            int side = 2048;
            int n = side * side;
            ManagedBuffer x = views.floats(n);
            ManagedBuffer y = views.floats(n);
            views.compare(
                    "saxpy",
                    chunk -> job(chunk)
                            .units(n)
                            .kernel("saxpy")
                            .reads(x, slice())
                            .updates(y, slice())
                            .scalar(0.5f));
            ManagedBuffer rgb = views.floats(3 * n);
            ManagedBuffer coded = evener.allocateManaged(ElementType.UBYTE, 3L * n);
            views.compare(
                    "tone",
                    chunk -> job(chunk)
                            .units(n)
                            .kernel("tone")
                            .reads(rgb, slice(3))
                            .writes(coded, slice(3))
                            .scalar(0.18f));
            views.compare("stencil", chunk -> {
                JobBuilder job = job(chunk)
                        .range(side, side)
                        .kernel("stencil")
                        .reads(x, slice(side).halo(1, 1))
                        .writes(y, slice(side))
                        .scalar(side)
                        .scalar(side);
                return chunk ? job.viewStart(x).chunkStart() : job;
            });
            int bodies = 4096;
            ManagedBuffer all = views.floats(4 * bodies);
            ManagedBuffer out = views.floats(4 * bodies);
            views.compare("bodies", chunk -> {
                JobBuilder job = job(chunk)
                        .units(bodies)
                        .kernel("bodies")
                        .reads(all, whole())
                        .writes(out, slice(4))
                        .scalar(bodies);
                return chunk ? job.scalar(0L).chunkStart() : job;
            });
            ManagedBuffer a = views.floats(512 * 512);
            ManagedBuffer b = views.floats(512 * 512);
            ManagedBuffer c = views.floats(512 * 512);
            views.compare(
                    "product",
                    chunk -> job(chunk)
                            .range(512, 512)
                            .kernel("product")
                            .reads(a, slice(512))
                            .reads(b, whole())
                            .writes(c, slice(512))
                            .scalar(512));
        }
    }

    private static JobBuilder job(boolean chunk) {
        JobBuilder job = Job.named("view")
                .source(chunk ? SOURCE.withMacro("CHUNK", "") : SOURCE)
                .policy(Policies.fixed());
        return chunk ? job.chunkView() : job.jobView();
    }

    private ManagedBuffer floats(int count) {
        ManagedBuffer made = evener.allocateManaged(ElementType.FLOAT, count);
        try (ManagedBuffer.Scope scope = made.overwrite()) {
            for (int i = 0; i < count; i++) {
                scope.floats().put(i, 0.25f + i % 97);
            }
        }
        buffers.add(made);
        return made;
    }

    private void compare(String kernel, Function<Boolean, JobBuilder> described) {
        Job chunk = described.apply(true).build();
        Job sees = described.apply(false).build();
        long[] ofChunk = new long[rounds];
        long[] ofJob = new long[rounds];
        for (int i = -rounds / 2; i < rounds; i++) {
            boolean first = i % 2 == 0;
            long one = time(first ? chunk : sees);
            long other = time(first ? sees : chunk);
            if (i >= 0) {
                ofChunk[i] = first ? one : other;
                ofJob[i] = first ? other : one;
            }
        }
        Arrays.sort(ofChunk);
        Arrays.sort(ofJob);
        System.out.printf(
                "%-8s chunk's view %9.1f us, job's view %9.1f us: %.3f (of the medians), %.3f (of the least)%n",
                kernel,
                ofChunk[rounds / 2] / 1e3,
                ofJob[rounds / 2] / 1e3,
                ofJob[rounds / 2] / (double) ofChunk[rounds / 2],
                ofJob[0] / (double) ofChunk[0]);
    }

    private long time(Job job) {
        long start = System.nanoTime();
        evener.submit(job).join();
        return System.nanoTime() - start;
    }
}
