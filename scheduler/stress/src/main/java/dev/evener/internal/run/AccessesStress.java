package dev.evener.internal.run;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.evener.ElementType;
import dev.evener.internal.HostData;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.Segments;
import dev.evener.internal.order.Accesses;
import dev.evener.internal.order.SerialQueue;
import java.util.Set;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * How {@link Dispatcher} admits jobs by their data: two threads submit, whoever finds the events unattended enters and ends jobs in
 * {@link Accesses}, whose fields are plain.
 */
public final class AccessesStress {
    private static final LogicalBuffer BUFFER =
            new HostData(ElementType.INT, Segments.allocate(ElementType.INT, 1, 1, Segments.Limits.ofHost(), null));

    private AccessesStress() {}

    /** Submissions are positive numbers, ends their negatives; a job runs until its end, which is posted when it starts, is handled. */
    private static final class Desk {
        private final SerialQueue events = new SerialQueue(() -> {});
        private final Accesses accesses = new Accesses();
        private final Accesses.Claim[] claims = new Accesses.Claim[5];
        private int started;
        private int ended;
        private int running;
        private int writing;
        private int wrong;

        /** Jobs 1 and 3 write, 2 and 4 read. */
        Desk() {
            for (int i = 1; i < claims.length; i++) {
                claims[i] = new Accesses.Claim(
                        "job", null, Set.of(BUFFER.all()), i % 2 == 1 ? Set.of(BUFFER.all()) : Set.of(), Set::of);
            }
        }

        void post(int event) {
            events.post(() -> handle(event));
        }

        private void handle(int event) {
            if (event > 0) {
                accesses.enter(claims[event], () -> start(event));
            } else {
                ended++;
                running--;
                writing -= -event % 2;
                accesses.end(claims[-event]);
            }
        }

        private void start(int job) {
            started = started * 10 + job;
            wrong += writing > 0 || (job % 2 == 1 && running > 0) ? 1 : 0;
            running++;
            writing += job % 2;
            post(-job);
        }

        void tell(II_Result r) {
            r.r1 = ended == 4 && running == 0 ? started : -ended;
            r.r2 = wrong;
        }
    }

    @JCStressTest
    @Description("Two threads submit a job that writes and one that reads what was written.")
    @Outcome(
            id = {"1234, 0", "1324, 0", "1342, 0", "3124, 0", "3142, 0", "3412, 0"},
            expect = ACCEPTABLE,
            desc = "All ran, those of each thread in their order, and none beside one that writes.")
    @Outcome(expect = FORBIDDEN, desc = "A job did not run, ran out of order, or beside one that writes.")
    @State
    public static class WriteAndReadEach {
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
        public void over(II_Result r) {
            desk.tell(r);
        }
    }
}
