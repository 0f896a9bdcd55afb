package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.MadeUpDevices;
import dev.evener.policy.LaneSet;
import java.util.List;

/** What a history learns of one kind of job on a CPU and a GPU. */
abstract class TwoDevices {
    static final DeviceInfo CPU = MadeUpDevices.cpu("0.0", MadeUpDevices.POCL);
    static final DeviceInfo GPU = MadeUpDevices.gpu("1.0", MadeUpDevices.NVIDIA, "pci 1");
    static final List<DeviceInfo> BOTH = List.of(CPU, GPU);
    static final LaneSet A = LaneSet.of(0);
    static final LaneSet B = LaneSet.of(1);
    static final LaneSet AB = LaneSet.of(0, 1);
    static final long UNITS = 1_000_000;

    final StoredHistory history = StoredHistory.inMemory();
    final Job job = job("k");
    final JobHistory learnt = history.of(job, BOTH);

    static Job job(String... kernels) {
        JobBuilder builder = Job.named("job").units(1);
        for (String kernel : kernels) {
            builder.kernel(kernel).jvm(c -> {});
        }
        return builder.build();
    }

    /** So many jobs of lanes that take so long for a unit, 0 for one that is not there. */
    void learn(int jobs, double... nanosPerUnit) {
        for (int i = 0; i < jobs; i++) {
            learnt.learn(Observations.of(UNITS, nanosPerUnit));
        }
    }

    static void assertAbout(double expected, double actual, double part) {
        assertEquals(expected, actual, part * expected);
    }

    double perUnit(int lane, LaneSet set) {
        return perUnit(learnt.model(UNITS).prior(lane, 0, set));
    }

    static double perUnit(LaneEstimate.Prior prior) {
        return Math.exp(prior.logPerUnit());
    }
}
