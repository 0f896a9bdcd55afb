package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceKind;
import dev.evener.ElementType;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.MadeUpBuffers;
import dev.evener.MadeUpDevices;
import dev.evener.Report;
import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs of a stream, as frames are, each whole on the device that is done with it first, with a step of the host's in between. */
class StreamTest {
    private static final int JOBS = 192;
    private static final int AT_ONCE = 4; // for each device
    private static final long UNITS = 3840;
    private static final double FIRST = 200; // nanoseconds a unit, in the two phases
    private static final double SECOND = 800;

    /** How many times as long as its devices need it may take. */
    private static final double MOST = 1.1;

    private final VirtualTime time = new VirtualTime();
    private final List<Report> done = new ArrayList<>();
    private int submitted;
    private long ended;

    /** Its step writes a buffer of its own; one that does not say what it writes has all others wait for it. */
    private static Job frame() {
        return Job.named("frame")
                .units(UNITS)
                .kernel("first")
                .jvm(c -> {})
                .hostStep(() -> {}, MadeUpBuffers.of(ElementType.INT, 4))
                .kernel("second")
                .jvm(c -> {})
                .build();
    }

    private static DeviceModel gpu(int number, double slower) {
        return DeviceModel.of(
                        MadeUpDevices.device("0." + number, "made up", "GPU", DeviceKind.GPU, 1, 1, 16, "gpu" + number),
                        Map.of(
                                "first", KernelModel.of(5_000, FIRST * slower),
                                "second", KernelModel.of(5_000, SECOND * slower)))
                .withMemory("of " + number)
                .withAhead(1);
    }

    private void submit(VirtualRuntime runtime) {
        int others = JOBS - 1 - done.size();
        submitted++;
        CompletableFuture<?> ignored = runtime.submit(
                        others > 0 ? frame().before(others) : frame(), Policies.adaptive(), null)
                .whenComplete((report, failure) -> {
                    assertEquals(null, failure);
                    done.add(report);
                    ended = time.getAsLong();
                    if (submitted < JOBS) {
                        time.in(0, () -> submit(runtime));
                    }
                });
    }

    /**
     * Runs a stream that keeps devices busy.
     *
     * @param speed of all devices together, that of one being 1
     * @param lateNanos by which events make them late, all together
     */
    private void run(List<DeviceModel> models, double speed, double lateNanos, MachineEvent... events) {
        List<SimulatedDevice> devices = new ArrayList<>();
        for (DeviceModel model : models) {
            devices.add(new SimulatedDevice(model, Map.of(), devices.size(), List.of(), devices.size(), time));
        }
        VirtualRuntime runtime = new VirtualRuntime(time, devices, History.inMemory(), List.of());
        for (MachineEvent event : events) {
            int lane = Integer.parseInt(event.device().substring(2));
            time.in(event.at(), () -> runtime.happens(event, lane));
        }
        time.in(1_000, () -> {
            for (int i = 0; i < AT_ONCE * models.size(); i++) {
                submit(runtime);
            }
        });
        runtime.run();
        assertEquals(JOBS, done.size());
        long split = done.stream()
                .filter(report -> report.devices().stream()
                                .filter(device -> device.units() > 0)
                                .count()
                        > 1)
                .count();
        assertTrue(split <= 1, "all but the last are whole: " + split);
        double least = (JOBS * UNITS * (FIRST + SECOND) + lateNanos) / speed;
        assertTrue(ended <= MOST * least, "takes " + ended / least + " times as long as it need");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void equalDevicesAreBusyToTheEnd(int count) {
        List<DeviceModel> models = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            models.add(gpu(i, 1));
        }
        run(models, count, 0);
    }

    @Test
    void aSlowOneHasItsPart() {
        run(List.of(gpu(0, 1), gpu(1, 3)), 1 + 1 / 3.0, 0);
    }

    /** As where its context compiles, or locks memory, for its first job. */
    @ParameterizedTest
    @ValueSource(ints = {4, 12, 24, 50, 100, 200, 400})
    void oneThatIsLateAtFirstHasItsPart(int millis) {
        run(List.of(gpu(0, 1), gpu(1, 1)), 2, millis * 1e6, MachineEvent.parse("0.1 late by " + millis + " ms at 0 s"));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 12, 24, 50, 100})
    void oneThatIsLateOnTheWayHasItsPart(int millis) {
        run(
                List.of(gpu(0, 1), gpu(1, 1)),
                2,
                millis * 1e6,
                MachineEvent.parse("0.1 late by " + millis + " ms at 60 ms"));
    }
}
