package dev.evener.testing;

import dev.evener.EvenerBuilder;
import dev.evener.EvenerException;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.internal.run.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Puts faults between the runtime and its lanes, for experiments and tests; docs/embedding.md describes them. Any thread. */
public final class Faults {
    private static final BooleanSupplier AT_ONCE = Boolean.TRUE::booleanValue;

    private Faults() {}

    /**
     * Checks a description, and returns it.
     *
     * @throws IllegalArgumentException if it is none, saying what would be
     */
    public static String check(String fault) {
        Fault.parse(fault);
        return fault;
    }

    /**
     * Has a lane misbehave of what will be opened. May be given more than once. If there is no such lane, {@code open()} says so.
     *
     * @param fault such as {@code lane=1,chunk=3,fault=error}
     * @throws IllegalArgumentException if the text is no such description, saying what would be
     */
    public static EvenerBuilder inject(EvenerBuilder builder, String fault) {
        return inject(builder, fault, atOnce());
    }

    /**
     * The same for a fault that cannot begin before {@code begun} says so; jobs and chunks are counted from then on.
     *
     * @param begun asked by the lane's thread at every job's beginning and at every chunk, so it must be quick; once true it
     *     stays so
     */
    public static EvenerBuilder inject(EvenerBuilder builder, String fault, BooleanSupplier begun) {
        return builder.listener(new Injection(Fault.parse(fault), fault, begun));
    }

    /** For faults that may begin at once. */
    public static BooleanSupplier atOnce() {
        return AT_ONCE;
    }

    /**
     * A fault, and when it may begin.
     *
     * @param text its description
     * @param begun until this says so, nothing happens and nothing is counted
     */
    record Injection(Fault fault, String text, BooleanSupplier begun) implements RunListener, Lane.Wrapper {
        @Override
        public void heard(RunEvent event) {}

        /** The lanes, one of them with a fault; faults of a lane that begin alike are counted together. */
        @Override
        public List<Lane> around(List<Lane> lanes) {
            if (fault.lane() >= lanes.size()) {
                lanes.forEach(Lane::close);
                throw new EvenerException(
                        "fault '" + text + "': there is no lane " + fault.lane() + ", only 0 to " + (lanes.size() - 1));
            }
            List<Lane> result = new ArrayList<>(lanes);
            result.set(fault.lane(), FaultyLane.of(lanes.get(fault.lane()), fault, begun));
            return result;
        }
    }
}
