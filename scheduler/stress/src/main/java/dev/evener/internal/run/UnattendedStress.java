package dev.evener.internal.run;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.evener.internal.order.SerialQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * {@link SerialQueue}, by which {@link Dispatcher} handles events without a lock. Handlers touch plain fields, so that there must never be two, and each must see what
 * the one before it wrote.
 */
public final class UnattendedStress {
    private UnattendedStress() {}

    /** Handling an event writes it behind those before, as a decimal digit. */
    private static final class Desk {
        private final SerialQueue events = new SerialQueue(() -> {});
        private int log; // plain, as the dispatcher's own state is

        void post(int event) {
            events.post(() -> handle(event));
        }

        private void handle(int event) {
            log = log * 10 + event;
            if (event == 8) {
                post(9); // as a job that ends at once does while it is started
            }
        }
    }

    @JCStressTest
    @Description("Two threads post one event each.")
    @Outcome(
            id = {"12", "21"},
            expect = ACCEPTABLE,
            desc = "Both were handled, one after the other.")
    @Outcome(expect = FORBIDDEN, desc = "An event was left, or handled beside another.")
    @State
    public static class OneEach {
        private final Desk desk = new Desk();

        @Actor
        public void one() {
            desk.post(1);
        }

        @Actor
        public void other() {
            desk.post(2);
        }

        @Arbiter
        public void handled(I_Result r) {
            r.r1 = desk.log;
        }
    }

    @JCStressTest
    @Description("Two threads post two events each: the drainer of one may hand over to the other between them.")
    @Outcome(
            id = {"1234", "1324", "1342", "3124", "3142", "3412"},
            expect = ACCEPTABLE,
            desc = "All were handled, one after another, each thread's in its order.")
    @Outcome(expect = FORBIDDEN, desc = "An event was left, out of order, or handled beside another.")
    @State
    public static class TwoEach {
        private final Desk desk = new Desk();

        @Actor
        public void one() {
            desk.post(1);
            desk.post(2);
        }

        @Actor
        public void other() {
            desk.post(3);
            desk.post(4);
        }

        @Arbiter
        public void handled(I_Result r) {
            r.r1 = desk.log;
        }
    }

    @JCStressTest
    @Description("Handling event 8 posts event 9, while another thread posts.")
    @Outcome(
            id = {"189", "819", "891"},
            expect = ACCEPTABLE,
            desc = "All were handled, and event 9 after the one that posted it.")
    @Outcome(expect = FORBIDDEN, desc = "An event was left, or handled within or beside another.")
    @State
    public static class PostWhileHandling {
        private final Desk desk = new Desk();

        @Actor
        public void one() {
            desk.post(8);
        }

        @Actor
        public void other() {
            desk.post(1);
        }

        @Arbiter
        public void handled(I_Result r) {
            r.r1 = desk.log;
        }
    }
}
