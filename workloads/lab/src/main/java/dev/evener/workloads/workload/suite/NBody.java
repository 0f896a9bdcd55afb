package dev.evener.workloads.workload.suite;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.Forms;
import dev.evener.kernels.reference.ResultComparison;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Workload;
import java.nio.FloatBuffer;
import org.jspecify.annotations.Nullable;

/** Accelerations of bodies that attract each other: much arithmetic on few bytes, every device reads all of them. */
final class NBody extends Workload {
    private static final KernelSource SOURCE =
            KernelSource.resource(NBody.class, "nbody.cl").withTrialLaunch();
    private static final int GROUP = 256;
    private static final int SIDE_BY_SIDE = 16;

    /** x, y, z, and mass or nothing. */
    private static final int COMPONENTS = 4;

    /** Square of the distance below which bodies hardly attract each other more. */
    private static final float SOFTENING = 1e-4f;

    /** Of each pair of bodies: 3 differences, 6 for the square, 15 for the root, 3 for the pull, 6 to add it. */
    private static final int FLOPS = 33;

    /** Bodies that are verified, spread over all: each takes a sum over all. */
    private static final int VERIFIED = 512;

    NBody() {
        super("nbody", "gravitational accelerations of particles, each by the sum over all");
        items("particle", "particle", 1L << 10, 8L << 10, 32L << 10);
        reads("particles", ElementType.FLOAT, COMPONENTS, "x, y, z and mass of each particle");
        writes("float: acceleration in x, y and z, and 0, of each particle");
        atMost(4L << 20);
    }

    @Override
    public void prepare(PreparedWorkload setup) {
        int count = Math.toIntExact(setup.items());
        HostBuffer bodies = setup.input(0);
        HostBuffer accelerations = setup.output(ElementType.FLOAT, bodies.elements());
        JobBuilder job = Job.named("nbody")
                .source(SOURCE)
                .units(count)
                .kernel("nbody")
                .jvm(jvm(count))
                .reads(bodies, slice(COMPONENTS))
                .reads(bodies, whole())
                .writes(accelerations, slice(COMPONENTS))
                .chunkUnits()
                .scalar(count)
                .scalar(SOFTENING);
        Forms.add(
                job,
                Variant.unitsPerItem(SIDE_BY_SIDE).withGroupSize(1).withRounds(count + 4L * SIDE_BY_SIDE),
                Variant.itemsPerUnit(1).withGroupSize(GROUP).withOptions("-D GROUP=" + GROUP));
        setup.job(job.build())
                .bytesPerItem(2 * COMPONENTS * Float.BYTES)
                .flopsPerItem((double) FLOPS * count)
                .check(() -> mismatch(count, bodies.floats(), accelerations.floats()));
    }

    private static JvmKernel jvm(int count) {
        return chunk -> {
            FloatBuffer own = chunk.buffer(0).asFloatBuffer();
            FloatBuffer all = chunk.buffer(1).asFloatBuffer();
            FloatBuffer out = chunk.buffer(2).asFloatBuffer();
            for (int at = 0; at < COMPONENTS * chunk.units(); at += COMPONENTS) {
                float x = own.get(at);
                float y = own.get(at + 1);
                float z = own.get(at + 2);
                float ax = 0;
                float ay = 0;
                float az = 0;
                for (int other = 0; other < COMPONENTS * count; other += COMPONENTS) {
                    float dx = all.get(other) - x;
                    float dy = all.get(other + 1) - y;
                    float dz = all.get(other + 2) - z;
                    float root = inverseRoot(((dx * dx + dy * dy) + dz * dz) + SOFTENING);
                    float pull = ((all.get(other + 3) * root) * root) * root;
                    ax += pull * dx;
                    ay += pull * dy;
                    az += pull * dz;
                }
                out.put(at, ax).put(at + 1, ay).put(at + 2, az).put(at + 3, 0);
            }
        };
    }

    /** As nbody.cl has it. */
    private static float inverseRoot(float v) {
        float half = 0.5f * v;
        float y = Float.intBitsToFloat(0x5f3759df - (Float.floatToRawIntBits(v) >> 1));
        for (int step = 0; step < 3; step++) {
            y = y * (1.5f - (half * y) * y);
        }
        return y;
    }

    /** Against sums in double precision, within what as many roundings to float can amount to. */
    private static @Nullable String mismatch(int count, FloatBuffer all, FloatBuffer found) {
        int checked = Math.min(count, VERIFIED);
        for (int k = 0; k < checked; k++) {
            int body = (int) ((long) k * count / checked);
            double[] sum = new double[3];
            double[] sizes = new double[3];
            for (int other = 0; other < count; other++) {
                double square = SOFTENING;
                double[] apart = new double[3];
                for (int axis = 0; axis < 3; axis++) {
                    apart[axis] = (double) all.get(COMPONENTS * other + axis) - all.get(COMPONENTS * body + axis);
                    square += apart[axis] * apart[axis];
                }
                double pull = all.get(COMPONENTS * other + 3) / (square * Math.sqrt(square));
                for (int axis = 0; axis < 3; axis++) {
                    sum[axis] += pull * apart[axis];
                    sizes[axis] += Math.abs(pull * apart[axis]);
                }
            }
            for (int axis = 0; axis < COMPONENTS; axis++) {
                float value = found.get(COMPONENTS * body + axis);
                double expected = axis < 3 ? sum[axis] : 0;
                double allowed = axis < 3 ? sizes[axis] * (count + 64) * 0x1p-24 : 0;
                if (!ResultComparison.agree(value, expected, allowed)) {
                    return "component " + axis + " of body " + body + " is " + value + ", not " + expected + " within "
                            + allowed;
                }
            }
        }
        return null;
    }
}
