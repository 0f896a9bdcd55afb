package dev.evener.internal.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DataLostException;
import dev.evener.ElementType;
import dev.evener.LongTests;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.HostData;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.Segments;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The order of claims is one by memory: compared with a model that goes through all claims for each byte, and by how many others one is
 * compared with. Buffers wrapped over each other were compared with all that were in use, and of what a job had not written those that saw
 * it through another buffer were not told.
 */
class OrderByMemoryTest {
    private static final int PROGRAMS = LongTests.orAll(150, 20_000);
    private static final int CLAIMS = 40; // of a program
    private static final int PAGE = 4096;
    private static final int PAGES = 3;
    private static final int N = PAGES * PAGE / Integer.BYTES; // elements of each memory
    private static final int MANAGED = N; // where that one's elements are, among those of the model

    private static HostData wrapped(ByteBuffer memory) {
        return new HostData(
                ElementType.INT,
                Segments.wrap(ElementType.INT, memory.order(ByteOrder.nativeOrder()), Segments.Limits.ofHost()));
    }

    private static ByteBuffer pages(int count) {
        return ByteBuffer.allocateDirect((count + 1) * PAGE).alignedSlice(PAGE).limit(count * PAGE);
    }

    // ---- compared with a model ----

    /** A buffer, and where its elements are among those of the model. */
    private record Seen(LogicalBuffer buffer, int first) {}

    /** What the model knows of a claim: the elements are the model's. */
    private static final class Modelled {
        private final Set<Range> uses = new HashSet<>();
        private final Set<Range> writes = new HashSet<>();
        private final Set<Range> replaces = new HashSet<>();
        private final BitSet used = new BitSet();
        private final BitSet written = new BitSet();
        private final BitSet replaced = new BitSet();
        private final List<Seen> held = new ArrayList<>();
        private final int[] writers = new int[2 * N]; // the last before it
        private Accesses.Claim claim;
        private boolean hasTurn;
        private boolean ended;
        private boolean failed;
        private int knownBefore = Integer.MAX_VALUE; // this claim was entered
        private long knownSince;

        boolean conflictsWith(Modelled other) {
            return written.intersects(other.used) || other.written.intersects(used);
        }
    }

    private static final class Program {
        private final Random random;
        private final Accesses accesses = new Accesses();
        private final List<Seen> buffers = new ArrayList<>();
        private final List<Modelled> all = new ArrayList<>();
        private final ByteBuffer memory;
        private int told;

        Program(Random random) {
            this.random = random;
            HostData whole = MadeUpBuffers.of(ElementType.INT, N);
            boolean allocated = random.nextBoolean(); // or the application's
            this.memory = allocated ? whole.bytes() : pages(PAGES);
            buffers.add(new Seen(allocated ? whole : wrapped(memory.duplicate()), 0));
            buffers.add(new Seen(MadeUpBuffers.managed(ElementType.INT, N, null), MANAGED));
            for (int i = 0; i < 3; i++) {
                buffers.add(wraps());
            }
        }

        private Seen wraps() {
            int page = random.nextInt(PAGES);
            int bytes = Integer.BYTES * (1 + random.nextInt((PAGES - page) * PAGE / Integer.BYTES));
            return new Seen(wrapped(memory.slice(page * PAGE, bytes)), page * PAGE / Integer.BYTES);
        }

        void run() {
            while (all.size() < CLAIMS) {
                switch (random.nextInt(4)) {
                    case 0, 1 -> enter();
                    case 2 -> end();
                    default -> becomesKnownOrCloses();
                }
                check();
            }
            for (Modelled each : all) {
                end(each, false);
                check();
            }
            assertTrue(all.stream().allMatch(each -> each.hasTurn || each.failed));
        }

        private void enter() {
            Modelled made = new Modelled();
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                Seen seen = buffers.get(random.nextInt(buffers.size()));
                int elements = (int) seen.buffer.elements();
                int count = random.nextInt(3) == 0 ? elements : random.nextInt(elements + 1);
                int first = random.nextInt(elements - count + 1);
                Range range = seen.buffer.range(first, count);
                if (made.uses.add(range)) {
                    int at = seen.first + Math.min(first, elements - 1);
                    if (seen.first == MANAGED) {
                        at = seen.first + first;
                    }
                    uses(made, range, at, Math.max(count, 1));
                    assertTrue(seen.buffer.hold());
                    made.held.add(seen);
                }
            }
            Arrays.fill(made.writers, -1);
            for (int i = 0; i < all.size(); i++) {
                int writer = i;
                all.get(i).written.stream().forEach(at -> made.writers[at] = writer);
            }
            made.claim = new Accesses.Claim("claim", null, made.uses, made.writes, () -> made.replaces);
            all.add(made);
            accesses.enter(made.claim, () -> made.hasTurn = true);
        }

        private void uses(Modelled made, Range range, int at, int count) {
            int to = Math.min(at + count, 2 * N);
            made.used.set(at, to);
            if (random.nextBoolean()) {
                made.writes.add(range);
                made.written.set(at, to);
                if (random.nextBoolean() && range.elements() > 0) {
                    made.replaces.add(range);
                    made.replaced.set(at, to);
                }
            }
        }

        private void end() {
            List<Modelled> open = all.stream().filter(each -> !each.ended).toList();
            if (!open.isEmpty()) {
                Modelled one = open.get(random.nextInt(open.size()));
                boolean fails = random.nextBoolean();
                if (fails || one.hasTurn) {
                    end(one, fails);
                }
            }
        }

        private void end(Modelled one, boolean fails) {
            if (!one.ended) {
                one.ended = true;
                one.failed = fails;
                accesses.end(one.claim, fails ? "no luck" : null, Set.of(), () -> one.knownSince);
                one.held.forEach(each -> each.buffer.letGo());
            }
        }

        private void becomesKnownOrCloses() {
            Modelled one = all.isEmpty() ? null : all.get(random.nextInt(all.size()));
            if (one != null && one.failed && one.knownSince == 0) {
                one.knownSince = System.nanoTime();
                one.knownBefore = all.size();
                accesses.isKnown(one.claim);
            } else if (random.nextInt(4) == 0) { // those that use it go on
                buffers.remove(buffers.size() - 1).buffer.close();
                buffers.add(2, wraps());
            }
        }

        private void check() {
            boolean[] over = new boolean[all.size()];
            for (int i = 0; i < all.size(); i++) {
                Modelled one = all.get(i);
                boolean isFirst = true;
                for (int k = 0; k < i; k++) {
                    isFirst &= over[k] || !one.conflictsWith(all.get(k));
                }
                over[i] = isFirst && one.ended;
                if (!one.ended) {
                    assertEquals(isFirst, one.hasTurn, "the turn of claim " + i);
                }
                if (one.hasTurn && !one.ended) {
                    for (Range range : one.uses) {
                        checkTold(i, range);
                    }
                }
            }
        }

        private void checkTold(int i, Range range) {
            int first = buffers.stream()
                    .filter(each -> each.buffer == range.buffer())
                    .mapToInt(each -> each.first)
                    .findAny()
                    .orElse(-1);
            if (first < 0) {
                return; // closed since
            }
            int from = first + (int) range.first();
            int count = (int) range.elements();
            from = count == 0 && first != MANAGED
                    ? Math.min(from, first + (int) range.buffer().elements() - 1)
                    : from;
            boolean misses = false;
            for (int at = from; at < Math.min(2 * N, from + Math.max(1, count)) && !misses; at++) {
                misses = misses(i, at, i);
            }
            if (misses) {
                told++;
                assertEquals(
                        "no luck",
                        assertThrows(
                                        DataLostException.class,
                                        () -> all.get(i).claim.requireWritten(range))
                                .reason());
            } else {
                all.get(i).claim.requireWritten(range);
            }
        }

        /** Whether a claim's element is not what those before were to write, and another that comes later, or it, is to be told so. */
        private boolean misses(int claim, int at, int whoAsks) {
            int writer = all.get(claim).writers[at];
            if (writer < 0) {
                return false;
            }
            Modelled last = all.get(writer);
            if (last.failed) {
                return claim < last.knownBefore && whoAsks < last.knownBefore;
            }
            return !last.replaced.get(at) && misses(writer, at, whoAsks);
        }
    }

    @Test
    void turnsAndWhatIsToldAreThoseOfEachByte() {
        int told = 0;
        for (int seed = 0; seed < PROGRAMS; seed++) {
            Program program = new Program(new Random(seed));
            try {
                program.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("program " + seed, e);
            }
            told += program.told;
        }
        assertTrue(told > PROGRAMS, told + " told");
    }

    /** Whoever has the memory then knows nothing of that job. */
    @Test
    void ofMemoryThatWasLetGoNobodyIsTold() {
        for (boolean closes : new boolean[] {true, false}) {
            Accesses accesses = new Accesses();
            HostData allocated = MadeUpBuffers.of(ElementType.INT, N);
            HostData next = wrapped(allocated.bytes());
            Accesses.Claim fails =
                    new Accesses.Claim("fails", null, Set.of(allocated.all()), Set.of(allocated.all()), Set::of);
            accesses.enter(fails, () -> {});
            if (closes) {
                allocated.close();
            }
            accesses.end(fails, "no luck", Set.of(), () -> 0);
            Accesses.Claim reads = new Accesses.Claim("reads", null, Set.of(next.all()), Set.of(), Set::of);
            accesses.enter(reads, () -> {});
            if (closes) {
                reads.requireWritten(next.all());
            } else {
                assertThrows(DataLostException.class, () -> reads.requireWritten(next.all()));
            }
        }
    }

    // ---- how much is compared ----

    /** Of as many as are asked for, none has anything to do with another. */
    private static IntFunction<Set<Range>> unrelated(String kind, int most) {
        ByteBuffer memory = pages(kind.startsWith("wrapped") ? most : 1);
        LogicalBuffer whole = MadeUpBuffers.managed(ElementType.INT, most, null);
        Range table = MadeUpBuffers.of(ElementType.INT, N).all();
        return i -> switch (kind) {
            case "wrapped" -> Set.of(wrapped(memory.slice(i * PAGE, PAGE)).all());
            case "wrapped, with a table" ->
                Set.of(wrapped(memory.slice(i * PAGE, PAGE)).all(), table);
            case "allocated" -> Set.of(MadeUpBuffers.of(ElementType.INT, 16).all());
            default -> Set.of(whole.range(i, 1));
        };
    }

    /** As trees are of a random shape, which the same each time, by the mean of the last hundred. */
    @ParameterizedTest
    @ValueSource(strings = {"wrapped", "wrapped, with a table", "allocated", "ranges of one buffer"})
    void amongThousandsThatShareNothingOneIsComparedWithAFew(String kind) {
        int most = 4000;
        Accesses accesses = new Accesses();
        IntFunction<Set<Range>> uses = unrelated(kind, most);
        List<Accesses.Claim> claims = new ArrayList<>();
        int[] turns = {0};
        long before = 0;
        for (int i = 0; i < most; i++) {
            before = i == most - 100 ? accesses.looks() : before;
            Set<Range> all = uses.apply(i);
            Set<Range> own = new HashSet<>(all);
            own.removeIf(each -> each.elements() == N);
            Accesses.Claim claim = new Accesses.Claim("claim", null, all, own, Set::of);
            claims.add(claim);
            accesses.enter(claim, () -> turns[0]++);
        }
        assertEquals(most, turns[0]);
        double looks = (accesses.looks() - before) / 100.0;
        assertTrue(looks < 150, looks + " uses looked at");
        before = accesses.looks();
        claims.subList(0, 100).forEach(accesses::end);
        double atEnd = (accesses.looks() - before) / 100.0;
        assertTrue(atEnd < 100, atEnd + " uses looked at in an end");
    }
}
