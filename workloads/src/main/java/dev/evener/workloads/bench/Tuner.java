package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.workloads.bench.Case.Effort;
import dev.evener.workloads.bench.Case.Lineup;
import dev.evener.workloads.bench.Case.Scenario;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.bench.Tuned.Candidate;
import dev.evener.workloads.workload.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

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
        int standard = before.value(parameter);
        Map<Integer, String> problems = new LinkedHashMap<>();
        Map<Integer, double[]> times = measure(device, parameter, before, parameter.choices(), problems);
        int best = standard;
        Estimate gain = new Estimate(1, 1, 1);
        if (times.containsKey(standard) && times.size() > 1) {
            best = fastest(times);
            if (best != standard) {
                Map<Integer, double[]> again = measure(device, parameter, before, List.of(best), new LinkedHashMap<>());
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
            throw new EvenerException(value + " could be measured once, and not again");
        }
        return nanos;
    }

    /**
     * Kernel nanoseconds of the standard and of each of these values in each round, over all jobs of the trial.
     *
     * @param problems takes what is wrong with values that are not among them
     */
    private Map<Integer, double[]> measure(
            DeviceInfo device,
            Parameter parameter,
            Tuning before,
            List<Integer> values,
            Map<Integer, String> problems) {
        int standard = before.value(parameter);
        List<String> tunings = values.stream()
                .filter(v -> v != standard)
                .map(v -> parameter.text() + "=" + v)
                .toList();
        Map<Integer, double[]> times = new LinkedHashMap<>();
        for (Request request : Trial.of(parameter, quick)) {
            for (Entry entry :
                    result(device, parameter, before, request, tunings).entries()) {
                String name = entry.name();
                int value = entry.role() == Role.SINGLE
                        ? standard
                        : Integer.parseInt(name.substring(name.indexOf('=') + 1));
                if (entry.problem() != null) {
                    problems.put(value, (Boolean.FALSE.equals(entry.verified()) ? WRONG : "") + entry.problem());
                } else {
                    double[] nanos = entry.times();
                    double[] sum = times.computeIfAbsent(value, v -> new double[rounds]);
                    Arrays.setAll(sum, round -> sum[round] + nanos[round]);
                }
            }
        }
        times.keySet().removeAll(problems.keySet());
        return times;
    }

    /** On an Evener that is opened anew whenever a value turns out to be none for the device. */
    private Result result(
            DeviceInfo device, Parameter parameter, Tuning before, Request request, List<String> tunings) {
        String title = device.id() + ", " + parameter.text();
        Case what = new Case(
                DeviceSelector.parse(device.id()),
                false,
                new Scenario("", List.of(), Scenario.From.START),
                request,
                Timing.KERNELS,
                new Lineup(List.of(), List.of(), tunings, List.of()),
                new Effort(rounds, 0, Duration.ZERO, true, null));
        CaseRun.Setting setting =
                new CaseRun.Setting(watch, before, doing -> progress.accept(title + ": " + doing), () -> {});
        List<Entry> unfit = new ArrayList<>();
        while (true) {
            try (Evener evener = watch.alone(device, title).bindCores(true).open();
                    CaseRun run = new CaseRun(evener, what, setting, unfit)) {
                return run.run();
            } catch (Unfit e) {
                unfit.add(e.entry());
            } catch (EvenerException | IllegalArgumentException e) { // the standard cannot do it
                String problem =
                        String.valueOf(e.getMessage()).lines().findFirst().orElse("");
                unfit.add(Entry.unfit("single", Role.SINGLE, problem, null));
                return new Result(what, request.items(), 0, List.of(device), rounds, 0, unfit, List.of());
            }
        }
    }
}
