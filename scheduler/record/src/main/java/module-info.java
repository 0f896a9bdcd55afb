/** What happens to jobs, written to a file while they run and read again. */
module dev.evener.record {
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.jr.ob;
    requires transitive dev.evener.scheduler;
    requires org.jctools.core;
    requires static org.jspecify;
    requires org.slf4j;

    exports dev.evener.record;
}
