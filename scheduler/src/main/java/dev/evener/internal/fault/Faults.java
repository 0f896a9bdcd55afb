package dev.evener.internal.fault;

import dev.evener.EvenerException;
import dev.evener.internal.run.Lane;
import java.util.ArrayList;
import java.util.List;

/** Puts faults between the runtime and its lanes. Stateless. */
public final class Faults {
    private Faults() {}

    /**
     * Checks a description.
     *
     * @throws IllegalArgumentException if it is none, saying what would be
     */
    public static void check(String fault) {
        Fault.parse(fault);
    }

    /**
     * The lanes, those with faults wrapped.
     *
     * @throws EvenerException if a fault names a lane that is not there; the lanes are closed then
     */
    public static List<Lane> inject(List<String> faults, List<Lane> lanes) {
        if (faults.isEmpty()) {
            return lanes;
        }
        List<List<Fault>> byLane = new ArrayList<>();
        lanes.forEach(lane -> byLane.add(new ArrayList<>()));
        for (String text : faults) {
            Fault fault = Fault.parse(text);
            if (fault.lane() >= lanes.size()) {
                lanes.forEach(Lane::close);
                throw new EvenerException(
                        "fault '" + text + "': there is no lane " + fault.lane() + ", only 0 to " + (lanes.size() - 1));
            }
            byLane.get(fault.lane()).add(fault);
        }
        List<Lane> result = new ArrayList<>();
        for (int i = 0; i < lanes.size(); i++) {
            result.add(byLane.get(i).isEmpty() ? lanes.get(i) : new FaultyLane(lanes.get(i), byLane.get(i)));
        }
        return result;
    }
}
