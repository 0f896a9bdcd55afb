package dev.evener.internal.run;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** How {@link JobRun} knows who is last where another thread than a lane's ends a job, and somebody has the job fail. */
public final class EndAsideStress {
    private EndAsideStress() {}

    /** The protocol of JobRun. */
    private static final class End {
        private final AtomicInteger present;
        private final AtomicBoolean failed = new AtomicBoolean();
        private final AtomicBoolean finished = new AtomicBoolean();
        private volatile int folded; // -1 while results are
        private int ends; // plain: only one may get there
        private int seen;

        End(int present) {
            this.present = new AtomicInteger(present);
        }

        void aside() {
            if (!failed.get()) {
                folded = -1;
                folded = 1;
            }
            finish();
            leave();
        }

        void fail() {
            failed.set(true);
            if (present.get() == 0) {
                finish();
            }
        }

        void leave() {
            if (present.decrementAndGet() == 0 && failed.get()) {
                finish();
            }
        }

        private void finish() {
            if (finished.compareAndSet(false, true)) {
                seen = folded;
                ends++;
            }
        }

        void tell(II_Result r) {
            r.r1 = ends;
            r.r2 = seen;
        }
    }

    @JCStressTest
    @Description("The lanes have left; one thread ends the job while another has it fail.")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "It ended once, when results were folded.")
    @Outcome(
            id = "1, 0",
            expect = ACCEPTABLE,
            desc = "It ended once, and had failed before there was anything to fold.")
    @Outcome(expect = FORBIDDEN, desc = "It did not end, ended twice, or did so while results were folded.")
    @State
    public static class AsideAgainstFail {
        private final End end = new End(1);

        @Actor
        public void aside() {
            end.aside();
        }

        @Actor
        public void caller() {
            end.fail();
        }

        @Arbiter
        public void ended(II_Result r) {
            end.tell(r);
        }
    }

    @JCStressTest
    @Description("A lane has handed the end over, had the job fail, and leaves.")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "It ended once, when results were folded.")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "It ended once, without.")
    @Outcome(expect = FORBIDDEN, desc = "It did not end, ended twice, or did so while results were folded.")
    @State
    public static class AsideAgainstLeave {
        private final End end = new End(2);

        @Actor
        public void aside() {
            end.aside();
        }

        @Actor
        public void lane() {
            end.fail();
            end.leave();
        }

        @Arbiter
        public void ended(II_Result r) {
            end.tell(r);
        }
    }
}
