package dev.evener.internal.run;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** The watchdog takes chunks away while their lane ends them: each end has one owner. */
public final class TicketStress {
    private TicketStress() {}

    private static ChunkInFlight held(int first, boolean behind) {
        ChunkInFlight chunk = new ChunkInFlight();
        chunk.take(ChunkPool.range(first, first + 1), 1, 1, 0);
        chunk.begin(null, 0, behind, 0);
        return chunk;
    }

    @JCStressTest
    @Description(
            "Two chunks in flight: the lane ends the first, then the second, while the watchdog takes what it has.")
    @Outcome(id = "true, true, none, none", expect = ACCEPTABLE, desc = "The lane ended both.")
    @Outcome(id = "true, false, none, 1-2", expect = ACCEPTABLE, desc = "The watchdog came after the first had ended.")
    @Outcome(
            id = "false, true, 0-1, none",
            expect = ACCEPTABLE,
            desc = "It came to the second when the lane had ended it.")
    @Outcome(id = "false, false, 0-1, 1-2", expect = ACCEPTABLE, desc = "The watchdog took both.")
    @Outcome(expect = FORBIDDEN, desc = "A chunk was ended twice, or by nobody, or another was taken than was held.")
    @State
    public static class TwoInFlight {
        private final ChunkInFlight first = held(0, false);
        private final ChunkInFlight second = held(1, true);

        @Actor
        public void lane(LLLL_Result r) {
            second.comesFirst(0);
            r.r1 = first.claim();
            r.r2 = second.claim();
        }

        @Actor
        public void watchdog(LLLL_Result r) {
            r.r3 = Pools.text(first.revoke(null, 0));
            r.r4 = Pools.text(second.revoke(null, 0));
        }
    }

    @JCStressTest
    @Description("A place is used again for the next chunk while the watchdog takes away what is there.")
    @Outcome(
            id = "true, none",
            expect = ACCEPTABLE,
            desc = "It found the first ended and the next not begun, or lost to the lane.")
    @Outcome(id = "true, 5-6", expect = ACCEPTABLE, desc = "It took the next.")
    @Outcome(id = "false, 0-1", expect = ACCEPTABLE, desc = "It took the first.")
    @Outcome(expect = FORBIDDEN, desc = "It took the next for the first, or one that had ended.")
    @State
    public static class UsedAgain {
        private final ChunkInFlight chunk = held(0, false);

        @Actor
        public void lane(LL_Result r) {
            boolean mine = chunk.claim();
            r.r1 = mine;
            if (mine) {
                chunk.take(ChunkPool.range(5, 6), 1, 1, 0);
                chunk.begin(null, 0, false, 0);
            }
        }

        @Actor
        public void watchdog(LL_Result r) {
            r.r2 = Pools.text(chunk.revoke(null, 0));
        }
    }
}
