package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.History;
import dev.evener.Job;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.internal.device.Devices;
import dev.evener.internal.device.LaneOptions;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.jvm.JvmLane;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More devices than a word has bits, of which a runtime once opened none. */
class ManyLanesTest {
    @ParameterizedTest
    @ValueSource(ints = {63, 64, 65, 128})
    void allAreOpenedAndAllWork(int count) throws Exception {
        List<Lane> lanes = Devices.open(Collections.nCopies(count, JvmLane.describe(1)), LaneOptions.usual())
                .lanes();
        assertEquals(count, lanes.size());
        try (Dispatcher dispatcher = new Dispatcher(
                lanes,
                History.inMemory(),
                new ScratchPool((type, elements, perUnit) -> MadeUpBuffers.of(type, elements)),
                Duration.ofSeconds(30),
                Duration.ofMillis(1))) {
            for (Policy policy : List.of(Policies.fixed(), Policies.history(), Policies.adaptive())) {
                try (Trial trial = new Trial(160 * count, 2, 2)) {
                    Report report = dispatcher
                            .submit(trial.job("trial").build(), policy, History.inMemory(), null)
                            .get(120, TimeUnit.SECONDS);
                    trial.check();
                    assertEquals(List.of(), report.failures());
                    assertEquals(count, report.devices().size());
                    for (Report.DeviceUse use : report.devices()) {
                        if (!policy.equals(Policies.adaptive())) { // which begins with one
                            assertEquals(160, use.units(), policy.name());
                        }
                    }
                }
            }
        }
    }

    /**
     * Guards against work for all lanes each time something is asked of one: a decision asks of each, and 5,000 simulated devices took
     * minutes. Who asks all of them here fails.
     */
    @ParameterizedTest
    @ValueSource(ints = {64, 512})
    void askingForOneLaneLooksAtNoOther(int count) throws Exception {
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lanes.add(new FakeLane("0." + i));
        }
        AtomicInteger asked = new AtomicInteger();
        Policy onFirst = new Policy() {
            @Override
            public String name() {
                return "on the first";
            }

            @Override
            public Plan plan(Snapshot snapshot) {
                long[] shares = new long[count];
                shares[0] = snapshot.granules();
                return Plan.of(Plan.Sharing.FIXED, shares);
            }

            @Override
            public long chunk(Progress progress, int lane) {
                PhaseRun phase = (PhaseRun) progress;
                Progress counted = (Progress) Proxy.newProxyInstance(
                        Progress.class.getClassLoader(), new Class<?>[] {Progress.class}, (self, method, arguments) -> {
                            asked.incrementAndGet();
                            boolean atWork = method.getReturnType() == boolean.class;
                            return atWork ? true : method.invoke(phase, arguments);
                        });
                long wanted = Policies.adaptive().chunk(counted, lane);
                askOfOne(phase, lane, count);
                askOfOne(phase, count / 2, count);
                return Math.max(wanted, progress.remaining(lane));
            }
        };
        try (Dispatcher dispatcher = new Dispatcher(
                lanes, History.inMemory(), ScratchPool.NONE, Duration.ofSeconds(30), Duration.ofMillis(1))) {
            Job job = Job.named("one").units(count).kernel("k").jvm(c -> {}).build();
            dispatcher.submit(job, onFirst, History.inMemory(), null).get(60, TimeUnit.SECONDS);
        }
        assertTrue(asked.get() > 2 * count && asked.get() < 30 * count, asked + " questions");
    }

    private static void askOfOne(PhaseRun phase, int lane, int count) {
        LaneTask task = phase.task(lane);
        PhaseRun.Lanes alone = new PhaseRun.Lanes() {
            @Override
            public int lanes() {
                return count;
            }

            @Override
            public LaneTask part(int of) {
                assertEquals(lane, of);
                return task;
            }
        };
        PhaseRun poisoned = new PhaseRun(0, task.run.plan, alone, System::nanoTime);
        assertFalse(poisoned.known());
        poisoned.rates.show(3, 3, Double.NaN, Math.log(2));
        assertTrue(poisoned.known());
        assertEquals(2 * phase.stats(lane).guess * phase.unitsPerGranule, poisoned.nanosPerGranule(lane), 1e-9);
        assertTrue(poisoned.fixedNanos(lane)
                        + poisoned.mostFixedNanos(lane)
                        + poisoned.leastWork(lane)
                        + poisoned.busyNanos(lane)
                        + poisoned.variance(lane)
                        + poisoned.overrun(lane)
                        + poisoned.awayNanos(lane)
                        + poisoned.leftNanos(lane, true)
                > 0);
    }

    /** What is added up as lanes show it is what asking all of them would give. */
    @Test
    void whatLanesShowIsAddedUp() {
        Random random = new Random(5);
        for (int round = 0; round < 200; round++) {
            int lanes = 1 + random.nextInt(9);
            LaneRates rates = new LaneRates(lanes);
            double[] shown = new double[lanes];
            int[] classes = new int[lanes];
            for (int i = 0; i < lanes; i++) {
                shown[i] = Double.NaN;
                classes[i] = i == 0 || random.nextBoolean() ? i : classes[random.nextInt(i)];
            }
            for (int step = 0; step < 30; step++) {
                int lane = random.nextInt(lanes);
                double now = random.nextInt(4) == 0 ? Double.NaN : random.nextGaussian();
                rates.show(lane, classes[lane], shown[lane], now);
                shown[lane] = Double.isNaN(now) ? shown[lane] : now;
                double[] known = DoubleStream.of(shown)
                        .filter(each -> !Double.isNaN(each))
                        .toArray();
                assertEquals(known.length > 0, rates.known());
                assertEquals(Math.exp(DoubleStream.of(known).average().orElse(0)), rates.slower(), 1e-9);
                for (int i = 0; i < lanes; i++) {
                    int its = classes[i];
                    int first = IntStream.range(0, lanes)
                            .filter(each -> classes[each] == its && !Double.isNaN(shown[each]))
                            .findFirst()
                            .orElse(-1);
                    assertEquals(first, rates.first(its));
                }
            }
        }
    }
}
