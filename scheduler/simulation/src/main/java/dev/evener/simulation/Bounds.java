package dev.evener.simulation;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Less than which nothing can take, whatever the policy. Stateless. */
final class Bounds {
    private Bounds() {}

    /** Of chunks that are always as fast as they ever are: a fixed time, and one for each unit. */
    private record Cost(double fixed, double perUnit) {}

    /**
     * Nanoseconds that a job takes at least when it has the machine for itself: all devices that may have a part end
     * at once, nobody slows another, and launches take no time.
     */
    static double nanos(Machine machine, SimulatedJob job) {
        double nanos = 0;
        for (String kernel : job.kernels()) {
            KernelWork work = machine.kernels().getOrDefault(kernel, KernelWork.EVEN);
            nanos += together(
                            devices(machine, job)
                                    .filter(d -> d.kernels().containsKey(kernel))
                                    .map(d -> cost(d, d.kernels().get(kernel), job))
                                    .toList(),
                            job)
                    + work.hostNanos()
                    + work.hostNanosPerUnit() * job.units();
        }
        double alone = devices(machine, job)
                .filter(d -> d.alone().containsKey(job.name()))
                .map(d -> cost(d, d.alone().get(job.name()), job))
                .mapToDouble(cost -> cost.fixed() + cost.perUnit() * job.units())
                .min()
                .orElse(Double.MAX_VALUE);
        return Math.min(nanos, alone * job.kernels().size());
    }

    private static Stream<DeviceModel> devices(Machine machine, SimulatedJob job) {
        return machine.devices().stream()
                .filter(d -> job.devices().isEmpty()
                        || job.devices().contains(d.device().id()));
    }

    private static Cost cost(DeviceModel device, KernelModel kernel, SimulatedJob job) {
        double least = kernel.factor().at(0);
        double unit = kernel.nanosPerUnit() * least;
        KernelModel.Moves moves = kernel.moves();
        if (job.buffers().isEmpty()) {
            Link link = device.link();
            double fastest = link.factor().at(0);
            double transfer = fastest * (link.nanosIn(moves.inPerUnit()) + link.nanosOut(moves.outPerUnit()));
            unit += transfer - link.overlap() * link.hideable(unit, transfer, moves.inPerUnit(), moves.outPerUnit());
        }
        return new Cost(kernel.fixedNanos() * least, unit);
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
}
