package dev.evener.kernels;

import dev.evener.Evener;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.List;

/** Runs what kernels do on GPUs on a CPU device, for cases that can be told to. */
public final class GpuForms {
    private GpuForms() {}

    /**
     * Each case on one device, and split with the JVM lane, and the last one on another platform: CPU drivers take long to
     * build such kernels.
     */
    public static void check(List<? extends PrimitiveCase> cases) {
        Expectations expected = new Expectations(cases);
        try (Evener evener = TestBed.open("0.0,jvm")) {
            for (PrimitiveCase one : cases) {
                for (Policy policy : List.of(Policies.single(0), Policies.fixed(0.4, 0.6), Policies.stealing(3))) {
                    expected.check(one, one.run(evener, policy), "in groups under " + policy.name());
                }
            }
        }
        PrimitiveCase last = cases.get(cases.size() - 1);
        try (Evener evener = TestBed.open("1.0")) {
            expected.check(last, last.run(evener, Policies.single()), "in groups on 1.0");
        }
    }
}
