package dev.evener.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What moves a device's data, from what moving it took: a latency and a bandwidth each way, by least absolute deviations over
 * all that was moved. Where everything went one way, or as much one way as the other, both ways are taken to be alike.
 *
 * <p>How much of a chunk is hidden, and what is lost in gaps, go against each other in each chunk, but not in chunks of
 * several sizes: the former grows with them.
 */
final class LinkFit {
    /** Less than this part of what went the other way tells nothing of a bandwidth. */
    private static final double LITTLE = 0.01;
    /** Steps in which the overlap is sought. */
    private static final int STEPS = 100;
    /** An overlap that explains this much better than a smaller one is believed. */
    private static final double WORTH = 1.02;

    private final Map<String, KernelFit.Line> lines;
    private final String bus;
    private final Link link;
    private final Map<String, List<Double>> gaps = new TreeMap<>();

    /**
     * @param samples of one device
     * @param lines by kernel: what others slow it by is left out
     * @param bus on which it is; empty for none
     */
    LinkFit(List<Sample> samples, Map<String, KernelFit.Line> lines, String bus) {
        this.lines = lines;
        this.bus = bus;
        List<Sample> moving = samples.stream()
                .filter(s -> s.transferNanos() > 0 && s.bytes() > 0)
                .toList();
        link = moving.isEmpty() ? Link.NONE : withOverlap(bare(moving), moving);
    }

    Link link() {
        return link;
    }

    /** Of each chunk of a kernel that moved anything, how long neither kernels nor transfers went on. */
    List<Double> gaps(String kernel) {
        return gaps.getOrDefault(kernel, List.of());
    }

    private double slowdown(Sample s) {
        KernelFit.Line line = lines.get(s.kernel());
        return line == null ? 1 : line.slowdown();
    }

    private double transfer(Sample s) {
        return s.transferAlone(slowdown(s));
    }

    private Link bare(List<Sample> moving) {
        double[] rates = rates(moving);
        double in = bandwidth(rates[1]);
        double out = bandwidth(rates[2]);
        Link steady = new Link(rates[0], in, out, 0);
        List<double[]> factors = new ArrayList<>();
        for (Sample s : moving) {
            double expected = steady.nanos((double) s.bytesIn(), (double) s.bytesOut());
            factors.add(new double[] {Math.round(transfer(s) / expected * 1e6) / 1e6, expected});
        }
        return new Link(rates[0], in, out, 0, Times.weighed(factors), "", List.of());
    }

    /** Latency, and nanoseconds for a byte each way. */
    private double[] rates(List<Sample> moving) {
        double in = 0;
        double out = 0;
        double least = Double.MAX_VALUE; // of what went in, as a part of all
        double most = 0;
        for (Sample s : moving) {
            double all = s.bytes();
            in = Math.max(in, (double) s.bytesIn());
            out = Math.max(out, (double) s.bytesOut());
            least = Math.min(least, s.bytesIn() / all);
            most = Math.max(most, s.bytesIn() / all);
        }
        boolean alike = Math.min(in, out) < LITTLE * Math.max(in, out) || most - least < LITTLE;
        List<double[]> rows = new ArrayList<>();
        for (Sample s : moving) {
            double bytesIn = (double) s.bytesIn();
            double bytesOut = (double) s.bytesOut();
            rows.add(
                    alike
                            ? new double[] {1, bytesIn + bytesOut, transfer(s)}
                            : new double[] {1, bytesIn, bytesOut, transfer(s)});
        }
        double[] found = Numbers.leastDeviations(rows);
        return alike ? new double[] {found[0], found[1], found[1]} : found;
    }

    private static double bandwidth(double nanosPerByte) {
        return Math.max(1, Math.min(1e15, 1e9 / Math.max(1e-9, nanosPerByte)));
    }

    private Link withOverlap(Link bare, List<Sample> moving) {
        Map<String, List<double[]>> byKernel = new TreeMap<>(); // what could be hidden, and what was saved
        for (Sample s : moving) {
            if (s.busyNanos() < 0) {
                continue;
            }
            double kernel = s.nanosAlone(slowdown(s));
            double hideable = bare.hideable(kernel, transfer(s), (double) s.bytesIn(), (double) s.bytesOut());
            byKernel.computeIfAbsent(s.kernel(), k -> new ArrayList<>())
                    .add(new double[] {hideable, kernel + transfer(s) - s.busyAlone(slowdown(s))});
        }
        double[] off = new double[STEPS + 1];
        double least = Double.MAX_VALUE;
        for (int step = 0; step <= STEPS; step++) {
            for (List<double[]> rows : byKernel.values()) {
                double[] found = gaps((double) step / STEPS, rows);
                double gap = Math.max(0, Numbers.median(found.clone()));
                for (double each : found) {
                    off[step] += Math.abs(each - gap);
                }
            }
            least = Math.min(least, off[step]);
        }
        int step = 0;
        while (off[step] > WORTH * least) {
            step++;
        }
        double overlap = (double) step / STEPS;
        byKernel.forEach((kernel, rows) -> {
            List<Double> own = new ArrayList<>();
            for (double gap : gaps(overlap, rows)) {
                own.add(gap);
            }
            gaps.put(kernel, own);
        });
        return new Link(
                bare.latencyNanos(),
                bare.bytesPerSecondIn(),
                bare.bytesPerSecondOut(),
                overlap,
                bare.factor(),
                bus,
                List.of());
    }

    private static double[] gaps(double overlap, List<double[]> rows) {
        return rows.stream().mapToDouble(row -> overlap * row[0] - row[1]).toArray();
    }
}
