package dev.evener.workloads.replay;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.RunEvent;
import dev.evener.RunListener;
import dev.evener.policy.Policy;
import dev.evener.record.Recording;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.Models;
import dev.evener.simulation.Simulator;
import dev.evener.workloads.bench.Statistics;
import dev.evener.workloads.document.Printable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A record run again on a virtual clock: on a machine fitted to the record or on a given one, as its jobs were cut or by
 * another policy. Each run of the record (each Evener that had been opened) is simulated for itself.
 *
 * @param policy in place of those that were recorded; null for these
 * @param machine in place of the one that the record tells of; null for that
 * @param seed of everything random
 * @param events what happens to devices
 * @param listeners gives who is told what happens in a simulated run on these devices; null for nobody
 */
public record SimulatedReplay(
        @Nullable Policy policy,
        @Nullable Machine machine,
        long seed,
        List<MachineEvent> events,
        @Nullable Function<List<DeviceInfo>, RunListener> listeners) {
    public SimulatedReplay {
        events = List.copyOf(events);
    }

    /**
     * Like jobs of one run: of the same name, size and recorded policy.
     *
     * @param run number of the run, from 1
     * @param job the job's name
     * @param units its size
     * @param recordedPolicy how it was cut
     * @param simulatedPolicy how it was cut in the simulation
     * @param jobs how many there were
     * @param recordedNanos median wall time of those that succeeded; 0 if none did
     * @param simulatedNanos the same in the simulation
     * @param failed how many failed in the simulation
     * @param leftOut devices that it could use and that had no part, as nothing is known of such jobs there
     */
    public record Row(
            int run,
            String job,
            long units,
            String recordedPolicy,
            String simulatedPolicy,
            int jobs,
            double recordedNanos,
            double simulatedNanos,
            int failed,
            List<String> leftOut) {
        public Row {
            leftOut = List.copyOf(leftOut);
        }

        /** The JSON object that docs/simulation.md describes. */
        public Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("run", run);
            map.put("job", job);
            map.put("units", units);
            map.put("recordedPolicy", recordedPolicy);
            map.put("simulatedPolicy", simulatedPolicy);
            map.put("jobs", jobs);
            map.put("recordedSeconds", recordedNanos > 0 ? recordedNanos / 1e9 : null);
            map.put("simulatedSeconds", simulatedNanos > 0 ? simulatedNanos / 1e9 : null);
            map.put("failed", failed);
            map.put("leftOut", leftOut);
            return map;
        }
    }

    /**
     * A machine on which the recorded jobs take what they took.
     *
     * @throws EvenerException if no run of the record tells
     */
    public static Machine fitted(Recording recording) {
        for (Recording.Run run : recording.runs()) {
            if (run.events().stream().anyMatch(RunEvent.Chunk.class::isInstance)) {
                return fitted(run);
            }
        }
        throw new EvenerException("the record holds no job that was run, so there is nothing to simulate");
    }

    private static Machine fitted(Recording.Run run) {
        try {
            return Models.fit(run.devices(), run.events());
        } catch (IllegalArgumentException e) {
            throw new EvenerException("the record cannot be simulated: " + e.getMessage(), e);
        }
    }

    /**
     * Simulates all runs of a record that have jobs.
     *
     * @throws EvenerException if the machine does not know a kernel or a device, or a policy is not Evener's own
     */
    public List<Row> of(Recording recording) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < recording.runs().size(); i++) {
            Recording.Run run = recording.runs().get(i);
            if (run.events().stream().anyMatch(RunEvent.Chunk.class::isInstance)) {
                rows.addAll(of(run, i + 1));
            }
        }
        if (rows.isEmpty()) {
            throw new EvenerException("the record holds no job that was run, so there is nothing to simulate");
        }
        return rows;
    }

    private List<Row> of(Recording.Run run, int number) {
        Machine on = machine != null ? machine : fitted(run);
        Simulator simulator = new Simulator(on).seed(seed);
        events.forEach(simulator::event);
        if (listeners != null) {
            simulator.listener(listeners.apply(
                    on.devices().stream().map(DeviceModel::device).toList()));
        }
        if (policy != null) {
            simulator.replay(run.events(), run.devices(), policy);
        } else {
            simulator.replay(run.events(), run.devices());
        }
        List<Simulator.Outcome> outcomes = simulator.run();
        Map<Long, RunEvent.Ended> ends = new HashMap<>();
        List<RunEvent.Submitted> jobs = new ArrayList<>();
        for (RunEvent event : run.events()) {
            if (event instanceof RunEvent.Ended e) {
                ends.put(e.job(), e);
            } else if (event instanceof RunEvent.Submitted s) {
                jobs.add(s);
            }
        }
        Map<List<Object>, Group> groups = new LinkedHashMap<>();
        for (int i = 0; i < jobs.size(); i++) {
            RunEvent.Submitted job = jobs.get(i);
            groups.computeIfAbsent(List.of(job.name(), job.units(), job.policy()), key -> new Group(job, run.devices()))
                    .add(ends.get(job.job()), outcomes.get(i));
        }
        return groups.values().stream().map(group -> group.row(number)).toList();
    }

    private static final class Group {
        private final RunEvent.Submitted first;
        private final Set<String> leftOut = new LinkedHashSet<>();
        private final List<String> devices;
        private final List<Double> recorded = new ArrayList<>();
        private final List<Double> simulated = new ArrayList<>();
        private String policy = "";
        private int jobs;
        private int failed;

        Group(RunEvent.Submitted first, List<DeviceInfo> all) {
            this.first = first;
            this.devices = first.devices().stream().map(i -> all.get(i).id()).toList();
        }

        void add(RunEvent.@Nullable Ended end, Simulator.Outcome outcome) {
            jobs++;
            policy = outcome.job().policy().name();
            if (!outcome.job().devices().isEmpty()) {
                devices.stream()
                        .filter(id -> !outcome.job().devices().contains(id))
                        .forEach(leftOut::add);
            }
            if (end != null && end.failure() == null) {
                recorded.add((double) end.wallNanos());
            }
            if (outcome.report() != null) {
                simulated.add((double) outcome.report().wallNanos());
            } else {
                failed++;
            }
        }

        Row row(int run) {
            return new Row(
                    run,
                    first.name(),
                    first.units(),
                    first.policy(),
                    policy,
                    jobs,
                    median(recorded),
                    median(simulated),
                    failed,
                    List.copyOf(leftOut));
        }

        private static double median(List<Double> values) {
            return values.isEmpty()
                    ? 0
                    : Statistics.median(
                            values.stream().mapToDouble(Double::doubleValue).toArray());
        }
    }

    /** The rows for people, one a line, without a title. */
    public static String text(List<Row> rows) {
        StringBuilder text = new StringBuilder();
        for (Row row : rows) {
            text.append(String.format(
                    Locale.ROOT,
                    "%s, %d units, %d job%s: %s took %s, simulated %s takes %s%s%s%n",
                    Printable.inOneLine(row.job()),
                    row.units(),
                    row.jobs(),
                    row.jobs() == 1 ? "" : "s",
                    row.recordedPolicy(),
                    millis(row.recordedNanos()),
                    row.simulatedPolicy(),
                    millis(row.simulatedNanos()),
                    row.failed() == 0 ? "" : "; " + row.failed() + " failed",
                    row.leftOut().isEmpty()
                            ? ""
                            : "; without " + String.join(", ", row.leftOut())
                                    + ", where nothing is known of such jobs"));
        }
        return text.toString();
    }

    private static String millis(double nanos) {
        return nanos == 0 ? "no time, as none succeeded" : String.format(Locale.ROOT, "%.3f ms", nanos / 1e6);
    }
}
