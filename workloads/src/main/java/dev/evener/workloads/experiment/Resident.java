package dev.evener.workloads.experiment;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How fast primitives are on data that lies on the device. What counts is the time that their kernels take, from the device's
 * own profiling events: inputs stay on the device from one run to the next, but results are fetched all the same, and that time
 * is told apart, in the wall time. Results are checked once for every tuning. One thread.
 */
public final class Resident {
    private static final int WARM_UP = 3;

    private final Evener evener;
    private final int rounds;
    private final double part;
    private final Consumer<String> progress;

    /**
     * What came out for one primitive, tuned in one way.
     *
     * @param name of the case, such as {@code scan-uint32}
     * @param tuning what differs from the first tuning that was measured; empty if nothing does
     * @param unit what speeds are told in, such as {@code GB/s}
     * @param scale amount of work of one run, so that {@code scale / nanoseconds} is the speed in that unit
     * @param kernelNanos of each round: time in kernels
     * @param wallNanos of each round: wall time of the job, which fetches the result
     * @param problem why there are no times, or what is wrong with the result; null if all is well
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Result(
            String name,
            String tuning,
            String unit,
            double scale,
            double[] kernelNanos,
            double[] wallNanos,
            @Nullable String problem) {

        /** Median speed while kernels ran; 0 if there is none. */
        public double speed() {
            return kernelNanos.length == 0 ? 0 : scale / Statistics.median(kernelNanos);
        }

        /** Median speed with everything; 0 if there is none. */
        public double wallSpeed() {
            return wallNanos.length == 0 ? 0 : scale / Statistics.median(wallNanos);
        }
    }

    /**
     * @param evener with one device
     * @param rounds how often everything is measured, at least 1
     * @param part of the full sizes (1 GiB), to be quicker; figures are for 1
     * @param progress told what is being done
     */
    public Resident(Evener evener, int rounds, double part, Consumer<String> progress) {
        this.evener = evener;
        this.rounds = rounds;
        this.part = part;
        this.progress = progress;
    }

    /** The names of all cases. */
    public static List<String> names() {
        return ResidentCases.NAMES;
    }

    /**
     * Measures the cases whose names begin with one of these, or all if there are none, tuned in each of these ways.
     *
     * @throws EvenerException if a job failed
     */
    public List<Result> measure(List<String> prefixes, List<Tuning> tunings) {
        List<Result> results = new ArrayList<>();
        for (String name : names()) {
            if (!prefixes.isEmpty() && prefixes.stream().noneMatch(name::startsWith)) {
                continue;
            }
            progress.accept(name + ": making data");
            try (ResidentCase one = ResidentCases.open(name, evener, part)) {
                for (Tuning tuning : one.tuned() ? tunings : tunings.subList(0, 1)) {
                    progress.accept(name + " " + tuning);
                    results.add(measure(name, one, tuning, difference(tuning, tunings.get(0))));
                }
            }
        }
        return results;
    }

    private Result measure(String name, ResidentCase one, Tuning tuning, String told) {
        double[] kernels = new double[rounds];
        double[] walls = new double[rounds];
        try {
            Job job = one.job(tuning);
            for (int round = -WARM_UP; round < rounds; round++) {
                Report report = run(job);
                if (round >= 0) {
                    walls[round] = report.wallNanos();
                    kernels[round] = report.devices().stream()
                            .mapToLong(DeviceUse::kernelNanos)
                            .sum();
                }
            }
            String problem = one.problem() ? "wrong result" : null;
            return new Result(name, told, one.unit(), one.scale(), kernels, walls, problem);
        } catch (EvenerException e) {
            String first = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            return new Result(name, told, one.unit(), one.scale(), new double[0], new double[0], first);
        }
    }

    /** What one tuning has otherwise than another, as {@code name=value}, separated by commas. */
    private static String difference(Tuning tuning, Tuning from) {
        return Arrays.stream(Parameter.values())
                .filter(p -> tuning.value(p) != from.value(p))
                .map(p -> p.text() + "=" + tuning.value(p))
                .collect(Collectors.joining(", "));
    }

    private Report run(Job job) {
        try {
            return evener.submit(job, Policies.single(0)).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof EvenerException cause ? cause : e;
        }
    }
}
