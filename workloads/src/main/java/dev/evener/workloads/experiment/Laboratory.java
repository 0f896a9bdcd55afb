package dev.evener.workloads.experiment;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.history.History;
import dev.evener.policy.Policies;
import dev.evener.workloads.experiment.Experiment.Cell;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out experiments, on one device at a time. Every way is first tried, and its result checked, so that one that a
 * device cannot do costs a line and no more; then all ways at one value of the variable are measured in rounds, each once a
 * round, in an order drawn anew. One thread.
 */
public final class Laboratory {
    /** What a problem begins with that is a wrong result. */
    public static final String WRONG = "wrong: ";

    private final Experiment experiment;
    private final Conditions conditions;
    private final Consumer<String> progress;

    /**
     * How an experiment is carried out.
     *
     * @param items how many items
     * @param distribution of the data
     * @param seed of the data and of the order of runs
     * @param rounds how often everything is measured
     */
    public record Conditions(long items, Distribution distribution, long seed, int rounds) {}

    /** @param progress told now and then in a few words what is being done */
    public Laboratory(Experiment experiment, Conditions conditions, Consumer<String> progress) {
        this.experiment = experiment;
        this.conditions = conditions;
        this.progress = progress;
    }

    /** One finding for each cell of the experiment, in order. */
    public List<Finding> on(DeviceInfo device) {
        List<Finding> findings = new ArrayList<>();
        Map<String, String> incapable = new HashMap<>(); // ways, so that each costs one warning and no more
        for (String value : experiment.values()) {
            List<Cell> cells = experiment.cells().stream()
                    .filter(c -> c.value().equals(value))
                    .toList();
            progress.accept(device.id() + ", " + experiment.variable() + " " + value);
            Map<Cell, String> impossible = new LinkedHashMap<>();
            for (Cell cell : cells) {
                String problem = incapable.get(cell.way());
                if (problem == null) {
                    problem = attempt(device, cell);
                }
                if (problem != null) {
                    impossible.put(cell, problem);
                    if (!problem.startsWith(WRONG)) {
                        incapable.put(cell.way(), problem);
                    }
                }
            }
            List<Cell> possible =
                    cells.stream().filter(c -> !impossible.containsKey(c)).toList();
            Map<Cell, Finding> measured = measure(device, possible);
            for (Cell cell : cells) {
                Finding finding = measured.get(cell);
                String problem = impossible.get(cell);
                findings.add(
                        finding != null
                                ? finding
                                : new Finding(device, cell, conditions.items(), 0, List.of(), problem));
            }
        }
        return findings;
    }

    private static Evener open(DeviceInfo device) {
        return Evener.builder()
                .devices(DeviceSelector.parse(device.id()))
                .history(History.inMemory())
                .bindCores(true)
                .open();
    }

    private PreparedWorkload prepare(Evener evener, Cell cell) {
        Values values = Values.of(cell.workload(), cell.set());
        Request request = Request.madeUp(
                cell.workload(), values, conditions.items(), conditions.distribution(), conditions.seed());
        return cell.workload().prepare(evener, request);
    }

    /** Runs a cell once, on an Evener of its own as a failure ends its device's use; what was wrong, or null. */
    private @Nullable String attempt(DeviceInfo device, Cell cell) {
        try (Evener evener = open(device);
                PreparedWorkload prepared = prepare(evener, cell)) {
            prepared.reset();
            run(evener, prepared);
            String mismatch = prepared.mismatch();
            return mismatch == null ? null : WRONG + mismatch;
        } catch (EvenerException | IllegalArgumentException e) {
            return reason(String.valueOf(e.getMessage()));
        }
    }

    /** The first line, or what the kernel itself said when it was built. */
    private static String reason(String message) {
        List<String> lines = message.lines().toList();
        return lines.stream()
                .filter(line -> line.contains("error: \""))
                .map(line -> line.substring(line.indexOf("error: \"") + "error: ".length()))
                .findFirst()
                .orElse(lines.isEmpty() ? "" : lines.get(0));
    }

    private Map<Cell, Finding> measure(DeviceInfo device, List<Cell> cells) {
        Map<Cell, Finding> findings = new LinkedHashMap<>();
        Map<Cell, PreparedWorkload> prepared = new LinkedHashMap<>();
        try (Evener evener = open(device)) {
            try {
                Map<Cell, List<Report>> reports = new LinkedHashMap<>();
                List<Map.Entry<Cell, PreparedWorkload>> order = new ArrayList<>();
                for (Cell cell : cells) {
                    PreparedWorkload one = prepare(evener, cell);
                    prepared.put(cell, one);
                    order.add(Map.entry(cell, one));
                    run(evener, one); // builds, and touches all memory
                    run(evener, one);
                }
                Random random = new Random(conditions.seed());
                for (int round = 0; round < conditions.rounds(); round++) {
                    Collections.shuffle(order, random);
                    for (Map.Entry<Cell, PreparedWorkload> each : order) {
                        reports.computeIfAbsent(each.getKey(), c -> new ArrayList<>())
                                .add(run(evener, each.getValue()));
                    }
                }
                prepared.forEach((cell, one) -> {
                    List<Report> own = reports.getOrDefault(cell, List.of());
                    findings.put(cell, new Finding(device, cell, one.items(), one.bytesPerItem(), own, null));
                });
                return findings;
            } finally {
                prepared.values().forEach(PreparedWorkload::close);
            }
        }
    }

    private static Report run(Evener evener, PreparedWorkload prepared) {
        try {
            return evener.submit(prepared.job(), Policies.single(0)).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof EvenerException cause ? cause : e;
        }
    }
}
