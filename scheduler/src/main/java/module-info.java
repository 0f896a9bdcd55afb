import dev.evener.policy.PolicyProvider;

/**
 * Splits one data-parallel job over all devices of a machine. Begin with {@link dev.evener.Evener}. What is not
 * exported to all may
 * change without notice; Evener's own modules alone see it.
 */
@SuppressWarnings("module") // those that exports name are built after this one
module dev.evener.scheduler {
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.jr.ob;
    requires jdk.management;
    requires jdk.unsupported; // tells where memory lies, before JDK 22
    requires org.jctools.core;
    requires static org.jspecify;
    requires org.slf4j;

    exports dev.evener;
    exports dev.evener.event;
    exports dev.evener.image;
    exports dev.evener.iteration;
    exports dev.evener.policy;
    exports dev.evener.internal to
            dev.evener.kernels,
            dev.evener.opencl,
            dev.evener.record,
            dev.evener.simulation,
            dev.evener.testing;
    exports dev.evener.model to
            dev.evener.simulation;
    exports dev.evener.internal.data to
            dev.evener.opencl,
            dev.evener.simulation;
    exports dev.evener.internal.device to
            dev.evener.opencl;
    exports dev.evener.internal.files to
            dev.evener.kernels,
            dev.evener.opencl,
            dev.evener.record,
            dev.evener.simulation;
    exports dev.evener.internal.fold to
            dev.evener.opencl,
            dev.evener.testing;
    exports dev.evener.internal.job to
            dev.evener.kernels,
            dev.evener.opencl,
            dev.evener.record,
            dev.evener.simulation,
            dev.evener.testing;
    exports dev.evener.internal.recovery to
            dev.evener.opencl,
            dev.evener.simulation,
            dev.evener.testing;
    exports dev.evener.internal.run to
            dev.evener.opencl,
            dev.evener.simulation,
            dev.evener.testing;
    exports dev.evener.internal.source to
            dev.evener.opencl;

    uses dev.evener.internal.device.BackEnd;
    uses PolicyProvider;
}
