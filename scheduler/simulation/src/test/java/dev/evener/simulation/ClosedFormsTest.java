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

    /**
     * A tree: switches behind the host's port, each with a port of its own that passes data on when it has them, and
     * processors behind these. All end at once if each share is what is left of the time when its data are there, for
     * ports serve one link after the other (Cheng and Robertazzi, Distributed Computation for a Tree Network with
     * Communication Delays, 1990). A tree of one level is a star.
     */
    @ParameterizedTest
    @CsvSource({
        "'0,0,1,1','0.1,0.1,0.2,0.2','0.3,0.3,0.1,0.1','1,2,1,1'",
        "'0,1,2','0.05,0.1,0.4','0.2,0.2,0.2','1,1,3'",
        "'0,0,0,0,0','0.05,0.05,0.05,0.05,0.05','0.5,0.1,0.3,0.2,0.4','1,2,3,1,2'",
        "'0,1,0,1,2,2','0.2,0.1,0.2,0.1,0.3,0.3','0.1,0.2,0.3,0.4,0.5,0.6','2,1,2,1,3,1'"
    })
    void oneRoundOnATreeEndsAtOnce(String switches, String trunks, String links, String processors) {
        double[] of = numbers(switches);
        double[] z = numbers(trunks);
        double[] y = numbers(links);
        double[] w = numbers(processors);
        double time = 1;
        double[] shares = treeShares(time, of, z, y, w);
        for (double low = 0, high = 100; high - low > 1e-12; time = (low + high) / 2) {
            shares = treeShares(time, of, z, y, w);
            boolean less = Arrays.stream(shares).sum() < 1;
            low = less ? time : low;
            high = less ? high : time;
        }
        DeviceModel[] devices = new DeviceModel[w.length];
        Arrays.setAll(
                devices,
                i -> Beds.device("0." + i, KernelModel.of(0, w[i] * 1000).withBytesPerUnit(1, 0))
                        .withMemory("own " + i)
                        .withLink(new Link(0, 1e6 / y[i], 1e12, 0)
                                .onBus("switch " + of[i])
                                .behind(new Link.Hop("port", 1e6 / z[i], 1e12))));
        Simulator.Outcome outcome = run(Machine.of(devices), SimulatedJob.of("k", UNITS, 1, Policies.fixed(shares)))
                .get(0);
        double said = time * UNITS * 1000;
        assertEquals(said, (double) outcome.report().wallNanos(), 0.01 * said);
        assertTrue(outcome.leastNanos() <= 1.001 * said, "several rounds can only be shorter");
        assertTrue(outcome.leastNanos()
                >= UNITS * 1000 / Arrays.stream(w).map(each -> 1 / each).sum());
    }

    /** Of a load of 1, if all ends at a time: the rest of it after the host's port and the switch's. */
    private static double[] treeShares(double time, double[] of, double[] z, double[] y, double[] w) {
        double[] free = new double[of.length]; // of each switch's port
        double port = 0;
        double[] shares = new double[of.length];
        for (int i = 0; i < of.length; i++) {
            int which = (int) of[i];
            double at = (time - port) / (z[i] + y[i] + w[i]); // if the switch's port waits for the host's
            boolean waits = port + at * z[i] >= free[which];
            shares[i] = Math.max(0, waits ? at : (time - free[which]) / (y[i] + w[i]));
            port += shares[i] * z[i];
            free[which] = Math.max(port, free[which]) + shares[i] * y[i];
        }
        return shares;
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
     * Arrivals at random, one server or several: each job waits by Lindley's recursion (Kiefer's and Wolfowitz's of
     * several servers), and the mean response of many is what formulas say: of one server Pollaczek's and Khinchine's,
     * of several with lengths at random Erlang's C.
     */
    @ParameterizedTest
    @CsvSource({"1, 0, 0.6", "1, 1, 0.5", "2, 1, 0.6", "3, 1, 0.7"})
    void aQueueWaitsAsLongAsFormulasSay(int servers, int scatter, double load) {
        double job = 1e6;
        SplittableRandom random = new SplittableRandom(7);
        DeviceModel[] devices = new DeviceModel[servers];
        Arrays.setAll(
                devices, i -> Beds.device("0." + i, KernelModel.of(0, 1000)).withMemory("m" + i));
        Simulator simulator = new Simulator(Machine.of(devices));
        double clock = 0;
        double sum = 0;
        double[] free = new double[servers];
        List<Double> responses = new ArrayList<>();
        int many = 2_000_000;
        for (int i = 0; i < many; i++) {
            long units = scatter == 0 ? 1000 : Math.max(1, Math.round(-Math.log(1 - random.nextDouble()) * 1000));
            Arrays.sort(free);
            free[0] = Math.max(free[0], clock) + units * job / 1000;
            if (responses.size() < 1000) {
                responses.add(free[0] - clock);
                simulator.submit(
                        SimulatedJob.of("k", units, units, Policies.adaptive()).at(Math.round(clock)));
            }
            sum += free[0] - clock;
            clock += -Math.log(1 - random.nextDouble()) * job / load / servers;
        }
        List<Simulator.Outcome> outcomes = simulator.run();
        for (int i = 0; i < outcomes.size(); i++) {
            assertEquals(
                    responses.get(i), end(outcomes.get(i)) - outcomes.get(i).arrived(), 0.01 * responses.get(i));
        }
        double offered = load * servers;
        double term = 1;
        double terms = 0;
        for (int i = 0; i < servers; i++) {
            terms += term;
            term *= offered / (i + 1);
        }
        double waits = term / (1 - load) / (terms + term / (1 - load)); // the part of jobs that do
        double said = job * (1 + (1 + scatter) / 2.0 * waits / (servers * (1 - load)));
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
