package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Parameter.Devices;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.workloads.bench.Case.Effort;
import dev.evener.workloads.bench.Case.Lineup;
import dev.evener.workloads.bench.Case.Scenario;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.bench.CaseRun.Watch;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.Statistics.Estimate;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.suite.Workloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the fastest value of each parameter on one device alone, one parameter after another: those of a primitive that were
 * settled before keep what was found. Each value is first tried and its results checked; then all take turns in rounds, in
 * an order drawn anew. The fastest is measured again, against the default and nothing else, because among several the fastest
 * owes something to chance; it is kept if the whole 95 % interval of that is above {@value #LEAST_GAIN}. What counts is the
 * time that kernels take. One thread.
 */
public final class Tuner {
    /** A lesser gain is not worth another build. */
    private static final double LEAST_GAIN = 1.02;

    private static final String WRONG = "wrong: ";

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

    /**
     * A tuning with values in place of its own, as users write them: {@code scan.groups=512,scan.tiles=4}.
     *
     * @throws IllegalArgumentException if there is no such parameter, or it cannot have that value
     */
    public static Tuning tuned(Tuning tuning, String text) {
        Tuning changed = tuning;
        for (String setting : text.split(",", -1)) {
            String[] sides = setting.strip().split("=", -1);
            Parameter parameter = Stream.of(Parameter.values())
                    .filter(p -> p.text().equals(sides[0]))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("nothing is tuned by '" + sides[0] + "'"));
            if (sides.length != 2 || !sides[1].matches("\\d{1,9}")) {
                throw new IllegalArgumentException("'" + setting + "' is not NAME=NUMBER");
            }
            changed = changed.with(parameter, Integer.parseInt(sides[1]));
        }
        return changed;
    }

    private Tuned tune(DeviceInfo device, Parameter parameter, Tuning before) {
        int standard = before.value(parameter);
        Map<Integer, String> faults = new LinkedHashMap<>();
        Map<Integer, double[]> times = measure(device, parameter, before, parameter.choices(), faults);
        Map<Integer, Double> nanos = new LinkedHashMap<>();
        times.forEach((value, each) -> nanos.put(value, Statistics.median(each)));
        int best = standard;
        Estimate gain = new Estimate(1, 1, 1);
        if (nanos.containsKey(standard) && nanos.size() > 1) {
            best = Collections.min(nanos.keySet(), Comparator.comparing(nanos::get));
        }
        if (best != standard) {
            Map<Integer, double[]> again = measure(device, parameter, before, List.of(best), new LinkedHashMap<>());
            double[] own = again.get(best);
            double[] other = again.get(standard);
            if (own == null || other == null) {
                throw new EvenerException(best + " could be measured once, and not again");
            }
            gain = Statistics.medianRatio(other, own);
        }
        return new Tuned(device, parameter, standard, nanos, faults, best, gain);
    }

    /**
     * Kernel nanoseconds of the standard and of each of these values in each round, over all jobs of the trial.
     *
     * @param faults takes what is wrong with values that are not among them
     */
    private Map<Integer, double[]> measure(
            DeviceInfo device, Parameter parameter, Tuning before, List<Integer> values, Map<Integer, String> faults) {
        int standard = before.value(parameter);
        List<String> tunings = values.stream()
                .filter(v -> v != standard)
                .map(v -> parameter.text() + "=" + v)
                .toList();
        Map<Integer, double[]> times = new LinkedHashMap<>();
        for (Request request : trials(parameter)) {
            for (Entry entry : entries(device, parameter, before, request, tunings)) {
                boolean single = entry.role() == Role.SINGLE;
                int value = single ? standard : Integer.parseInt(entry.name().split("=", -1)[1]);
                if (entry.problem() != null) {
                    faults.put(value, (Boolean.FALSE.equals(entry.verified()) ? WRONG : "") + entry.problem());
                } else {
                    double[] nanos = entry.times();
                    double[] sum = times.computeIfAbsent(value, v -> new double[rounds]);
                    Arrays.setAll(sum, round -> sum[round] + nanos[round]);
                }
            }
        }
        times.keySet().removeAll(faults.keySet());
        return times;
    }

    private List<Entry> entries(
            DeviceInfo device, Parameter parameter, Tuning before, Request request, List<String> tunings) {
        String title = device.id() + ", " + parameter.text();
        Case what = new Case(
                DeviceSelector.parse(device.id()),
                false,
                Scenario.HEALTHY,
                request,
                Timing.KERNELS,
                new Lineup(List.of(), List.of(), tunings, List.of()),
                new Effort(rounds, 0, Duration.ZERO, true, null));
        CaseRun.Setting setting =
                new CaseRun.Setting(watch, evener -> before, doing -> progress.accept(title + ": " + doing), () -> {});
        try {
            return CaseRun.measure(what, setting, () -> {
                        EvenerBuilder builder = Evener.builder().devices(what.set());
                        builder.history(History.inMemory());
                        return watch.on(what.timed(builder), title).open();
                    })
                    .entries();
        } catch (EvenerException | IllegalArgumentException e) { // the standard cannot do it
            String problem = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            return List.of(Entry.unfit("single", Role.SINGLE, problem, null));
        }
    }

    /**
     * The jobs that the values of a parameter are tried on: large enough not to lie in a cache, small enough that every value's buffers
     * fit in memory. Devices that run many work-items at once get four times as much.
     */
    private List<Request> trials(Parameter parameter) {
        long items = ((parameter.devices() == Devices.OTHER ? 4L : 1) * (quick ? 1 : 4)) << 20;
        return Workloads.all().stream()
                .flatMap(workload -> workload.trials(parameter.primitive(), items))
                .toList();
    }

    /**
     * What came out for one parameter on one device.
     *
     * @param standard what it is where nothing was measured: the default, or what suits such devices better
     * @param nanos median kernel time of the trials' jobs together, of the values that could be measured
     * @param faults what was wrong with the others, or why they were not measured
     * @param best the fastest value, the standard if none is faster
     * @param gain how many times as fast as the standard that is, from a second measurement if it is not the standard itself
     */
    public record Tuned(
            DeviceInfo device,
            Parameter parameter,
            int standard,
            Map<Integer, Double> nanos,
            Map<Integer, String> faults,
            int best,
            Estimate gain) {
        /** Whether the best is faster by more than the noise. */
        public boolean kept() {
            return best != standard && gain.low() > LEAST_GAIN;
        }

        /** Whether some value led to a wrong result. */
        public boolean wrong() {
            return faults.values().stream().anyMatch(f -> f.startsWith(WRONG));
        }

        /** A line on each value that could not be measured. */
        public List<String> problems() {
            return parameter.choices().stream()
                    .filter(faults::containsKey)
                    .map(v -> device.id() + ", " + parameter.text() + " " + v + ": " + faults.get(v))
                    .toList();
        }

        /** For JSON; docs/run.md describes it. */
        public Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("device", device.id());
            map.put("deviceName", device.name());
            map.put("parameter", parameter.text());
            map.put("default", standard);
            map.put("best", best);
            map.put("gain", gain.value());
            map.put("gainLow", gain.low());
            map.put("gainHigh", gain.high());
            map.put("kept", kept());
            List<Object> candidates = new ArrayList<>();
            for (int value : parameter.choices()) {
                Map<String, @Nullable Object> one = new LinkedHashMap<>();
                one.put("value", value);
                one.put("medianSeconds", nanos.containsKey(value) ? nanos.get(value) / 1e9 : null);
                one.put("problem", faults.get(value));
                candidates.add(one);
            }
            map.put("candidates", candidates);
            return map;
        }
    }
}
