/** Jobs and devices as Micrometer meters. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Micrometer has a name, and no descriptor
module dev.evener.micrometer {
    requires transitive dev.evener.scheduler;
    requires transitive micrometer.core;
    requires static org.jspecify;

    exports dev.evener.micrometer;
}
