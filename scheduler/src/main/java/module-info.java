import dev.evener.policy.PolicyProvider;

/**
 * Splits one OpenCL job over all devices of a machine. Begin with {@link dev.evener.Evener}. What is not exported to all may
 * change without notice; Evener's own modules alone see it.
 */
@SuppressWarnings({
    "requires-automatic", // JOCL has neither a descriptor nor a name of its own
    "module" // those that exports name are built after this one
})
module dev.evener.scheduler {
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.jr.ob;
    requires java.logging; // for JOCL, which cannot say so
    requires jdk.management;
    requires jdk.unsupported; // tells where memory lies, before JDK 22
    requires jocl;
    requires org.jctools.core;
    requires static org.jspecify;
    requires org.slf4j;

    exports dev.evener;
    exports dev.evener.iteration;
    exports dev.evener.policy;
    exports dev.evener.internal to
            dev.evener.kernels,
            dev.evener.record,
            dev.evener.simulation,
            dev.evener.testing;
    exports dev.evener.model to
            dev.evener.simulation;
    exports dev.evener.internal.cl to
            dev.evener.testing;
    exports dev.evener.internal.data to
            dev.evener.simulation;
    exports dev.evener.internal.files to
            dev.evener.kernels,
            dev.evener.record,
            dev.evener.simulation;
    exports dev.evener.internal.fold to
            dev.evener.testing;
    exports dev.evener.internal.job to
            dev.evener.kernels,
            dev.evener.record,
            dev.evener.simulation,
            dev.evener.testing;
    exports dev.evener.internal.lane to
            dev.evener.testing;
    exports dev.evener.internal.memory to
            dev.evener.testing;
    exports dev.evener.internal.recovery to
            dev.evener.simulation,
            dev.evener.testing;
    exports dev.evener.internal.run to
            dev.evener.simulation,
            dev.evener.testing;

    uses dev.evener.internal.device.BackEnd;
    uses dev.evener.internal.lane.CheckingMode;
    uses PolicyProvider;

    provides dev.evener.internal.device.BackEnd with
            dev.evener.internal.lane.OpenClDevices;
}
