package dev.evener.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that wait for one another, with what each takes on each device and what moving its results takes between
 * devices. Immutable; any thread.
 */
public final class TaskGraph {
    private final double[][] nanos;
    private final double[] release;
    private final List<List<Edge>> before = new ArrayList<>();
    private final List<List<Edge>> after = new ArrayList<>();
    private final List<Integer> order = new ArrayList<>();

    /**
     * One task waits for another.
     *
     * @param from the one that comes first
     * @param to the one that waits
     * @param nanos from the end of the first until the other may begin, on another device; on the same one it may at
     *     once
     */
    public record Edge(int from, int to, double nanos) {}

    /**
     * Where and when a task is meant to run.
     *
     * @param device the device's number
     * @param start in nanoseconds
     * @param end likewise
     */
    public record Slot(int device, double start, double end) {}

    /**
     * A graph.
     *
     * @param nanos by task and device; infinite where a task cannot run
     * @param release before which a task cannot begin, in nanoseconds
     * @throws IllegalArgumentException if tasks wait for one another in a circle
     */
    public TaskGraph(double[][] nanos, double[] release, List<Edge> edges) {
        this.nanos = Arrays.stream(nanos).map(double[]::clone).toArray(double[][]::new);
        this.release = release.clone();
        int[] waits = new int[nanos.length];
        for (int task = 0; task < nanos.length; task++) {
            before.add(new ArrayList<>());
            after.add(new ArrayList<>());
        }
        for (Edge each : edges) {
            after.get(each.from()).add(each);
            before.get(each.to()).add(each);
            waits[each.to()]++;
        }
        Deque<Integer> ready = new ArrayDeque<>();
        for (int task = 0; task < nanos.length; task++) {
            if (waits[task] == 0) {
                ready.add(task);
            }
        }
        while (!ready.isEmpty()) {
            int task = ready.remove();
            order.add(task);
            for (Edge each : after.get(task)) {
                if (--waits[each.to()] == 0) {
                    ready.add(each.to());
                }
            }
        }
        if (order.size() < nanos.length) {
            throw new IllegalArgumentException(
                    nanos.length - order.size() + " of " + nanos.length + " tasks wait for one another in a circle");
        }
    }

    /** How many tasks there are. */
    public int size() {
        return nanos.length;
    }

    /** How many devices there are. */
    public int devices() {
        return nanos.length == 0 ? 0 : nanos[0].length;
    }

    /** What a task takes on a device; infinite if it cannot run there. */
    public double nanos(int task, int device) {
        return nanos[task][device];
    }

    /** Those that wait for a task. */
    public List<Edge> after(int task) {
        return Collections.unmodifiableList(after.get(task));
    }

    /** Those that a task waits for. */
    public List<Edge> before(int task) {
        return Collections.unmodifiableList(before.get(task));
    }

    /** All tasks, each behind those that it waits for. */
    public List<Integer> order() {
        return Collections.unmodifiableList(order);
    }

    /**
     * The longest way from a task's beginning to the end of all, by task: its upward rank, if tasks take their mean
     * times.
     */
    public double[] upwardRanks() {
        double[] ranks = new double[size()];
        for (int i = size() - 1; i >= 0; i--) {
            int task = order.get(i);
            double rest = 0;
            for (Edge each : after.get(task)) {
                rest = Math.max(rest, each.nanos() + ranks[each.to()]);
            }
            ranks[task] = Arrays.stream(nanos[task])
                            .filter(Double::isFinite)
                            .average()
                            .orElse(0)
                    + rest;
        }
        return ranks;
    }

    /**
     * When the last task ends if each takes so long and waits for nothing but its release, and for those before it and
     * what is between: the critical path.
     */
    double pathNanos(IntToDoubleFunction task) {
        double[] ends = new double[size()];
        for (int each : order) {
            double start = release[each];
            for (Edge edge : before.get(each)) {
                start = Math.max(start, ends[edge.from()] + edge.nanos());
            }
            ends[each] = start + task.applyAsDouble(each);
        }
        return Arrays.stream(ends).max().orElse(0);
    }

    /** Slots of some tasks, of which no two on a device overlap. For one thread. */
    public final class Schedule {
        private final @Nullable Slot[] slots = new Slot[size()];
        private final List<List<Slot>> busy = new ArrayList<>(); // by device, in the order of time

        /** Of no task as yet. */
        public Schedule() {
            for (int device = 0; device < devices(); device++) {
                busy.add(new ArrayList<>());
            }
        }

        /**
         * The first slot on a device that is long enough for a task, between others too, when it and the results of
         * those before it that have slots are there.
         */
        public Slot earliest(int task, int device) {
            double from = release[task];
            for (Edge each : before.get(task)) {
                Slot its = slots[each.from()];
                if (its != null) {
                    from = Math.max(from, its.end() + (its.device() == device ? 0 : each.nanos()));
                }
            }
            double takes = nanos[task][device];
            List<Slot> its = busy.get(device);
            for (int i = firstAfter(its, from); i < its.size(); i++) {
                if (from + takes <= its.get(i).start()) {
                    break;
                }
                from = Math.max(from, its.get(i).end());
            }
            return new Slot(device, from, from + takes);
        }

        private static int firstAfter(List<Slot> slots, double from) {
            int low = 0;
            int high = slots.size();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (slots.get(middle).end() <= from) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        /** Gives a task a slot. */
        public void put(int task, Slot slot) {
            slots[task] = slot;
            List<Slot> its = busy.get(slot.device());
            its.add(firstAfter(its, slot.start()), slot);
        }

        /** Takes it back. */
        public void remove(int task) {
            Slot slot = slots[task];
            slots[task] = null;
            if (slot != null) {
                busy.get(slot.device()).remove(slot);
            }
        }

        /** Those of all tasks, once each has one. */
        public List<Slot> slots() {
            return Arrays.stream(slots).map(Objects::requireNonNull).toList();
        }
    }
}
