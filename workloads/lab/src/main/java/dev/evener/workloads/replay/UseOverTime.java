package dev.evener.workloads.replay;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.policy.Policies;
import dev.evener.simulation.MakespanBound;
import dev.evener.simulation.Models;
import dev.evener.simulation.SimulatedJob;
import dev.evener.workloads.document.TextTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Listens to when devices are at work, and tells how many are in each part of the time from the first chunk to the
 * last. Guards itself.
 */
public final class UseOverTime implements RunListener {
    private static final int PARTS = 20;
    private static final int MOST = 2_000_000; // events, of which each takes some 100 bytes

    private final List<long[]> chunks = new ArrayList<>(); // device, start, end
    private final List<RunEvent> events = new ArrayList<>();
    private boolean keeps;

    /** One that also keeps all that happens live, as far as there is room, so that a bound can be told. */
    public static UseOverTime live() {
        UseOverTime use = new UseOverTime();
        use.keeps = true;
        return use;
    }

    /**
     * A part of the time.
     *
     * @param fromSeconds since the first chunk began
     * @param utilisation busy time of all devices as a part of it
     * @param imbalance the longest of these less the mean, over the longest, times n / (n - 1): 1 if one device did all
     */
    record Slice(double fromSeconds, double utilisation, double imbalance) {}

    static final TextTable<Slice> TABLE = new TextTable<Slice>()
            .column(">from", "fromSeconds", Slice::fromSeconds, seconds -> format("%.3g s", seconds))
            .column(">at work", "utilisation", Slice::utilisation, part -> format("%.1f %%", 100 * part))
            .column(">imbalance", "imbalance", Slice::imbalance, part -> format("%.1f %%", 100 * part));

    @Override
    public synchronized void heard(RunEvent event) {
        if (event instanceof RunEvent.Chunk chunk) {
            chunks.add(new long[] {chunk.device(), chunk.start(), chunk.end()});
        }
        keeps &= events.size() < MOST;
        if (keeps) {
            events.add(event);
        }
    }

    /** Events of all of one Evener's run; none if there were too many. */
    private synchronized List<RunEvent> all() {
        return keeps ? List.copyOf(events) : List.of();
    }

    /** Less than which no policy takes for these jobs by what devices took; null if that is not known. */
    public @Nullable MakespanBound bound(List<DeviceInfo> devices) {
        return bound(events -> MakespanBound.of(devices, events));
    }

    /**
     * The same of jobs that arrived and waited for others as is told.
     *
     * @param asked in the order of their submission: when each arrived and places among these of those before it
     */
    @Nullable
    MakespanBound bound(List<DeviceInfo> devices, List<Map.Entry<Long, List<Integer>>> asked) {
        return bound(events -> {
            List<RunEvent.Submitted> submitted = events.stream()
                    .filter(RunEvent.Submitted.class::isInstance)
                    .map(RunEvent.Submitted.class::cast)
                    .sorted(Comparator.comparingLong(RunEvent.Submitted::job))
                    .toList();
            if (submitted.size() != asked.size()) {
                return null;
            }
            List<SimulatedJob> jobs = IntStream.range(0, asked.size())
                    .mapToObj(i -> SimulatedJob.like(submitted.get(i), List.of(), Policies.adaptive())
                            .at(asked.get(i).getKey())
                            .behind(asked.get(i).getValue(), 0))
                    .toList();
            return MakespanBound.of(Models.fit(devices, events), jobs);
        });
    }

    private @Nullable MakespanBound bound(Function<List<RunEvent>, @Nullable MakespanBound> by) {
        List<RunEvent> known = all();
        try {
            return known.isEmpty() ? null : by.apply(known);
        } catch (IllegalArgumentException e) { // nothing ran to its end
            return null;
        }
    }

    /** The parts, all of one length, of so many devices; none if nothing ran. */
    synchronized List<Slice> slices(int devices) {
        long first = chunks.stream().mapToLong(chunk -> chunk[1]).min().orElse(0);
        long last = chunks.stream().mapToLong(chunk -> chunk[2]).max().orElse(0);
        double length = (double) (last - first) / PARTS;
        if (length == 0) {
            return List.of();
        }
        double[][] busy = new double[PARTS][devices];
        for (long[] chunk : chunks) {
            int end = (int) Math.min(PARTS - 1, (chunk[2] - first) / length);
            for (int part = (int) Math.min(PARTS - 1, (chunk[1] - first) / length); part <= end; part++) {
                double from = Math.max((double) chunk[1], first + part * length);
                double to = Math.min((double) chunk[2], first + (part + 1) * length);
                busy[part][(int) chunk[0]] += Math.max(0, to - from);
            }
        }
        List<Slice> slices = new ArrayList<>();
        for (double[] part : busy) {
            double most = Arrays.stream(part).max().orElse(0);
            double mean = Arrays.stream(part).average().orElse(0);
            double spread = devices < 2 || most == 0 ? 0 : (most - mean) / most * devices / (devices - 1);
            slices.add(new Slice(slices.size() * length / 1e9, mean / length, spread));
        }
        return slices;
    }
}
