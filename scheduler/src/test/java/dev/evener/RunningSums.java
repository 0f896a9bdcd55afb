package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.Access.Reduction;
import java.nio.IntBuffer;

/**
 * Running sums of each unit's four values, in two phases with a host step between; and, for one device, from one end to the
 * other, which only works if nothing is cut. Tells which it was.
 */
final class RunningSums implements AutoCloseable {
    static final int CUT = 1;
    static final int ALONE = 2;

    private static final KernelSource SOURCE = KernelSource.of("running sums", """
            __kernel void sums(__global const int *in, __global int *sums, __global uint *form) {
                size_t u = get_global_id(0);
                sums[u] = in[u * 4] + in[u * 4 + 1] + in[u * 4 + 2] + in[u * 4 + 3];
                atomic_max(form, 1u);
            }
            __kernel void onward(__global const int *sums, __global const int *in, __global int *out) {
                size_t u = get_global_id(0);
                int sum = sums[u];
                for (int k = 0; k < 4; k++) out[u * 4 + k] = sum += in[u * 4 + k];
            }
            __kernel void inplace(__global const int *sums, __global int *in) {
                size_t u = get_global_id(0);
                int sum = sums[u];
                for (int k = 0; k < 4; k++) in[u * 4 + k] = sum += in[u * 4 + k];
            }
            __kernel void odd(__global const int *in, __global int *out) { // pairs first, so that there are two phases
                size_t p = get_global_id(0);
                out[2 * p] = in[2 * p];
                out[2 * p + 1] = in[2 * p] + in[2 * p + 1];
            }
            __kernel void oddinplace(__global int *in) { in[2 * get_global_id(0) + 1] += in[2 * get_global_id(0)]; }
            __kernel void chain(__global int *out, uint pairs, __global uint *form) {
                if (get_global_id(0) > 0) return;
                for (uint p = 1; p < pairs; p++) {
                    out[2 * p] += out[2 * p - 1];
                    out[2 * p + 1] += out[2 * p - 1];
                }
                atomic_max(form, 2u);
            }
            """);

    private final int units;
    private final boolean inPlace;
    private final HostBuffer in;
    private final HostBuffer out;
    private final HostBuffer sums;
    private final HostBuffer form;
    private final int[] expected;

    RunningSums(Evener evener, int units, boolean inPlace) {
        this.units = units;
        this.inPlace = inPlace;
        in = evener.allocate(ElementType.INT, 4L * units);
        out = inPlace ? in : evener.allocate(ElementType.INT, 4L * units);
        sums = evener.allocate(ElementType.INT, units);
        form = evener.allocate(ElementType.UINT, 1);
        expected = new int[4 * units];
        fill();
    }

    /** The input, once more. */
    void fill() {
        int sum = 0;
        for (int i = 0; i < expected.length; i++) {
            Ints.put(in, i, i * 31 % 1009 - 500);
            sum += i * 31 % 1009 - 500;
            expected[i] = sum;
        }
        form.ints().put(0, 0);
    }

    JobBuilder job() {
        JobBuilder job = Job.named("running sums")
                .source(SOURCE)
                .units(units)
                .alone(alone())
                .kernel("sums")
                .reads(in, Access.slice(4))
                .writes(sums, Access.slice(1))
                .reduces(form, Reduction.MAX)
                .jvm(chunk -> {
                    IntBuffer ints = chunk.buffer(0).asIntBuffer();
                    for (int u = 0; u < chunk.units(); u++) {
                        int sum = 0;
                        for (int k = 0; k < 4; k++) {
                            sum += ints.get(u * 4 + k);
                        }
                        chunk.buffer(1).asIntBuffer().put(u, sum);
                    }
                    chunk.buffer(2).putInt(0, CUT);
                })
                .hostStep(
                        () -> {
                            int before = 0;
                            for (int u = 0; u < units; u++) {
                                int sum = Ints.at(sums, u);
                                Ints.put(sums, u, before);
                                before += sum;
                            }
                        },
                        sums)
                .kernel(inPlace ? "inplace" : "onward")
                .reads(sums, Access.slice(1));
        (inPlace
                        ? job.updates(in, Access.slice(4))
                        : job.reads(in, Access.slice(4)).writes(out, Access.slice(4)))
                .jvm(chunk -> {
                    IntBuffer from = chunk.buffer(1).asIntBuffer();
                    IntBuffer to = chunk.buffer(inPlace ? 1 : 2).asIntBuffer();
                    for (int u = 0; u < chunk.units(); u++) {
                        int sum = chunk.buffer(0).asIntBuffer().get(u);
                        for (int k = 0; k < 4; k++) {
                            sum += from.get(u * 4 + k);
                            to.put(u * 4 + k, sum);
                        }
                    }
                });
        return job;
    }

    /** Two phases over pairs: the second one's unit is a pair, too, but nothing is done unless all are there. */
    private Job alone() {
        JobBuilder job = Job.named("alone").source(SOURCE).units(2L * units);
        if (inPlace) {
            job.kernel("oddinplace").updates(in, Access.slice(2)).jvm(chunk -> {
                IntBuffer ints = chunk.buffer(0).asIntBuffer();
                for (int p = 0; p < chunk.units(); p++) {
                    ints.put(2 * p + 1, ints.get(2 * p) + ints.get(2 * p + 1));
                }
            });
        } else {
            job.kernel("odd")
                    .reads(in, Access.slice(2))
                    .writes(out, Access.slice(2))
                    .jvm(chunk -> {
                        IntBuffer ints = chunk.buffer(0).asIntBuffer();
                        for (int p = 0; p < chunk.units(); p++) {
                            chunk.buffer(1).asIntBuffer().put(2 * p, ints.get(2 * p));
                            chunk.buffer(1).asIntBuffer().put(2 * p + 1, ints.get(2 * p) + ints.get(2 * p + 1));
                        }
                    });
        }
        return job.kernel("chain")
                .updates(out, Access.slice(2))
                .chunkUnits()
                .reduces(form, Reduction.MAX)
                .jvm(chunk -> {
                    IntBuffer ints = chunk.buffer(0).asIntBuffer();
                    for (int p = 1; p < chunk.units(); p++) {
                        ints.put(2 * p, ints.get(2 * p) + ints.get(2 * p - 1));
                        ints.put(2 * p + 1, ints.get(2 * p + 1) + ints.get(2 * p - 1));
                    }
                    chunk.buffer(2).putInt(0, ALONE);
                })
                .build();
    }

    /** Which form was run; 0 if none was. */
    int form() {
        return form.ints().get(0);
    }

    void check(Report report) {
        assertArrayEquals(expected, Ints.first(out, expected.length), () -> units + " units: " + report);
    }

    @Override
    public void close() {
        in.close();
        out.close();
        sums.close();
        form.close();
    }
}
