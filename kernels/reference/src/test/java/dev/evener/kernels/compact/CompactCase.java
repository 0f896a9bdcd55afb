package dev.evener.kernels.compact;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.reference.CompactReference;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Elements to choose from.
 *
 * @param comparison how they are compared with 3; null to choose by flags
 * @param share about how much is kept, from 0 to 1
 * @param groupsOnCpus whether to run the form for other devices on CPUs
 */
record CompactCase(
        ElementType type, @Nullable Comparison comparison, double share, int n, boolean indices, boolean groupsOnCpus)
        implements TunedCase {

    @Override
    public String name() {
        return type + " " + (comparison == null ? "flags" : comparison) + " " + share + ", " + n
                + (indices ? " indices" : "") + (groupsOnCpus ? " in groups" : "");
    }

    private double number(int i) {
        Random random = new Random(31L * i);
        random.nextInt();
        if (type == ElementType.FLOAT && random.nextInt(20) == 0) {
            return new double[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, -0.0}[random.nextInt(4)];
        }
        // Without a comparison the numbers matter little; with one, this share is smaller than 3.
        boolean small = random.nextDouble() < share;
        return small ? random.nextInt(3) : random.nextInt(100) + 3;
    }

    private boolean flag(int i) {
        Random random = new Random(77L * i);
        random.nextInt();
        return random.nextDouble() < share;
    }

    private long bits(int i) {
        double number = number(i);
        return type == ElementType.FLOAT
                ? Integer.toUnsignedLong(Float.floatToRawIntBits((float) number))
                : (long) number | (i % 7 == 0 ? 1L << (8 * type.bytes() - 1) : 0); // negative, or large unsigned
    }

    private void put(ByteBuffer to, int at, long bits) {
        if (to.order() != null && type.bytes() == Long.BYTES) {
            to.putLong(8 * at, bits);
        } else {
            to.putInt(4 * at, (int) bits);
        }
    }

    /** What was kept, and the count behind it. */
    @Override
    public long[] run(Evener evener, Policy policy, Tuning tuning) {
        ElementType kept = indices ? ElementType.UINT : type;
        ElementType counted = n % 2 == 0 ? ElementType.UINT : ElementType.ULONG;
        try (HostBuffer in = evener.allocate(type, n);
                HostBuffer flags = evener.allocate(ElementType.UBYTE, n);
                HostBuffer out = evener.allocate(kept, n);
                HostBuffer count = evener.allocate(counted, 1)) {
            ByteBuffer elements = in.bytes();
            ByteBuffer bytes = flags.bytes();
            for (int i = 0; i < n; i++) {
                put(elements, i, bits(i));
                bytes.put(i, (byte) (flag(i) ? i % 255 + 1 : 0));
            }
            Selection selection = comparison == null ? Selection.flagged(flags) : Selection.where(comparison, 3);
            Job job = GpuForms.job(
                    groupsOnCpus,
                    indices
                            ? Compact.indicesJob(selection, in, out, count, tuning)
                            : Compact.valuesJob(selection, in, out, count, tuning));
            evener.submit(job, policy).join();
            int length = (int)
                    (counted == ElementType.UINT
                            ? count.ints().get(0)
                            : count.bytes().getLong(0));
            long[] output = new long[length + 1];
            ByteBuffer results = out.bytes();
            for (int i = 0; i < length; i++) {
                output[i] = kept.bytes() == Long.BYTES
                        ? results.getLong(8 * i)
                        : Integer.toUnsignedLong(results.getInt(4 * i));
            }
            output[length] = length;
            return output;
        }
    }

    @Override
    public void check(Object output) {
        long[] kept = CompactReference.indices(n, keeps());
        long[] expected = new long[kept.length + 1];
        for (int i = 0; i < kept.length; i++) {
            expected[i] = indices ? kept[i] : bits((int) kept[i]);
        }
        expected[kept.length] = kept.length;
        assertArrayEquals(expected, (long[]) output);
    }

    private LongPredicate keeps() {
        Comparison how = comparison;
        if (how == null) {
            return i -> flag((int) i);
        }
        return i -> {
            long bits = bits((int) i);
            double value = switch (type) {
                case FLOAT -> Float.intBitsToFloat((int) bits);
                case INT -> (int) bits;
                default -> (double) bits;
            };
            return switch (how) {
                case LESS -> value < 3;
                case LESS_OR_EQUAL -> value <= 3;
                case EQUAL -> value == 3;
                case NOT_EQUAL -> value != 3;
                case GREATER_OR_EQUAL -> value >= 3;
                case GREATER -> value > 3;
            };
        };
    }
}
