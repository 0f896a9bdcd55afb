package dev.evener.kernels.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.reference.ReduceReference;
import dev.evener.kernels.reference.ResultComparison;
import dev.evener.policy.Policy;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/** Elements of one type and kind, under all operations there are for them. */
record ReduceCase(ElementType type, String kind, int elements, boolean groupsOnCpus) implements PrimitiveCase {
    private static final int TILE = Reduce.TILE;
    private static final Map<ReduceCase, long[]> VALUES = new ConcurrentHashMap<>();
    private static final Map<List<Object>, Object> EXPECTED = new ConcurrentHashMap<>();

    static List<ReduceCase> all(boolean groupsOnCpus) {
        List<ReduceCase> cases = new ArrayList<>();
        for (int elements : new int[] {0, 1, 3, TILE - 1, TILE, TILE + 1, 21 * TILE + 77}) {
            cases.add(new ReduceCase(ElementType.INT, "uniform", elements, groupsOnCpus));
            cases.add(new ReduceCase(ElementType.FLOAT, "uniform", elements, groupsOnCpus));
        }
        for (String kind : List.of("constant", "sorted", "skewed")) {
            cases.add(new ReduceCase(ElementType.INT, kind, 11 * TILE + 5, groupsOnCpus));
            cases.add(new ReduceCase(ElementType.UINT, kind, 10 * TILE, groupsOnCpus));
            cases.add(new ReduceCase(ElementType.FLOAT, kind, 9 * TILE + 4097, groupsOnCpus));
        }
        for (ElementType type : List.of(ElementType.UINT, ElementType.LONG)) {
            cases.add(new ReduceCase(type, "uniform", 19 * TILE + 1, groupsOnCpus));
        }
        for (String kind : List.of("nan", "negative nan", "infinite", "zeros", "denormal")) {
            cases.add(new ReduceCase(ElementType.FLOAT, kind, 6 * TILE + 100, groupsOnCpus));
        }
        return cases;
    }

    @Override
    public String name() {
        return kind + " " + type + ", " + elements + " elements";
    }

    private List<Operation> operations() {
        return Arrays.stream(Operation.values())
                .filter(o -> o != Operation.WIDE_SUM || type == ElementType.INT || type == ElementType.UINT)
                // A sum of denormal numbers may be 0 where they are flushed.
                .filter(o -> !o.adds() || !kind.equals("denormal"))
                .toList();
    }

    @Override
    public Object run(Evener evener, Policy policy) {
        List<Long> results = new ArrayList<>();
        try (HostBuffer input = evener.allocate(type, elements);
                Reduce reduce = new Reduce(evener::allocate)) {
            fill(input.bytes());
            for (Operation operation : operations()) {
                try (HostBuffer result = evener.allocate(operation.result(type), 1)) {
                    evener.submit(GpuForms.job(groupsOnCpus, reduce.job(operation, input, result)), policy)
                            .join();
                    ByteBuffer bytes = result.bytes();
                    results.add(result.type().bytes() == Long.BYTES ? bytes.getLong(0) : bytes.getInt(0));
                }
            }
        }
        return results;
    }

    private void fill(ByteBuffer target) {
        long[] values = values();
        if (type.bytes() == Long.BYTES) {
            target.asLongBuffer().put(values);
        } else {
            for (int i = 0; i < elements; i++) {
                target.putInt(i * Integer.BYTES, (int) values[i]);
            }
        }
    }

    /** The elements' bits. */
    private long[] values() {
        return VALUES.computeIfAbsent(this, c -> {
            SplittableRandom random = new SplittableRandom(elements);
            long[] values = new long[elements];
            for (int i = 0; i < elements; i++) {
                values[i] = value(i, random.nextLong());
            }
            return values;
        });
    }

    private long value(int i, long random) {
        if (type != ElementType.FLOAT) {
            return switch (kind) {
                case "constant" -> Integer.MAX_VALUE - 5L;
                case "sorted" -> i * 3001L - elements * 1000L;
                case "skewed" -> random % 10 != 0 ? 42 : random >> 20;
                default -> random;
            };
        }
        float value = (int) random * 0x1p-20f;
        boolean rare = i % 7919 == 7001;
        return Float.floatToRawIntBits(
                switch (kind) {
                    case "constant" -> 0.1f;
                    case "sorted" -> i * 0.37f - elements * 0.1f;
                    case "skewed" -> random % 10 != 0 ? -3.25f : value;
                    case "nan" -> rare ? Float.NaN : value;
                    case "negative nan" -> rare ? Float.intBitsToFloat(0xffc12345) : value;
                    case "infinite" -> rare ? (i % 2 == 0 ? Float.POSITIVE_INFINITY : Float.NEGATIVE_INFINITY) : value;
                    case "zeros" -> i % 5 == 4 ? 0f : i < 3 * TILE ? -0f : 0f;
                    case "denormal" -> Float.MIN_VALUE * (100 + (random & 0xff)) * (i % 2 == 0 ? 1 : -1);
                    default -> value;
                });
    }

    @Override
    public void check(Object output) {
        List<?> results = (List<?>) output;
        for (int i = 0; i < results.size(); i++) {
            Operation operation = operations().get(i);
            long actual = (Long) results.get(i);
            String what = name() + " " + operation;
            if (type == ElementType.FLOAT && operation == Operation.SUM) {
                checkSum(Float.intBitsToFloat((int) actual), what);
            } else {
                assertEquals(expected(operation), actual, what);
            }
        }
    }

    private void checkSum(float actual, String what) {
        double[] sumAndMagnitude = (double[]) expected(Operation.SUM);
        double sum = sumAndMagnitude[0];
        // An element is added at most 32 + 6 + 3 times within its tile and 6 times after it.
        double bound = 48 * 0x1p-24 * sumAndMagnitude[1];
        assertTrue(ResultComparison.agree(actual, sum, bound), what + ": " + actual + " for " + sum);
    }

    private Object expected(Operation operation) {
        return EXPECTED.computeIfAbsent(
                List.of(this, operation),
                key -> type == ElementType.FLOAT ? ofFloats(operation) : ofIntegers(operation));
    }

    private Object ofIntegers(Operation operation) {
        if (elements == 0 && (operation == Operation.MIN || operation == Operation.MAX)) {
            return (long) (operation == Operation.MIN ? Integer.MAX_VALUE : Integer.MIN_VALUE);
        }
        BigInteger result = ReduceReference.of(
                operation,
                Arrays.stream(values())
                        .map(v -> type == ElementType.UINT ? v & 0xffffffffL : type == ElementType.INT ? (int) v : v)
                        .toArray());
        boolean narrow = operation.result(type).bytes() == Integer.BYTES;
        return narrow ? result.intValue() : result.longValue();
    }

    private Object ofFloats(Operation operation) {
        float[] floats = new float[elements];
        for (int i = 0; i < elements; i++) {
            floats[i] = Float.intBitsToFloat((int) values()[i]);
        }
        return switch (operation) {
            case ARG_MIN, ARG_MAX -> ReduceReference.index(operation, floats);
            case MIN, MAX -> (long) Float.floatToIntBits(ReduceReference.extreme(operation, floats));
            default -> new double[] {ReduceReference.sum(floats), ReduceReference.magnitude(floats)};
        };
    }
}
