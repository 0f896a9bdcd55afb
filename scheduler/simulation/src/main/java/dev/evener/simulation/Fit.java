package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A machine fitted to a run, and how far it may be trusted. Of each kind of job (name, units and policy) the
 * first half is left out and then the second, so that what changed meanwhile, such as what others took of the machine,
 * differs between what is left out and what is not. Each time a machine is fitted to the others, and those left out are
 * simulated as they were cut.
 *
 * @param machine as {@link Models#fit} makes it
 * @param error by how much the time of many jobs together, such as a makespan, may be longer, or less long, than the
 *     machine says, in 19 of 20 cases: 0.1 for a tenth. By Student's distribution over the logarithms of how far off the
 *     sum of the jobs of a policy is in each eighth of the run. Not a number if there are fewer than three of these, or a policy is
 *     not here
 * @param kindError the same of the median job of a kind, over kinds: a small job may be far off and count little in a sum
 * @param warnings why the run tells too little, in a line each
 */
public record Fit(Machine machine, double error, double kindError, List<String> warnings) {
    /** Quantiles of Student's distribution, of which 2.5 % are beyond, by degrees of freedom from 1 on. */
    private static final double[] STUDENT = {12.7, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.13, 2.09};

    /** Of fewer figures, the distribution says next to nothing: of two 4.3 times their mean error. */
    private static final int FEWEST = 3;

    /** Parts of a run whose sums are compared. */
    private static final int PARTS = 8;

    public Fit {
        warnings = List.copyOf(warnings);
    }

    /**
     * Fits a machine to what devices did.
     *
     * @param devices those that events count
     * @param events of one run
     * @throws IllegalArgumentException if no job was run to its end
     */
    public static Fit of(List<DeviceInfo> devices, List<RunEvent> events) {
        Machine machine = Models.fit(devices, events);
        HeldOut heldOut = heldOut(devices, events);
        List<String> warnings = new ArrayList<>();
        for (int i = 0; i < devices.size(); i++) {
            int device = i;
            long chunks = events.stream()
                    .filter(e -> e instanceof RunEvent.Chunk c && c.device() == device)
                    .count();
            if (chunks > 0 && chunks < Times.ENOUGH) {
                warnings.add("the record is short: device " + devices.get(i).id() + " ran " + chunks + " chunks, and "
                        + Times.ENOUGH + " or more tell how its times scatter");
            }
        }
        if (Double.isNaN(heldOut.error) || Double.isNaN(heldOut.kindError)) {
            warnings.add(
                    "fewer than three kinds of job were run twice by policies that are here, so how far off what is"
                            + " simulated is cannot be said");
        }
        return new Fit(machine, heldOut.error, heldOut.kindError, warnings);
    }

    /** A machine that was given, of which nobody knows how far off it is. */
    public static Fit given(Machine machine) {
        return new Fit(machine, Double.NaN, Double.NaN, List.of());
    }

    private record HeldOut(double error, double kindError) {}

    private static HeldOut heldOut(List<DeviceInfo> devices, List<RunEvent> events) {
        Map<Object, List<Integer>> kinds = new LinkedHashMap<>(); // places of jobs
        List<RunEvent.Submitted> jobs = new ArrayList<>();
        Map<Long, Long> walls = new HashMap<>();
        for (RunEvent event : events) {
            if (event instanceof RunEvent.Submitted s) {
                kinds.computeIfAbsent(kind(s), key -> new ArrayList<>()).add(jobs.size());
                jobs.add(s);
            } else if (event instanceof RunEvent.Ended e && e.failure() == null && e.wallNanos() > 0) {
                walls.put(e.job(), e.wallNanos());
            }
        }
        kinds.values().removeIf(all -> all.size() < 2);
        Map<Object, List<double[]>> byKind = new LinkedHashMap<>(); // what each job took, and takes in the simulation
        Map<Object, List<double[]>> byPart = new LinkedHashMap<>(); // the same, by policy too
        for (int half = 0; half < 2; half++) {
            Map<Integer, Integer> left = new LinkedHashMap<>(); // the parts that places are in
            for (List<Integer> all : kinds.values()) {
                for (int i = 0; i < all.size(); i++) {
                    if (2 * i / all.size() == half) {
                        left.put(all.get(i), PARTS * i / all.size());
                    }
                }
            }
            Set<Long> numbers =
                    left.keySet().stream().map(place -> jobs.get(place).job()).collect(Collectors.toSet());
            List<RunEvent> others =
                    events.stream().filter(e -> !numbers.contains(e.job())).toList();
            List<Simulator.Outcome> outcomes;
            try {
                outcomes = new Simulator(Models.fit(devices, others))
                        .replay(events, devices)
                        .run();
            } catch (EvenerException | IllegalArgumentException e) { // of nothing, or cut by somebody's own policy
                continue;
            }
            left.forEach((place, part) -> {
                RunEvent.Submitted job = jobs.get(place);
                Long wall = walls.get(job.job());
                Report report = outcomes.get(place).report();
                if (wall != null && report != null) {
                    double[] pair = {(double) wall, (double) report.wallNanos()};
                    byKind.computeIfAbsent(kind(job), key -> new ArrayList<>()).add(pair);
                    byPart.computeIfAbsent(List.of(part, job.policy()), key -> new ArrayList<>())
                            .add(pair);
                }
            });
        }
        return new HeldOut(
                within(byPart.values(), all -> Arrays.stream(all).sum()), within(byKind.values(), Numbers::median));
    }

    private static Object kind(RunEvent.Submitted job) {
        return List.of(job.name(), job.units(), job.policy());
    }

    private static double within(Collection<List<double[]>> groups, ToDoubleFunction<double[]> figure) {
        double squares = 0;
        for (List<double[]> pairs : groups) {
            double then = figure.applyAsDouble(
                    pairs.stream().mapToDouble(pair -> pair[0]).toArray());
            double simulated = figure.applyAsDouble(
                    pairs.stream().mapToDouble(pair -> pair[1]).toArray());
            squares += Math.pow(Math.log(simulated / then), 2);
        }
        int count = groups.size();
        double student = count < FEWEST ? Double.NaN : STUDENT[Math.min(count, STUDENT.length) - 1];
        return Math.exp(student * Math.sqrt(squares / count)) - 1;
    }
}
