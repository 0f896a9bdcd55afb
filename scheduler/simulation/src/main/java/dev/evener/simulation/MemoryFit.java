package dev.evener.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/**
 * Which devices slow one another: they work on one memory. Of what chunks took beyond what they take alone, each
 * memory explains what the devices on it took by how many of them were at work at a time. Memories are joined two by
 * two, those first that explain least less together than apart, and devices moved where that explains more; of all
 * these partitions the likeliest counts, and more memories must be worth it.
 */
final class MemoryFit {
    private static final int MOST_SAMPLES = 2400; // of all devices and one kernel: more tell nothing new
    /** Chunks of a kernel that run alone and beside others from which on something is told. */
    static final int FEWEST = 3;
    /** What chunks are off at least, as a part of their time: clocks tell no less. */
    private static final double LEAST = 1e-4;

    private static final double MOST_SLOWDOWN = 4;

    private final Map<Integer, List<List<Ratio>>> byDevice = new TreeMap<>(); // of each kernel that tells something
    private final Map<BitSet, Double> known = new HashMap<>(); // how far off memories are
    private final int devices;

    /** By how much longer a chunk took than alone. */
    private record Ratio(double log, Beside beside) {}

    private MemoryFit(Map<String, List<Sample>> byKernel, int devices) {
        this.devices = devices;
        byKernel.values().forEach(samples -> {
            for (int device = 0; device < devices; device++) {
                int of = device;
                List<Sample> own =
                        samples.stream().filter(s -> s.device() == of).toList();
                if (tells(own)) {
                    byDevice.computeIfAbsent(device, d -> new ArrayList<>())
                            .add(ratios(KernelFit.thin(own, Math.max(50, MOST_SAMPLES / devices))));
                }
            }
        });
    }

    /** Whether some chunks ran alone and some beside others. */
    static boolean tells(List<Sample> samples) {
        return samples.stream().filter(s -> s.beside().alone() > 0.8).count() >= FEWEST
                && samples.stream().filter(s -> s.beside().alone() < 0.2).count() >= FEWEST;
    }

    private static List<Ratio> ratios(List<Sample> samples) {
        double[] line = Numbers.leastDeviations(samples.stream()
                .filter(s -> s.beside().alone() > 0.8)
                .map(s -> new double[] {1, s.units(), s.work()})
                .toList());
        return samples.stream()
                .map(s -> new Ratio(Math.log(s.work() / Math.max(1e-9, line[0] + line[1] * s.units())), s.beside()))
                .toList();
    }

    /** The devices of each memory, that of the first device first. */
    static List<BitSet> of(Map<String, List<Sample>> byKernel, int devices) {
        MemoryFit fit = new MemoryFit(byKernel, devices);
        List<BitSet> memories = IntStream.range(0, devices)
                .mapToObj(device -> with(new BitSet(), device, true))
                .toList();
        List<BitSet> best = memories;
        while (memories.size() > 1) {
            memories = fit.joined(memories);
            List<BitSet> moved = fit.moved(memories);
            best = fit.unlikely(moved) <= fit.unlikely(best) ? moved : best;
        }
        return best.stream()
                .sorted(Comparator.comparingInt(memory -> memory.nextSetBit(0)))
                .toList();
    }

    private List<BitSet> joined(List<BitSet> memories) {
        List<BitSet> best = memories;
        double least = Double.MAX_VALUE;
        for (BitSet a : memories) {
            for (BitSet b : memories.subList(memories.indexOf(a) + 1, memories.size())) {
                BitSet both = (BitSet) a.clone();
                both.or(b);
                double more = off(both) - off(a) - off(b);
                if (more < least) {
                    least = more;
                    best = memories.stream()
                            .filter(each -> !each.equals(b))
                            .map(each -> each.equals(a) ? both : each)
                            .toList();
                }
            }
        }
        return best;
    }

    /** The same, with devices in other memories for as long as that is better. */
    private List<BitSet> moved(List<BitSet> memories) {
        for (int device = 0; device < devices; device++) {
            for (int to = 0; to < memories.size(); to++) {
                List<BitSet> moved = new ArrayList<>();
                for (BitSet each : memories) {
                    moved.add(with(each, device, moved.size() == to));
                }
                if (moved.stream().noneMatch(BitSet::isEmpty) && off(moved) < off(memories) * (1 - 1e-9)) {
                    return moved(moved);
                }
            }
        }
        return memories;
    }

    private static BitSet with(BitSet memory, int device, boolean in) {
        BitSet changed = (BitSet) memory.clone();
        changed.set(device, in);
        return changed;
    }

    /**
     * Schwarz's criterion ("Estimating the Dimension of a Model", 1978), as what chunks are off is spread like
     * Laplace's errors.
     */
    private double unlikely(List<BitSet> memories) {
        double count = 1;
        for (List<List<Ratio>> kernels : byDevice.values()) {
            count += kernels.stream().mapToInt(List::size).sum();
        }
        return count * Math.log(Math.max(LEAST, off(memories) / count)) + memories.size() * Math.log(count);
    }

    private double off(List<BitSet> memories) {
        return memories.stream().mapToDouble(this::off).sum();
    }

    /** How far off chunks of the devices on one memory are, by the logarithms of their times. */
    private double off(BitSet memory) {
        Double found = known.get(memory);
        if (found == null) {
            found = memory.stream()
                    .mapToObj(device -> byDevice.getOrDefault(device, List.of()))
                    .flatMap(List::stream)
                    .mapToDouble(ratios -> off(ratios, memory))
                    .sum();
            known.put(memory, found);
        }
        return found;
    }

    private static double off(List<Ratio> ratios, BitSet devices) {
        List<double[]> parts =
                ratios.stream().map(r -> r.beside().parts(devices)).toList();
        double best = slowdown(slowdown -> off(ratios, parts, slowdown));
        return Math.min(off(ratios, parts, 1), off(ratios, parts, best));
    }

    private static double off(List<Ratio> ratios, List<double[]> parts, double slowdown) {
        double sum = 0;
        for (int i = 0; i < parts.size(); i++) {
            sum += Math.abs(ratios.get(i).log() + Math.log(Beside.part(parts.get(i), slowdown)));
        }
        return sum;
    }

    /** That which is least far off, by golden section: how far off it is falls and rises once. */
    static double slowdown(DoubleUnaryOperator off) {
        double golden = (Math.sqrt(5) - 1) / 2;
        double low = 1;
        double high = MOST_SLOWDOWN;
        double a = high - golden * (high - low);
        double b = low + golden * (high - low);
        double offA = off.applyAsDouble(a);
        double offB = off.applyAsDouble(b);
        while (high - low > 5e-4) {
            if (offA <= offB) {
                high = b;
                b = a;
                offB = offA;
                a = high - golden * (high - low);
                offA = off.applyAsDouble(a);
            } else {
                low = a;
                a = b;
                offA = offB;
                b = low + golden * (high - low);
                offB = off.applyAsDouble(b);
            }
        }
        return (low + high) / 2;
    }
}
