package dev.evener.internal.order;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.LogicalBuffer.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who is offered the place behind a claim whose work is in a queue, and how often. */
class AccessesTest {
    private final Accesses accesses = new Accesses();
    private final Range x = MadeUpBuffers.of(ElementType.INT, 10).all();
    private final Range y = MadeUpBuffers.of(ElementType.INT, 10).all();
    private final List<String> offers = new ArrayList<>();

    private Accesses.Claim enter(String name, Set<Range> uses, Set<Range> writes) {
        Accesses.Claim claim = new Accesses.Claim(name, uses, writes);
        accesses.enter(claim, () -> {}, queue -> offers.add(name + " behind " + queue));
        return claim;
    }

    /** However many come: what one costs does not depend on how many wait. */
    @Test
    void onlyTheFirstOfThoseThatWaitIsOffered() {
        Accesses.Claim writer = enter("writer", Set.of(x), Set.of(x));
        accesses.enqueued(writer, "a queue");
        for (int i = 0; i < 1000; i++) {
            enter("reader " + i, Set.of(x), Set.of());
        }
        assertEquals(List.of("reader 0 behind a queue"), offers);
    }

    @Test
    void oneThatWaitsForAnotherTooIsOfferedWhenThatHasEnded() {
        Accesses.Claim one = enter("one", Set.of(x), Set.of(x));
        Accesses.Claim other = enter("other", Set.of(y), Set.of(y));
        enter("both", Set.of(x, y), Set.of(x));
        accesses.enqueued(one, "a queue");
        assertEquals(List.of(), offers);
        accesses.end(other, null);
        assertEquals(List.of("both behind a queue"), offers);
    }

    @Test
    void noneIsOnceTheQueueHasFailedOrTheClaimHasEnded() {
        Accesses.Claim one = enter("one", Set.of(x), Set.of(x));
        accesses.enqueued(one, "a queue");
        accesses.enqueued(one, null);
        enter("two", Set.of(x), Set.of(x));
        accesses.end(one, null);
        accesses.enqueued(one, "a queue");
        assertEquals(List.of(), offers);
    }
}
