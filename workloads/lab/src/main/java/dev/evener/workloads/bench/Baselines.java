package dev.evener.workloads.bench;

import dev.evener.HostBuffer;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** What a workload is compared with: what memory reaches with as many bytes, and the JDK with the same data. Stateless. */
final class Baselines {
    /** A copy by the device of half of the bytes, a kernel that does nothing but read all of them, and the JDK's own algorithm. */
    static final List<String> NAMES = List.of("copy", "read", "jdk");

    private static final int WORD = 4;

    private Baselines() {}

    /**
     * Finds what is no baseline of a workload.
     *
     * @throws IllegalArgumentException saying what would be
     */
    static void check(String name, Request request) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException(
                    "there is no baseline '" + name + "': expected " + String.join(", ", NAMES));
        }
        Map<String, Object> values = request.values().toMap();
        String type = String.valueOf(values.get("type"));
        boolean integers = type.matches("u?int") && !"true".equals(String.valueOf(values.get("pairs")));
        boolean known = switch (request.workload().name()) {
            case "scan", "reduce", "sort" -> integers;
            case "histogram" -> type.equals("uchar");
            default -> false;
        };
        if (name.equals("jdk") && !known) {
            throw new IllegalArgumentException("the JDK's own algorithms are beside scan, reduce and sort of int or"
                    + " uint, and histogram of uchar");
        }
    }

    /** A request that moves as many bytes as a run of another one does. */
    static Request memory(String way, Request request, double bytes) {
        Workload memory = Workloads.named("memory");
        Object resident = request.values().toMap().getOrDefault("resident", "false");
        Values values = Values.of(memory, Map.of("way", way, "resident", String.valueOf(resident)));
        long words = Math.max(1, (long) (bytes / WORD / (way.equals("copy") ? 2 : 1)));
        return Request.synthetic(memory, values, words, Distribution.UNIFORM, request.seed());
    }

    /** Copies by the host of the data that a kernel copies: by one thread, and by two; nanoseconds of the faster. */
    static double hostCopy(PreparedWorkload copy, LongSupplier clock) {
        HostBuffer from = copy.buffers().get(0);
        HostBuffer to = copy.buffers().get(1);
        int half = Math.toIntExact(to.byteSize() / 2);
        double one = nanos(clock, () -> to.bytes().put(from.bytes()));
        double two = nanos(
                clock,
                () -> IntStream.range(0, 2)
                        .parallel()
                        .forEach(i -> to.bytes((long) half * i, half).put(from.bytes((long) half * i, half))));
        return Math.min(one, two);
    }

    /** What the JDK does with a workload's data, ready to be run; nanoseconds. */
    static Supplier<Double> jdk(PreparedWorkload prepared, String workload, LongSupplier clock) {
        HostBuffer data = prepared.buffers().get(0);
        long[] sink = new long[1]; // so that the counting cannot be optimised away
        if (workload.equals("histogram")) {
            byte[] bytes = new byte[Math.toIntExact(data.elements())];
            data.bytes().get(bytes);
            return () -> nanos(clock, () -> sink[0] += histogram(bytes));
        }
        int[] values = new int[Math.toIntExact(data.elements())];
        data.ints().get(values);
        int[] copy = values.clone();
        return () -> {
            if (workload.equals("sort")) {
                System.arraycopy(values, 0, copy, 0, values.length);
            }
            return nanos(clock, () -> {
                switch (workload) {
                    case "scan" -> Arrays.parallelPrefix(copy, Integer::sum);
                    case "reduce" -> sink[0] += IntStream.of(values).parallel().sum();
                    default -> Arrays.parallelSort(copy);
                }
            });
        };
    }

    /** Two threads, each of which counts a half in a table of its own; returns how many fell into the first bin. */
    private static int histogram(byte[] values) {
        int middle = values.length / 2;
        return IntStream.range(0, 2)
                .parallel()
                .map(half -> {
                    int[] table = new int[256];
                    for (int i = half * middle, end = half == 0 ? middle : values.length; i < end; i++) {
                        table[values[i] & 255]++;
                    }
                    return table[0];
                })
                .sum();
    }

    private static double nanos(LongSupplier clock, Runnable work) {
        long start = clock.getAsLong();
        work.run();
        return clock.getAsLong() - start;
    }
}
