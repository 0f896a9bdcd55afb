package dev.evener.kernels;

import static dev.evener.Access.slice;

import dev.evener.DeviceKind;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.policy.Policy;
import java.util.List;
import java.util.stream.Stream;

/** Kernels with one mistake each. */
final class WrongKernels {
    private static final KernelSource SOURCE = KernelSource.resource(WrongKernels.class, "wrong.cl");
    private static final int UNITS = 64;

    private WrongKernels() {}

    static List<PrimitiveCase> all() {
        return Stream.of("race", "race_of_groups", "reads_beyond", "writes_beyond")
                .<PrimitiveCase>map(Case::new)
                .toList();
    }

    private record Case(String name) implements PrimitiveCase {
        @Override
        public Object run(Evener evener, Policy policy) {
            try (HostBuffer in = evener.allocate(ElementType.INT, UNITS);
                    HostBuffer out = evener.allocate(ElementType.INT, UNITS)) {
                Job job = Job.named(name)
                        .source(SOURCE)
                        .units(UNITS)
                        .granule(4)
                        .kernel(name)
                        .variant(DeviceKind.CPU, Variant.itemsPerUnit(1).withGroupSize(4))
                        .jvm(chunk -> {})
                        .reads(in, slice(1))
                        .writes(out, slice(1))
                        .build();
                evener.submit(job, policy).join();
                return name;
            }
        }

        @Override
        public void check(Object output) {} // that the result is wrong is for the simulator to say
    }
}
