/** For an application's tests: the checking mode, which {@code EvenerBuilder.checked} finds here, and faults to inject. */
module dev.evener.testing {
    requires transitive dev.evener.opencl;
    requires static org.jspecify;
    requires org.slf4j;

    exports dev.evener.testing;

    provides dev.evener.internal.lane.CheckingMode with
            dev.evener.internal.checking.CheckedChunks;
}
