package dev.evener.bench;

import static dev.evener.Access.slice;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What independent jobs of many threads gain by running side by side: kernels that only compute, of sizes that take some 0.1 to 5 ms, each
 * joined by the thread that submitted it, from one thread and from several. Prints jobs a second of both in turn, and whether all results
 * are right.
 */
public final class ManyJobs {
    private static final int LENGTH = 500; // steps of a generator for each element
    private static final String SOURCE = """
            kernel void steps(global uint *out, ulong first, uint seed, int length) {
                uint value = seed + (uint) (first + get_global_id(0));
                for (int i = 0; i < length; i++) {
                    value = value * 1664525u + 1013904223u;
                }
                out[get_global_id(0)] = value;
            }
            """;

    private ManyJobs() {}

    /**
     * Runs the jobs both ways, three times in turn.
     *
     * @param args a selector of devices, jobs, threads, and the elements of the smallest job; the largest has fifty times as many
     * @throws InterruptedException if it is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        String devices = args.length > 0 ? args[0] : "all";
        int jobs = args.length > 1 ? Integer.parseInt(args[1]) : 1000;
        int threads = args.length > 2 ? Integer.parseInt(args[2]) : 8;
        int least = args.length > 3 ? Integer.parseInt(args[3]) : 1024;
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .history(History.inMemory())
                .open()) {
            List<Work> all = new ArrayList<>();
            Random random = new Random(1);
            for (int i = 0; i < jobs; i++) {
                all.add(new Work(evener, i, least * (int) Math.round(Math.exp(random.nextDouble() * Math.log(50)))));
            }
            run(evener, all, 1); // which learns
            for (int round = 0; round < 3; round++) {
                double one = run(evener, all, 1);
                double many = run(evener, all, threads);
                System.out.printf(
                        Locale.ROOT,
                        "%s: %.0f jobs/s one after another, %.0f from %d threads (%.2f x), %s%n",
                        devices,
                        jobs / one,
                        jobs / many,
                        threads,
                        one / many,
                        all.stream().allMatch(Work::isRight) ? "all right" : "WRONG");
            }
        }
    }

    /** Seconds that it takes so many threads to have all jobs done. */
    private static double run(Evener evener, List<Work> all, int count) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        long start = System.nanoTime();
        for (int t = 0; t < count; t++) {
            Thread thread = new Thread(() -> {
                for (int i = next.getAndIncrement(); i < all.size(); i = next.getAndIncrement()) {
                    Report ignored = evener.submit(all.get(i).job).join();
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return (System.nanoTime() - start) / 1e9;
    }

    private static final class Work {
        final Job job;
        private final int seed;
        private final HostBuffer out;

        Work(Evener evener, int seed, int elements) {
            this.seed = seed;
            this.out = evener.allocate(ElementType.UINT, elements);
            this.job = Job.named("steps")
                    .source(SOURCE)
                    .units(elements)
                    .kernel("steps")
                    .writes(out, slice())
                    .chunkStart()
                    .scalar(seed)
                    .scalar(LENGTH)
                    .build();
        }

        boolean isRight() {
            int at = (int) out.elements() - 1;
            int value = seed + at;
            for (int i = 0; i < LENGTH; i++) {
                value = value * 1664525 + 1013904223;
            }
            return out.ints().get(at) == value;
        }
    }
}
