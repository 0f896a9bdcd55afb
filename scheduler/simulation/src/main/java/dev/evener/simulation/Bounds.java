package dev.evener.simulation;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Less than which nothing can take, whatever the policy, and what a job is expected to take a device. Stateless. */
final class Bounds {
    private static final double MIDDLE = 0.5;
    private static final int HALVINGS = 60; // of an interval, until that is no longer than doubles tell

    private Bounds() {}

    /**
     * Of chunks: a fixed time, and one for each unit, of which parts are on buses.
     *
     * @param buses that its data cross, the host's first; a name is empty if nobody else is on it
     */
    record Cost(double fixed, double perUnit, List<String> buses, List<Double> nanos) {
        String bus(int hop) {
            return hop < buses.size() ? buses.get(hop) : "";
        }

        double onBus(int hop) {
            return bus(hop).isEmpty() ? 0 : nanos.get(hop);
        }
    }

    /**
     * Nanoseconds that a job takes at least when it has the machine for itself: all devices that may have a part end
     * at once, nobody slows another, launches take no time, and a bus is never idle.
     */
    static double nanos(Machine machine, SimulatedJob job) {
        double nanos = 0;
        for (String kernel : job.kernels()) {
            List<Cost> costs = devices(machine, job)
                    .filter(d -> d.kernels().containsKey(kernel))
                    .map(d -> cost(d, d.kernels().get(kernel), job, 0))
                    .toList();
            nanos +=
                    Math.max(together(costs, job), overBuses(costs, (double) job.units())) + host(machine, job, kernel);
        }
        double alone =
                devices(machine, job).mapToDouble(d -> alone(d, job, 0)).min().orElse(Double.MAX_VALUE);
        return Math.min(nanos, alone);
    }

    /** What a device is expected to take for all of a job, undisturbed; infinite if it cannot do it. */
    static double expected(Machine machine, DeviceModel device, SimulatedJob job) {
        if (!mayRun(device, job) || !device.knows(job.name(), job.kernels())) {
            return Double.POSITIVE_INFINITY;
        }
        double nanos = 0;
        for (String kernel : job.kernels()) {
            KernelModel model = device.kernels().get(kernel);
            if (model == null) {
                nanos = Double.POSITIVE_INFINITY;
                break;
            }
            Cost cost = cost(device, model, job, MIDDLE);
            nanos += cost.fixed() + cost.perUnit() * job.units() + host(machine, job, kernel);
        }
        return device.wakeNanos().median() + Math.min(nanos, alone(device, job, MIDDLE));
    }

    /**
     * For each unit of a job, less than which a device does not take for it, whatever is fixed; infinite if it cannot
     * do it.
     */
    static double perUnit(DeviceModel device, SimulatedJob job) {
        double nanos = mayRun(device, job) && device.kernels().keySet().containsAll(job.kernels())
                ? job.kernels().stream()
                        .mapToDouble(kernel -> cost(device, device.kernels().get(kernel), job, 0)
                                .perUnit())
                        .sum()
                : Double.POSITIVE_INFINITY;
        KernelModel alone = mayRun(device, job) ? device.alone().get(job.name()) : null;
        return alone == null
                ? nanos
                : Math.min(
                        nanos,
                        job.kernels().size() * cost(device, alone, job, 0).perUnit());
    }

    private static double host(Machine machine, SimulatedJob job, String kernel) {
        KernelWork work = machine.kernels().getOrDefault(kernel, KernelWork.EVEN);
        return work.hostNanos() + work.hostNanosPerUnit() * job.units();
    }

    private static double alone(DeviceModel device, SimulatedJob job, double quantile) {
        KernelModel model = device.alone().get(job.name());
        if (model == null) {
            return Double.POSITIVE_INFINITY;
        }
        Cost cost = cost(device, model, job, quantile);
        return (cost.fixed() + cost.perUnit() * job.units()) * job.kernels().size();
    }

    private static boolean mayRun(DeviceModel device, SimulatedJob job) {
        return job.devices().isEmpty() || job.devices().contains(device.device().id());
    }

    private static Stream<DeviceModel> devices(Machine machine, SimulatedJob job) {
        return machine.devices().stream().filter(d -> mayRun(d, job));
    }

    /** @param quantile of all that scatters: 0 for the least, of which launches are no part */
    private static Cost cost(DeviceModel device, KernelModel kernel, SimulatedJob job, double quantile) {
        double factor = kernel.factor().at(quantile);
        double fixed = kernel.fixedNanos() * factor;
        double unit = kernel.nanosPerUnit() * factor;
        KernelModel.Moves moves = kernel.moves();
        Link link = device.link();
        double transfer = 0;
        if (job.buffers().isEmpty()) {
            double speed = link.factor().at(quantile);
            transfer = speed * (link.nanosIn(moves.inPerUnit()) + link.nanosOut(moves.outPerUnit()));
            unit += transfer - link.overlap() * link.hideable(unit, transfer, moves.inPerUnit(), moves.outPerUnit());
        }
        if (quantile > 0) {
            KernelModel.Launch launch = kernel.launch();
            fixed += Stream.of(launch.submitNanos(), launch.startNanos(), launch.gapNanos(), launch.noticeNanos())
                            .mapToDouble(times -> times.at(quantile))
                            .sum()
                    + (transfer > 0 ? link.nanos(moves.inPerChunk() + 1, moves.outPerChunk()) : 0);
            unit += launch.submitNanosPerUnit() + launch.saveNanosPerUnit();
        }
        double part = transfer / Math.max(1e-300, link.nanosIn(moves.inPerUnit()) + link.nanosOut(moves.outPerUnit()));
        List<Double> hops = IntStream.range(0, link.buses().size())
                .mapToObj(i ->
                        part * (link.nanosOn(i, moves.inPerUnit(), true) + link.nanosOn(i, moves.outPerUnit(), false)))
                .toList();
        return new Cost(fixed, unit, link.buses(), hops);
    }

    /**
     * The least time in which devices, no more than there are parts, do all units: they end at once, and one has a
     * whole part. Where some have none, as if those with the least fixed times had the least for a unit.
     */
    private static double together(List<Cost> costs, SimulatedJob job) {
        double units = (double) job.units();
        double part = (double) Math.min(job.units(), job.granule());
        double least = costs.stream()
                .mapToDouble(cost -> cost.fixed() + cost.perUnit() * part)
                .min()
                .orElse(Double.MAX_VALUE);
        List<Cost> in =
                costs.stream().sorted(Comparator.comparingDouble(Cost::fixed)).toList();
        int most = (int) Math.min(in.size(), Math.ceil(units / part));
        double[] perUnit = in.stream().mapToDouble(Cost::perUnit).toArray();
        if (most < in.size()) {
            Arrays.sort(perUnit);
        }
        double rates = 0;
        double before = 0;
        double time = Double.MAX_VALUE;
        for (int i = 0; i < most && in.get(i).fixed() < time; i++) {
            double rate = 1 / Math.max(1e-9, perUnit[i]);
            rates += rate;
            before += rate * in.get(i).fixed();
            time = (units + before) / rates;
        }
        return Math.max(least, time);
    }

    /**
     * The least time in which devices do so many units, if what each bus moves takes no longer either: at any time t a
     * device may have done t / c units, and those on a bus share its t nanoseconds, those first that need the least of
     * it for a unit. Beaumont, Carter, Ferrante, Legrand and Robert, Bandwidth-Centric Allocation of Independent Tasks
     * on Heterogeneous Platforms, 2002. In a tree, of the level that takes longest. 0 where there is no bus.
     */
    static double overBuses(List<Cost> costs, double units) {
        int levels = costs.stream().mapToInt(cost -> cost.buses().size()).max().orElse(0);
        return IntStream.range(0, levels)
                .mapToDouble(hop -> overBuses(costs, units, hop))
                .max()
                .orElse(0);
    }

    private static double overBuses(List<Cost> costs, double units, int hop) {
        if (costs.stream().allMatch(cost -> cost.onBus(hop) == 0)) {
            return 0;
        }
        List<Cost> order = costs.stream()
                .sorted(Comparator.comparingDouble(cost -> cost.onBus(hop)))
                .toList();
        double low = 0;
        double high = costs.stream()
                .mapToDouble(cost -> units * (cost.perUnit() + cost.onBus(hop)))
                .min()
                .orElse(0);
        for (int i = 0; i < HALVINGS; i++) {
            double middle = (low + high) / 2;
            Map<String, Double> free = new HashMap<>();
            double done = 0;
            for (Cost each : order) {
                double its = middle / Math.max(1e-9, each.perUnit());
                if (each.onBus(hop) > 0) {
                    double left = free.getOrDefault(each.bus(hop), middle);
                    its = Math.min(its, left / each.onBus(hop));
                    free.put(each.bus(hop), left - its * each.onBus(hop));
                }
                done += its;
            }
            low = done < units ? middle : low;
            high = done < units ? high : middle;
        }
        return low;
    }
}
