package dev.evener.policy;

import java.util.Map;

/**
 * What a device draws.
 *
 * @param idleWatts while it has nothing to do, at least 0
 * @param busyWatts while it computes or moves data, no less than that
 */
public record Power(double idleWatts, double busyWatts) {
    /** Where nothing is known of it. */
    public static final Power UNKNOWN = new Power(0, 0);

    private static final double MOST = 1e18;

    /** @throws IllegalArgumentException if a figure is out of range; the message names it */
    public Power {
        if (!(idleWatts >= 0 && idleWatts <= MOST)) {
            throw new IllegalArgumentException("idleWatts is " + idleWatts + ", not a number from 0 to " + MOST);
        }
        if (!(busyWatts >= idleWatts && busyWatts <= MOST)) {
            throw new IllegalArgumentException(
                    "busyWatts is " + busyWatts + ", not a number from " + idleWatts + " to " + MOST);
        }
    }

    /** Energy of so many seconds, in so many of which it was busy. */
    public double joules(double seconds, double busySeconds) {
        return idleWatts * seconds + (busyWatts - idleWatts) * busySeconds;
    }

    /** Whether anything is known. */
    public boolean known() {
        return busyWatts > 0;
    }

    /**
     * A policy that is told what devices draw, as {@link Policies#adaptive(Objective)} wants to know.
     *
     * @param devices by their ids; those that are missing are unknown
     */
    public static Policy telling(Policy policy, Map<String, Power> devices) {
        return new Telling(policy, Map.copyOf(devices));
    }

    private record Telling(Policy policy, Map<String, Power> devices) implements Policy {
        @Override
        public String name() {
            return policy.name();
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            return policy.plan(snapshot.drawing(devices));
        }

        @Override
        public Policy forKind() {
            return new Telling(policy.forKind(), devices);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            return policy.chunk(progress, lane);
        }
    }
}
