package dev.evener.internal.run;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two threads take from one range of a {@link ChunkPool}: every granule goes to exactly one. */
public final class PoolTakeStress {
    private PoolTakeStress() {}

    @JCStressTest
    @Description("Two lanes take from the front of the common range.")
    @Outcome(id = "0-2, 2-3", expect = ACCEPTABLE, desc = "One was first, the other got the rest.")
    @Outcome(id = "2-3, 0-2", expect = ACCEPTABLE, desc = "The other way round.")
    @Outcome(expect = FORBIDDEN, desc = "A granule went to both or to neither.")
    @State
    public static class TwoTakes {
        private final ChunkPool pool = ChunkPool.common(2, 3);

        @Actor
        public void one(LL_Result r) {
            r.r1 = Pools.text(pool.takeFront(pool.lanes(), 2));
        }

        @Actor
        public void other(LL_Result r) {
            r.r2 = Pools.text(pool.takeFront(pool.lanes(), 2));
        }
    }

    @JCStressTest
    @Description("The owner takes the last granule while a thief steals it.")
    @Outcome(id = "0-1, none", expect = ACCEPTABLE, desc = "The owner was first.")
    @Outcome(id = "none, 0-1", expect = ACCEPTABLE, desc = "The thief was first.")
    @Outcome(expect = FORBIDDEN, desc = "The granule went to both or to neither.")
    @State
    public static class TakeAgainstStealOfTheLast {
        private final ChunkPool pool = ChunkPool.of(0, 1, 1);

        @Actor
        public void owner(LL_Result r) {
            r.r1 = Pools.text(pool.takeFront(0, 1));
        }

        @Actor
        public void thief(LL_Result r) {
            r.r2 = Pools.text(pool.stealBack(0, 1));
        }
    }

    @JCStressTest
    @Description("Owner and thief want two each of the last three granules.")
    @Outcome(id = "0-2, 2-3", expect = ACCEPTABLE, desc = "The owner was first.")
    @Outcome(id = "0-1, 1-3", expect = ACCEPTABLE, desc = "The thief was first.")
    @Outcome(expect = FORBIDDEN, desc = "A granule went to both or to neither.")
    @State
    public static class TakeMeetsSteal {
        private final ChunkPool pool = ChunkPool.of(0, 3, 3);

        @Actor
        public void owner(LL_Result r) {
            r.r1 = Pools.text(pool.takeFront(0, 2));
        }

        @Actor
        public void thief(LL_Result r) {
            r.r2 = Pools.text(pool.stealBack(0, 2));
        }
    }

    @JCStressTest
    @Description("Two thieves at one victim.")
    @Outcome(id = "2-3, 0-2", expect = ACCEPTABLE, desc = "The one that wants one granule was first.")
    @Outcome(id = "0-1, 1-3", expect = ACCEPTABLE, desc = "The one that wants two was first.")
    @Outcome(expect = FORBIDDEN, desc = "A granule went to both or to neither.")
    @State
    public static class TwoSteals {
        private final ChunkPool pool = ChunkPool.of(0, 3, 3);

        @Actor
        public void wantsOne(LL_Result r) {
            r.r1 = Pools.text(pool.stealBack(0, 1));
        }

        @Actor
        public void wantsTwo(LL_Result r) {
            r.r2 = Pools.text(pool.stealBack(0, 2));
        }
    }
}
