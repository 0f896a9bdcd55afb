package dev.evener.bench;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.policy.Policies;
import dev.evener.testing.Faults;
import java.util.Arrays;
import java.util.Locale;

/**
 * What a lane that slows down or dies in the middle of a job costs: a job of 100 multiply-adds for each float, learnt by a
 * number of undisturbed runs, then one run in which lane 1 is slowed or killed at its second chunk. The ideal is computed
 * from what happened: the work left at that moment, shared out at the speeds that hold from then on. Prints the median over
 * several trials of the time over the ideal.
 */
public final class MidRunFault {
    private static final int FLOATS = 1 << 22;
    private static final int LEARNING = 12;
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void chain(global const float *in, global float *out) {
                size_t i = get_global_id(0);
                float x = in[i];
                for (int k = 0; k < 100; k++) x = x * 0.999f + 0.001f;
                out[i] = x;
            }
            """;

    private MidRunFault() {}

    /**
     * Runs the trials.
     *
     * @param args the policy, {@code adaptive} by default, and the number of trials, 7 by default
     */
    public static void main(String[] args) {
        String policy = args.length > 0 ? args[0] : "adaptive";
        int trials = args.length > 1 ? Integer.parseInt(args[1]) : 7;
        for (String fault : new String[] {"slow:4x", "die"}) {
            double[] ratios = new double[trials];
            for (int t = 0; t < trials; t++) {
                ratios[t] = trial(policy, fault);
            }
            Arrays.sort(ratios);
            System.out.printf(
                    Locale.ROOT,
                    "%s, lane 1 %s at its second chunk: time over ideal %.3f (%.3f to %.3f), %d trials%n",
                    policy,
                    fault.equals("die") ? "dies" : "becomes " + fault.substring(5) + " slower",
                    ratios[trials / 2],
                    ratios[0],
                    ratios[trials - 1],
                    trials);
        }
    }

    private static double trial(String policy, String fault) {
        EvenerBuilder lanes = Evener.builder().history(History.inMemory()).policy(Policies.named(policy));
        try (Evener evener = Faults.inject(lanes, "lane=1,job=" + LEARNING + ",chunk=1,fault=" + fault)
                .open()) {
            HostBuffer in = evener.allocate(ElementType.FLOAT, FLOATS);
            HostBuffer out = evener.allocate(ElementType.FLOAT, FLOATS);
            for (int i = 0; i < FLOATS; i++) {
                in.floats().put(i, i % 1000);
            }
            Job job = Job.named("chain")
                    .source(SOURCE)
                    .units(FLOATS)
                    .kernel("chain")
                    .reads(in, Access.slice())
                    .writes(out, Access.slice())
                    .build();
            Report before = evener.submit(job).join();
            int joined =
                    before.devices().get(1).chunks() > 0 ? 1 : 0; // the fault counts the jobs in which lane 1 worked
            double[] speeds = new double[2];
            for (int runs = 1; joined < LEARNING && runs < 20 * LEARNING; runs++) {
                before = evener.submit(job).join();
                joined += before.devices().get(1).chunks() > 0 ? 1 : 0;
            }
            for (int lane = 0; lane < 2; lane++) {
                DeviceUse use = before.devices().get(lane);
                speeds[lane] = use.units() / (double) Math.max(1, use.busyNanos());
            }
            Report hit = evener.submit(job).join();
            return hit.wallNanos() / ideal(hit, speeds, fault.equals("die") ? 0 : 0.25);
        }
    }

    /** Lane 1 worked at full speed until a moment that follows from what it did in all; from then on at a part of that. */
    private static double ideal(Report hit, double[] speeds, double part) {
        DeviceUse second = hit.devices().get(1);
        double fullSpeed; // nanoseconds at full speed
        if (part == 0) {
            fullSpeed = second.units() / speeds[1];
        } else {
            // units = v (t + part (busy - t))
            fullSpeed = (second.units() / speeds[1] - part * second.busyNanos()) / (1 - part);
        }
        double doneBefore = fullSpeed * (speeds[0] + speeds[1]);
        return fullSpeed + (hit.units() - doneBefore) / (speeds[0] + part * speeds[1]);
    }
}
