package dev.evener.workloads.experiment;

import dev.evener.workloads.experiment.Experiment.Cell;
import dev.evener.workloads.experiment.Experiment.Timing;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.Workloads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The experiments there are. */
public final class Experiments {
    private static final List<Experiment> ALL = List.of(segmentedScan(), reduction(), rgbHistogram());

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
        Workload workload = Workloads.named("segmented-scan");
        List<Cell> cells = new ArrayList<>();
        for (int group = 8; group <= 256; group *= 2) {
            for (String style : List.of("naive", "blelloch", "collective", "runs")) {
                String size = Integer.toString(group);
                cells.add(new Cell(size, style, workload, Map.of("style", style, "group", size, "segment", size)));
            }
        }
        return new Experiment(
                "segmented-scan",
                "styles of the segmented scan, over sizes of groups and segments",
                workload.item(),
                Timing.KERNELS,
                "group size",
                4 << 20,
                cells);
    }

    /** Four steps of the OpenCL course of the Juelich Supercomputing Centre, and what this library does instead. */
    private static Experiment reduction() {
        Workload workload = Workloads.named("reduce-steps");
        List<Cell> cells = new ArrayList<>();
        for (String second : List.of("device", "host")) {
            for (String step : List.of("item-per-group", "local-copy", "tree", "fewer-iterations")) {
                cells.add(new Cell(second, step, workload, Map.of("step", step, "second-pass", second)));
            }
            cells.add(new Cell(second, "reduce", Workloads.named("reduce"), Map.of("type", "int")));
        }
        return new Experiment(
                "reduction",
                "steps of a reduction, with the second pass on the device and on the host",
                workload.item(),
                Timing.JOBS,
                "second pass",
                16 << 20,
                cells);
    }

    private static Experiment rgbHistogram() {
        Workload workload = Workloads.named("rgb-histogram");
        List<Cell> cells = new ArrayList<>();
        for (int bins = 1; bins <= 256; bins *= 4) {
            for (String style : List.of("atomics", "private")) {
                String count = Integer.toString(bins);
                cells.add(new Cell(count, style, workload, Map.of("style", style, "bins", count)));
            }
        }
        return new Experiment(
                "rgb-histogram",
                "RGB histogram with and without atomics, over numbers of bins",
                workload.item(),
                Timing.KERNELS,
                "bins",
                4 << 20,
                cells);
    }
}
