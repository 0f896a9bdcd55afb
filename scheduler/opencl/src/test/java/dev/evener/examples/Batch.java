package dev.evener.examples;

import static dev.evener.Access.slice;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.Report;
import dev.evener.policy.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Many jobs at once, with limits and somebody who wants to know. */
public final class Batch {
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void saxpy(global const float *x, global float *y, float a) {
                size_t i = get_global_id(0);
                y[i] = a * x[i] + y[i];
            }
            """;

    private Batch() {}

    static JobBuilder saxpy(float a, HostBuffer x, HostBuffer y) {
        return Job.named("saxpy")
                .source(SOURCE)
                .units(x.elements())
                .kernel("saxpy")
                .reads(x, slice())
                .updates(y, slice())
                .scalar(a);
    }

    /** Submits one job for each vector at once, and completes when the last is done. */
    static CompletableFuture<Void> saxpyAll(Evener evener, float a, List<HostBuffer> xs, HostBuffer y) {
        List<CompletableFuture<Report>> all = new ArrayList<>();
        for (HostBuffer x : xs) {
            all.add(evener.submit(saxpy(a, x, y).build())); // they run in the order of their submission
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    // region prepare
    /** Returns when the kernel is built on every device. */
    static void warm(Evener evener, HostBuffer x, HostBuffer y) {
        evener.prepare(saxpy(1, x, y).build()).join();
    }
    // endregion

    /** The first test of every kernel: throws if it does not do what its job declares. */
    static void check() {
        int n = 1009; // a prime, so that nothing divides it
        try (Evener checking = Evener.builder().checked().open()) {
            HostBuffer x = checking.allocate(ElementType.FLOAT, n);
            HostBuffer y = checking.allocate(ElementType.FLOAT, n);
            for (int i = 0; i < n; i++) {
                x.floats().put(i, i); // equal values would show less
            }
            checking.submit(saxpy(2, x, y).build()).join();
        }
    }

    // region options
    /** The same job with everything that may be asked of it. */
    static Job careful(float a, HostBuffer x, HostBuffer y) {
        return saxpy(a, x, y)
                .policy(Policies.guided()) // instead of the runtime's
                .devices(DeviceSelector.parse("cpu")) // of those that the runtime has open
                .deadline(Duration.ofMinutes(1)) // from submission to the end
                .chunkDeadline(Duration.ofSeconds(10)) // a device that takes longer for a chunk is taken for hung
                .onProgress(p -> System.out.printf("%s: %.0f %%%n", p.job(), 100 * p.fraction()))
                .build();
    }
    // endregion

    // region failure
    /** Waits for a job and says in one line how it went. */
    static String outcome(CompletableFuture<Report> future) {
        try {
            Report report = future.join();
            return report.failures().isEmpty()
                    ? report.summary()
                    : report.summary() + "; on the way: " + String.join("; ", report.failures());
        } catch (CancellationException e) {
            return "cancelled";
        } catch (CompletionException e) {
            if (e.getCause() instanceof EvenerException refused) {
                return refused.getMessage(); // names job, device and reason
            }
            throw e;
        }
    }
    // endregion

    // region queue
    /** Submits a job, or says how busy the devices are. */
    static String offer(Evener evener, Job job) {
        return evener.trySubmit(job).isPresent()
                ? "accepted"
                : "busy: " + evener.queue().length() + " waiting, the oldest for "
                        + evener.queue().oldest().toMillis() + " ms";
    }
    // endregion

    public static void main(String[] args) {
        int n = 1 << 20;
        try (Evener evener = Evener.open()) {
            List<HostBuffer> xs = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                xs.add(evener.allocate(ElementType.FLOAT, n));
                for (int k = 0; k < n; k++) {
                    xs.get(i).floats().put(k, i + 1);
                }
            }
            HostBuffer y = evener.allocate(ElementType.FLOAT, n);
            warm(evener, xs.get(0), y);
            saxpyAll(evener, 2, xs, y).join();
            System.out.println("2 * (1 + 2 + 3 + 4) = " + y.floats().get(n - 1));
            System.out.println(outcome(evener.submit(saxpy(1, xs.get(0), y).build())));
        }
    }
}
