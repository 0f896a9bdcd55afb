package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Any sequence of operations on the pool, against a model that moves the numbers of granules from list to list. */
class ChunkPoolPropertyTest {
    private static final int LANES = 3;

    private enum Kind {
        TAKE,
        STEAL,
        TAKE_RETURNED,
        REFILL,
        GIVE_BACK,
        FINISH
    }

    /** What to do, to a lane or the common range, with how many granules or with which range in hand. */
    private record Step(Kind kind, int owner, int number) {}

    @Provide
    Arbitrary<List<Step>> steps() {
        return Combinators.combine(
                        Arbitraries.of(Kind.class),
                        Arbitraries.integers().between(0, LANES),
                        Arbitraries.oneOf(
                                Arbitraries.integers().between(1, 12),
                                Arbitraries.integers().greaterOrEqual(1)))
                .as(Step::new)
                .list()
                .ofMaxSize(120);
    }

    /** Where the lanes' ranges begin and end; empty: all is in the common range. */
    @Provide
    Arbitrary<int[]> starts() {
        return Arbitraries.oneOf(
                Arbitraries.integers().between(0, 60).array(int[].class).ofSize(LANES + 1),
                Arbitraries.just(new int[0]));
    }

    @Property(tries = 2000)
    void thePoolDoesWhatTheModelDoes(@ForAll("starts") int[] bounds, @ForAll("steps") List<Step> steps) {
        int[] ascending = bounds.clone();
        Arrays.sort(ascending);
        ChunkPool pool = bounds.length == 0 ? ChunkPool.common(LANES, 50) : ChunkPool.of(ascending);
        Model model = new Model();
        if (bounds.length == 0) {
            model.add(LANES, 0, 50);
        } else {
            for (int lane = 0; lane < LANES; lane++) {
                model.add(lane, ascending[lane], ascending[lane + 1]);
            }
        }
        int granules = model.total();
        List<Long> inHand = new ArrayList<>();
        int finished = 0;
        for (Step step : steps) {
            switch (step.kind()) {
                case TAKE ->
                    receive(
                            inHand,
                            model.takeFront(model.words.get(step.owner()), step.number()),
                            pool.takeFront(step.owner(), step.number()));
                case STEAL ->
                    receive(
                            inHand,
                            model.stealBack(model.words.get(step.owner()), step.number()),
                            pool.stealBack(step.owner(), step.number()));
                case TAKE_RETURNED -> receive(inHand, model.takeReturned(), pool.takeReturned());
                case REFILL -> {
                    if (!inHand.isEmpty() && step.owner() < LANES) {
                        refill(pool, model, step.owner(), inHand, step.number() % inHand.size());
                    }
                }
                case GIVE_BACK -> {
                    if (!inHand.isEmpty()) {
                        long range = inHand.remove(step.number() % inHand.size());
                        pool.giveBack(range);
                        model.returned.add(numbers(range));
                    }
                }
                case FINISH -> {
                    if (!inHand.isEmpty()) {
                        finished += ChunkPool.size(inHand.remove(step.number() % inHand.size()));
                    }
                }
            }
            assertSame(pool, model);
            int held = inHand.stream().mapToInt(ChunkPool::size).sum();
            assertEquals(granules, pool.remainingTotal() + held + finished, "granules in all places");
        }
    }

    private static void refill(ChunkPool pool, Model model, int lane, List<Long> inHand, int which) {
        if (model.words.get(lane).isEmpty()) {
            long range = inHand.remove(which);
            pool.refill(lane, range);
            model.words.get(lane).addAll(numbers(range));
        } else {
            assertThrows(IllegalStateException.class, () -> pool.refill(lane, inHand.get(which)));
        }
    }

    private static void receive(List<Long> inHand, List<Integer> expected, long range) {
        assertEquals(expected, List.copyOf(numbers(range)));
        if (range != ChunkPool.NONE) {
            inHand.add(range);
        }
    }

    private static ArrayDeque<Integer> numbers(long range) {
        ArrayDeque<Integer> numbers = new ArrayDeque<>();
        if (range != ChunkPool.NONE) {
            for (int i = ChunkPool.first(range); i < ChunkPool.end(range); i++) {
                numbers.add(i);
            }
        }
        return numbers;
    }

    private static void assertSame(ChunkPool pool, Model model) {
        for (int owner = 0; owner <= LANES; owner++) {
            assertEquals(model.words.get(owner).size(), pool.remaining(owner), "left in range " + owner);
        }
        assertEquals(model.total(), pool.remainingTotal());
    }

    /** The pool, written down without any cleverness. */
    private static final class Model {
        final List<ArrayDeque<Integer>> words = new ArrayList<>();
        final ArrayDeque<ArrayDeque<Integer>> returned = new ArrayDeque<>();

        Model() {
            for (int i = 0; i <= LANES; i++) {
                words.add(new ArrayDeque<>());
            }
        }

        void add(int owner, int first, int end) {
            for (int i = first; i < end; i++) {
                words.get(owner).addLast(i);
            }
        }

        List<Integer> takeFront(ArrayDeque<Integer> word, int most) {
            List<Integer> taken = new ArrayList<>();
            while (taken.size() < most && !word.isEmpty()) {
                taken.add(word.removeFirst());
            }
            return taken;
        }

        List<Integer> stealBack(ArrayDeque<Integer> word, int most) {
            List<Integer> taken = new ArrayList<>();
            while (taken.size() < most && !word.isEmpty()) {
                taken.add(0, word.removeLast());
            }
            return taken;
        }

        List<Integer> takeReturned() {
            return returned.isEmpty() ? List.of() : List.copyOf(returned.removeFirst());
        }

        int total() {
            return words.stream().mapToInt(ArrayDeque::size).sum()
                    + returned.stream().mapToInt(ArrayDeque::size).sum();
        }
    }
}
