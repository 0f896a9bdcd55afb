package dev.evener.internal.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.DataLostException;
import dev.evener.ElementType;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.Waiter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who may come behind a claim before its end; and who is told that one has failed. */
class AccessesTest {
    private final Accesses accesses = new Accesses();
    private final Range x = MadeUpBuffers.of(ElementType.INT, 10).all();
    private final Range y = MadeUpBuffers.of(ElementType.INT, 10).all();

    /** Somebody who has claims. */
    private record Who(String what) implements Waiter {
        @Override
        public List<Waiter> waitsFor() {
            return List.of();
        }

        @Override
        public String state() {
            return "is there";
        }

        @Override
        public Object progress() {
            return 0;
        }

        @Override
        public boolean isOver() {
            return false;
        }
    }

    private Accesses.Claim enter(String name, Set<Range> uses, Set<Range> writes) {
        Accesses.Claim claim = new Accesses.Claim(name, new Who(name), uses, writes, Set::of);
        accesses.enter(claim, () -> {});
        return claim;
    }

    private @Nullable Waiter behind(Accesses.Claim claim, String... others) {
        return accesses.behind(
                claim, each -> each instanceof Who who && List.of(others).contains(who.what()));
    }

    @Test
    void theFirstOfThoseThatWaitComesBehind() {
        Accesses.Claim writer = enter("writer", Set.of(x), Set.of(x));
        assertNull(behind(writer, "writer"));
        for (int i = 0; i < 1000; i++) {
            enter("reader " + i, Set.of(x), Set.of());
        }
        assertEquals(new Who("reader 0"), behind(writer, "writer"));
    }

    @Test
    void oneThatWaitsForAnotherTooDoesWhenThatHasEndedOrComesBefore() {
        Accesses.Claim one = enter("one", Set.of(x), Set.of(x));
        Accesses.Claim other = enter("other", Set.of(y), Set.of(y));
        enter("both", Set.of(x, y), Set.of(x));
        assertNull(behind(one, "one"));
        assertEquals(new Who("both"), behind(one, "one", "other"));
        accesses.end(other);
        assertEquals(new Who("both"), behind(one, "one"));
    }

    @Test
    void noneDoesOnceTheClaimHasEnded() {
        Accesses.Claim one = enter("one", Set.of(x), Set.of(x));
        Accesses.Claim two = enter("two", Set.of(x), Set.of(x));
        enter("three", Set.of(x), Set.of(x));
        accesses.end(two); // by its caller: it keeps its place
        assertNull(behind(one, "one"));
        accesses.end(one);
        assertNull(behind(one, "one"));
    }

    /**
     * Of random ranges of bytes, among which many have one byte alone in common: whoever comes later waits for those, directly or
     * through others, that wrote what it uses, or used what it writes; and for nobody else.
     */
    @Test
    void whoSharesAByteWaitsAndNobodyElse() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            Accesses order = new Accesses();
            Range bytes = MadeUpBuffers.of(ElementType.BYTE, 24).all();
            List<Accesses.Claim> claims = new ArrayList<>();
            List<Range> ranges = new ArrayList<>();
            List<BitSet> expected = new ArrayList<>(); // for whom each waits
            List<BitSet> found = new ArrayList<>();
            BitSet writers = new BitSet();
            for (int i = 0; i < 40; i++) {
                int first = random.nextInt(23);
                Range range = bytes.range(first, 1 + random.nextInt(Math.min(6, 24 - first)));
                writers.set(i, random.nextInt(3) == 0);
                Accesses.Claim claim = new Accesses.Claim(
                        "", new Who("" + i), Set.of(range), writers.get(i) ? Set.of(range) : Set.of(), Set::of);
                order.enter(claim, () -> {});
                claims.add(claim);
                ranges.add(range);
                BitSet follows = new BitSet();
                for (int earlier = 0; earlier < i; earlier++) {
                    if ((writers.get(i) || writers.get(earlier))
                            && ranges.get(earlier).meets(range)) {
                        follows.set(earlier);
                        follows.or(expected.get(earlier));
                    }
                }
                expected.add(follows);
                BitSet waits = new BitSet();
                for (Waiter each : claim.waitsFor()) {
                    int earlier = Integer.parseInt(((Who) each).what());
                    waits.set(earlier);
                    waits.or(found.get(earlier));
                }
                found.add(waits);
                assertEquals(follows, waits, "seed " + seed + ", claim " + i + " of " + range);
            }
        }
    }

    // ---- claims that fail before they have begun ----

    private final Range data = MadeUpBuffers.managed(ElementType.INT, 10, null).all();
    private final Range out = MadeUpBuffers.managed(ElementType.INT, 10, null).all();
    private long knownSince; // that the writer has failed

    /** One that writes the data, and fails. */
    private Accesses.Claim failing() {
        return enter("failing", Set.of(data), Set.of(data));
    }

    private void fail(Accesses.Claim claim) {
        accesses.end(claim, "no luck", Set.of(), () -> knownSince);
    }

    private void becomesKnown(Accesses.Claim claim) {
        knownSince = System.nanoTime();
        accesses.isKnown(claim);
    }

    private Accesses.Claim writer(boolean all, Range of) {
        Accesses.Claim claim =
                new Accesses.Claim("writer", null, Set.of(of), Set.of(of), () -> all ? Set.of(of) : Set.of());
        accesses.enter(claim, () -> {});
        return claim;
    }

    private static void requireTold(boolean is, Accesses.Claim claim, Range of) {
        if (is) {
            assertEquals(
                    "no luck",
                    assertThrows(DataLostException.class, () -> claim.requireWritten(of))
                            .reason());
        } else {
            claim.requireWritten(of);
        }
    }

    @Test
    void thoseThatWereMadeBeforeThatWasKnownAreToldAndNoOthers() {
        Accesses.Claim fails = failing();
        Accesses.Claim before = enter("before", Set.of(data, out), Set.of(out));
        Accesses.Claim late =
                new Accesses.Claim("late", null, Set.of(data), Set.of(), Set::of); // made, and not entered
        fail(fails);
        Accesses.Claim unknown = enter("after its end", Set.of(data), Set.of());
        Accesses.Claim apart = enter("apart", Set.of(x), Set.of());
        knownSince = System.nanoTime();
        accesses.enter(late, () -> {});
        Accesses.Claim knows = enter("knows", Set.of(data), Set.of());
        accesses.isKnown(fails);
        Accesses.Claim knowsToo = enter("knows, too", Set.of(data), Set.of());
        for (Accesses.Claim each : List.of(before, late, unknown)) {
            requireTold(true, each, data);
        }
        for (Accesses.Claim each : List.of(apart, knows, knowsToo)) {
            requireTold(false, each, data);
        }
        requireTold(false, before, out);
    }

    @Test
    void aRangeThatIsWrittenSinceIsNoMoreToBeTold() {
        for (boolean all : new boolean[] {true, false}) {
            for (boolean meanwhile : new boolean[] {true, false}) { // or after its end
                knownSince = 0;
                Accesses.Claim fails = failing();
                Accesses.Claim writes = meanwhile ? writer(all, data) : null;
                Accesses.Claim reads = meanwhile ? enter("reads", Set.of(data), Set.of()) : null;
                fail(fails);
                writes = writes != null ? writes : writer(all, data);
                reads = reads != null ? reads : enter("reads", Set.of(data), Set.of());
                accesses.end(writes);
                requireTold(!all, reads, data);
                accesses.end(reads);
                becomesKnown(fails);
            }
        }
    }

    /** A chain of jobs of which the first was refused went on with the second's input as it was, if that had been let go. */
    @Test
    void oneThatIsNotRunForWantOfItsInputIsOneThatFails() {
        Accesses.Claim fails = failing();
        Accesses.Claim second = enter("second", Set.of(data, out), Set.of(out));
        Accesses.Claim third = enter("third", Set.of(out), Set.of());
        fail(fails);
        requireTold(true, second, data);
        accesses.end(second, "no luck", Set.of(), () -> 0);
        requireTold(true, third, out);
    }

    /** One that was not run was told of to those behind what had written all anew, if they came after its end. */
    @Test
    void whatWasWrittenAnewBeforeTheEndIsNoMoreToBeToldAfterIt() {
        Accesses.Claim fails = failing();
        Accesses.Claim second = enter("second", Set.of(data, out), Set.of(out));
        Accesses.Claim half = writer(false, out);
        Accesses.Claim all = writer(true, out);
        fail(fails);
        accesses.end(second, "no luck", Set.of(), () -> 0);
        accesses.end(half);
        requireTold(false, enter("while it is written", Set.of(out), Set.of()), out);
        accesses.end(all);
        requireTold(false, enter("written", Set.of(out), Set.of()), out);
        requireTold(true, enter("not written", Set.of(data, out), Set.of(out)), data);
        becomesKnown(fails);
        requireTold(false, enter("known", Set.of(data), Set.of()), data);
    }

    /** A writer of a part that ended keeps what the others do not find, for those who come after its end. */
    @Test
    void whatIsWrittenInPartIsStillToBeTold() {
        Accesses.Claim fails = failing();
        fail(fails);
        Accesses.Claim half = writer(false, data);
        accesses.end(half);
        Accesses.Claim reads = enter("reads", Set.of(data), Set.of());
        requireTold(true, reads, data);
        becomesKnown(fails);
        requireTold(false, enter("knows", Set.of(data), Set.of()), data);
    }
}
