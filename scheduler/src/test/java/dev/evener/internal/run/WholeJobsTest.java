package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.History;
import dev.evener.JobFuture;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that cannot be cut, on four lanes of which nothing is known. The limit on time is for a run that hangs, not for a slow machine. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WholeJobsTest {
    private static final int LANES = 4;

    private final List<FakeLane> lanes =
            IntStream.range(0, LANES).mapToObj(i -> new FakeLane("0." + i)).toList();
    private final Dispatcher dispatcher = new Dispatcher(
            List.copyOf(lanes), History.inMemory(), ScratchPool.NONE, Duration.ofSeconds(30), Duration.ofMillis(20));

    @AfterEach
    void close() {
        dispatcher.close();
    }

    static List<String> policies() {
        return Policies.names();
    }

    private void submitted(int jobs, Policy policy) throws Exception {
        History history = History.inMemory();
        List<JobFuture> futures = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            futures.add(dispatcher.submit(TwoFakeLanes.job("job " + i, 1), policy, history, null));
        }
        for (JobFuture each : futures) {
            assertEquals(List.of(), each.get(60, TimeUnit.SECONDS).failures());
        }
    }

    /** No job ends before every lane is at work for one. */
    @ParameterizedTest
    @MethodSource("policies")
    void eachGoesToALaneOfItsOwn(String name) throws Exception {
        CyclicBarrier all = new CyclicBarrier(LANES);
        lanes.forEach(lane -> lane.work = (job, phase, first, units, times) -> {
            try {
                all.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new AssertionError("jobs wait for one lane while others have nothing to do", e);
            }
        });
        submitted(LANES, Policies.named(name));
        lanes.forEach(lane -> assertEquals(1, lane.executed.size()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"single:2", "static:0,0,1,0"})
    void aPolicyThatMeansOneLaneGetsIt(String text) throws Exception {
        submitted(16, Policies.named(text));
        IntStream.range(0, LANES)
                .forEach(
                        i -> assertEquals(i == 2 ? 16 : 0, lanes.get(i).executed.size()));
    }
}
