package dev.evener.workloads.replay;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.RunEvent;
import dev.evener.RunListener;
import dev.evener.policy.Policy;
import dev.evener.record.Recording;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.Models;
import dev.evener.simulation.Simulator;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.TextTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A record run again on a virtual clock: on a machine fitted to the record or on a given one, as its jobs were cut and, beside that,
 * by another policy. Each run of the record (each Evener that had been opened) is simulated for itself.
 *
 * @param policy beside those that were recorded; null for these alone
 * @param machine in place of the one that the record tells of; null for that
 * @param seed of everything random
 * @param events what happens to devices
 * @param listeners gives who is told what happens in a simulated run on these devices, by the other policy if there is one; null
 *     for nobody
 */
public record SimulatedReplay(
        @Nullable Policy policy,
        @Nullable Machine machine,
        long seed,
        List<MachineEvent> events,
        @Nullable Function<List<DeviceInfo>, RunListener> listeners) {
    /**
     * Like jobs of one run: of the same name, size and recorded policy. Times are medians over those that succeeded, 0 if none did.
     *
     * @param run number of the run, from 1
     * @param recordedPolicy how they were cut
     * @param simulatedPolicy how they were cut in the simulation, by the other policy if there is one
     * @param recordedNanos wall time then
     * @param likeRecordedNanos in the simulation, cut as they were; null if that cannot be simulated
     * @param simulatedNanos in the simulation, by {@code simulatedPolicy}
     * @param failed how many failed in the simulation
     * @param leftOut devices that they could use and that had no part, as nothing is known of such jobs there
     */
    public record Row(
            int run,
            String job,
            long units,
            String recordedPolicy,
            String simulatedPolicy,
            int jobs,
            double recordedNanos,
            @Nullable Double likeRecordedNanos,
            double simulatedNanos,
            int failed,
            List<String> leftOut) {
        private static @Nullable Double seconds(double nanos) {
            return nanos > 0 ? nanos / 1e9 : null;
        }

        private @Nullable Double likeRecordedSeconds() {
            return likeRecordedNanos == null ? null : seconds(likeRecordedNanos);
        }

        private static String millis(double seconds) {
            return format("%.3f ms", 1e3 * seconds);
        }
    }

    /** The rows for people, and as the JSON that docs/records.md describes. */
    public static final TextTable<Row> TABLE = new TextTable<Row>()
            .field("run", Row::run)
            .column("job", "job", Row::job, name -> name)
            .column(">units", "units", Row::units, units -> units)
            .column(">jobs", "jobs", Row::jobs, jobs -> jobs)
            .column("recorded", "recordedPolicy", Row::recordedPolicy, name -> name)
            .column(">took", "recordedSeconds", row -> Row.seconds(row.recordedNanos), Row::millis)
            .column(">simulated", "recordedSimulatedSeconds", Row::likeRecordedSeconds, Row::millis)
            .column("policy", "simulatedPolicy", Row::simulatedPolicy, name -> name)
            .column(">takes", "simulatedSeconds", row -> Row.seconds(row.simulatedNanos), Row::millis)
            .column(">failed", "failed", Row::failed, failed -> failed)
            .column("nothing known of", "leftOut", Row::leftOut, ids -> ids.isEmpty() ? null : String.join(", ", ids));

    /**
     * A machine on which the recorded jobs take what they took.
     *
     * @throws EvenerException if no run of the record tells
     */
    public static Machine fitted(Recording recording) {
        return fitted(busy(recording).get(0));
    }

    private static Machine fitted(Recording.Run run) {
        try {
            return Models.fit(run.devices(), run.events());
        } catch (IllegalArgumentException e) {
            throw new EvenerException("the record cannot be simulated: " + e.getMessage(), e);
        }
    }

    /** The runs that have jobs, at least one. */
    static List<Recording.Run> busy(Recording recording) {
        List<Recording.Run> busy = recording.runs().stream()
                .filter(run -> run.events().stream().anyMatch(RunEvent.Chunk.class::isInstance))
                .toList();
        if (busy.isEmpty()) {
            throw new EvenerException("the record holds no job that was run, so there is nothing to simulate");
        }
        return busy;
    }

    /**
     * Simulates all runs of a record that have jobs.
     *
     * @throws EvenerException if the machine does not know a kernel or a device, or a policy is not found
     */
    public List<Row> of(Recording recording) {
        List<Row> rows = new ArrayList<>();
        for (Recording.Run run : busy(recording)) {
            rows.addAll(of(run, recording.runs().indexOf(run) + 1));
        }
        return rows;
    }

    private List<Row> of(Recording.Run run, int number) {
        Machine on = machine != null ? machine : fitted(run);
        List<Simulator.Outcome> outcomes = simulated(run, on, policy, listeners);
        List<Simulator.Outcome> likeRecorded = outcomes;
        if (policy != null) {
            try {
                likeRecorded = simulated(run, on, null, null);
            } catch (EvenerException
                    | IllegalArgumentException e) { // cut by somebody's own policy, or for other devices
                likeRecorded = null;
            }
        }
        Map<Long, RunEvent.Ended> ends = new HashMap<>();
        Map<List<Object>, List<Job>> groups = new LinkedHashMap<>();
        int jobs = 0;
        for (RunEvent event : run.events()) {
            if (event instanceof RunEvent.Submitted job) {
                groups.computeIfAbsent(List.of(job.name(), job.units(), job.policy()), key -> new ArrayList<>())
                        .add(new Job(job, outcomes.get(jobs), likeRecorded == null ? null : likeRecorded.get(jobs)));
                jobs++;
            } else if (event instanceof RunEvent.Ended end && end.failure() == null) {
                ends.put(end.job(), end);
            }
        }
        return groups.values().stream()
                .map(group -> row(number, group, run.devices(), ends))
                .toList();
    }

    private List<Simulator.Outcome> simulated(
            Recording.Run run,
            Machine on,
            @Nullable Policy by,
            @Nullable Function<List<DeviceInfo>, RunListener> told) {
        Simulator simulator = new Simulator(on).seed(seed);
        events.forEach(simulator::event);
        if (told != null) {
            simulator.listener(
                    told.apply(on.devices().stream().map(DeviceModel::device).toList()));
        }
        return by == null
                ? simulator.replay(run.events(), run.devices()).run()
                : simulator.replay(run.events(), run.devices(), by).run();
    }

    /** A job then, simulated, and simulated as it was cut then. */
    private record Job(
            RunEvent.Submitted recorded, Simulator.Outcome simulated, Simulator.@Nullable Outcome likeRecorded) {}

    private static Row row(int run, List<Job> jobs, List<DeviceInfo> devices, Map<Long, RunEvent.Ended> ends) {
        RunEvent.Submitted first = jobs.get(0).recorded();
        List<Simulator.Outcome> simulated = jobs.stream().map(Job::simulated).toList();
        List<String> leftOut = simulated.stream()
                .map(o -> o.job().devices())
                .filter(used -> !used.isEmpty())
                .flatMap(used ->
                        first.devices().stream().map(i -> devices.get(i).id()).filter(id -> !used.contains(id)))
                .distinct()
                .toList();
        return new Row(
                run,
                first.name(),
                first.units(),
                first.policy(),
                simulated.get(simulated.size() - 1).job().policy().name(),
                jobs.size(),
                median(jobs.stream().map(job -> ends.get(job.recorded().job())), RunEvent.Ended::wallNanos),
                jobs.get(0).likeRecorded() == null ? null : median(jobs.stream().map(Job::likeRecorded)),
                median(simulated.stream()),
                (int) simulated.stream().filter(o -> o.report() == null).count(),
                leftOut);
    }

    private static double median(Stream<Simulator.@Nullable Outcome> outcomes) {
        return median(outcomes.map(o -> o == null ? null : o.report()), Report::wallNanos);
    }

    private static <T> double median(Stream<@Nullable T> jobs, ToLongFunction<T> nanos) {
        return Statistics.median(jobs.filter(Objects::nonNull).toList(), each -> nanos.applyAsLong(each));
    }
}
