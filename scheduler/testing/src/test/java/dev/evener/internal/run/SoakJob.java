package dev.evener.internal.run;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.DeviceKind;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.MadeUpBuffers;
import dev.evener.Variant;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** A job of one of several shapes over random data, with what plain Java says its result is. Belongs to one thread. */
final class SoakJob implements AutoCloseable {
    /** Work-items of a group everywhere, with a guard, because drivers compile anew for each size of groups. */
    private static final Variant GROUPS = Variant.itemsPerUnit(1).withGroupSize(16);

    private static final KernelSource SOURCE = KernelSource.of("soak", """
            __kernel void map(__global const int *in, __global int *out, int a, uint units) {
                size_t i = get_global_id(0);
                if (i < units) out[i] = in[i] * 3 + a;
            }
            __kernel void saxpy(__global const int *x, __global int *y, int a, uint units) {
                size_t i = get_global_id(0);
                if (i < units) y[i] = a * x[i] + y[i];
            }
            __kernel void statistics(__global const int *in, __global uint *bins, __global int *most, uint units) {
                size_t i = get_global_id(0);
                if (i < units) {
                    atomic_inc(bins + (in[i] & 15));
                    atomic_max(most, in[i]);
                }
            }
            __kernel void shift(__global int *data, __global const int *by, uint units) {
                size_t i = get_global_id(0);
                if (i < units) data[i] += by[0];
            }
            __kernel void blur(ulong start, __global const int *in, __global int *out, ulong first, ulong all,
                               uint units) {
                size_t i = get_global_id(0);
                if (i < units) {
                    int sum = 0;
                    for (int d = -2; d <= 2; d++) {
                        long at = (long) (first + i) + d;
                        if (at >= 0 && at < (long) all) sum += in[(long) start + (long) i + d];
                    }
                    out[i] = sum;
                }
            }
            __kernel void filter(__global const int *in, __global int *slots, __global uint *counts, uint units) {
                size_t i = get_global_id(0);
                if (i < units) {
                    uint n = (uint) in[i] % 3;
                    for (uint k = 0; k < n; k++) slots[i * 2 + k] = in[i] + (int) k;
                    counts[i] = n;
                }
            }
            """);

    private final Random random;
    private final int units;
    private final int[] data;
    private final List<HostBuffer> buffers = new ArrayList<>();
    private final JobBuilder builder;
    private final boolean updates;
    private final BooleanSupplier check;

    SoakJob(Random random) {
        this.random = random;
        this.units = random.nextInt(4) == 0 ? random.nextInt(40) : random.nextInt(6000);
        this.data = random.ints(units, -1000, 1000).toArray();
        this.builder = Job.named("soak").source(SOURCE).units(units);
        int shape = random.nextInt(5);
        this.updates = shape == 1 || shape == 2;
        this.check = switch (shape) {
            case 0 -> map();
            case 1 -> saxpy();
            case 2 -> statisticsAndShift();
            case 3 -> blur();
            default -> filter();
        };
    }

    /** The job before its options. */
    JobBuilder builder() {
        return builder;
    }

    /** Whether it updates a buffer in place. */
    boolean updates() {
        return updates;
    }

    /** Whether the result is what plain Java computes. */
    boolean isRight() {
        return check.getAsBoolean();
    }

    private HostBuffer ints(int elements) {
        HostBuffer buffer = MadeUpBuffers.of(ElementType.INT, elements);
        buffers.add(buffer);
        return buffer;
    }

    private HostBuffer filled(int... values) {
        HostBuffer buffer = ints(values.length);
        buffer.ints().put(values);
        return buffer;
    }

    private static boolean holds(HostBuffer buffer, int... expected) {
        int[] actual = new int[expected.length];
        buffer.ints().get(actual);
        return Arrays.equals(expected, actual);
    }

    private void endPhase() {
        builder.chunkUnits().variant(DeviceKind.CPU, GROUPS).variant(DeviceKind.GPU, GROUPS);
    }

    private BooleanSupplier map() {
        HostBuffer in = filled(data);
        HostBuffer out = ints(units);
        int a = random.nextInt();
        builder.kernel("map")
                .reads(in, Access.slice(1))
                .writes(out, Access.slice(1))
                .scalar(a);
        builder.jvm(c -> {
            IntBuffer ins = c.buffer(0).asIntBuffer();
            IntBuffer outs = c.buffer(1).asIntBuffer();
            for (int i = 0; i < c.units(); i++) {
                outs.put(i, ins.get(i) * 3 + a);
            }
        });
        endPhase();
        return () -> holds(out, Arrays.stream(data).map(v -> v * 3 + a).toArray());
    }

    private BooleanSupplier saxpy() {
        int[] y = random.ints(units).toArray();
        HostBuffer xs = filled(data);
        HostBuffer ys = filled(y);
        int a = random.nextInt();
        builder.kernel("saxpy")
                .reads(xs, Access.slice(1))
                .updates(ys, Access.slice(1))
                .scalar(a);
        builder.jvm(c -> {
            IntBuffer from = c.buffer(0).asIntBuffer();
            IntBuffer to = c.buffer(1).asIntBuffer();
            for (int i = 0; i < c.units(); i++) {
                to.put(i, a * from.get(i) + to.get(i));
            }
        });
        endPhase();
        int[] expected = new int[units];
        Arrays.setAll(expected, i -> a * data[i] + y[i]);
        return () -> holds(ys, expected);
    }

    private BooleanSupplier statisticsAndShift() {
        HostBuffer values = filled(data);
        HostBuffer bins = MadeUpBuffers.of(ElementType.UINT, 16);
        buffers.add(bins);
        HostBuffer most = ints(1);
        HostBuffer by = ints(1);
        builder.kernel("statistics")
                .reads(values, Access.slice(1))
                .reduces(bins, Reduction.SUM)
                .reduces(most, Reduction.MAX);
        builder.jvm(c -> {
            IntBuffer in = c.buffer(0).asIntBuffer();
            IntBuffer counts = c.buffer(1).asIntBuffer();
            IntBuffer largest = c.buffer(2).asIntBuffer();
            for (int i = 0; i < c.units(); i++) {
                counts.put(in.get(i) & 15, counts.get(in.get(i) & 15) + 1);
                largest.put(0, Math.max(largest.get(0), in.get(i)));
            }
        });
        endPhase();
        Runnable step = () -> by.ints().put(0, most.ints().get(0));
        if (random.nextBoolean()) {
            builder.hostStep(step);
        } else {
            builder.hostStep(step, by);
        }
        builder.kernel("shift").updates(values, Access.slice(1)).reads(by, Access.whole());
        builder.jvm(c -> {
            IntBuffer in = c.buffer(0).asIntBuffer();
            int shift = c.buffer(1).getInt(0);
            for (int i = 0; i < c.units(); i++) {
                in.put(i, in.get(i) + shift);
            }
        });
        endPhase();
        int[] counts = new int[16];
        Arrays.stream(data).forEach(v -> counts[v & 15]++);
        int shift = Arrays.stream(data).max().orElse(Integer.MIN_VALUE);
        int[] shifted = Arrays.stream(data).map(v -> v + shift).toArray();
        return () -> holds(bins, counts) && holds(values, shifted);
    }

    private BooleanSupplier blur() {
        HostBuffer in = filled(data);
        HostBuffer out = ints(units);
        long all = units;
        builder.kernel("blur")
                .viewStart(in)
                .reads(in, Access.slice(1).halo(2, 2))
                .writes(out, Access.slice(1))
                .chunkStart()
                .scalar(all);
        builder.jvm(c -> {
            IntBuffer view = c.buffer(1).asIntBuffer();
            IntBuffer outs = c.buffer(2).asIntBuffer();
            for (int i = 0; i < c.units(); i++) {
                int sum = 0;
                for (int d = -2; d <= 2; d++) {
                    long at = c.firstUnit() + i + d;
                    sum += at >= 0 && at < all ? view.get(c.viewStart(1) + i + d) : 0;
                }
                outs.put(i, sum);
            }
        });
        endPhase();
        int[] expected = new int[units];
        for (int i = 0; i < units; i++) {
            for (int at = Math.max(0, i - 2); at <= Math.min(units - 1, i + 2); at++) {
                expected[i] += data[at];
            }
        }
        return () -> holds(out, expected);
    }

    private BooleanSupplier filter() {
        HostBuffer in = filled(data);
        HostBuffer out = ints(2 * units);
        HostBuffer count = MadeUpBuffers.of(ElementType.UINT, 1);
        buffers.add(count);
        builder.kernel("filter").reads(in, Access.slice(1)).appends(out, count, 2);
        builder.jvm(c -> {
            IntBuffer ins = c.buffer(0).asIntBuffer();
            IntBuffer slots = c.buffer(1).asIntBuffer();
            IntBuffer counts = c.buffer(2).asIntBuffer();
            for (int i = 0; i < c.units(); i++) {
                int n = Integer.remainderUnsigned(ins.get(i), 3);
                for (int k = 0; k < n; k++) {
                    slots.put(2 * i + k, ins.get(i) + k);
                }
                counts.put(i, n);
            }
        });
        endPhase();
        List<Integer> expected = new ArrayList<>();
        for (int v : data) {
            for (int k = 0; k < Integer.remainderUnsigned(v, 3); k++) {
                expected.add(v + k);
            }
        }
        return () -> count.ints().get(0) == expected.size()
                && holds(out, expected.stream().mapToInt(v -> v).toArray());
    }

    @Override
    public void close() {
        buffers.forEach(HostBuffer::close);
    }
}
