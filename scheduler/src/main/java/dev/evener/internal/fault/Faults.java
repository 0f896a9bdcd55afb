package dev.evener.internal.fault;

import dev.evener.EvenerBuilder;
import dev.evener.EvenerException;
import dev.evener.internal.run.Lane;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/** Puts faults between the runtime and its lanes, for experiments and tests; docs/faults.md describes them. Any thread. */
public final class Faults {
    private static volatile BiConsumer<EvenerBuilder, Injection> builders = (builder, injection) -> {};

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

    /** How a builder takes a fault: said by its class, which alone can. */
    public static void connect(BiConsumer<EvenerBuilder, Injection> how) {
        builders = how;
    }

    /**
     * Has a lane misbehave of what will be opened. May be given more than once.
     *
     * @param fault such as {@code lane=1,chunk=3,fault=error}
     * @throws IllegalArgumentException if the text is no such description, saying what would be
     */
    public static EvenerBuilder inject(EvenerBuilder builder, String fault) {
        return inject(builder, fault, Faults::atOnce);
    }

    /**
     * The same for a fault that cannot begin before {@code begun} says so; jobs and chunks are counted from then on.
     *
     * @param begun asked by the lane's thread at every job's beginning and at every chunk, so it must be quick; once true it
     *     stays so
     */
    public static EvenerBuilder inject(EvenerBuilder builder, String fault, BooleanSupplier begun) {
        check(fault);
        builders.accept(builder, new Injection(fault, begun));
        return builder;
    }

    /** For faults that may begin at once. */
    public static boolean atOnce() {
        return true;
    }

    /**
     * A fault, and when it may begin.
     *
     * @param fault its description
     * @param begun until this says so, nothing happens and nothing is counted
     */
    public record Injection(String fault, BooleanSupplier begun) {}

    /**
     * The lanes, those with faults wrapped: once for what may begin at once, and once more for each fault that may not.
     *
     * @throws EvenerException if a fault names a lane that is not there; the lanes are closed then
     */
    public static List<Lane> wrap(List<Injection> injections, List<Lane> lanes) {
        List<Map<BooleanSupplier, List<Fault>>> byLane = new ArrayList<>();
        lanes.forEach(lane -> byLane.add(new LinkedHashMap<>()));
        for (Injection injection : injections) {
            Fault fault = Fault.parse(injection.fault());
            if (fault.lane() >= lanes.size()) {
                lanes.forEach(Lane::close);
                throw new EvenerException("fault '" + injection.fault() + "': there is no lane " + fault.lane()
                        + ", only 0 to " + (lanes.size() - 1));
            }
            byLane.get(fault.lane())
                    .computeIfAbsent(injection.begun(), b -> new ArrayList<>())
                    .add(fault);
        }
        List<Lane> result = new ArrayList<>();
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            for (Map.Entry<BooleanSupplier, List<Fault>> faults : byLane.get(i).entrySet()) {
                lane = new FaultyLane(lane, faults.getValue(), faults.getKey());
            }
            result.add(lane);
        }
        return result;
    }
}
