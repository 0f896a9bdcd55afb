package dev.evener.simulation;

import java.util.ArrayList;
import java.util.List;

/** What moves a device's data, from what moving it took. Stateless. */
final class LinkFit {
    private LinkFit() {}

    static Link of(List<Sample> samples) {
        List<Sample> moving = samples.stream()
                .filter(s -> s.transferNanos() > 0 && s.bytesIn() + s.bytesOut() > 0)
                .toList();
        if (moving.isEmpty()) {
            return Link.NONE;
        }
        // Each way from chunks that went that way alone, if there are some; else both ways are taken to be alike.
        double[] in = line(moving.stream().filter(s -> s.bytesOut() == 0).toList());
        double[] out = line(moving.stream().filter(s -> s.bytesIn() == 0).toList());
        double[] both = line(moving);
        double latency = Math.max(0, in[1] > 0 ? in[0] : out[1] > 0 ? out[0] : both[0]);
        double inward = in[1] > 0 ? in[1] : rest(moving, latency, out[1], true, both[1]);
        double outward = out[1] > 0 ? out[1] : rest(moving, latency, in[1], false, both[1]);
        List<Double> overlaps = new ArrayList<>();
        for (Sample s : moving) {
            double shorter = Math.min(s.nanos(), s.transferNanos());
            overlaps.add(
                    Math.max(0, Math.min(1, (s.nanos() + s.transferNanos() - s.busyNanos()) / Math.max(1, shorter))));
        }
        return new Link(latency, bandwidth(inward), bandwidth(outward), Numbers.median(overlaps));
    }

    private static double bandwidth(double nanosPerByte) {
        return Math.max(1, Math.min(1e15, 1e9 / Math.max(1e-9, nanosPerByte)));
    }

    /** What one way takes for each byte, once the other way is known. */
    private static double rest(List<Sample> moving, double latency, double other, boolean inward, double otherwise) {
        if (other <= 0) {
            return otherwise;
        }
        List<Double> rates = new ArrayList<>();
        for (Sample s : moving) {
            double mine = inward ? s.bytesIn() : s.bytesOut();
            double others = inward ? s.bytesOut() : s.bytesIn();
            if (mine > 0) {
                rates.add(Math.max(0, s.transferNanos() - latency - other * others) / mine);
            }
        }
        return rates.isEmpty() ? otherwise : Numbers.median(rates);
    }

    private static double[] line(List<Sample> of) {
        List<double[]> rows = new ArrayList<>();
        for (Sample s : of) {
            rows.add(new double[] {1, (double) (s.bytesIn() + s.bytesOut()), s.transferNanos()});
        }
        return rows.isEmpty() ? new double[2] : Numbers.leastDeviations(rows);
    }
}
