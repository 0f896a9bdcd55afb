package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.evener.History;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.policy.Decision;
import dev.evener.policy.Policy;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import java.util.ArrayList;
import java.util.List;

/**
 * Simulated jobs that are alike, one after another, and a history that learns from all of them. Only the clock begins anew
 * with each call. Seeded: the same calls give the same figures every time.
 */
final class Series {
    private Machine machine;
    private final Policy policy;
    private long units;
    private final long granule;
    private final History history = History.inMemory();
    private long seed;

    /** What became of one job. */
    record Done(RunEvent.Planned plan, Report report) {
        double wall() {
            return report.wallNanos();
        }

        /** Units planned for a device. */
        long share(int device) {
            return plan.shares().get(device);
        }

        /** The devices that the plan gave something. */
        long set() {
            long set = 0;
            for (int i = 0; i < plan.shares().size(); i++) {
                set |= share(i) > 0 ? 1L << i : 0;
            }
            return set;
        }

        Decision decision() {
            Decision decision = report.decision();
            assertNotNull(decision);
            return decision;
        }
    }

    /** @param machine whose devices know a kernel {@link Beds#KERNEL} */
    Series(Machine machine, Policy policy, long units, long granule, long seed) {
        this.machine = machine;
        this.policy = policy;
        this.units = units;
        this.granule = granule;
        this.seed = seed << 32;
    }

    /** From the next job on the machine is another one, whose devices have the same ids. */
    void become(Machine other) {
        machine = other;
    }

    /** From the next job on there are so many units. */
    void resize(long other) {
        units = other;
    }

    /** From the submission of one job to that of the next: more than any of these jobs takes. */
    long period() {
        return 10_000 * units + 1_000_000_000;
    }

    /**
     * Runs jobs, and learns from them.
     *
     * @param events at times since the first of them is submitted; the next follow a {@link #period} apart
     */
    List<Done> run(int jobs, MachineEvent... events) {
        List<RunEvent.Planned> plans = new ArrayList<>();
        Simulator simulator = new Simulator(machine)
                .seed(seed++)
                .history(history)
                .listener(event -> {
                    if (event instanceof RunEvent.Planned planned) {
                        plans.add(planned);
                    }
                });
        for (MachineEvent event : events) {
            simulator.event(event);
        }
        for (int i = 0; i < jobs; i++) {
            simulator.submit(
                    SimulatedJob.of(Beds.KERNEL, units, granule, policy).at(i * period()));
        }
        List<Simulator.Outcome> outcomes = simulator.run();
        List<Done> done = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            Simulator.Outcome outcome = outcomes.get(i);
            assertNull(outcome.failure());
            assertEquals(0, outcome.report().queuedNanos(), "it waited for the job before");
            done.add(new Done(plans.get(i), outcome.report()));
        }
        return done;
    }

    /** Median wall time of so many jobs. */
    double median(int jobs, MachineEvent... events) {
        return median(run(jobs, events));
    }

    /** Median wall time of so many jobs after so many others. */
    double medianAfter(int before, int jobs, MachineEvent... events) {
        return median(run(before + jobs, events).subList(before, before + jobs));
    }

    /** Mean wall time of so many jobs. */
    double mean(int jobs, MachineEvent... events) {
        return run(jobs, events).stream().mapToDouble(Done::wall).average().orElseThrow();
    }

    private static double median(List<Done> jobs) {
        double[] walls = jobs.stream().mapToDouble(Done::wall).sorted().toArray();
        return walls[walls.length / 2];
    }

    /** From the first job on, and for good. */
    static MachineEvent slowed(int device, double factor) {
        return slowed(device, factor, 0, Long.MAX_VALUE);
    }

    static MachineEvent slowed(int device, double factor, long from, long to) {
        return new MachineEvent(Beds.id(device), MachineEvent.Kind.SLOWED, from, to, factor);
    }
}
