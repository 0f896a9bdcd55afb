package dev.evener.workloads.replay;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.policy.Policy;
import dev.evener.record.Recording;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.MakespanBound;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import dev.evener.workloads.arrivals.Trace;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.replay.ArrivalReport.Outcome;
import dev.evener.workloads.workload.Request;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of another system on a virtual clock, as {@link ArrivalRun} runs them. One that is known by its times is cut into at most as
 * many parts as it had processors; a unit of it is a microsecond of one processor's time there. Those whose times on a CPU and on a
 * GPU are in the same ratio, within 2.2 %, are of one kind, of which policies learn.
 *
 * @param machine its devices say what kernels take there, and under the kernel {@link #ANY} what {@link #NANOS} of a trace take
 * @param policy how jobs are cut
 * @param seed of everything random
 * @param events what happens to devices
 * @param listener is told what happens; null for nobody
 */
public record SimulatedTrace(
        Machine machine,
        Policy policy,
        long seed,
        List<MachineEvent> events,
        @Nullable RunListener listener) {
    /** The kernel that stands for all jobs of a trace. */
    public static final String ANY = "*";

    /** Nanoseconds of a unit. */
    private static final double NANOS = 1000;

    /** Ratios that are told apart, for each doubling. */
    private static final double FINENESS = 16;

    /** Jobs alike: their kernel, which tells the kinds of processors, and a GPU's time over a CPU's. */
    private record Kind(String kernel, boolean onCpu, boolean onGpu, double ratio) {
        static Kind of(Trace.Times job) {
            boolean onCpu = job.cpuNanos() >= 0;
            boolean onGpu = job.gpuNanos() >= 0;
            if (!onCpu || !onGpu) {
                return new Kind(onCpu ? "cpu" : "gpu", onCpu, onGpu, 1);
            }
            double octaves = Math.log(Math.max(1, job.gpuNanos()) / (double) Math.max(1, job.cpuNanos())) / Math.log(2);
            double ratio = Math.pow(2, Math.round(octaves * FINENESS) / FINENESS);
            return new Kind(
                    ratio == 1 ? "any" : String.format(java.util.Locale.ROOT, "gpu %.4g of cpu", ratio),
                    true,
                    true,
                    ratio);
        }

        boolean runsOn(DeviceModel device) {
            return device.device().kind() == DeviceKind.GPU ? onGpu : onCpu;
        }

        KernelModel on(DeviceModel device) {
            KernelModel any = device.kernels().getOrDefault(ANY, KernelModel.of(0, NANOS));
            return device.device().kind() == DeviceKind.GPU ? any.withNanosPerUnit(any.nanosPerUnit() * ratio) : any;
        }
    }

    /**
     * Simulates jobs of which is known what they took elsewhere.
     *
     * @param notes gains what could not be simulated, in one line each
     */
    public ArrivalReport ofTimes(Trace<Trace.Times> trace, List<String> notes) {
        return times(trace, notes).report();
    }

    /**
     * The same with several seeds, whose listener hears of the first alone.
     *
     * @param run simulates one
     * @param notes gains what the first could not simulate
     * @param error how far off the machine is; not a number if that is not known
     */
    public Predicted predicted(
            BiFunction<SimulatedTrace, List<String>, ArrivalReport> run, List<String> notes, double error) {
        ArrivalReport first = run.apply(this, notes);
        List<Map<String, @Nullable Object>> figures = LongStream.range(1, SimulatedReplay.seeds(machine))
                .parallel()
                .mapToObj(i -> new SimulatedTrace(machine, policy, seed + i, events, null))
                .map(other -> run.apply(other, new ArrayList<>()).figures())
                .toList();
        return new Predicted(first, figures, error);
    }

    /**
     * The same as simulated, of a trace of which the machine can run all jobs.
     *
     * @throws EvenerException if it cannot
     */
    public List<Simulator.Outcome> outcomesOfTimes(Trace<Trace.Times> trace) {
        List<String> notes = new ArrayList<>();
        List<Simulator.Outcome> outcomes = times(trace, notes).outcomes();
        if (!notes.isEmpty()) {
            throw new EvenerException(String.join("; ", notes));
        }
        return outcomes;
    }

    /** The machine, which knows the kinds of a trace's jobs. */
    public Machine forTimes(Trace<Trace.Times> trace) {
        Map<String, Kind> kinds = new TreeMap<>();
        trace.jobs().forEach(job -> kinds.putIfAbsent(Kind.of(job.work()).kernel(), Kind.of(job.work())));
        List<DeviceModel> devices = machine.devices().stream()
                .map(device -> with(device, kinds.values()))
                .toList();
        return new Machine(devices, machine.kernels(), machine.planNanos());
    }

    private Ran<Trace.Times> times(Trace<Trace.Times> trace, List<String> notes) {
        Machine on = forTimes(trace);
        List<DeviceModel> devices = on.devices();
        return run(on, trace, notes, (job, leftOut) -> {
            Kind kind = Kind.of(job.work());
            Trace.Times times = job.work();
            List<String> able = devices.stream()
                    .filter(kind::runsOn)
                    .filter(device -> device.device().memoryBytes() == 0
                            || device.device().memoryBytes() >= job.terms().memoryBytes())
                    .map(device -> device.device().id())
                    .toList();
            if (devices.stream().noneMatch(kind::runsOn)) {
                leftOut.accept("left out: it needs a " + (kind.onCpu() ? "CPU" : "GPU") + ", and the machine has none");
                return null;
            } else if (able.isEmpty() || (times.atOnce() && times.parts() > able.size())) {
                leftOut.accept(
                        able.isEmpty()
                                ? "left out: it needs more memory than a device has"
                                : "left out: it needs more devices at once than there are");
                return null;
            }
            long work = Math.round((kind.onCpu() ? times.cpuNanos() : times.gpuNanos()) / NANOS);
            long granule = Math.max(1, (work + times.parts() - 1) / times.parts());
            return SimulatedJob.of(kind.kernel(), Math.max(1, work), granule, policy)
                    .on(able.size() == devices.size() ? List.of() : able)
                    .atOnce(times.atOnce() ? times.parts() : 0);
        });
    }

    /**
     * Simulates jobs that were never run, of kinds and sizes of which the record's first run tells. Those alike share their data.
     *
     * @param notes gains what could not be simulated, in one line each
     */
    public ArrivalReport ofRequests(Trace<Request> trace, Recording recording, List<String> notes) {
        Recording.Run run = SimulatedReplay.busy(recording).get(0);
        Map<Long, RunEvent.Submitted> submitted = new HashMap<>();
        run.events().forEach(event -> {
            if (event instanceof RunEvent.Submitted job) {
                submitted.put(job.job(), job);
            }
        });
        Map<Recording.Task, RunEvent.Submitted> known = new HashMap<>();
        for (Recording.Request request : run.requests()) {
            if (submitted.containsKey(request.job())) {
                known.put(Tasks.kind(request.task()), submitted.get(request.job()));
            }
        }
        return run(machine, trace, notes, (job, leftOut) -> {
                    RunEvent.Submitted like = known.get(Tasks.kind(Tasks.of("", job.work(), "")));
                    if (like == null) {
                        leftOut.accept("left out: the record has none of that workload, size and parameters");
                        return null;
                    }
                    List<String> able = machine.devices().stream()
                            .filter(device -> device.knows(like.name(), like.kernels()))
                            .map(device -> device.device().id())
                            .toList();
                    if (able.isEmpty()) {
                        leftOut.accept("left out: the machine does not say what it takes on any device");
                        return null;
                    }
                    for (DeviceModel device : machine.devices()) {
                        String id = device.device().id();
                        if (!able.contains(id)) {
                            leftOut.accept(
                                    "without device " + id + ", of which the machine does not say what it takes there");
                        }
                    }
                    return SimulatedJob.like(
                            like, able.size() == machine.devices().size() ? List.of() : able, policy);
                })
                .report();
    }

    /** What becomes of a job; null if nothing, of which somebody is told why. */
    private interface Model<W> {
        @Nullable
        SimulatedJob of(Trace.Job<W> job, Consumer<String> leftOut);
    }

    private <W> Ran<W> run(Machine on, Trace<W> trace, List<String> notes, Model<W> model) {
        List<Trace.Job<W>> taken = new ArrayList<>();
        UseOverTime use = new UseOverTime();
        Simulator simulator = new Simulator(on).seed(seed).listener(use);
        events.forEach(simulator::event);
        if (listener != null) {
            simulator.listener(listener);
        }
        Map<Integer, List<Integer>> places = new HashMap<>(); // of a job; of those before it where it is left out
        Map<String, Integer> leftOut = new LinkedHashMap<>();
        for (int place : trace.order()) {
            Trace.Job<W> job = trace.jobs().get(place);
            List<Integer> before = job.after().stream()
                    .flatMap(each -> places.getOrDefault(each, List.of()).stream())
                    .distinct()
                    .toList();
            SimulatedJob made = model.of(job, why -> leftOut.merge(why, 1, Integer::sum));
            places.put(place, made == null ? before : List.of(taken.size()));
            if (made != null) {
                taken.add(job);
                simulator.submit(made.at(job.nanos()).behind(before, job.terms().priority()));
            }
        }
        leftOut.forEach((why, count) -> notes.add(TextTable.counted(count, "job") + " " + why));
        return new Ran<>(on, taken, taken.isEmpty() ? List.of() : simulator.run(), use);
    }

    private static DeviceModel with(DeviceModel device, Iterable<Kind> kinds) {
        Map<String, KernelModel> kernels = new HashMap<>();
        for (Kind kind : kinds) {
            if (kind.runsOn(device)) {
                kernels.put(kind.kernel(), kind.on(device));
            }
        }
        return device.withKernels(kernels);
    }

    /** The jobs of a trace that a machine ran, and what became of them. */
    private record Ran<W>(Machine on, List<Trace.Job<W>> jobs, List<Simulator.Outcome> outcomes, UseOverTime use) {
        ArrivalReport report() {
            List<String> ids =
                    on.devices().stream().map(model -> model.device().id()).toList();
            Long[] busy = new Long[ids.size()];
            Arrays.fill(busy, 0L);
            List<Outcome> all = new ArrayList<>();
            List<JobFigures.Served> served = new ArrayList<>();
            for (int i = 0; i < jobs.size(); i++) {
                Simulator.Outcome outcome = outcomes.get(i);
                Report report = outcome.report();
                if (report != null) {
                    report.devices().forEach(use -> busy[ids.indexOf(use.id())] += use.busyNanos());
                }
                Trace.Job<W> job = jobs.get(i);
                Outcome its = Outcome.of(job, job.nanos(), Math.max(0, outcome.submitted()), report, outcome.failure());
                all.add(its);
                served.add(its.served(job.terms(), outcome.leastNanos()));
            }
            List<DeviceInfo> devices =
                    on.devices().stream().map(DeviceModel::device).toList();
            MakespanBound bound = MakespanBound.of(
                    on, outcomes.stream().map(Simulator.Outcome::job).toList());
            ArrivalReport report = new ArrivalReport(all, devices, List.of(busy), -1);
            double seconds = report.makespanNanos() / 1e9;
            Map<String, Object> more = JobFigures.of(served);
            JobFigures.add(more, bound, seconds);
            Double joules = JobFigures.joules(on, seconds, i -> busy[i] / 1e9);
            if (joules != null) {
                more.put("joules", joules);
            }
            return report.with(more, use.slices(ids.size()));
        }
    }
}
