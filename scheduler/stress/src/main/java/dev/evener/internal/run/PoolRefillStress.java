package dev.evener.internal.run;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A lane refills its word in a {@link ChunkPool} while others steal from it. */
public final class PoolRefillStress {
    private PoolRefillStress() {}

    @JCStressTest
    @Description("A refill against a steal: thief, what it saw of the owner's writes, what is left.")
    @Outcome(id = "none, 0, 4-8", expect = ACCEPTABLE, desc = "The thief came before the refill.")
    @Outcome(
            id = "6-8, 1, 4-6",
            expect = ACCEPTABLE,
            desc = "The thief came after it and sees what was written before it.")
    @Outcome(expect = FORBIDDEN, desc = "Granules lost, doubled, or handed over without what was written before.")
    @State
    public static class RefillAgainstSteal {
        private final ChunkPool pool = ChunkPool.of(0, 0, 0);
        private int written;

        @Actor
        public void owner() {
            written = 1;
            pool.refill(0, ChunkPool.range(4, 8));
        }

        @Actor
        public void thief(LLL_Result r) {
            long stolen = pool.stealBack(0, 2);
            r.r1 = Pools.text(stolen);
            r.r2 = stolen == ChunkPool.NONE ? 0 : written;
        }

        @Arbiter
        public void rest(LLL_Result r) {
            r.r3 = Pools.rest(pool);
        }
    }

    @JCStressTest
    @Description("A lane takes its last granule, steals and refills, while another lane steals from it.")
    @Outcome(id = "0-1, 5-9, none, 5-9 1-5", expect = ACCEPTABLE, desc = "The thief found the word empty.")
    @Outcome(id = "0-1, 5-9, 7-9, 5-7 1-5", expect = ACCEPTABLE, desc = "The thief got some of what had been stolen.")
    @Outcome(id = "none, 5-9, 0-1, 5-9 1-5", expect = ACCEPTABLE, desc = "The thief got the last granule.")
    @Outcome(expect = FORBIDDEN, desc = "A granule was lost or doubled.")
    @State
    public static class RefillAfterTheLastTake {
        private final ChunkPool pool = ChunkPool.of(0, 1, 9);

        @Actor
        public void owner(LLLL_Result r) {
            r.r1 = Pools.text(pool.takeFront(0, 1));
            long stolen = pool.stealBack(1, 4);
            r.r2 = Pools.text(stolen);
            pool.refill(0, stolen);
        }

        @Actor
        public void thief(LLLL_Result r) {
            r.r3 = Pools.text(pool.stealBack(0, 2));
        }

        @Arbiter
        public void rest(LLLL_Result r) {
            r.r4 = Pools.rest(pool);
        }
    }

    @JCStressTest
    @Description(
            "A word goes empty and comes back to the value that a thief may have read before: its swap then succeeds"
                    + " (ABA), and must.")
    @Outcome(id = "1-2, 0-1", expect = ACCEPTABLE, desc = "The thief came before the take or after the refill.")
    @Outcome(id = "none, 0-2", expect = ACCEPTABLE, desc = "The thief found the word empty.")
    @Outcome(expect = FORBIDDEN, desc = "A granule was lost or doubled.")
    @State
    public static class SameValueAgain {
        private final ChunkPool pool = ChunkPool.of(0, 2, 2);

        @Actor
        public void owner() {
            pool.refill(0, pool.takeFront(0, 2));
        }

        @Actor
        public void thief(LL_Result r) {
            r.r1 = Pools.text(pool.stealBack(0, 1));
        }

        @Arbiter
        public void rest(LL_Result r) {
            r.r2 = Pools.rest(pool);
        }
    }
}
