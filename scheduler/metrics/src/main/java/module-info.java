/** Jobs and devices as Micrometer meters, where that is there, and in the JDK's Flight Recorder. */
@SuppressWarnings("requires-automatic") // Micrometer has a name, and no descriptor
module dev.evener.metrics {
    requires transitive dev.evener.scheduler;
    requires jdk.jfr;
    requires static micrometer.core;
    requires static org.jspecify;

    exports dev.evener.metrics;
}
