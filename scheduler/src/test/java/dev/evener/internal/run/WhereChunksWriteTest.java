package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.ManagedData;
import dev.evener.internal.data.Directory;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.JobSpec;
import dev.evener.policy.Policies;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where what a chunk wrote is said to be, at every moment of its end. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WhereChunksWriteTest {
    private static final int N = 64;
    private static final long BYTES = 4L * N;

    /** A lane whose device has all that it wrote, and tells so in the middle of its end. */
    private final class Holder extends FakeLane {
        private Directory.Holding holding;
        private long from;
        private long to;

        Holder(String id) {
            super(id);
        }

        @Override
        public boolean holdsData() {
            return true;
        }

        @Override
        public boolean enqueue(
                JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
            from = 4 * firstUnit;
            to = 4 * (firstUnit + units);
            return super.enqueue(job, phase, firstUnit, units, fenced, times);
        }

        @Override
        public void commit() {
            super.commit();
            if (holding == null) {
                holding = x.directory().newHolding(device().id(), fetch -> {
                    fetched.add(fetch.toString());
                    return true;
                });
            }
            look();
            holding.wrote(from, to, false);
            look();
        }

        /** Another lane that needs these bytes now, as the pivot's row of a matrix, is sent what the host has if it is said to have them. */
        private void look() {
            if (x.directory().isOnHost(from, to)) {
                wrong.add("the host is said to have bytes " + from + " to " + to);
            }
        }
    }

    private final List<String> wrong = new CopyOnWriteArrayList<>();
    private final List<String> fetched = new CopyOnWriteArrayList<>();
    private final Holder first = new Holder("0.0");
    private final Holder second = new Holder("0.1");
    private final FakeLane inPlace = new FakeLane("1.0");
    private final Dispatcher dispatcher = new Dispatcher(
            List.of(first, second, inPlace),
            History.inMemory(),
            ScratchPool.NONE,
            Duration.ofSeconds(30),
            Duration.ofDays(1));
    private final ManagedData x = MadeUpBuffers.managed(ElementType.INT, N, dispatcher.turns());

    @AfterEach
    void close() {
        dispatcher.close();
        x.close();
    }

    /** A lane that needed a pivot in that moment got what the host's memory held before. */
    @Test
    void whatStaysOnADeviceIsNeverSaidToBeOnTheHost() {
        for (int lane = 0; lane < 2; lane++) {
            dispatcher
                    .submit(job(), Policies.single(lane), History.inMemory(), null)
                    .join();
        }
        dispatcher
                .submit(job(), Policies.fixed(1, 1, 0), History.inMemory(), null)
                .join();
        assertEquals(List.of(), wrong);
        assertEquals(4, first.committed.get() + second.committed.get());
        assertEquals(BYTES, x.directory().bringToHost(0, BYTES, new Traffic()), fetched.toString());
    }

    @Test
    void whatALaneWroteInPlaceIsOnTheHostAndNowhereElse() {
        dispatcher
                .submit(job(), Policies.fixed(1, 1, 2), History.inMemory(), null)
                .join();
        assertEquals(List.of(), wrong);
        assertEquals(1, inPlace.committed.get());
        assertEquals(BYTES / 2, x.directory().bringToHost(0, BYTES, new Traffic()), fetched.toString());
    }

    private Job job() {
        return Job.named("j")
                .units(N)
                .kernel("k")
                .writes(x, Access.slice())
                .jvm(c -> {})
                .build();
    }
}
