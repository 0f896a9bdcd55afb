package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.History;
import dev.evener.LongTests;
import dev.evener.MadeUpDevices;
import dev.evener.Report;
import dev.evener.policy.Decision;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import dev.evener.simulation.Times;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A CPU and a GPU that are about as fast, so that both together are best, and that stand still in their first jobs: memory is page-locked,
 * a driver compiles. What such a device took must not keep it out for good.
 */
class StalledBeginningsTest {
    private static final int MACHINES = 40;
    private static final int JOBS = 300;
    /** Machines on which it stays out so long because a look costs more than looks may: the time of many jobs. */
    private static final int MOST = LongTests.orAll(3, 6);

    private static final long UNITS = 4 << 20;

    /** Of devices {@code 0.0} and {@code 1.0}, for how long each stands still in its first jobs. */
    private record Drawn(Machine machine, List<List<Long>> stalls) {}

    private static double between(Random random, double least, double most) {
        return least * Math.pow(most / least, random.nextDouble());
    }

    private static KernelModel kernel(Random random, double nanos, double fixed) {
        double noise = between(random, 0.02, 0.25);
        List<Double> factors = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            factors.add(Math.exp(noise * random.nextGaussian()));
        }
        Collections.sort(factors);
        double slowdown = between(random, 1, 1.3); // on the same memory
        return new KernelModel(
                fixed,
                nanos / UNITS,
                new Times(factors),
                0,
                slowdown,
                KernelModel.Launch.AT_ONCE,
                KernelModel.Moves.NOTHING);
    }

    private static Drawn draw(long seed) {
        Random random = new Random(seed * 7919);
        double cpu = between(random, 1.2e6, 4e6);
        double gpu = cpu * between(random, 0.6, 1.6);
        Machine machine = Beds.machine(
                Beds.Work.EVEN,
                Beds.device(
                        0,
                        MadeUpDevices.cpu("0.0", MadeUpDevices.POCL),
                        kernel(random, cpu, between(random, 2e4, 6e4))),
                Beds.device(
                        1,
                        MadeUpDevices.gpu("1.0", MadeUpDevices.NVIDIA, "pci 0"),
                        kernel(random, gpu, between(random, 3e4, 1.2e5))));
        List<List<Long>> stalls = new ArrayList<>();
        for (int device = 0; device < 2; device++) {
            List<Long> its = new ArrayList<>();
            for (int jobs = device + random.nextInt(2); jobs > 0; jobs--) {
                its.add((long) between(random, 1e6, device == 0 ? 3e7 : 5e7));
            }
            stalls.add(its);
        }
        return new Drawn(machine, stalls);
    }

    /**
     * Mean time of the last jobs.
     *
     * @param waits whether jobs wait for late chunks; else another device does these again, and they count for what its device began
     */
    private static double settled(Drawn drawn, Policy policy, int jobs, int last, long seed, boolean waits) {
        History history = History.inMemory();
        int[] ran = new int[2];
        double sum = 0;
        for (int job = 0; job < jobs; job++) {
            Simulator simulator =
                    new Simulator(drawn.machine).seed(seed * 100_003 + job).history(history);
            for (int device = 0; device < 2; device++) {
                List<Long> stalls = drawn.stalls.get(device);
                if (ran[device] < stalls.size()) {
                    String id = device + ".0";
                    simulator.event(
                            new MachineEvent(id, MachineEvent.Kind.SLOWED, 0, stalls.get(ran[device]), 100_000));
                }
            }
            Report report = simulator
                    .submit(
                            waits
                                    ? Beds.waitedFor(UNITS, 1024, policy)
                                    : SimulatedJob.of(Beds.KERNEL, UNITS, 1024, policy))
                    .run()
                    .get(0)
                    .report();
            for (int device = 0; device < 2; device++) {
                Decision decision = report.decision();
                boolean began = !waits
                        && decision != null
                        && decision.lanes().get(device).leftOut().isEmpty();
                ran[device] += began || report.devices().get(device).units() > 0 ? 1 : 0;
            }
            sum += job >= jobs - last ? report.wallNanos() : 0;
        }
        return sum / last;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatStoodStillAtFirstTakesPartInTheEnd(boolean waits) {
        List<String> late = new ArrayList<>();
        for (long seed :
                LongTests.inTurn(4, LongStream.rangeClosed(1, MACHINES).boxed().toList())) {
            Drawn drawn = draw(seed);
            Drawn warm = new Drawn(drawn.machine, List.of(List.of(), List.of()));
            double best = Double.POSITIVE_INFINITY;
            for (double cpu = 0.3; cpu < 0.75; cpu += 0.1) {
                best = Math.min(best, settled(warm, Policies.fixed(cpu, 1 - cpu), 40, 39, seed, waits));
            }
            double over = settled(drawn, Policies.adaptive(), JOBS, 50, seed, waits) / best;
            if (over > 1.15) {
                late.add(String.format(Locale.ROOT, "seed %d, %s: %.2f", seed, drawn.stalls, over));
            }
        }
        assertTrue(late.size() <= MOST, () -> late.size() + " of " + MACHINES + ": " + String.join("; ", late));
    }
}
