package dev.evener.workloads.experiment;

import dev.evener.DeviceInfo;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.workloads.experiment.Tuned.Candidate;
import dev.evener.workloads.workload.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the fastest value of each parameter on one device alone, one parameter after another: those of a primitive that were
 * settled before keep what was found. Each value is first tried and its results checked; then all take turns in rounds, in
 * an order drawn anew. The fastest is measured again, against the default and nothing else, because among several the fastest
 * owes something to chance; it is kept if the whole 95 % interval of that is above {@link #LEAST_GAIN}. What counts is the
 * time that kernels take. One thread.
 */
public final class Tuner {
    /** A lesser gain is not worth another build. */
    public static final double LEAST_GAIN = 1.02;

    /** What a problem begins with that is a wrong result. */
    public static final String WRONG = "wrong: ";

    private static final int WARM_UP = 2;

    private final int rounds;
    private final boolean quick;
    private final Watch watch;
    private final Consumer<String> progress;

    /**
     * @param rounds how often everything is measured, at least 1; fewer than 6 give no interval, only a range
     * @param quick on smaller data
     * @param watch who hears of the jobs
     * @param progress told now and then in a few words what is being done
     */
    public Tuner(int rounds, boolean quick, Watch watch, Consumer<String> progress) {
        this.rounds = rounds;
        this.quick = quick;
        this.watch = watch;
        this.progress = progress;
    }

    /** What came out for those of the parameters that are for this kind of device. */
    public List<Tuned> on(DeviceInfo device, List<Parameter> parameters) {
        List<Tuned> all = new ArrayList<>();
        Tuning tuning = Tuning.standard(device.platform());
        for (Parameter parameter : parameters) {
            if (parameter.devices().has(device.kind())) {
                Tuned tuned = tune(device, parameter, tuning);
                all.add(tuned);
                if (tuned.kept()) {
                    tuning = tuning.with(parameter, tuned.best());
                }
            }
        }
        return all;
    }

    private Tuned tune(DeviceInfo device, Parameter parameter, Tuning before) {
        List<Request> trial = Trial.of(parameter, quick);
        String what = device.id() + ", " + parameter.text();
        Map<Integer, String> problems = new LinkedHashMap<>();
        List<Integer> possible = new ArrayList<>();
        for (int value : parameter.choices()) {
            String doing = what + " " + value + ": checking";
            progress.accept(doing);
            String problem = attempt(device, doing, trial, before.with(parameter, value));
            if (problem == null) {
                possible.add(value);
            } else {
                problems.put(value, problem);
            }
        }
        int standard = before.value(parameter);
        int best = standard;
        Estimate gain = new Estimate(1, 1, 1);
        Map<Integer, double[]> times = Map.of();
        if (possible.contains(standard) && possible.size() > 1) {
            times = measure(device, what + ": measuring", trial, parameter, before, possible);
            best = fastest(times);
            if (best != standard) {
                Map<Integer, double[]> again = measure(
                        device,
                        what + " " + best + ": measuring again",
                        trial,
                        parameter,
                        before,
                        List.of(standard, best));
                gain = Statistics.medianRatio(of(again, standard), of(again, best));
            }
        }
        List<Candidate> candidates = new ArrayList<>();
        for (int value : parameter.choices()) {
            double[] nanos = times.get(value);
            candidates.add(new Candidate(value, nanos == null ? 0 : Statistics.median(nanos), problems.get(value)));
        }
        return new Tuned(
                device, parameter, standard, candidates, best, gain, best != standard && gain.low() > LEAST_GAIN);
    }

    private static int fastest(Map<Integer, double[]> times) {
        return times.entrySet().stream()
                .min((a, b) -> Double.compare(Statistics.median(a.getValue()), Statistics.median(b.getValue())))
                .orElseThrow()
                .getKey();
    }

    private static double[] of(Map<Integer, double[]> times, int value) {
        double[] nanos = times.get(value);
        if (nanos == null) {
            throw new IllegalStateException(value + " was not measured");
        }
        return nanos;
    }

    /** Runs a value once, on an Evener of its own as a failure ends its device's use; what was wrong, or null. */
    private @Nullable String attempt(DeviceInfo device, String doing, List<Request> trial, Tuning tuning) {
        try (Evener evener = watch.alone(device, doing).bindCores(true).open()) {
            for (Request request : trial) {
                try (Noted noted = Noted.prepare(evener, request.tuned(tuning), watch)) {
                    noted.workload().reset();
                    noted.run();
                    String mismatch = noted.workload().mismatch();
                    if (mismatch != null) {
                        return WRONG + mismatch;
                    }
                }
            }
            return null;
        } catch (EvenerException | IllegalArgumentException e) {
            return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        }
    }

    /** Kernel nanoseconds of each value in each round, over all jobs of the trial. */
    private Map<Integer, double[]> measure(
            DeviceInfo device,
            String doing,
            List<Request> trial,
            Parameter parameter,
            Tuning before,
            List<Integer> values) {
        progress.accept(doing);
        Map<Integer, double[]> times = new LinkedHashMap<>();
        try (Evener evener = watch.alone(device, doing).bindCores(true).open()) {
            for (Request request : trial) { // one after another, as the buffers of one job for every value are enough
                List<Noted> prepared = new ArrayList<>();
                try {
                    List<Integer> order = new ArrayList<>();
                    for (int value : values) {
                        order.add(order.size());
                        times.computeIfAbsent(value, v -> new double[rounds]);
                        Noted one = Noted.prepare(evener, request.tuned(before.with(parameter, value)), watch);
                        prepared.add(one);
                        for (int i = 0; i < WARM_UP; i++) { // builds, and touches all memory
                            one.workload().reset();
                            one.run();
                        }
                    }
                    Random random = new Random(1);
                    for (int round = 0; round < rounds; round++) {
                        Collections.shuffle(order, random);
                        for (int i : order) {
                            Report report = prepared.get(i).run();
                            of(times, values.get(i))[round] += report.devices().stream()
                                    .mapToLong(DeviceUse::kernelNanos)
                                    .sum();
                        }
                    }
                } finally {
                    prepared.forEach(Noted::close);
                }
            }
        }
        return times;
    }
}
