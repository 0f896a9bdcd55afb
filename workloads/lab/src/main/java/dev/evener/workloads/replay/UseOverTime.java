package dev.evener.workloads.replay;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.workloads.document.TextTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Listens to when devices are at work, and tells how many are in each part of the time from the first chunk to the
 * last. Guards itself.
 */
public final class UseOverTime implements RunListener {
    private static final int PARTS = 20;

    private final List<long[]> chunks = new ArrayList<>(); // device, start, end

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
