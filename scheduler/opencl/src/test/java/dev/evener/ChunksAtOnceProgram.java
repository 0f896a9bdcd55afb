package dev.evener;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a small chunk takes a lane, and a small job a thread, alone and while the other devices' do the same: {@code java
 * dev.evener.ChunksAtOnceProgram DEVICES}. Where drivers' calls wait for each other, all at once take longer than one.
 */
final class ChunksAtOnceProgram {
    private static final int GRANULE = 1024;
    private static final int CHUNKS = 4_000; // of a lane
    private static final int JOBS = 2_000; // of a thread
    private static final int ROUNDS = 7;
    private static final String SOURCE =
            "__kernel void put(__global int *out) { out[get_global_id(0)] = (int) get_global_id(0); }";

    private ChunksAtOnceProgram() {}

    /** Equal shares in chunks as small as can be. */
    private static final class Smallest implements Policy {
        @Override
        public String name() {
            return "smallest";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            long[] shares = new long[snapshot.lanes().size()];
            Arrays.fill(shares, snapshot.granules() / shares.length);
            shares[0] += snapshot.granules() % shares.length;
            return Plan.of(Plan.Sharing.FIXED, shares);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            return 1;
        }
    }

    private static Job job(DataBuffer out, DeviceSelector devices) {
        return Job.named("put")
                .source(SOURCE)
                .units(out.elements())
                .granule(GRANULE)
                .devices(devices)
                .kernel("put")
                .writes(out, Access.slice())
                .build();
    }

    public static void main(String[] arguments) throws InterruptedException {
        List<String> devices = List.of(arguments[0].split(","));
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse(arguments[0]))
                .history(History.inMemory())
                .open()) {
            double chunk = chunks(evener, devices.subList(0, 1));
            double job = jobs(evener, devices.subList(0, 1));
            for (int n = 2; n <= devices.size(); n *= 2) {
                List<String> some = devices.subList(0, n);
                double chunks = chunks(evener, some);
                double jobs = jobs(evener, some);
                System.out.printf(
                        "%d devices: a chunk %.1f us alone, %.1f at once (%.2f x); a joined job %.1f, %.1f (%.2f x)%n",
                        n, chunk, chunks, chunks / chunk, job, jobs, jobs / job);
            }
        }
    }

    private static double chunks(Evener evener, List<String> devices) {
        DeviceSelector all = DeviceSelector.parse(String.join(",", devices));
        try (ManagedBuffer out = evener.allocateManaged(ElementType.INT, (long) GRANULE * CHUNKS * devices.size())) {
            Job job = job(out, all);
            long least = Long.MAX_VALUE;
            for (int i = 0; i < ROUNDS; i++) {
                long start = System.nanoTime();
                evener.submit(job, new Smallest()).join();
                least = Math.min(least, System.nanoTime() - start);
            }
            return least / 1e3 / CHUNKS;
        }
    }

    /** The slowest thread of the best round. */
    private static double jobs(Evener evener, List<String> devices) throws InterruptedException {
        List<ManagedBuffer> buffers = new ArrayList<>();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < devices.size(); i++) {
            buffers.add(evener.allocateManaged(ElementType.INT, GRANULE));
        }
        for (int round = 0; round < ROUNDS; round++) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < devices.size(); i++) {
                Job job = job(buffers.get(i), DeviceSelector.parse(devices.get(i)));
                threads.add(new Thread(() -> {
                    for (int k = 0; k < JOBS; k++) {
                        evener.submit(job).join();
                    }
                }));
            }
            long start = System.nanoTime();
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            least = Math.min(least, System.nanoTime() - start);
        }
        buffers.forEach(ManagedBuffer::close);
        return least / 1e3 / JOBS;
    }
}
