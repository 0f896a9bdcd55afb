package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.event.RunEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A machine fitted to a run, and how far it may be trusted.
 *
 * @param machine as {@link Models#fit} makes it
 * @param error by how much jobs that a fit did not see may take longer, or less long, than it says, in 19 of 20
 *     cases: 0.1 for a tenth. The fit is made once more, of one of each two jobs of a kind (name, units and policy),
 *     and the others are simulated as they were cut; by Student's distribution over the logarithms of the kinds'
 *     medians. Not a number if fewer than three kinds were run twice, or a policy is not here
 * @param warnings why the run tells too little, in a line each
 */
public record Fit(Machine machine, double error, List<String> warnings) {
    /** Quantiles of Student's distribution, of which 2.5 % are beyond, by degrees of freedom from 1 on. */
    private static final double[] STUDENT = {12.7, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.13, 2.09};

    /** Of fewer, the distribution says next to nothing: of two kinds 4.3 times their mean error. */
    private static final int KINDS = 3;

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
        double error = heldOut(devices, events);
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
        if (Double.isNaN(error)) {
            warnings.add(
                    "fewer than three kinds of job were run twice by policies that are here, so how far off what is"
                            + " simulated is cannot be said");
        }
        return new Fit(machine, error, warnings);
    }

    private static double heldOut(List<DeviceInfo> devices, List<RunEvent> events) {
        Map<List<Object>, List<Integer>> kinds = new LinkedHashMap<>(); // places of jobs
        Map<Long, Long> walls = new HashMap<>();
        List<Long> jobs = new ArrayList<>();
        Set<Long> seen = new HashSet<>(); // of each two like ones either: every second might be on the same device
        SplittableRandom random = new SplittableRandom(1);
        for (RunEvent event : events) {
            if (event instanceof RunEvent.Submitted s) {
                List<Integer> kind =
                        kinds.computeIfAbsent(List.of(s.name(), s.units(), s.policy()), key -> new ArrayList<>());
                boolean second = kind.size() % 2 == 1;
                long before = second ? jobs.get(kind.get(kind.size() - 1)) : 0;
                kind.add(jobs.size());
                jobs.add(s.job());
                if (second ? !seen.contains(before) : random.nextBoolean()) {
                    seen.add(s.job());
                }
            } else if (event instanceof RunEvent.Ended e && e.failure() == null) {
                walls.put(e.job(), e.wallNanos());
            }
        }
        List<Simulator.Outcome> outcomes;
        try {
            List<RunEvent> half =
                    events.stream().filter(e -> seen.contains(e.job())).toList();
            outcomes = new Simulator(Models.fit(devices, half))
                    .replay(events, devices)
                    .run();
        } catch (EvenerException | IllegalArgumentException e) { // of nothing, or cut by somebody's own policy
            return Double.NaN;
        }
        double squares = 0;
        int count = 0;
        for (List<Integer> kind : kinds.values()) {
            List<Double> then = new ArrayList<>();
            List<Double> simulated = new ArrayList<>();
            for (int place : kind) {
                Simulator.Outcome outcome = outcomes.get(place);
                Long wall = walls.get(jobs.get(place));
                if (!seen.contains(jobs.get(place)) && wall != null && wall > 0 && outcome.report() != null) {
                    then.add((double) wall);
                    simulated.add((double) outcome.report().wallNanos());
                }
            }
            if (!then.isEmpty()) {
                double off = Math.log(Numbers.median(simulated) / Numbers.median(then));
                squares += off * off;
                count++;
            }
        }
        double student = count < KINDS ? Double.NaN : STUDENT[Math.min(count, STUDENT.length) - 1];
        return Math.exp(student * Math.sqrt(squares / count)) - 1;
    }
}
