package dev.evener.bench;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import com.sun.management.ThreadMXBean;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.KernelSource;
import dev.evener.ManagedBuffer;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;

/**
 * What the thread that submits does for a job with other buffers and another scalar: one that is built anew, one that is made
 * from another, and one that was made before. Prints the median time and the garbage for each, of making the job and of
 * submitting it. Jobs run on the JVM lane, behind one that holds it, so that nothing else runs meanwhile.
 */
public final class Submissions {
    private static final int UNITS = 1024;
    private static final int BATCH = 200;
    private static final int FRAMES = 8;
    private static final KernelSource SOURCE = KernelSource.of("frame", """
            kernel void frame(global const float *in, global const float *table, global float *out, float gain, int width) {}
            """);

    private final Evener evener;
    private final ManagedBuffer table;
    private final ManagedBuffer[] in = new ManagedBuffer[FRAMES];
    private final ManagedBuffer[] out = new ManagedBuffer[FRAMES];

    private Submissions(Evener evener) {
        this.evener = evener;
        this.table = buffer(256);
        Arrays.setAll(in, i -> buffer(UNITS));
        Arrays.setAll(out, i -> buffer(UNITS));
    }

    /**
     * Submits the jobs.
     *
     * @param args rounds of 200 jobs, 200 by default
     */
    public static void main(String[] args) throws InterruptedException {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 200;
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open()) {
            Submissions all = new Submissions(evener);
            Job template = all.built(0);
            Job[] before = new Job[FRAMES];
            Arrays.setAll(before, i -> all.made(template, i));
            for (int warm = 0; warm < 2; warm++) {
                double built = all.measure("built anew", rounds, all::built);
                double made = all.measure("made from another", rounds, i -> all.made(template, i));
                double again = all.measure("made before", rounds, i -> before[i]);
                System.out.printf(
                        Locale.ROOT,
                        "ratios to built anew: %.2f made from another, %.2f made before%n",
                        made / built,
                        again / built);
            }
        }
    }

    private ManagedBuffer buffer(int elements) {
        return evener.allocateManaged(ElementType.FLOAT, elements);
    }

    private Job built(int frame) {
        return Job.named("frame")
                .source(SOURCE)
                .units(UNITS)
                .kernel("frame")
                .reads(in[frame], slice())
                .reads(table, whole())
                .writes(out[frame], slice())
                .scalar("gain", 1f / (1 + frame))
                .scalar(UNITS)
                .jvm(chunk -> {})
                .build();
    }

    private Job made(Job template, int frame) {
        return (frame == 0 ? template : template.with(Map.of(in[0], in[frame], out[0], out[frame])))
                .with("gain", 1f / (1 + frame));
    }

    /** Nanoseconds to make and submit a job. */
    private double measure(String how, int rounds, IntFunction<Job> jobs) throws InterruptedException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        double[] making = new double[rounds];
        double[] submitting = new double[rounds];
        long garbage = 0;
        Job[] batch = new Job[BATCH];
        JobFuture[] futures = new JobFuture[BATCH];
        for (int round = 0; round < rounds; round++) {
            CountDownLatch gate = new CountDownLatch(1);
            JobFuture holding = evener.submit(Job.named("gate")
                    .units(1)
                    .kernel("gate")
                    .jvm(chunk -> await(gate))
                    .build());
            Thread.sleep(1); // until it runs
            long allocated =
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            long start = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                batch[i] = jobs.apply(i % FRAMES);
            }
            long made = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                futures[i] = evener.submit(batch[i]);
            }
            submitting[round] = (System.nanoTime() - made) / (double) BATCH;
            making[round] = (made - start) / (double) BATCH;
            garbage = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - allocated;
            gate.countDown();
            holding.join();
            for (JobFuture future : futures) {
                future.join();
            }
        }
        Arrays.sort(making);
        Arrays.sort(submitting);
        double make = making[rounds / 2];
        double submit = submitting[rounds / 2];
        System.out.printf(
                Locale.ROOT,
                "%s: %.2f us to make, %.2f us to submit, %d bytes%n",
                how,
                make / 1e3,
                submit / 1e3,
                garbage / BATCH);
        return make + submit;
    }

    private static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
