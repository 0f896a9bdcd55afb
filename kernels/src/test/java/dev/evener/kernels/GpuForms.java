package dev.evener.kernels;

import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.Variant;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/** Runs what kernels do on GPUs on a CPU device: the one place that gives CPUs another form than their own. */
public final class GpuForms {
    private GpuForms() {}

    /** A job that runs what GPUs do on CPUs too, if asked for. */
    public static Job job(boolean groups, Supplier<Job> make) {
        return groups ? job(2, "", make) : make.get();
    }

    /**
     * A job that runs a form on CPUs.
     *
     * @param form 1 the CPUs' own, 2 in groups, 3 in groups whose warps exchange values
     * @param options more for the compiler, on CPUs
     */
    public static Job job(int form, String options, Supplier<Job> make) {
        BinaryOperator<Variant> own = Forms.CPU_CHOICE.get();
        Forms.CPU_CHOICE.set((cpu, other) -> form == 1
                ? cpu.withOptions(cpu.options() + " " + options)
                : fewSlices(other)
                        .withOptions(fewSlices(other).options().replace("-D FORM=2", "-D FORM=" + form) + " " + options));
        try {
            return make.get();
        } finally {
            Forms.CPU_CHOICE.set(own);
        }
    }

    /** Where a kernel works on slices, only two: several tiles are in a slice, and simulators get done. */
    private static Variant fewSlices(Variant other) {
        if (!other.options().contains("-D SLICES=")) {
            return other;
        }
        Variant fewer = other.groups() > 2 ? Variant.groups(2, other.groupSize()) : other;
        return fewer.withOptions(other.options().replaceAll("-D SLICES=\\d+", "-D SLICES=2"));
    }

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
