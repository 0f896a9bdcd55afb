package dev.evener.workloads.replay;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.record.RecordReader;
import dev.evener.record.Recorder;
import dev.evener.record.Recording;
import dev.evener.simulation.Machine;
import dev.evener.simulation.Models;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.suite.Workloads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * policies in turn, models are fitted to what happened, and the same jobs are simulated with them. Prints for each
 * policy the median wall time measured and simulated, whether the order of policies is the same wherever the medians
 * differ by more than the noise, and the median error over all, beside the difference of the first and the second half
 * of what was measured. docs/performance.md has what it printed, docs/results each workload (simulated-*.csv).
 *
 * <p>Start it with libjsig.so preloaded and PoCL's two devices in the environment, {@code java -cp
 * workloads/target/test-classes:workloads/target/evener.jar}, and with {@code 0.0,0.1 60 mandelbrot:4194304
 * saxpy:16777216 histogram:67108864 tonemap:4194304 sum:67108864 nbody:8192} for the figures kept.
 *
 * <p>Arguments: devices, rounds, and workloads with their sizes, such as {@code 0.0,0.1 15 saxpy:4194304}. With the
 * word {@code apart} at the end, models are fitted to the jobs of single, static and stealing alone, and the other
 * policies are predicted from what these did; only those count then. {@code keep=FOLDER} keeps a record of each
 * workload there; {@code from} and such records compares them again without running anything, as when models have
 * become other ones.
 */
public final class SimulationAccuracy {
    private static final List<String> APART = List.of("single:0", "single:1", "static", "stealing");
    private static final int SEEDS = 7; // of as many simulations the median is taken
    private static final double NOISE = 0.05; // a difference below that is none, whatever the quartiles say

    private final Lines out = new Lines();
    private final List<Double> errors = new ArrayList<>();
    private final List<Double> floors = new ArrayList<>(); // the difference of both halves of what was measured
    private int pairs;
    private int pairsInOrder;
    private final boolean apart;

    /** Lines for people. */
    private static final class Lines {
        void line(String format, Object... values) {
            System.out.println(String.format(Locale.ROOT, format, values));
        }
    }

    private SimulationAccuracy(boolean apart) {
        this.apart = apart;
    }

    public static void main(String[] arguments) {
        List<String> tasks = new ArrayList<>(Arrays.asList(arguments));
        SimulationAccuracy accuracy = new SimulationAccuracy(tasks.remove("apart"));
        if (tasks.remove("from")) {
            tasks.forEach(file -> accuracy.compare(RecordReader.read(Path.of(file))));
        } else {
            DeviceSelector devices = DeviceSelector.parse(tasks.remove(0));
            int rounds = Integer.parseInt(tasks.remove(0));
            Path keep = null;
            for (String task : tasks) {
                if (task.startsWith("keep=")) {
                    keep = Path.of(task.substring("keep=".length()));
                    continue;
                }
                String[] parts = task.split(":", 2);
                Path record = keep == null ? tempRecord() : keep.resolve(parts[0] + "-" + parts[1] + ".record.gz");
                run(devices, rounds, Request.synthetic(Workloads.named(parts[0]), Long.parseLong(parts[1]), 1), record);
                accuracy.compare(RecordReader.read(record));
            }
        }
        double[] beyond = new double[accuracy.errors.size()];
        for (int i = 0; i < beyond.length; i++) {
            beyond[i] = Math.min(accuracy.errors.get(i) / accuracy.floors.get(i), accuracy.errors.get(i) / 0.15 * 2);
        }
        accuracy.out.line(
                "halves differ by %.1f %% in the median; of %d cases %d are off by more than twice that and 15 %%",
                100 * median(accuracy.floors),
                beyond.length,
                Arrays.stream(beyond).filter(b -> b > 2).count());
        accuracy.out.line(
                "median error %.1f %% over %d cases; %d of %d pairs of policies that differ are in the right order",
                100 * median(accuracy.errors), accuracy.errors.size(), accuracy.pairsInOrder, accuracy.pairs);
    }

    private static double median(List<Double> values) {
        return Statistics.median(
                values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static Path tempRecord() {
        try {
            Path file = Files.createTempFile("accuracy", ".record.gz");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> names(int devices) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < devices; i++) {
            names.add("single:" + i);
        }
        Policies.names().stream().filter(name -> !name.equals("single")).forEach(names::add);
        return names;
    }

    private static Policy policy(String name) {
        return name.startsWith("single:")
                ? Policies.single(Integer.parseInt(name.substring("single:".length())))
                : Policies.named(name);
    }

    private static void run(DeviceSelector devices, int rounds, Request request, Path record) {
        try (Recorder recorder = Recorder.to(record);
                Evener evener = Evener.builder()
                        .devices(devices)
                        .history(History.inMemory())
                        .listener(recorder)
                        .open();
                PreparedWorkload workload = request.workload().prepare(evener, request)) {
            List<String> names = names(evener.devices().size());
            Map<String, History> histories = new LinkedHashMap<>();
            names.forEach(name -> histories.put(name, History.inMemory()));
            for (int round = 0; round < rounds; round++) {
                for (String name : names) {
                    evener.submit(workload.job(), policy(name), histories.get(name))
                            .join();
                }
            }
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

    private void compare(Recording recording) {
        Recording.Run run = recording.runs().get(0);
        List<RunEvent> events = run.events();
        List<String> names = names(run.devices().size());
        List<String> order = new ArrayList<>(); // the policy of each job, as submitted
        for (RunEvent event : events) {
            if (event instanceof RunEvent.Submitted) {
                order.add(names.get(order.size() % names.size()));
            }
        }
        Machine machine = Models.fit(run.devices(), apart ? of(events, order) : events);
        if (Boolean.getBoolean("evener.models")) {
            machine.devices()
                    .forEach(d -> out.line(
                            "  %s wake %s %s alone %s", d.device().id(), d.wakeNanos(), d.kernels(), d.alone()));
            machine.kernels().forEach((k, w) -> out.line("  %s %s", k, w));
        }
        RunEvent.Submitted job = (RunEvent.Submitted) events.stream()
                .filter(RunEvent.Submitted.class::isInstance)
                .findFirst()
                .orElseThrow();
        Map<String, List<Double>> measuredOf = new LinkedHashMap<>();
        Map<String, List<Double>> simulatedOf = new LinkedHashMap<>();
        for (RunEvent event : events) {
            if (event instanceof RunEvent.Ended e) {
                measuredOf
                        .computeIfAbsent(order.get((int) e.job() - 1), n -> new ArrayList<>())
                        .add((double) e.wallNanos());
            }
        }
        for (int seed = 1; seed <= SEEDS; seed++) {
            simulate(machine, job, names, order, seed, simulatedOf);
        }
        out.line(
                "%s, %d units on %s",
                job.name(), job.units(), run.devices().stream().map(d -> d.id()).toList());
        double[] real = new double[names.size()];
        double[] made = new double[names.size()];
        double[] noise = new double[names.size()];
        for (int i = 0; i < real.length; i++) {
            double[] walls = later(measuredOf.get(names.get(i)));
            real[i] = Statistics.median(walls);
            made[i] = median(simulatedOf.get(names.get(i)));
            double[] sorted = walls.clone();
            Arrays.sort(sorted);
            noise[i] = (sorted[sorted.length * 3 / 4] - sorted[sorted.length / 4]) / real[i];
            int half = walls.length / 2;
            double floor = Math.abs(Statistics.median(Arrays.copyOf(walls, half))
                            / Statistics.median(Arrays.copyOfRange(walls, half, walls.length))
                    - 1);
            if (!apart || !APART.contains(names.get(i))) {
                errors.add(Math.abs(made[i] / real[i] - 1));
                floors.add(floor);
            }
            out.line(
                    "  %-10s measured %8.3f ms (quartiles %4.1f %% apart, halves %4.1f %%), simulated %8.3f ms, %+5.1f %%",
                    names.get(i),
                    real[i] / 1e6,
                    100 * noise[i],
                    100 * floor,
                    made[i] / 1e6,
                    100 * (made[i] / real[i] - 1));
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

    /** Adds the wall times of the jobs that count, by policy. */
    private static void simulate(
            Machine machine,
            RunEvent.Submitted job,
            List<String> names,
            List<String> order,
            int seed,
            Map<String, List<Double>> wallsOf) {
        Simulator simulator = new Simulator(machine).seed(seed);
        Map<String, History> histories = new LinkedHashMap<>();
        names.forEach(name -> histories.put(name, History.inMemory()));
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
                    null,
                    job.buffers());
            simulator.submit(like.after(50_000).learningIn(histories.get(name)));
        }
        List<Simulator.Outcome> outcomes = simulator.run();
        Map<String, List<Double>> walls = new LinkedHashMap<>();
        for (int i = 0; i < order.size(); i++) {
            walls.computeIfAbsent(order.get(i), n -> new ArrayList<>())
                    .add((double) outcomes.get(i).report().wallNanos());
        }
        walls.forEach((name, all) -> {
            for (double wall : later(all)) {
                wallsOf.computeIfAbsent(name, n -> new ArrayList<>()).add(wall);
            }
        });
    }

    /** Without the first third, in which kernels are built and histories learn. */
    private static double[] later(List<Double> walls) {
        return walls.subList(walls.size() / 3, walls.size()).stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }
}
