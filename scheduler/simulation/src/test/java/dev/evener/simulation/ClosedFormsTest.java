package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is simulated is what formulas of the literature say, and no schedule is below its bound. */
class ClosedFormsTest {
    private static final long UNITS = 1_000_000;

    /** Processors behind links that one port serves: seconds of a unit of load on each link and each processor. */
    private static Machine star(double[] links, double[] processors) {
        DeviceModel[] devices = new DeviceModel[links.length];
        Arrays.setAll(
                devices,
                i -> Beds.device(
                                "0." + i,
                                KernelModel.of(0, processors[i] * 1000).withBytesPerUnit(1, 0))
                        .withMemory("own " + i)
                        .withLink(new Link(0, 1e6 / links[i], 1e12, 0).onBus("port")));
        return Machine.of(devices);
    }

    /**
     * The shares with which all processors end at once, if a port serves one link after the other: {@code a(i+1)
     * (z(i+1) + w(i+1)) = a(i) w(i)}. Bharadwaj, Ghose, Mani and Robertazzi, Scheduling Divisible Loads in Parallel and
     * Distributed Systems, 1996. The last is the makespan of a load of 1.
     */
    private static double[] divisible(double[] links, double[] processors) {
        double[] shares = new double[links.length + 1];
        double all = 0;
        for (int i = 0; i < links.length; i++) {
            shares[i] = i == 0 ? 1 : shares[i - 1] * processors[i - 1] / (links[i] + processors[i]);
            all += shares[i];
        }
        for (int i = 0; i < links.length; i++) {
            shares[i] /= all;
        }
        shares[links.length] = shares[0] * (links[0] + processors[0]);
        return shares;
    }

    private static List<Simulator.Outcome> run(Machine machine, SimulatedJob... jobs) {
        Simulator simulator = new Simulator(machine).seed(1);
        List.of(jobs).forEach(simulator::submit);
        return simulator.run();
    }

    private static double end(Simulator.Outcome of) {
        return of.submitted() + of.report().queuedNanos() + (double) of.report().wallNanos();
    }

    @ParameterizedTest
    @CsvSource({
        "'0.2,0.2,0.2,0.2','1,1,1,1'",
        "'0.1,0.2,0.3','1,0.5,2'",
        "'0.05,0.4','1,3'",
        "'0.5,0.5,0.5,0.5,0.5','1,2,3,1,2'"
    })
    void oneRoundOnAStarWithOnePortIsWhatDivisibleLoadTheorySays(String links, String processors) {
        double[] z = numbers(links);
        double[] w = numbers(processors);
        double[] shares = divisible(z, w);
        Machine machine = star(z, w);
        Policy policy = Policies.fixed(Arrays.copyOf(shares, z.length));
        Simulator.Outcome outcome =
                run(machine, SimulatedJob.of("k", UNITS, 1, policy)).get(0);
        assertEquals(
                shares[z.length] * UNITS * 1000,
                (double) outcome.report().wallNanos(),
                0.01 * shares[z.length] * UNITS * 1000);
        assertTrue(outcome.leastNanos() <= outcome.report().wallNanos(), "several rounds can only be shorter");
    }

    /**
     * With many rounds, which hide all but the first transfer, a port of one unit a microsecond feeds the processors of
     * the quickest links until it is busy all of the time (Beaumont and others, 2002).
     */
    @Test
    void manyRoundsOnAStarComeToTheBandwidthCentricOptimum() {
        Machine machine = star(new double[] {0.25, 0.5, 0.5}, new double[] {1, 1, 1});
        Machine ahead = new Machine(
                machine.devices().stream()
                        .map(d -> d.withAhead(1)
                                .withLink(new Link(0, d.link().bytesPerSecondIn(), 1e12, 1).onBus("port")))
                        .toList(),
                Map.of());
        double least = run(ahead, SimulatedJob.of("k", UNITS, 1, Policies.named("static")))
                .get(0)
                .leastNanos();
        assertEquals(
                UNITS * 1000 / (1 + 0.75 / 0.5),
                least,
                1,
                "a unit takes the first a quarter of the port; the rest is for halves");
    }

    /** An affine cost: all end at once, each after its start and its share. */
    @Test
    void affineCostsEndAtOnce() {
        double[] fixed = {10_000, 50_000, 200_000};
        double[] perUnit = {3, 2, 1};
        DeviceModel[] devices = new DeviceModel[3];
        Arrays.setAll(
                devices,
                i -> Beds.device("0." + i, KernelModel.of(fixed[i], perUnit[i])).withMemory("m" + i));
        double time = (UNITS + 10_000 / 3.0 + 25_000 + 200_000) / (1 / 3.0 + 1 / 2.0 + 1);
        double[] shares = new double[3];
        Arrays.setAll(shares, i -> (time - fixed[i]) / perUnit[i] / UNITS);
        Simulator.Outcome outcome = run(Machine.of(devices), SimulatedJob.of("k", UNITS, 1, Policies.fixed(shares)))
                .get(0);
        assertEquals(time, (double) outcome.report().wallNanos(), 0.01 * time);
        assertEquals(time, outcome.leastNanos(), 0.001 * time);
    }

    /**
     * One server, arrivals at random, jobs of one length: each waits by Lindley's recursion, and the mean response of
     * many is what Pollaczek and Khinchine say, 1 + r / (2 (1 - r)) of a job.
     */
    @Test
    void aQueueWaitsAsLongAsLindleyAndPollaczekAndKhinchineSay() {
        double load = 0.6;
        double job = 1e6;
        SplittableRandom random = new SplittableRandom(7);
        Simulator simulator = new Simulator(Machine.of(Beds.device("0.0", KernelModel.of(0, 1000))));
        Policy policy = Policies.named("single");
        double clock = 0;
        double wait = 0;
        double sum = 0;
        List<Double> responses = new ArrayList<>();
        int many = 2_000_000;
        for (int i = 0; i < many; i++) {
            if (responses.size() < 2000) {
                responses.add(wait + job);
                simulator.submit(SimulatedJob.of("k", 1000, 1000, policy).at(Math.round(clock)));
            }
            sum += wait + job;
            double gap = -Math.log(1 - random.nextDouble()) * job / load;
            wait = Math.max(0, wait + job - gap);
            clock += gap;
        }
        List<Simulator.Outcome> outcomes = simulator.run();
        for (int i = 0; i < outcomes.size(); i++) {
            assertEquals(
                    responses.get(i), end(outcomes.get(i)) - outcomes.get(i).arrived(), 1e-4 * job);
        }
        double said = job * (1 + load / (2 * (1 - load)));
        assertEquals(said, sum / many, 0.01 * said);
    }

    /**
     * On equal devices list scheduling takes at most 2 - 1/m of the bound (Graham, 1969), and nothing takes less than
     * it.
     */
    @Test
    void listSchedulesAreWithinGrahamsBound() {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 8; round++) {
            int lanes = 1 + random.nextInt(6);
            DeviceModel[] devices = new DeviceModel[lanes];
            Arrays.setAll(
                    devices, i -> Beds.device("0." + i, KernelModel.of(0, 1000)).withMemory("m" + i));
            List<SimulatedJob> jobs = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                long units = 100L + random.nextInt(2000);
                SimulatedJob job = SimulatedJob.of("k", units, units, Policies.named("heft"));
                List<Integer> behind = i > 3 && random.nextInt(3) == 0 ? List.of(random.nextInt(i)) : List.of();
                jobs.add(job.behind(behind, 0));
            }
            Machine machine = Machine.of(devices);
            MakespanBound bound = MakespanBound.of(machine, jobs);
            double makespan = run(machine, jobs.toArray(SimulatedJob[]::new)).stream()
                    .mapToDouble(ClosedFormsTest::end)
                    .max()
                    .orElseThrow();
            assertTrue(makespan >= bound.nanos() * (1 - 1e-9), () -> makespan + " below " + bound);
            assertTrue(makespan <= 1.01 * (2 - 1.0 / lanes) * bound.nanos(), () -> makespan + " and " + bound);
        }
    }

    /** By hand: two kinds of work, which each of two devices does at another speed, and a chain of three jobs. */
    @Test
    void boundsAreWhatTheyAreByHand() {
        Machine machine = Machine.of(
                Beds.device("0.0", Map.of("a", KernelModel.of(0, 1), "b", KernelModel.of(0, 4))),
                Beds.device("0.1", Map.of("a", KernelModel.of(0, 2), "b", KernelModel.of(0, 1)))
                        .withMemory("own"));
        Policy policy = Policies.named("static");
        SimulatedJob a = SimulatedJob.of("a", 300, 300, policy);
        SimulatedJob b = SimulatedJob.of("b", 100, 100, policy);
        // All of b and x of a on the second: 300 - x = 100 + 2 x.
        MakespanBound apart = MakespanBound.of(machine, List.of(a, b));
        assertEquals(700 / 3.0, apart.areaNanos(), 0.01 * 700 / 3.0);
        assertEquals(300, apart.longestNanos());
        assertEquals(300, apart.pathNanos());
        MakespanBound chain = MakespanBound.of(
                machine,
                List.of(b.at(50), a.at(60).behind(List.of(0), 0), b.at(1000).behind(List.of(1), 0)));
        assertEquals(1000 + 100 - 50, chain.pathNanos(), "it arrives late");
        MakespanBound one = MakespanBound.of(machine, List.of(a.on(List.of("0.1"))));
        assertEquals(600, one.areaNanos(), 6);
        assertEquals(600, one.nanos());
    }

    private static double[] numbers(String text) {
        return Arrays.stream(text.split(",", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }
}
