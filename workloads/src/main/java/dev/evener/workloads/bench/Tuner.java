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
import dev.evener.workloads.bench.CaseRun.Unfit;
import dev.evener.workloads.bench.CaseRun.Watch;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.bench.Statistics.Estimate;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
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
        Map<Integer, String> problems = new LinkedHashMap<>();
        Map<Integer, double[]> times = measure(device, parameter, before, parameter.choices(), problems);
        int best = standard;
        Estimate gain = new Estimate(1, 1, 1);
        if (times.containsKey(standard) && times.size() > 1) {
            best = Collections.min(times.keySet(), Comparator.comparingDouble(v -> Statistics.median(of(times, v))));
            if (best != standard) {
                Map<Integer, double[]> again = measure(device, parameter, before, List.of(best), new LinkedHashMap<>());
                gain = Statistics.medianRatio(of(again, standard), of(again, best));
            }
        }
        List<Tuned.Candidate> candidates = new ArrayList<>();
        for (int value : parameter.choices()) {
            double[] nanos = times.get(value);
            candidates.add(
                    new Tuned.Candidate(value, nanos == null ? 0 : Statistics.median(nanos), problems.get(value)));
        }
        return new Tuned(
                device, parameter, standard, candidates, best, gain, best != standard && gain.low() > LEAST_GAIN);
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
        for (Request request : trials(parameter)) {
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
                Scenario.HEALTHY,
                request,
                Timing.KERNELS,
                new Lineup(List.of(), List.of(), tunings, List.of()),
                new Effort(rounds, 0, Duration.ZERO, true, null));
        CaseRun.Setting setting =
                new CaseRun.Setting(watch, before, doing -> progress.accept(title + ": " + doing), () -> {});
        List<Entry> unfit = new ArrayList<>();
        while (true) {
            EvenerBuilder builder = Evener.builder()
                    .devices(what.set())
                    .history(History.inMemory())
                    .bindCores(true);
            try (Evener evener = watch.on(builder, title).open();
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

    /**
     * The jobs that the values of a parameter are tried on: large enough not to lie in a cache, small enough that every value's buffers
     * fit in memory. Devices that run many work-items at once get four times as much.
     */
    private List<Request> trials(Parameter parameter) {
        long items = ((parameter.devices() == Devices.OTHER ? 4L : 1) * (quick ? 1 : 4)) << 20;
        return switch (parameter.primitive()) {
            case "map" -> List.of(trial("vector-add", items, Distribution.UNIFORM));
            case "scan", "sort" -> List.of(trial(parameter.primitive(), items, Distribution.UNIFORM));
            case "matrix" -> List.of(trial("matmul", 1L << 18, Distribution.UNIFORM));
            case "tonemap" -> List.of(trial("tonemap", items / 2, Distribution.UNIFORM));
            case "compact" ->
                List.of(trial("compact", items, Distribution.UNIFORM), trial("compact", items, Distribution.SORTED));
            case "histogram" -> // what suits uniform data only is of no use
                List.of(
                        trial("histogram", 4 * items, Distribution.UNIFORM),
                        trial("histogram", 4 * items, Distribution.CONSTANT));
            default -> throw new IllegalArgumentException("no trial for " + parameter.text());
        };
    }

    private static Request trial(String workload, long items, Distribution distribution) {
        Workload named = Workloads.named(workload);
        return Request.synthetic(named, Values.defaults(named), items, distribution, 1);
    }

    /**
     * What came out for one parameter on one device.
     *
     * @param standard what it is where nothing was measured: the default, or what suits such devices better
     * @param candidates one for each of the parameter's values, in their order
     * @param best the fastest value, the standard if none is faster
     * @param gain how many times as fast as the standard that is, from a second measurement if it is not the standard itself
     * @param kept whether it is faster by more than the noise
     */
    public record Tuned(
            DeviceInfo device,
            Parameter parameter,
            int standard,
            List<Candidate> candidates,
            int best,
            Estimate gain,
            boolean kept) {
        /**
         * One value.
         *
         * @param nanos median kernel time of the trials' jobs together; 0 if there is a problem
         * @param problem why it was not measured, or null
         */
        public record Candidate(
                int value, double nanos, @Nullable String problem) {}
    }
}
