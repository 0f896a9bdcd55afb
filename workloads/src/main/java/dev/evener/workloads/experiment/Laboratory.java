package dev.evener.workloads.experiment;

import dev.evener.DeviceInfo;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
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
    private final Watch watch;
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

    /**
     * @param watch who hears of the jobs
     * @param progress told now and then in a few words what is being done
     */
    public Laboratory(Experiment experiment, Conditions conditions, Watch watch, Consumer<String> progress) {
        this.experiment = experiment;
        this.conditions = conditions;
        this.watch = watch;
        this.progress = progress;
    }

    /** One finding for each cell of the experiment, in order. */
    public List<Finding> on(DeviceInfo device) {
        List<Finding> findings = new ArrayList<>();
        Map<String, String> incapable = new HashMap<>(); // ways, so that each costs one warning and no more
        for (String value : experiment.values()) {
            String what = device.id() + ", " + experiment.variable() + " " + value;
            progress.accept(what);
            List<Cell> cells = experiment.cells().stream()
                    .filter(c -> c.value().equals(value))
                    .toList();
            Map<Cell, Finding> found = new LinkedHashMap<>();
            while (!measure(device, what, cells, incapable, found)) {
                found.clear();
            }
            for (Cell cell : cells) {
                Finding finding = found.get(cell);
                findings.add(finding != null ? finding : nothing(device, cell, incapable.get(cell.way())));
            }
        }
        return findings;
    }

    private Finding nothing(DeviceInfo device, Cell cell, @Nullable String problem) {
        return new Finding(device, cell, conditions.items(), 0, List.of(), problem);
    }

    private Noted prepare(Evener evener, Cell cell) {
        Values values = Values.of(cell.workload(), cell.set());
        Request request = Request.madeUp(
                cell.workload(), values, conditions.items(), conditions.distribution(), conditions.seed());
        return Noted.prepare(evener, request, watch);
    }

    /**
     * Tries, checks and measures the ways at one value of the variable.
     *
     * @param what the value of the variable, in a few words
     * @param incapable ways that are left out, by what they failed with
     * @param found takes the findings
     * @return false if one more way turned out to fail, which ends the Evener's use of the device
     */
    private boolean measure(
            DeviceInfo device, String what, List<Cell> cells, Map<String, String> incapable, Map<Cell, Finding> found) {
        List<Map.Entry<Cell, Noted>> order = new ArrayList<>();
        try (Evener evener = watch.alone(device, what).bindCores(true).open()) {
            for (Cell cell : cells) {
                if (incapable.containsKey(cell.way())) {
                    continue;
                }
                try {
                    Noted one = prepare(evener, cell);
                    order.add(Map.entry(cell, one));
                    one.workload().reset();
                    one.run();
                    String mismatch = one.workload().mismatch();
                    if (mismatch != null) {
                        found.put(cell, nothing(device, cell, WRONG + mismatch));
                    }
                } catch (EvenerException | IllegalArgumentException e) {
                    incapable.put(cell.way(), reason(String.valueOf(e.getMessage())));
                    return false;
                }
            }
            List<Map.Entry<Cell, Noted>> right = new ArrayList<>(order);
            right.removeIf(each -> found.containsKey(each.getKey()));
            measure(device, right, found);
            return true;
        } finally {
            order.forEach(each -> each.getValue().close());
        }
    }

    private void measure(DeviceInfo device, List<Map.Entry<Cell, Noted>> order, Map<Cell, Finding> found) {
        Map<Cell, List<Report>> reports = new LinkedHashMap<>();
        Random random = new Random(conditions.seed());
        for (int round = -1; round < conditions.rounds(); round++) { // one for what went cold
            Collections.shuffle(order, random);
            for (Map.Entry<Cell, Noted> each : order) {
                Report report = each.getValue().run();
                if (round >= 0) {
                    reports.computeIfAbsent(each.getKey(), c -> new ArrayList<>())
                            .add(report);
                }
            }
        }
        for (Map.Entry<Cell, Noted> each : order) {
            Cell cell = each.getKey();
            PreparedWorkload one = each.getValue().workload();
            List<Report> own = reports.getOrDefault(cell, List.of());
            double bytes = own.stream().mapToDouble(one::bytesPerItem).average().orElse(one.bytesPerItem());
            found.put(cell, new Finding(device, cell, one.items(), bytes, own, null));
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
}
