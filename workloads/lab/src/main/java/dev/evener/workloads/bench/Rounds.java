package dev.evener.workloads.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Contenders measured together: in each round every one takes its turn, in an order drawn anew, so that what changes
 * on the machine meets all of them alike, and none always follows the same other. One thread.
 */
final class Rounds {
    private final Random order;
    private final LongSupplier clock;
    private final List<Contender> active;
    private final long started;
    private int done;

    /** @param contenders what they did before is forgotten */
    Rounds(Random order, LongSupplier clock, List<Contender> contenders) {
        this.order = order;
        this.clock = clock;
        this.active = new ArrayList<>(contenders);
        contenders.forEach(Contender::begin);
        started = clock.getAsLong();
    }

    /** One more round; returns how many there were. */
    int run() {
        Collections.shuffle(active, order);
        active.forEach(Contender::turn);
        return ++done;
    }

    /** From now on without these. */
    void drop(Predicate<Contender> which) {
        active.removeIf(which);
    }

    /** Who is still in. */
    List<Contender> active() {
        return active;
    }

    /** Whether there were fewer than {@code least} rounds, or fewer than {@code most} in less than that time. */
    boolean within(int least, int most, long nanos) {
        return done < least || (done < most && clock.getAsLong() - started < nanos);
    }
}
