package dev.evener.kernels;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.history.History;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.List;

/** Runs what kernels do on GPUs on CPU devices, for cases that can be told to. */
public final class GpuForms {
    private GpuForms() {}

    /** Each case on one device, and split between two; CPU drivers take long to build such kernels, so not on more. */
    public static void check(List<? extends PrimitiveCase> cases) {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .history(History.inMemory())
                .open()) {
            for (PrimitiveCase one : cases) {
                for (Policy policy : List.of(Policies.single(0), Policies.fixed(0.4, 0.6), Policies.stealing(3))) {
                    try {
                        one.check(one.run(evener, policy));
                    } catch (AssertionError e) {
                        throw new AssertionError(one.name() + " under " + policy.name() + ": " + e.getMessage(), e);
                    }
                }
            }
        }
    }
}
