package dev.evener.workloads.experiment;

import dev.evener.workloads.workload.Workload;
import java.util.List;
import java.util.Map;

/**
 * Ways to do the same, compared on each device alone, while something varies.
 *
 * @param name what it is called on the command line
 * @param description one line for people, without a full stop
 * @param item what sizes count
 * @param timing which time is compared
 * @param variable what varies, such as {@code group size}
 * @param items how many items, unless the user says otherwise
 * @param cells every way at every value of the variable: in the order of the values, each value's ways together
 */
public record Experiment(
        String name, String description, String item, Timing timing, String variable, long items, List<Cell> cells) {
    public Experiment {
        cells = List.copyOf(cells);
    }

    /** What is compared: the time in kernels, or of whole jobs where it matters what happens between kernels. */
    public enum Timing {
        KERNELS,
        JOBS
    }

    /**
     * One way at one value.
     *
     * @param value of the variable
     * @param way what is compared; the first one is what others are measured against
     * @param workload what is run
     * @param set what the workload's parameters are set to for it
     */
    public record Cell(String value, String way, Workload workload, Map<String, String> set) {
        public Cell {
            set = Map.copyOf(set);
        }
    }

    /** The values, in order. */
    public List<String> values() {
        return cells.stream().map(Cell::value).distinct().toList();
    }

    /** The ways, in order. */
    public List<String> ways() {
        return cells.stream().map(Cell::way).distinct().toList();
    }
}
