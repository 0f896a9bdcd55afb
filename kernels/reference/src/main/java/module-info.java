/** A scalar reference of each primitive, which tests and {@code --verify} compare with. Not published. */
module dev.evener.kernels.reference {
    requires transitive dev.evener.kernels.imaging;
    requires static org.jspecify;

    exports dev.evener.kernels.reference;
}
