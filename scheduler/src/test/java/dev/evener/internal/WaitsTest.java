package dev.evener.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.event.RunListener.LongWait;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who is told of long waits, and when, on a clock of the test's own. */
class WaitsTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private long now;
    private final ArrayDeque<Runnable> looks = new ArrayDeque<>();
    private final List<Long> due = new ArrayList<>();
    private final List<Place> jobs = new ArrayList<>();
    private final List<LongWait> told = new ArrayList<>();
    private final Waits waits = new Waits(LIMIT, () -> now, this::later, Runnable::run, () -> jobs, told::add);

    private void later(Duration delay, Runnable look) {
        due.add(now + delay.toNanos());
        looks.add(look);
    }

    /** Time passes, and looks are taken that are due. */
    private void pass(int seconds) {
        long until = now + Duration.ofSeconds(seconds).toNanos();
        while (!looks.isEmpty() && due.get(0) <= until) {
            now = due.remove(0);
            looks.remove().run();
        }
        now = until;
    }

    private final class Place implements Waits.Turn {
        private final String name;
        private final List<Waiter> before;
        private final long since = now;
        private boolean begun;
        private @Nullable Object progress = ""; // null where only the application ends it

        Place(String name, Waiter... before) {
            this.name = name;
            this.before = new ArrayList<>(List.of(before));
        }

        @Override
        public String what() {
            return name;
        }

        @Override
        public List<Waiter> waitsFor() {
            return before;
        }

        @Override
        public String state() {
            return "is at work";
        }

        @Override
        public @Nullable Object progress() {
            return progress;
        }

        @Override
        public long since() {
            return since;
        }

        @Override
        public boolean hasBegun() {
            return begun;
        }

        @Override
        public boolean isOver() {
            return false;
        }

        @Override
        public boolean uses(LogicalBuffer buffer) {
            return false;
        }
    }

    private Place openScope() {
        Place scope = new Place("a scope");
        scope.begun = true;
        scope.progress = null;
        return scope;
    }

    private Place job(String name, Waiter... before) {
        Place job = new Place(name, before);
        jobs.add(job);
        waits.watch();
        return job;
    }

    @Test
    void whoWaitsForShorterThanTheLimitIsNotToldAndNobodyLooksOnceNobodyWaits() {
        Place scope = openScope();
        for (int i = 0; i < 100; i++) {
            Place job = job("job", scope);
            Waits.Wait wait = waits.begin(job);
            pass(9);
            wait.close();
            jobs.clear();
        }
        assertEquals(List.of(), told);
        pass(20);
        assertEquals(0, looks.size());
        job("job", scope);
        assertEquals(1, looks.size(), "the next that waits has looks begin again");
    }

    @Test
    void eachIsToldOfOnce() {
        Thread current = Thread.currentThread();
        String name = current.getName();
        Place job = job("job 'b'", job("job 'a'", openScope()));
        Waits.Wait wait = waits.begin(job);
        pass(9);
        assertEquals(List.of(), told);
        pass(1);
        assertEquals(1, told.size());
        assertEquals("thread '" + name + "'", told.get(0).who());
        assertEquals(
                "job 'b', which waits for job 'a', which waits for a scope, which is at work",
                told.get(0).waitsFor());
        assertEquals(LIMIT, told.get(0).waited());
        assertEquals(name + ", which waits for " + told.get(0).waitsFor(), current.getName());
        pass(1000);
        assertEquals(1, told.size());
        wait.close();
        assertEquals(name, current.getName());
        wait = waits.begin(job); // which is another one
        pass(10);
        assertEquals(2, told.size());
        wait.close();
        assertEquals(name, current.getName());
    }

    /** A right program that takes its time. */
    @Test
    void whoWaitsForAJobThatGetsOnIsNotTold() {
        Place runs = new Place("job 'runs'");
        runs.begun = true;
        jobs.add(runs);
        Place next = job("job 'next'", runs);
        job("job 'last'", next);
        Waits.Wait wait = waits.begin(next);
        for (int i = 0; i < 100; i++) {
            runs.progress = i;
            pass(9);
        }
        assertEquals(List.of(), told);
        pass(20);
        wait.close();
        assertEquals(1, told.size(), told::toString);
        assertEquals(
                "job 'next', which waits for job 'runs', which is at work, and has not got on for long",
                told.get(0).waitsFor());
    }

    /** However many wait for one. */
    @Test
    void aThousandJobsThatWaitForOneAreOneStory() {
        Place scope = openScope();
        Place last = job("job 0", scope);
        for (int i = 1; i < 1000; i++) {
            last = job("job " + i, last);
            job("job beside " + i, scope);
        }
        pass(100);
        assertEquals(1, told.size());
        assertEquals(
                "job 0 and job beside 1 and job beside 2 and 997 more",
                told.get(0).who());
        assertEquals("a scope, which is at work", told.get(0).waitsFor());
        assertEquals(
                "job 999, which waits for job 998, which waits for job 997, which waits for job 996, which waits for 995 more,"
                        + " one behind the other, which waits for job 0, which waits for a scope, which is at work",
                Waits.text(last));
    }

    @Test
    void thoseWhoWaitForEachOtherAreShownAround() {
        Place one = job("one");
        Place other = job("other", one);
        one.before.add(other);
        assertEquals("one, which waits for other, which is at work", Waits.text(one));
    }

    @Test
    void zeroIsNever() {
        Waits none = new Waits(Duration.ZERO, () -> now, this::later, Runnable::run, () -> jobs, told::add);
        Waits.Wait wait = none.begin(openScope());
        none.watch();
        assertTrue(looks.isEmpty());
        wait.close();
    }
}
