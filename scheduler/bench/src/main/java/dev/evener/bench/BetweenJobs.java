package dev.evener.bench;

import static dev.evener.Access.slice;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * How long a device stands still between two jobs, of which the second waits for the first one's device: two phases with a host step
 * between them, then 1.3 MB of appended results, which the host folds. Prints jobs in a second and, of the second half of the jobs, the
 * time from the end of one's last chunk to the start of the next one's first.
 */
public final class BetweenJobs {
    private static final int UNITS = 512;
    private static final int MOST = 4096;
    private static final String SOURCE = """
            kernel void mark(global const uint *in, global uint *out) {
                size_t i = get_global_id(0);
                out[i] = in[i] + 1;
            }
            kernel void copy(global const uint *in, global uchar *out, global uint *count) {
                size_t i = get_global_id(0);
                for (uint j = 0; j < 2600; j++) out[i * 4096 + j] = (uchar)(in[i] + j);
                count[i] = 2600;
            }
            """;

    private BetweenJobs() {}

    /**
     * Runs the jobs.
     *
     * @param args half their number, 5,000 by default, and the device, the first one by default
     */
    public static void main(String[] args) {
        int jobs = args.length > 0 ? Integer.parseInt(args[0]) : 5000;
        Queue<RunEvent.Chunk> chunks = new ConcurrentLinkedQueue<>();
        try (Evener evener = Evener.builder()
                .history(History.inMemory())
                .listener(event -> {
                    if (event instanceof RunEvent.Chunk chunk) {
                        chunks.add(chunk);
                    }
                })
                .open()) {
            DeviceSelector device = args.length > 1
                    ? DeviceSelector.parse(args[1])
                    : DeviceSelector.parse(evener.devices().get(0).id());
            Job[] all = new Job[3];
            Arrays.setAll(all, i -> job(evener, device));
            ArrayDeque<CompletableFuture<Report>> underWay = new ArrayDeque<>();
            long began = 0;
            for (int i = 0; i < 2 * jobs; i++) {
                if (i == jobs) {
                    began = System.nanoTime();
                    chunks.clear();
                }
                if (underWay.size() == all.length) {
                    underWay.remove().join();
                }
                underWay.add(evener.submit(all[i % all.length]));
            }
            underWay.forEach(CompletableFuture::join);
            double seconds = (System.nanoTime() - began) / 1e9;
            List<RunEvent.Chunk> inOrder = chunks.stream()
                    .sorted(Comparator.comparingLong(RunEvent.Chunk::start))
                    .toList();
            long[] gaps = new long[inOrder.size()];
            int n = 0;
            for (int i = 1; i < inOrder.size(); i++) {
                if (inOrder.get(i).job() != inOrder.get(i - 1).job()) {
                    gaps[n++] = inOrder.get(i).start() - inOrder.get(i - 1).end();
                }
            }
            Arrays.sort(gaps, 0, n);
            System.out.printf(
                    Locale.ROOT,
                    "%s: %.0f jobs/s; between two jobs %.1f us (quartiles %.1f to %.1f)%n",
                    device,
                    jobs / seconds,
                    gaps[n / 2] / 1e3,
                    gaps[n / 4] / 1e3,
                    gaps[3 * n / 4] / 1e3);
        }
    }

    private static Job job(Evener evener, DeviceSelector device) {
        HostBuffer in = evener.allocate(ElementType.UINT, UNITS);
        HostBuffer marks = evener.allocate(ElementType.UINT, UNITS);
        HostBuffer out = evener.allocate(ElementType.UBYTE, (long) UNITS * MOST);
        HostBuffer count = evener.allocate(ElementType.ULONG, 1);
        return Job.named("append")
                .source(SOURCE)
                .units(UNITS)
                .devices(device)
                .kernel("mark")
                .reads(in, slice())
                .writes(marks, slice())
                .hostStep(() -> marks.ints().put(0, 7), marks)
                .kernel("copy")
                .reads(marks, slice())
                .appends(out, count, MOST)
                .build();
    }
}
