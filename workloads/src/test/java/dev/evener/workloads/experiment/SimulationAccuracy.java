package dev.evener.workloads.experiment;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.history.History;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.record.RunEvent;
import dev.evener.simulation.Machine;
import dev.evener.simulation.Models;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Workloads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A program, not a test, since it measures: how near simulated jobs come to real ones. Each workload is run with all
 * policies in turn, models are fitted to what happened, and the same jobs are simulated with them. Prints for each policy the
 * median wall time measured and simulated, whether the order of policies is the same wherever the medians differ by more than
 * the noise, and the median error over all. docs/simulation.md has the command and what it printed.
 *
 * <p>Arguments: devices, rounds, and workloads with their sizes, such as {@code 0.0,0.1 15 saxpy:4194304}. With the word
 * {@code apart} at the end, models are fitted to the jobs of single, static and stealing alone, and the other policies are
 * predicted from what these did.
 */
public final class SimulationAccuracy {
    private static final List<String> APART = List.of("single:0", "single:1", "static", "stealing");
    private static final double NOISE = 0.05; // a difference below that is none, whatever the quartiles say

    private final Lines out = new Lines();
    private final List<Double> errors = new ArrayList<>();
    private int pairs;
    private int pairsInOrder;

    /** Lines for people. */
    private static final class Lines {
        void line(String format, Object... values) {
            System.out.println(String.format(Locale.ROOT, format, values));
        }
    }

    private SimulationAccuracy() {}

    public static void main(String[] arguments) {
        List<String> tasks = new ArrayList<>(Arrays.asList(arguments).subList(2, arguments.length));
        boolean apart = tasks.remove("apart");
        SimulationAccuracy accuracy = new SimulationAccuracy();
        for (String task : tasks) {
            String[] parts = task.split(":", 2);
            accuracy.run(
                    DeviceSelector.parse(arguments[0]),
                    Integer.parseInt(arguments[1]),
                    Request.madeUp(Workloads.named(parts[0]), Long.parseLong(parts[1]), 1),
                    apart);
        }
        accuracy.out.line(
                "median error %.1f %% over %d cases; %d of %d pairs of policies that differ are in the right order",
                100
                        * Statistics.median(accuracy.errors.stream()
                                .mapToDouble(Double::doubleValue)
                                .toArray()),
                accuracy.errors.size(),
                accuracy.pairsInOrder,
                accuracy.pairs);
    }

    private static Policy policy(String name) {
        return name.startsWith("single:")
                ? Policies.single(Integer.parseInt(name.substring("single:".length())))
                : Policies.named(name);
    }

    private void run(DeviceSelector devices, int rounds, Request request, boolean apart) {
        List<RunEvent> events = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<String> order = new ArrayList<>(); // the policy of each job, as submitted
        try (Evener evener = Evener.builder()
                        .devices(devices)
                        .history(History.inMemory())
                        .bindCores(true)
                        .listener(event -> {
                            synchronized (events) {
                                events.add(event);
                            }
                        })
                        .open();
                PreparedWorkload workload = request.workload().prepare(evener, request)) {
            for (int i = 0; i < evener.devices().size(); i++) {
                names.add("single:" + i);
            }
            Policies.NAMES.stream().filter(name -> !name.equals("single")).forEach(names::add);
            Map<String, History> histories = new LinkedHashMap<>();
            names.forEach(name -> histories.put(name, History.inMemory()));
            for (int round = 0; round < rounds; round++) {
                for (String name : names) {
                    order.add(name);
                    evener.submit(workload.job(), policy(name), histories.get(name))
                            .join();
                }
            }
            List<RunEvent> heard;
            synchronized (events) {
                heard = List.copyOf(events);
            }
            compare(
                    request,
                    names,
                    order,
                    heard,
                    Models.fit(evener.devices(), apart ? of(heard, order) : heard),
                    evener);
        }
    }

    /** Events of the jobs from which others are to be predicted. */
    private static List<RunEvent> of(List<RunEvent> events, List<String> order) {
        Set<Long> jobs = new HashSet<>();
        for (int i = 0; i < order.size(); i++) {
            if (APART.contains(order.get(i))) {
                jobs.add(i + 1L);
            }
        }
        return events.stream().filter(event -> jobs.contains(event.job())).toList();
    }

    private void compare(
            Request request,
            List<String> names,
            List<String> order,
            List<RunEvent> events,
            Machine machine,
            Evener evener) {
        if (Boolean.getBoolean("evener.models")) {
            machine.devices()
                    .forEach(d -> out.line(
                            "  %s wake %s %s alone %s", d.device().id(), d.wakeNanos(), d.kernels(), d.alone()));
            machine.kernels().forEach((k, w) -> out.line("  %s %s", k, w));
        }
        Simulator simulator = new Simulator(machine);
        Map<String, History> histories = new LinkedHashMap<>();
        names.forEach(name -> histories.put(name, History.inMemory()));
        RunEvent.Submitted job = (RunEvent.Submitted) events.stream()
                .filter(RunEvent.Submitted.class::isInstance)
                .findFirst()
                .orElseThrow();
        for (String name : order) {
            SimulatedJob like = new SimulatedJob(
                    job.name(),
                    job.units(),
                    job.granule(),
                    job.kernels(),
                    List.of(),
                    policy(name),
                    null,
                    0,
                    true,
                    null);
            simulator.submit(like.after(50_000).learningIn(histories.get(name)));
        }
        List<Simulator.Outcome> simulated = simulator.run();
        Map<String, List<Double>> measuredOf = new LinkedHashMap<>();
        Map<String, List<Double>> simulatedOf = new LinkedHashMap<>();
        for (RunEvent event : events) {
            if (event instanceof RunEvent.Ended e) {
                measuredOf
                        .computeIfAbsent(order.get((int) e.job() - 1), n -> new ArrayList<>())
                        .add((double) e.wallNanos());
            }
        }
        for (int i = 0; i < order.size(); i++) {
            simulatedOf.computeIfAbsent(order.get(i), n -> new ArrayList<>()).add((double)
                    simulated.get(i).report().wallNanos());
        }
        out.line(
                "%s, %d %ss on %s",
                request.workload().name(),
                request.items(),
                request.workload().item(),
                evener.devices().stream().map(d -> d.id()).toList());
        double[] real = new double[names.size()];
        double[] made = new double[names.size()];
        double[] noise = new double[names.size()];
        for (int i = 0; i < real.length; i++) {
            double[] walls = later(measuredOf.get(names.get(i)));
            real[i] = Statistics.median(walls);
            made[i] = Statistics.median(later(simulatedOf.get(names.get(i))));
            double[] sorted = walls.clone();
            Arrays.sort(sorted);
            noise[i] = (sorted[sorted.length * 3 / 4] - sorted[sorted.length / 4]) / real[i];
            errors.add(Math.abs(made[i] / real[i] - 1));
            out.line(
                    "  %-10s measured %8.3f ms (quartiles %4.1f %% apart), simulated %8.3f ms, %+5.1f %%",
                    names.get(i), real[i] / 1e6, 100 * noise[i], made[i] / 1e6, 100 * (made[i] / real[i] - 1));
        }
        for (int i = 0; i < real.length; i++) {
            for (int j = 0; j < i; j++) {
                double least = Math.max(NOISE, (noise[i] + noise[j]) / 2);
                if (Math.abs(real[i] / real[j] - 1) > least) {
                    pairs++;
                    boolean same = real[i] < real[j] == made[i] < made[j];
                    pairsInOrder += same ? 1 : 0;
                    if (!same) {
                        out.line("  %s and %s are simulated in the wrong order", names.get(i), names.get(j));
                    }
                }
            }
        }
    }

    /** Without the first third, in which kernels are built and histories learn. */
    private static double[] later(List<Double> walls) {
        return walls.subList(walls.size() / 3, walls.size()).stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }
}
