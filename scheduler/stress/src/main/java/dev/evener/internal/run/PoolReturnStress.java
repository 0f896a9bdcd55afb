package dev.evener.internal.run;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Granules given back to a {@link ChunkPool} while others ask for such: none is lost, none is hidden. */
public final class PoolReturnStress {
    private PoolReturnStress() {}

    @JCStressTest
    @Description("A give-back against a take: taker, what it saw of the giver's writes, what is left.")
    @Outcome(id = "none, 0, 0-2", expect = ACCEPTABLE, desc = "The taker came first.")
    @Outcome(id = "0-1, 1, 1-2", expect = ACCEPTABLE, desc = "The taker got a part and sees what was written before.")
    @Outcome(expect = FORBIDDEN, desc = "Granules lost, doubled, or handed over without what was written before.")
    @State
    public static class GiveBackAgainstTake {
        private final ChunkPool pool = new ChunkPool(2);
        private int written;

        @Actor
        public void fails() {
            written = 1;
            pool.giveBack(ChunkPool.range(0, 2));
        }

        @Actor
        public void takes(LLL_Result r) {
            long taken = pool.takeReturned(1);
            r.r1 = Pools.text(taken);
            r.r2 = taken == ChunkPool.NONE ? 0 : written;
        }

        @Arbiter
        public void rest(LLL_Result r) {
            r.r3 = Pools.rest(pool);
        }
    }

    @JCStressTest
    @Description("Two lanes share a returned range.")
    @Outcome(id = "0-2, 2-3, none", expect = ACCEPTABLE, desc = "One was first, the other got the rest.")
    @Outcome(id = "2-3, 0-2, none", expect = ACCEPTABLE, desc = "The other way round.")
    @Outcome(expect = FORBIDDEN, desc = "A granule was lost or doubled.")
    @State
    public static class TwoTakesOfOneRange {
        private final ChunkPool pool = new ChunkPool(2);

        public TwoTakesOfOneRange() {
            pool.giveBack(ChunkPool.range(0, 3));
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Pools.text(pool.takeReturned(2));
        }

        @Actor
        public void other(LLL_Result r) {
            r.r2 = Pools.text(pool.takeReturned(2));
        }

        @Arbiter
        public void rest(LLL_Result r) {
            r.r3 = Pools.rest(pool);
        }
    }

    @JCStressTest
    @Description("Two lanes empty two returned ranges, each removing what it finds empty.")
    @Outcome(id = "0-1, 5-6, none", expect = ACCEPTABLE, desc = "One was first and got the older range.")
    @Outcome(id = "5-6, 0-1, none", expect = ACCEPTABLE, desc = "The other way round.")
    @Outcome(expect = FORBIDDEN, desc = "A range was lost with the other, or doubled.")
    @State
    public static class TwoTakesOfTwoRanges {
        private final ChunkPool pool = new ChunkPool(2);

        public TwoTakesOfTwoRanges() {
            pool.giveBack(ChunkPool.range(0, 1));
            pool.giveBack(ChunkPool.range(5, 6));
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Pools.text(pool.takeReturned(9));
        }

        @Actor
        public void other(LLL_Result r) {
            r.r2 = Pools.text(pool.takeReturned(9));
        }

        @Arbiter
        public void rest(LLL_Result r) {
            r.r3 = Pools.rest(pool);
        }
    }

    @JCStressTest
    @Description(
            "While a part is taken, the rest is never out of sight: a lane that looked away then might go to sleep.")
    @Outcome(id = "0-1, true", expect = ACCEPTABLE, desc = "There were granules at every moment.")
    @Outcome(expect = FORBIDDEN, desc = "The rest was hidden for a while.")
    @State
    public static class ThePartThatStays {
        private final ChunkPool pool = new ChunkPool(2);

        public ThePartThatStays() {
            pool.giveBack(ChunkPool.range(0, 2));
        }

        @Actor
        public void takes(LL_Result r) {
            r.r1 = Pools.text(pool.takeReturned(1));
        }

        @Actor
        public void looks(LL_Result r) {
            r.r2 = pool.hasReturned();
        }
    }
}
