package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Makes models of devices from what they did. A chunk's time is a regression of least absolute deviations over its units, so
 * that the odd disturbed chunk does not bend it; how times scatter about it, and what launches take, are the quantiles that
 * were seen, disturbances included.
 *
 * <p>What a record must hold: of each kernel on each device chunks of at least two sizes, else all of a chunk's time is
 * put down to its units; of each device chunks that ran alone and chunks that ran beside others, else it is taken that they
 * do not hinder one another (a run with {@code single} beside one with {@code static} or {@code stealing} tells).
 */
public final class Models {
    /** By how much whole jobs may be off what their kernels say. */
    private static final double AS_EXPECTED = 0.05;

    /** Of so many whole jobs at least is believed that they are. */
    private static final int FEWEST = 3;

    private Models() {}

    /**
     * A machine on which the jobs would have taken what they took.
     *
     * @param devices those that events count
     * @param events of one run, as a {@link dev.evener.event.RunListener} heard them
     * @throws IllegalArgumentException if no job was run to its end
     */
    public static Machine fit(List<DeviceInfo> devices, List<RunEvent> events) {
        Evidence evidence = new Evidence(devices.size(), events);
        Map<String, List<Sample>> byKernel = byKernel(evidence.samples);
        byKernel.replaceAll((kernel, all) -> warm(all));
        List<BitSet> memories = MemoryFit.of(byKernel, devices.size());
        evidence.samples.forEach(s -> s.beside().count(of(memories, s.device())));
        if (byKernel.isEmpty() && evidence.devices.stream().allMatch(seen -> seen.alone.isEmpty())) {
            throw new IllegalArgumentException(
                    "nothing to make models from: no job was run to its end with times of its chunks");
        }
        Map<String, KernelWork> kernels = new TreeMap<>();
        Map<Integer, Map<String, KernelFit.Line>> lines = new HashMap<>();
        byKernel.forEach((kernel, samples) -> {
            KernelFit fit = KernelFit.of(samples);
            double[] host = Numbers.leastDeviations(settled(evidence.hostNanos.getOrDefault(kernel, List.of())));
            kernels.put(kernel, new KernelWork(fit.profile(), host[0], host[1]));
            fit.lines()
                    .forEach((device, line) ->
                            lines.computeIfAbsent(device, d -> new TreeMap<>()).put(kernel, line));
        });
        List<DeviceModel> made = new ArrayList<>();
        for (int device = 0; device < devices.size(); device++) {
            Evidence.Seen seen = evidence.devices.get(device);
            Map<String, KernelFit.Line> found = lines.getOrDefault(device, Map.of());
            LinkFit link = new LinkFit(of(evidence.samples, device), found, evidence.buses.name(device));
            Map<String, KernelModel> own = new TreeMap<>();
            for (Map.Entry<String, KernelFit.Line> each : found.entrySet()) {
                String kernel = each.getKey();
                List<Sample> samples = of(byKernel.getOrDefault(kernel, List.of()), device);
                own.put(kernel, model(each.getValue(), samples, evidence.keeping, link.gaps(kernel), seen.noticeNanos));
            }
            Map<String, KernelModel> alone = alone(device, evidence, own);
            // Of parts that a device never ran, the whole tells: a unit takes as long.
            alone.forEach((job, model) ->
                    evidence.kernelsOf.getOrDefault(job, List.of()).forEach(kernel -> own.putIfAbsent(kernel, model)));
            made.add(new DeviceModel(
                    devices.get(device),
                    name(memories.indexOf(of(memories, device))),
                    launches(seen.wakeNanos),
                    seen.ahead,
                    link.link(),
                    own,
                    alone));
        }
        Map<String, Times> plans = new TreeMap<>();
        evidence.planNanos.forEach((policy, nanos) -> plans.put(policy, launches(nanos)));
        return new Machine(made, kernels, plans);
    }

    /**
     * What the host's part takes once it has been running for a while: without the first third, in which Java's compiler is
     * still at it.
     *
     * @param all in the order in which they happened
     */
    private static <T> List<T> settled(List<T> all) {
        return all.subList(Math.min((all.size() + 2) / 3, Math.max(0, all.size() - 1)), all.size());
    }

    private static Times launches(List<Double> all) {
        return Times.like(settled(all));
    }

    /** Without the first chunk of each device, which finds cold caches and a driver at work, where it ran others. */
    private static List<Sample> warm(List<Sample> all) {
        Map<Integer, Long> counts = all.stream().collect(Collectors.groupingBy(Sample::device, Collectors.counting()));
        Set<Integer> seen = new HashSet<>();
        return all.stream()
                .filter(s -> !seen.add(s.device()) || counts.getOrDefault(s.device(), 0L) == 1)
                .toList();
    }

    private static BitSet of(List<BitSet> memories, int device) {
        return memories.stream().filter(each -> each.get(device)).findFirst().orElseThrow();
    }

    private static String name(int memory) {
        return memory == 0 ? DeviceModel.HOST : DeviceModel.HOST + ":" + memory;
    }

    private static Map<String, List<Sample>> byKernel(List<Sample> samples) {
        return samples.stream().collect(Collectors.groupingBy(Sample::kernel, TreeMap::new, Collectors.toList()));
    }

    private static List<Sample> of(Collection<Sample> samples, int device) {
        return samples.stream().filter(s -> s.device() == device).toList();
    }

    /** Whole jobs on one device, where they do not take what their kernels say: in a form of their own, say. */
    private static Map<String, KernelModel> alone(int device, Evidence evidence, Map<String, KernelModel> kernels) {
        Map<String, KernelModel> models = new TreeMap<>();
        byKernel(evidence.devices.get(device).alone).forEach((name, all) -> {
            List<Sample> samples = warm(all);
            if (differs(samples, evidence.kernelsOf.getOrDefault(name, List.of()), kernels)) {
                KernelFit.Line line = KernelFit.of(samples).lines().get(device);
                if (line != null) {
                    models.put(name, model(line, samples, evidence.keeping, List.of(), List.of()));
                }
            }
        });
        return models;
    }

    private static boolean differs(List<Sample> jobs, List<String> names, Map<String, KernelModel> kernels) {
        if (!kernels.keySet().containsAll(names)) {
            return true; // its own form has fewer phases
        }
        double[] ratios = new double[jobs.size()];
        for (int i = 0; i < ratios.length; i++) {
            double expected = 0;
            for (String name : names) {
                KernelModel kernel = Objects.requireNonNull(kernels.get(name));
                if (kernel.moves().inPerUnit() + kernel.moves().outPerUnit() > 0) {
                    return false; // what is moved counts by the link
                }
                expected += kernel.factor().median()
                        * (kernel.fixedNanos()
                                + kernel.nanosPerUnit() * jobs.get(i).units());
            }
            ratios[i] = jobs.get(i).nanos() * names.size() / expected;
        }
        return ratios.length >= FEWEST && Math.abs(Math.log(Numbers.median(ratios))) > AS_EXPECTED;
    }

    private static KernelModel model(
            KernelFit.Line line,
            List<Sample> samples,
            Set<Long> keeping,
            List<Double> gaps,
            List<Double> otherNotices) {
        List<double[]> submit = rows(samples, Sample::submitNanos);
        double submitPerUnit = Numbers.leastDeviations(settled(submit))[1];
        List<Double> notice = known(samples, Sample::noticeNanos);
        List<Sample> moving =
                samples.stream().filter(s -> !keeping.contains(s.job())).toList();
        double[] sent = Numbers.leastDeviations(rows(moving, s -> (double) s.bytesIn()));
        double[] fetched = Numbers.leastDeviations(rows(moving, s -> (double) s.bytesOut()));
        return new KernelModel(
                line.fixedNanos(),
                line.nanosPerUnit(),
                line.factor(),
                0,
                line.slowdown(),
                new KernelModel.Launch(
                        Numbers.leastDeviations(rows(samples, Sample::saveNanos))[1],
                        launches(submit.stream()
                                .map(row -> row[2] - submitPerUnit * row[1])
                                .toList()),
                        submitPerUnit,
                        launches(known(samples, Sample::startNanos)),
                        launches(gaps),
                        launches(notice.isEmpty() ? otherNotices : notice),
                        launches(known(samples, Sample::settleNanos))),
                new KernelModel.Moves(sent[0], sent[1], fetched[0], fetched[1]));
    }

    /** A figure as a line over units. */
    private static List<double[]> rows(List<Sample> samples, ToDoubleFunction<Sample> figure) {
        return samples.stream()
                .map(s -> new double[] {1, s.units(), figure.applyAsDouble(s)})
                .toList();
    }

    /** A figure where it is known. */
    private static List<Double> known(List<Sample> samples, ToDoubleFunction<Sample> figure) {
        return samples.stream()
                .mapToDouble(figure)
                .filter(nanos -> nanos >= 0)
                .boxed()
                .toList();
    }
}
