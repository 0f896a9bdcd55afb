package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.History;
import dev.evener.MadeUpDevices;
import dev.evener.Report;
import dev.evener.event.RunEvent.BufferUse;
import dev.evener.event.RunEvent.BufferUse.How;
import dev.evener.event.RunEvent.BufferUse.Kept;
import dev.evener.policy.Decision;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.Link;
import dev.evener.simulation.Machine;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two equal devices with memory of their own, and data that lie on the first. Guards against a look that takes what
 * moving them costs, once, for the speed of the second device, and against moves that do not pay.
 */
class DataThatStayTest {
    private static final int UNITS = 1 << 14;
    private static final double JOB = 2e6; // nanoseconds on one of them
    private static final double BANDWIDTH = 1e8; // bytes a second, so that a thousand jobs of it find room
    private static final int ON_ONE = 30; // jobs
    private static final Policy SINGLE = Policies.single(0);

    private static Machine machine() {
        DeviceModel[] devices = new DeviceModel[2];
        for (int i = 0; i < 2; i++) {
            KernelModel kernel = Beds.kernel(UNITS / JOB, 5_000, 0.03);
            devices[i] = Beds.device(i, MadeUpDevices.gpu(Beds.id(i), MadeUpDevices.NVIDIA, "gpu " + i), kernel)
                    .withLink(new Link(2_000, BANDWIDTH, BANDWIDTH, 0));
        }
        return Beds.machine(Beds.Work.EVEN, devices);
    }

    /** @param move what it takes to bring all of the data to a device, in jobs on one */
    private static BufferUse data(int buffer, How how, double move) {
        long perUnit = Math.round(move * JOB * 1e-9 * BANDWIDTH / UNITS);
        return new BufferUse(0, buffer, perUnit * UNITS, Kept.DEVICE, 0, perUnit * UNITS, how, perUnit, 0, 0, 0, 0);
    }

    private static Simulator jobs(Simulator simulator, Policy policy, int jobs, BufferUse use) {
        for (int n = 0; n < jobs; n++) {
            simulator.submit(
                    SimulatedJob.of(Beds.KERNEL, UNITS, 1, policy).touching(use).after(0));
        }
        return simulator;
    }

    private static List<Report> reports(Simulator simulator) {
        return simulator.run().stream().map(Simulator.Outcome::report).toList();
    }

    private static Decision decision(Report report) {
        Decision decision = report.decision();
        assertNotNull(decision);
        return decision;
    }

    private static boolean both(Report report) {
        return report.devices().stream().allMatch(device -> device.units() > UNITS / 3);
    }

    private static double wall(List<Report> reports) {
        return reports.stream().mapToDouble(Report::wallNanos).sum();
    }

    @ParameterizedTest
    @CsvSource({"READS, 0.5", "READS, 3", "UPDATES, 0.5", "UPDATES, 3"})
    void bothDevicesAreUsedAfterLooks(How how, double move) {
        Simulator simulator = new Simulator(machine()).seed(1).history(History.inMemory());
        BufferUse use = data(1, how, move);
        jobs(simulator, SINGLE, ON_ONE, use);
        jobs(simulator, Policies.adaptive(), 1_000, use);
        List<Report> reports = reports(simulator);
        Report last = reports.get(reports.size() - 1);
        List<Decision.Lane> lanes = decision(last).lanes();
        assertEquals(
                lanes.get(0).nanosPerUnit(),
                lanes.get(1).nanosPerUnit(),
                0.1 * lanes.get(0).nanosPerUnit());
        List<Report> settled = reports.subList(reports.size() - 200, reports.size());
        long together = settled.stream().filter(DataThatStayTest::both).count();
        assertTrue(together > 180, "of 200 on both: " + together);
        assertTrue(wall(settled) < 0.65 * 200 * JOB, "a job took " + wall(settled) / 200 / JOB);
    }

    /** Each job has data of its own, which would have to be moved for nothing. */
    @ParameterizedTest
    @EnumSource(names = {"READS", "UPDATES"})
    void whatIsUsedOnceIsPaidForByItsJob(How how) {
        Simulator simulator = new Simulator(machine()).seed(1).history(History.inMemory());
        for (int n = 0; n < 200; n++) {
            jobs(simulator, Policies.adaptive(), 1, data(n, how, 4));
        }
        double wall = wall(reports(simulator).subList(100, 200));
        simulator = new Simulator(machine()).seed(1).history(History.inMemory());
        for (int n = 0; n < 100; n++) {
            jobs(simulator, Policies.fixed(0.5, 0.5), 1, data(n, how, 4));
        }
        double best = wall(reports(simulator));
        assertTrue(wall < 1.1 * best, wall / best + " times the best split");
    }

    @Test
    void nothingMovesThatDoesNotPay() {
        Simulator simulator = new Simulator(machine()).seed(1).history(History.inMemory());
        BufferUse use = data(1, How.UPDATES, 1_000);
        jobs(simulator, SINGLE, ON_ONE, use);
        jobs(simulator, Policies.adaptive(), 300, use);
        List<Report> reports = reports(simulator);
        double wall = wall(reports.subList(ON_ONE, reports.size()));
        assertTrue(wall < 1.05 * 300 * JOB, wall / 300 / JOB + " jobs each");
    }
}
