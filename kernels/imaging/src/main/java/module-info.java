// Tone mapping and PNG on devices. Open, since the scheduler reads the OpenCL sources that lie in it.
open module dev.evener.kernels.imaging {
    requires transitive dev.evener.kernels;
    requires static org.jspecify;

    exports dev.evener.kernels.png;
    exports dev.evener.kernels.tonemap;
}
