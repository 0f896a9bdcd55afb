package dev.evener.workloads.replay;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.policy.Policy;
import dev.evener.record.Recording;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.Fit;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
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
     * @param simulatedNanos in the simulation, by {@code simulatedPolicy}, in the middle of several seeds
     * @param lowNanos what it is not below in 19 of 20 cases, by seeds and by how far off the machine is; and
     * @param highNanos not above
     * @param error {@link Fit#kindError} of the machine; null if that is not known, or the machine was given
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
            double lowNanos,
            double highNanos,
            @Nullable Double error,
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

        /** Of what is simulated no more digits than mean something. */
        private static String about(double seconds) {
            return format(seconds < 0.1 ? "%.3g ms" : "%.0f ms", 1e3 * seconds);
        }
    }

    /** Simulations whose middle counts: from the least of so many to the most are some 19 of 20 more. */
    private static final int SEEDS = 20;

    /** How many tell what may come of a machine. */
    static int seeds(Machine on) {
        return on.scatters() ? SEEDS : 1;
    }

    /** The rows for people, and as the JSON that docs/records.md describes. */
    public static final TextTable<Row> TABLE = new TextTable<Row>()
            .field("run", Row::run)
            .column("job", "job", Row::job, name -> name)
            .column(">units", "units", Row::units, units -> units)
            .column(">jobs", "jobs", Row::jobs, jobs -> jobs)
            .column("recorded", "recordedPolicy", Row::recordedPolicy, name -> name)
            .column(">took", "recordedSeconds", row -> Row.seconds(row.recordedNanos), Row::millis)
            .column(">simulated", "recordedSimulatedSeconds", Row::likeRecordedSeconds, Row::about)
            .column("policy", "simulatedPolicy", Row::simulatedPolicy, name -> name)
            .column(">takes", "simulatedSeconds", row -> Row.seconds(row.simulatedNanos), Row::about)
            .column(">from", "simulatedSecondsLow", row -> Row.seconds(row.lowNanos), Row::about)
            .column(">to", "simulatedSecondsHigh", row -> Row.seconds(row.highNanos), Row::about)
            .column(">fit within", "heldOutError", Row::error, error -> format("%.0f %%", 100 * error))
            .column(">failed", "failed", Row::failed, failed -> failed)
            .column("nothing known of", "leftOut", Row::leftOut, ids -> ids.isEmpty() ? null : String.join(", ", ids));

    /**
     * A machine on which the recorded jobs take what they took.
     *
     * @throws EvenerException if no run of the record tells
     */
    public static Fit fitted(Recording recording) {
        return fitted(busy(recording).get(0));
    }

    private static Fit fitted(Recording.Run run) {
        try {
            return Fit.of(run.devices(), run.events());
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
     * @param notes gains why the record tells too little, in one line each
     * @throws EvenerException if the machine does not know a kernel or a device, or a policy is not found
     */
    public List<Row> of(Recording recording, List<String> notes) {
        List<Row> rows = new ArrayList<>();
        for (Recording.Run run : busy(recording)) {
            rows.addAll(of(run, recording.runs().indexOf(run) + 1, notes));
        }
        return rows;
    }

    private List<Row> of(Recording.Run run, int number, List<String> notes) {
        Fit fit = machine == null ? fitted(run) : Fit.given(machine);
        notes.addAll(fit.warnings());
        Ran simulated = simulated(run, fit.machine(), policy, listeners);
        Ran likeRecorded = simulated;
        if (policy != null) {
            try {
                likeRecorded = simulated(run, fit.machine(), null, null);
            } catch (EvenerException
                    | IllegalArgumentException e) { // cut by somebody's own policy, or for other devices
                likeRecorded = null;
            }
        }
        Map<Long, RunEvent.Ended> ends = new HashMap<>();
        Map<List<Object>, Group> groups = new LinkedHashMap<>();
        int jobs = 0;
        for (RunEvent event : run.events()) {
            if (event instanceof RunEvent.Submitted job) {
                groups.computeIfAbsent(
                                List.of(job.name(), job.units(), job.policy()),
                                key -> new Group(job, new ArrayList<>(), new ArrayList<>()))
                        .add(job, jobs++);
            } else if (event instanceof RunEvent.Ended end && end.failure() == null) {
                ends.put(end.job(), end);
            }
        }
        Ran asItWas = likeRecorded;
        return groups.values().stream()
                .map(group -> row(number, group, run.devices(), ends, simulated, asItWas, fit.kindError()))
                .toList();
    }

    /** Jobs of a kind: the first, their numbers in the record, and their places among all. */
    private record Group(RunEvent.Submitted first, List<Long> jobs, List<Integer> places) {
        void add(RunEvent.Submitted job, int place) {
            jobs.add(job.job());
            places.add(place);
        }
    }

    /** What became of jobs with the first seed, and their wall times with each; not a number where they failed. */
    private record Ran(List<Simulator.Outcome> first, List<double[]> walls) {
        /** Of jobs at these places the medians with each seed; 0 where all failed. */
        double[] medians(List<Integer> places) {
            return walls.stream()
                    .mapToDouble(all -> Statistics.median(
                            places.stream().filter(i -> !Double.isNaN(all[i])).toList(), i -> all[i]))
                    .toArray();
        }
    }

    private Ran simulated(
            Recording.Run run,
            Machine on,
            @Nullable Policy by,
            @Nullable Function<List<DeviceInfo>, RunListener> told) {
        List<Simulator> simulators = new ArrayList<>(); // by this thread, which knows plug-ins
        int seeds = seeds(on);
        for (int i = 0; i < seeds; i++) {
            Simulator simulator = new Simulator(on).seed(seed + i);
            events.forEach(simulator::event);
            if (told != null && i == 0) {
                simulator.listener(told.apply(
                        on.devices().stream().map(DeviceModel::device).toList()));
            }
            simulators.add(
                    by == null
                            ? simulator.replay(run.events(), run.devices())
                            : simulator.replay(run.events(), run.devices(), by));
        }
        List<Simulator.Outcome> first = simulators.get(0).run();
        List<double[]> walls = new ArrayList<>(List.of(walls(first)));
        walls.addAll(simulators.subList(1, seeds).parallelStream()
                .map(simulator -> walls(simulator.run()))
                .toList());
        return new Ran(first, walls);
    }

    private static double[] walls(List<Simulator.Outcome> outcomes) {
        return outcomes.stream()
                .map(Simulator.Outcome::report)
                .mapToDouble(report -> report == null ? Double.NaN : report.wallNanos())
                .toArray();
    }

    private static Row row(
            int run,
            Group group,
            List<DeviceInfo> devices,
            Map<Long, RunEvent.Ended> ends,
            Ran simulated,
            @Nullable Ran likeRecorded,
            double error) {
        RunEvent.Submitted first = group.first();
        List<Simulator.Outcome> outcomes =
                group.places().stream().map(simulated.first()::get).toList();
        List<String> leftOut = outcomes.stream()
                .map(o -> o.job().devices())
                .filter(used -> !used.isEmpty())
                .flatMap(used ->
                        first.devices().stream().map(i -> devices.get(i).id()).filter(id -> !used.contains(id)))
                .distinct()
                .toList();
        double[] bySeed = simulated.medians(group.places());
        double wider = Double.isNaN(error) ? 1 : 1 + error;
        return new Row(
                run,
                first.name(),
                first.units(),
                first.policy(),
                outcomes.get(outcomes.size() - 1).job().policy().name(),
                group.jobs().size(),
                Statistics.median(
                        group.jobs().stream().filter(ends::containsKey).toList(),
                        job -> Objects.requireNonNull(ends.get(job)).wallNanos()),
                likeRecorded == null ? null : Statistics.median(likeRecorded.medians(group.places())),
                Statistics.median(bySeed),
                Statistics.quantile(bySeed, 0) / wider,
                Statistics.quantile(bySeed, 1) * wider,
                Double.isNaN(error) ? null : error,
                (int) outcomes.stream().filter(o -> o.report() == null).count(),
                leftOut);
    }
}
