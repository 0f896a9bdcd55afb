package dev.evener.kernels;

import dev.evener.DeviceKind;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.Variant;
import dev.evener.internal.job.JobSpec;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs what kernels do on GPUs on a CPU device: the one place that gives CPUs another form than their own. */
public final class GpuForms {
    private GpuForms() {}

    /** The same job, running what GPUs do on CPUs too, if asked for. */
    public static Job job(boolean groups, Job job) {
        return groups ? job(2, "", job) : job;
    }

    /**
     * The same job with another form on CPUs.
     *
     * @param form 1 the CPUs' own, 2 in groups, 3 in groups whose warps exchange values
     * @param options more for the compiler, on CPUs
     */
    public static JobSpec job(int form, String options, Job job) {
        JobSpec spec = JobSpec.of(job);
        List<JobSpec.Phase> phases = new ArrayList<>();
        for (JobSpec.Phase phase : spec.phases()) {
            List<JobSpec.Pass> passes = phase.passes().stream()
                    .map(pass -> onCpus(pass, form, options))
                    .toList();
            phases.add(new JobSpec.Phase(
                    passes,
                    phase.source(),
                    phase.arguments(),
                    phase.space(),
                    phase.jvm(),
                    phase.hostStep(),
                    phase.hostStepWrites()));
        }
        JobSpec alone = spec.alone() == null ? null : job(form, options, spec.alone());
        return new JobSpec(spec.name(), spec.units(), spec.space(), spec.granule(), phases, spec.options(), alone);
    }

    private static JobSpec.Pass onCpus(JobSpec.Pass pass, int form, String options) {
        Variant cpu = pass.variant(DeviceKind.CPU);
        if (form != 1) {
            cpu = fewSlices(pass.variant(DeviceKind.GPU));
            cpu = cpu.withOptions(cpu.options().replace("-D FORM=2", "-D FORM=" + form));
        }
        Map<DeviceKind, Variant> variants = new HashMap<>(pass.variants());
        variants.put(DeviceKind.CPU, cpu.withOptions(cpu.options() + " " + options));
        return new JobSpec.Pass(pass.kernel(), variants, pass.firstArgument(), pass.arguments(), pass.written());
    }

    /** Where a kernel works on slices, only two: several tiles are in a slice, and simulators get done. */
    private static Variant fewSlices(Variant other) {
        if (!other.options().contains("-D SLICES=")) {
            return other;
        }
        Variant fewer = other.groups() > 2 ? Variant.groups(2).withGroupSize(other.groupSize()) : other;
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
