package dev.evener.workloads.experiment;

import dev.evener.workloads.experiment.Experiment.Cell;
import dev.evener.workloads.workload.Workloads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The experiments there are. */
public final class Experiments {
    private static final List<Experiment> ALL = List.of(segmentedScan());

    private Experiments() {}

    /** All of them, in the order in which they are listed. */
    public static List<Experiment> all() {
        return ALL;
    }

    /** Their names, separated by commas. */
    public static String names() {
        return ALL.stream().map(Experiment::name).collect(Collectors.joining(", "));
    }

    /**
     * The experiment of that name, in any case.
     *
     * @throws IllegalArgumentException if there is none, naming those there are
     */
    public static Experiment named(String name) {
        return ALL.stream()
                .filter(e -> e.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("unknown experiment '" + name + "': expected one of " + names()));
    }

    /** A group to a segment of its own size, as in Intel's tutorial on segmented scans with work-group functions (2014). */
    private static Experiment segmentedScan() {
        List<Cell> cells = new ArrayList<>();
        for (int group = 8; group <= 256; group *= 2) {
            for (String style : List.of("naive", "blelloch", "collective", "runs")) {
                String size = Integer.toString(group);
                cells.add(new Cell(size, style, Map.of("style", style, "group", size, "segment", size)));
            }
        }
        return new Experiment(
                "segmented-scan",
                "styles of the segmented scan, over sizes of groups and segments",
                Workloads.named("segmented-scan"),
                "group size",
                4 << 20,
                cells);
    }
}
