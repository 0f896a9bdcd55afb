// Primitives that run on all devices of a machine. Open, since the scheduler reads the OpenCL sources that lie in it.
open module dev.evener.kernels {
    requires com.fasterxml.jackson.jr.ob;
    requires transitive dev.evener.scheduler;
    requires static org.jspecify;
    requires org.slf4j;

    exports dev.evener.kernels;
    exports dev.evener.kernels.compact;
    exports dev.evener.kernels.histogram;
    exports dev.evener.kernels.image;
    exports dev.evener.kernels.map;
    exports dev.evener.kernels.matrix;
    exports dev.evener.kernels.pipeline;
    exports dev.evener.kernels.reduce;
    exports dev.evener.kernels.scan;
    exports dev.evener.kernels.sort;
    exports dev.evener.kernels.tuning;
}
