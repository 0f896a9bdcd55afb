package dev.evener.internal.run;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * The hand-over of {@link LaneWorker}: who offers puts a visit into the inbox and unparks the lane; the lane parks when it
 * finds the inbox empty. Most tests model {@link LockSupport}'s permit with a flag, so that the arbiter can tell a lane that
 * sleeps for ever from one that is about to be woken; the last one parks.
 */
public final class InboxStress {
    private InboxStress() {}

    /** The protocol of LaneWorker's loop, with a permit that can be looked at. */
    private static final class Inbox {
        private final MpscUnboundedAtomicArrayQueue<String> visits = new MpscUnboundedAtomicArrayQueue<>(2);
        private final AtomicBoolean permit;
        private volatile boolean closing;

        Inbox(boolean permit) {
            this.permit = new AtomicBoolean(permit);
        }

        void offer(String visit) {
            visits.offer(visit);
            permit.set(true);
        }

        void close() {
            closing = true;
            permit.set(true);
        }

        /** One visit; "ended" when closed; "asleep" in place of a park that does not return. */
        String next() {
            while (true) {
                boolean last = closing; // read before the inbox is: a visit offered before the close must be found
                String visit = visits.poll();
                if (visit != null) {
                    return visit;
                } else if (last) {
                    return "ended";
                } else if (!permit.getAndSet(false)) {
                    return "asleep";
                }
            }
        }

        /** What becomes of a lane that went to sleep, when nobody offers any more. */
        String fate() {
            return permit.getAndSet(false) ? next() : "for ever";
        }
    }

    @JCStressTest
    @Description(
            "One offers, the lane polls and parks: what it did, what it saw of the writes before, how its sleep ended.")
    @Outcome(
            id = "visit, 1, -",
            expect = ACCEPTABLE,
            desc = "The lane found the visit, at once or after a park that returned.")
    @Outcome(id = "asleep, 0, visit", expect = ACCEPTABLE, desc = "The lane slept, and the unpark woke it to a visit.")
    @Outcome(expect = FORBIDDEN, desc = "A lost wake-up, or a visit without what was written before it.")
    @State
    public static class OfferAgainstPark {
        private final Inbox inbox = new Inbox(false);
        private int written;

        @Actor
        public void offers() {
            written = 1;
            inbox.offer("visit");
        }

        @Actor
        public void lane(LLL_Result r) {
            String got = inbox.next();
            r.r1 = got;
            r.r2 = got.equals("visit") ? written : 0;
        }

        @Arbiter
        public void afterwards(LLL_Result r) {
            r.r3 = r.r1.equals("asleep") ? inbox.fate() : "-";
        }
    }

    @JCStressTest
    @Description(
            "As before, with a permit left over from an earlier offer, which lets the first park return for nothing.")
    @Outcome(id = "visit, -", expect = ACCEPTABLE, desc = "The lane found the visit.")
    @Outcome(id = "asleep, visit", expect = ACCEPTABLE, desc = "The lane slept, and the unpark woke it to a visit.")
    @Outcome(expect = FORBIDDEN, desc = "A lost wake-up.")
    @State
    public static class OfferAgainstParkWithAPermitLeft {
        private final Inbox inbox = new Inbox(true);

        @Actor
        public void offers() {
            inbox.offer("visit");
        }

        @Actor
        public void lane(LL_Result r) {
            r.r1 = inbox.next();
        }

        @Arbiter
        public void afterwards(LL_Result r) {
            r.r2 = r.r1.equals("asleep") ? inbox.fate() : "-";
        }
    }

    @JCStressTest
    @Description("A lane is offered a visit and closed: it makes the visit, then ends.")
    @Outcome(id = "visit, -, ended", expect = ACCEPTABLE, desc = "The lane found the visit.")
    @Outcome(id = "asleep, visit, ended", expect = ACCEPTABLE, desc = "The lane slept, and was woken to the visit.")
    @Outcome(expect = FORBIDDEN, desc = "The visit was dropped, or the lane sleeps for ever.")
    @State
    public static class OfferAndClose {
        private final Inbox inbox = new Inbox(false);

        @Actor
        public void closes() {
            inbox.offer("visit");
            inbox.close();
        }

        @Actor
        public void lane(LLL_Result r) {
            r.r1 = inbox.next();
        }

        @Arbiter
        public void afterwards(LLL_Result r) {
            r.r2 = r.r1.equals("asleep") ? inbox.fate() : "-";
            r.r3 = inbox.next();
        }
    }

    @JCStressTest
    @Description("The same with the JDK's own park: a lost wake-up would hang this test, which fails it.")
    @Outcome(id = "visit, 1", expect = ACCEPTABLE, desc = "The lane got the visit and sees what was written before it.")
    @Outcome(expect = FORBIDDEN, desc = "A visit without what was written before it.")
    @State
    public static class OfferAndUnpark {
        private final MpscUnboundedAtomicArrayQueue<String> visits = new MpscUnboundedAtomicArrayQueue<>(2);
        private volatile Thread lane;
        private int written;

        @Actor
        public void offers() {
            Thread thread = lane;
            while (thread == null) {
                Thread.onSpinWait();
                thread = lane;
            }
            written = 1;
            visits.offer("visit");
            LockSupport.unpark(thread);
        }

        @Actor
        public void lane(LL_Result r) {
            lane = Thread.currentThread();
            String visit = visits.poll();
            while (visit == null) {
                LockSupport.park(this);
                visit = visits.poll();
            }
            r.r1 = visit;
            r.r2 = written;
        }
    }
}
