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

/** Granules given back to a {@link ChunkPool} while others ask for such: none is lost, none is hidden. */
public final class PoolReturnStress {
    private PoolReturnStress() {}

    @JCStressTest
    @Description("A give-back against a take: taker, what it saw of the giver's writes, what is left.")
    @Outcome(id = "none, 0, 0-2", expect = ACCEPTABLE, desc = "The taker came first.")
    @Outcome(id = "0-2, 1, none", expect = ACCEPTABLE, desc = "The taker got it and sees what was written before.")
    @Outcome(expect = FORBIDDEN, desc = "Granules lost, doubled, or handed over without what was written before.")
    @State
    public static class GiveBackAgainstTake {
        private final ChunkPool pool = ChunkPool.common(2, 0);
        private int written;

        @Actor
        public void fails() {
            written = 1;
            pool.giveBack(ChunkPool.range(0, 2));
        }

        @Actor
        public void takes(LLL_Result r) {
            long taken = pool.takeReturned();
            r.r1 = Pools.text(taken);
            r.r2 = taken == ChunkPool.NONE ? 0 : written;
        }

        @Arbiter
        public void rest(LLL_Result r) {
            r.r3 = Pools.rest(pool);
        }
    }

    @JCStressTest
    @Description("Two lanes take two returned ranges.")
    @Outcome(id = "0-1, 5-6, none", expect = ACCEPTABLE, desc = "One was first and got the older range.")
    @Outcome(id = "5-6, 0-1, none", expect = ACCEPTABLE, desc = "The other way round.")
    @Outcome(expect = FORBIDDEN, desc = "A range was lost with the other, or doubled.")
    @State
    public static class TwoTakesOfTwoRanges {
        private final ChunkPool pool = ChunkPool.common(2, 0);

        public TwoTakesOfTwoRanges() {
            pool.giveBack(ChunkPool.range(0, 1));
            pool.giveBack(ChunkPool.range(5, 6));
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Pools.text(pool.takeReturned());
        }

        @Actor
        public void other(LLL_Result r) {
            r.r2 = Pools.text(pool.takeReturned());
        }

        @Arbiter
        public void rest(LLL_Result r) {
            r.r3 = Pools.rest(pool);
        }
    }
}
