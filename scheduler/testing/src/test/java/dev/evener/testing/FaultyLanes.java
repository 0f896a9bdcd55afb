package dev.evener.testing;

import dev.evener.internal.run.Lane;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Lanes of which some misbehave, for tests that have no Evener. */
public final class FaultyLanes {
    private FaultyLanes() {}

    public static List<Lane> of(List<String> faults, List<Lane> lanes) {
        return of(faults, Faults.atOnce(), lanes);
    }

    static List<Lane> of(List<String> faults, BooleanSupplier begun, List<Lane> lanes) {
        for (String fault : faults) {
            lanes = new Faults.Injection(Fault.parse(fault), fault, begun).around(lanes);
        }
        return lanes;
    }
}
