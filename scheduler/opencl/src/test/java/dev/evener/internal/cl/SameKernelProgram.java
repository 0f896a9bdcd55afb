package dev.evener.internal.cl;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.policy.Policies;
import java.util.concurrent.CompletableFuture;

/**
 * Devices of one driver run one kernel at once, in the forms that PoCL has of it: from item 0 and from another one, over few items and
 * over many; all devices of an Evener, then two Eveners on one device. Run by {@code SameKernelTest}; its argument is how many jobs.
 */
public final class SameKernelProgram {
    private static final int ROUNDS = 1_000;
    private static final int MOST = 3 << 15;

    private SameKernelProgram() {}

    public static void main(String[] arguments) {
        int jobs = Integer.parseInt(arguments[0]);
        try (Evener all = open("0.0,0.1,0.2");
                Evener other = open("0.0");
                HostBuffer x = all.allocate(ElementType.INT, MOST);
                HostBuffer y = other.allocate(ElementType.INT, MOST)) {
            for (int i = 0; i < jobs; i++) {
                int units = MOST >> (i % 5);
                CompletableFuture.allOf(all.submit(job(x, units)), other.submit(job(y, MOST >> (i % 3))))
                        .join();
                for (int at = 0; at < units; at++) {
                    if (x.ints().get(at) != at * ROUNDS || y.ints().get(at) != at * ROUNDS) {
                        System.out.println("element " + at + " is wrong: "
                                + x.ints().get(at) + ", " + y.ints().get(at));
                        System.exit(1);
                    }
                }
            }
        }
        System.out.println(jobs + " jobs, all right");
    }

    private static Evener open(String devices) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .policy(Policies.fixed())
                .history(History.inMemory())
                .open();
    }

    private static Job job(HostBuffer x, int units) {
        return Job.named("same kernel")
                .source("kernel void k(global int *x) { int i = get_global_id(0), sum = 0;" + " for (int j = 0; j < "
                        + ROUNDS + "; j++) { sum += i; x[i] = sum; } }")
                .units(units)
                .jobView()
                .kernel("k")
                .writes(x, Access.slice(1))
                .build();
    }
}
