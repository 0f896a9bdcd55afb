import dev.evener.policy.PolicyProvider;
import dev.evener.simulation.GraphSchedule;

/** The same runtime on a virtual clock: machines fitted to what was recorded, and jobs run on them. */
module dev.evener.simulation {
    requires com.fasterxml.jackson.jr.ob;
    requires transitive dev.evener.scheduler;
    requires static org.jspecify;

    exports dev.evener.simulation;

    provides PolicyProvider with
            GraphSchedule.Heft,
            GraphSchedule.Peft,
            GraphSchedule.Lookahead;
}
