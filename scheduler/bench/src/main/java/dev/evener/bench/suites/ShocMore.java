package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Inputs.noise;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/** SHOC's OpenCL programs, of which one has 27 kernels. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class ShocMore {
    private static final String LEVEL1 = Shoc.FOLDER + "level1/";
    private static final String S3D = Shoc.FOLDER + "level2/s3d/";

    private ShocMore() {}

    static List<Program> programs() {
        return List.of(
                new Program(Shoc.SUITE, "MD5Hash", ShocMore::md5Hash), new Program(Shoc.SUITE, "S3D", ShocMore::s3d));
    }

    /** At most one work-item finds the key, so that what it writes is more than what was there. */
    private static void md5Hash(Run run) {
        int values = run.pick(6, 10, 26);
        int length = 4;
        int keyspace = (int) Math.pow(values, length);
        run.file(LEVEL1 + "md5hash/md5.cl");
        HostBuffer index = run.ints("foundIndex", 1, i -> -1);
        HostBuffer key = run.buffer("foundKey", ElementType.UBYTE, 8);
        HostBuffer digest = run.ints("foundDigest", 4, i -> 0);
        ByteBuffer wanted = digest(keyspace * 2 / 3, values, length);
        run.kernel("FindKeyWithDigest_Kernel")
                .units(keyspace / values)
                .jobView()
                .groupSize(256)
                .scalar(
                        wanted.getInt(0),
                        wanted.getInt(4),
                        wanted.getInt(8),
                        wanted.getInt(12),
                        keyspace,
                        length,
                        values)
                .accumulates(index, Reduction.MAX)
                .accumulates(key, Reduction.OR)
                .accumulates(digest, Reduction.OR)
                .run();
    }

    private static ByteBuffer digest(int index, int values, int length) {
        byte[] key = new byte[length];
        for (int i = 0, left = index; i < length; i++, left /= values) {
            key[i] = (byte) (left % values);
        }
        try {
            byte[] found = MessageDigest.getInstance("MD5").digest(key);
            return ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has MD5", e);
        }
    }

    private static void s3d(Run run) {
        int n = 128 * run.pick(2, 5, 16);
        HostBuffer t = run.floats("d_t", n, i -> 1000 + 200 * noise(i));
        HostBuffer p = run.floats("d_p", n, i -> 1.0132e6);
        HostBuffer y = run.floats("d_y", 22 * n, i -> share(i / n) * (0.5 + noise(i)));
        HostBuffer wdot = run.floats("d_wdot", 22 * n, i -> 0);
        HostBuffer rf = run.floats("d_rf", 206 * n, i -> 0);
        HostBuffer rb = run.floats("d_rb", 206 * n, i -> 0);
        HostBuffer low = run.floats("d_rklow", 21 * n, i -> 0);
        HostBuffer c = run.floats("d_c", 22 * n, i -> 0);
        HostBuffer a = run.floats("d_a", 132 * n, i -> 0);
        HostBuffer eg = run.floats("d_eg", 32 * n, i -> 0);
        HostBuffer weights = run.floats("d_molwt", 22, i -> 1);
        part(run, n, "gr_base", "gr_base")
                .reads(p, slice(1))
                .reads(t, slice(1))
                .reads(y, columns(n))
                .writes(c, columns(n))
                .scalar(1f, 1f)
                .run();
        part(run, n, "ratt")
                .reads(t, slice(1))
                .updates(rf, columns(n))
                .scalar(1f)
                .run();
        part(run, n, "rdsmh")
                .reads(t, slice(1))
                .updates(eg, columns(n))
                .scalar(1f)
                .run();
        for (int i = 2; i < (run.size == 2 ? 10 : 4); i++) { // the others are like the first
            part(run, n, "ratt" + i)
                    .reads(t, slice(1))
                    .reads(rf, columns(n))
                    .updates(rb, columns(n))
                    .reads(eg, columns(n))
                    .scalar(1f)
                    .run();
        }
        part(run, n, "ratt10")
                .reads(t, slice(1))
                .updates(low, columns(n))
                .scalar(1f)
                .run();
        for (String each : List.of("ratx", "ratxb")) {
            part(run, n, each)
                    .reads(t, slice(1))
                    .reads(c, columns(n))
                    .updates(rf, columns(n))
                    .updates(rb, columns(n))
                    .reads(low, columns(n))
                    .scalar(1f)
                    .run();
        }
        part(run, n, "ratx2").reads(c, columns(n)).updates(rf, columns(n)).run();
        part(run, n, "ratx4").reads(c, columns(n)).updates(rb, columns(n)).run();
        for (String each : List.of("qssa", "qssab", "qssa2")) {
            Declared kernel = part(run, n, each).updates(rf, columns(n)).updates(rb, columns(n));
            (each.equals("qssa2") ? kernel.reads(a, columns(n)) : kernel.updates(a, columns(n))).run();
        }
        for (String each : run.size == 2 ? List.of("", "2", "3", "6", "7", "8", "9", "10") : List.of("", "2")) {
            part(run, n, "rdwdot" + each)
                    .reads(rf, columns(n))
                    .reads(rb, columns(n))
                    .updates(wdot, columns(n))
                    .scalar(1f)
                    .reads(weights, whole())
                    .run();
        }
    }

    private static double share(int kind) {
        return kind == 14 ? 0.064 : kind == 3 ? 0.218 : kind == 21 ? 0.718 : 0;
    }

    private static Declared part(Run run, int n, String name) {
        return part(run, n, name, name + "_kernel");
    }

    private static Declared part(Run run, int n, String file, String kernel) {
        run.source(run.file(S3D + file + ".cl").withOptions("-DSINGLE_PRECISION -DN_GP=" + n));
        return run.kernel(kernel).units(n).groupSize(128);
    }
}
