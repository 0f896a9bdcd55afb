package dev.evener.workloads.replay;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Report;
import dev.evener.RunListener;
import dev.evener.policy.Policy;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import dev.evener.workloads.arrivals.Trace;
import dev.evener.workloads.replay.ArrivalReport.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of another system on a virtual clock, on a machine that a file describes. A job is cut into at most as many parts as it had
 * processors; a unit of it is a microsecond of one processor's time there. Jobs whose times on a CPU and on a GPU are in the same
 * ratio, within 2.2 %, are of one kind, of which policies learn.
 *
 * @param machine its devices say under the kernel {@link #ANY} what {@link #NANOS} of a trace take there
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
        static Kind of(Trace.Job job) {
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
            double factor = device.device().kind() == DeviceKind.GPU ? ratio : 1;
            return new KernelModel(
                    any.fixedNanos(),
                    any.nanosPerUnit() * factor,
                    any.factor(),
                    any.wave(),
                    any.slowdown(),
                    any.launch(),
                    any.moves());
        }
    }

    /**
     * Simulates a trace.
     *
     * @param notes gains what could not be simulated, in one line each
     */
    public ArrivalReport of(Trace trace, List<String> notes) {
        Map<String, Kind> kinds = new TreeMap<>();
        trace.jobs().forEach(job -> kinds.putIfAbsent(Kind.of(job).kernel(), Kind.of(job)));
        List<DeviceModel> devices = machine.devices().stream()
                .map(device -> with(device, kinds.values()))
                .toList();
        Simulator simulator = new Simulator(new Machine(devices, machine.kernels(), machine.planNanos())).seed(seed);
        events.forEach(simulator::event);
        if (listener != null) {
            simulator.listener(listener);
        }
        List<Trace.Job> taken = new ArrayList<>();
        Map<Integer, List<Integer>> places = new HashMap<>(); // of a job; of those before it where it is left out
        Map<String, Integer> leftOut = new LinkedHashMap<>();
        for (int place : trace.order()) {
            Trace.Job job = trace.jobs().get(place);
            Kind kind = Kind.of(job);
            List<String> able = devices.stream()
                    .filter(kind::runsOn)
                    .map(device -> device.device().id())
                    .toList();
            List<Integer> before = job.after().stream()
                    .flatMap(each -> places.getOrDefault(each, List.of()).stream())
                    .distinct()
                    .toList();
            if (able.isEmpty()) {
                leftOut.merge(kind.onCpu() ? "CPU" : "GPU", 1, Integer::sum);
                places.put(place, before);
                continue;
            }
            places.put(place, List.of(taken.size()));
            taken.add(job);
            long work = Math.round((kind.onCpu() ? job.cpuNanos() : job.gpuNanos()) / NANOS);
            long granule = Math.max(1, (work + job.parts() - 1) / job.parts());
            simulator.submit(SimulatedJob.of(kind.kernel(), Math.max(1, work), granule, policy)
                    .on(able.size() == devices.size() ? List.of() : able)
                    .at(job.nanos())
                    .behind(before, job.priority()));
        }
        leftOut.forEach((what, count) ->
                notes.add(count + " jobs left out: they need a " + what + ", and the machine has none"));
        return report(taken, taken.isEmpty() ? List.of() : simulator.run());
    }

    private static DeviceModel with(DeviceModel device, Iterable<Kind> kinds) {
        Map<String, KernelModel> kernels = new HashMap<>();
        for (Kind kind : kinds) {
            if (kind.runsOn(device)) {
                kernels.put(kind.kernel(), kind.on(device));
            }
        }
        return new DeviceModel(
                device.device(), device.memory(), device.wakeNanos(), device.ahead(), device.link(), kernels, Map.of());
    }

    private ArrivalReport report(List<Trace.Job> jobs, List<Simulator.Outcome> ran) {
        List<DeviceInfo> devices =
                machine.devices().stream().map(DeviceModel::device).toList();
        List<String> ids = devices.stream().map(DeviceInfo::id).toList();
        Long[] busy = new Long[devices.size()];
        Arrays.fill(busy, 0L);
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            Trace.Job job = jobs.get(i);
            Simulator.Outcome outcome = ran.get(i);
            Report report = outcome.report();
            long at = Math.max(0, outcome.submitted());
            long started = at + (report == null ? 0 : report.queuedNanos());
            if (report != null) {
                report.devices().forEach(use -> busy[ids.indexOf(use.id())] += use.busyNanos());
            }
            outcomes.add(new Outcome(
                    job.line(),
                    Map.of("job", job.id()),
                    job.nanos(),
                    at,
                    started,
                    started + (report == null ? 0 : report.wallNanos()),
                    outcome.failure()));
        }
        return new ArrivalReport(outcomes, devices, List.of(busy), -1);
    }
}
