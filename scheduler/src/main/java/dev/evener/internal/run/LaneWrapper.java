package dev.evener.internal.run;

import java.util.List;

/** A listener that hears nothing, and goes around lanes instead when they are opened: one that injects faults, for example. */
public interface LaneWrapper {
    /**
     * Those to be used, in the same order.
     *
     * @throws dev.evener.EvenerException if it cannot; it has closed the lanes then
     */
    List<Lane> around(List<Lane> lanes);
}
