/** OpenCL devices for the scheduler, which finds them as a service. */
@SuppressWarnings({"module", "requires-automatic"}) // what exports name is built later; JOCL has no descriptor
module dev.evener.opencl {
    requires java.logging; // for JOCL, which cannot say so
    requires transitive dev.evener.scheduler;
    requires jocl;
    requires static org.jspecify;
    requires org.slf4j;

    exports dev.evener.internal.cl to
            dev.evener.testing;
    exports dev.evener.internal.lane to
            dev.evener.testing;
    exports dev.evener.internal.memory to
            dev.evener.testing;

    opens dev.evener.internal.cl to
            dev.evener.scheduler; // which reads OpenCL sources: the self-test's

    uses dev.evener.internal.lane.CheckingMode;

    provides dev.evener.internal.device.BackEnd with
            dev.evener.internal.lane.OpenClDevices;
}
