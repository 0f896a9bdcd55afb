package dev.evener.internal;

import dev.evener.event.RunListener.LongWait;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who waits for whom in a runtime: threads for jobs and scopes, and these for each other. Only the threads that wait are written down, and
 * the scopes that were asked for and are not closed; all else is found when somebody asks.
 *
 * <p>A wait that could never end is refused where it begins: that of a thread for a scope that it has open itself, be it through jobs,
 * other scopes and the threads that have these open. One that takes longer than a limit is told of once: by a warning, to listeners, and
 * in the name of the thread until it ends. Jobs that get on are no reason to: who waits for one is told when it has not for as long as
 * the limit.
 *
 * <p>Any thread. Somebody looks at the waits only while there are any.
 */
public final class Waits {
    private static final Logger LOG = LoggerFactory.getLogger(Waits.class);

    // Of a long chain of waits its beginning and its end are told, of many who wait for one a few.
    private static final int MOST_FIRST = 4;
    private static final int MOST_LAST = 2;
    private static final int MOST_NAMED = 3;

    private final long limit; // 0 if nobody is to be told
    private final LongSupplier clock;
    private final BiConsumer<Duration, Runnable> later;
    private final Consumer<Runnable> inOrder;
    private final Supplier<? extends Collection<? extends Turn>> jobs;
    private final Consumer<LongWait> listeners;

    private final Map<Thread, Wait> threads = new ConcurrentHashMap<>();
    private final Set<Turn> scopes = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean watched = new AtomicBoolean();
    private Map<Waiter, Mark> marks = Map.of(); // for the thread that looks

    /** What earlier looks have seen of one who waits, or is waited for. */
    private static final class Mark {
        private boolean told; // that it waits
        private boolean blamed; // that others wait for it
        private @Nullable Object progress;
        private long since;
    }

    /** One with a place in the order: a job, or a scope. */
    public interface Turn extends Waiter {
        /** When it was submitted, or asked for, by the clock of the runtime. */
        long since();

        /** Whether it has its turn, or is over. */
        boolean hasBegun();

        /** Whether it has to do with a buffer. */
        boolean uses(LogicalBuffer buffer);

        /** The thread that has it open; null if it is not open, or none has used it. */
        default @Nullable Thread owner() {
            return null;
        }
    }

    /**
     * Those of a runtime.
     *
     * @param limit how long somebody may wait before that is told; zero if it never is
     * @param later runs something after a delay
     * @param inOrder runs something when all that was submitted and asked for before has its place in the order
     * @param jobs those that were submitted and are not over
     * @param listeners who is told, beside the log
     */
    public Waits(
            Duration limit,
            LongSupplier clock,
            BiConsumer<Duration, Runnable> later,
            Consumer<Runnable> inOrder,
            Supplier<? extends Collection<? extends Turn>> jobs,
            Consumer<LongWait> listeners) {
        this.limit = limit.compareTo(Duration.ofDays(36_525)) > 0 ? 0 : limit.toNanos();
        this.clock = clock;
        this.later = later;
        this.inOrder = inOrder;
        this.jobs = jobs;
        this.listeners = listeners;
    }

    /** Where nobody is told. */
    public static Waits untold() {
        return new Waits(Duration.ZERO, System::nanoTime, (delay, task) -> {}, Runnable::run, List::of, told -> {});
    }

    /** How long somebody may wait before that is told; zero if it never is. */
    public Duration limit() {
        return Duration.ofNanos(limit);
    }

    // ---- threads ----

    /** A thread that waits. */
    public final class Wait implements Waiter {
        private final Thread thread = Thread.currentThread();
        private final Waiter target;
        private final long since = clock.getAsLong();
        private final String name = thread.getName(); // which it has another of for a while, perhaps
        private boolean renamed; // guarded by this
        private boolean over; // guarded by this

        private Wait(Waiter target) {
            this.target = target;
        }

        @Override
        public String what() {
            return name.isEmpty() ? "thread " + thread.getId() : "thread '" + name + "'"; // a virtual one has none
        }

        @Override
        public List<Waiter> waitsFor() {
            return List.of(target);
        }

        @Override
        public String state() { // where those who wait for it are those for whom it waits
            return "waits for " + target.what();
        }

        @Override
        public boolean isOver() {
            return target.isOver();
        }

        private synchronized void rename(String waitsFor) {
            if (!over) {
                renamed = true;
                thread.setName((name.isEmpty() ? what() : name) + ", which waits for " + waitsFor);
            }
        }

        /** It waits no more. By that thread. */
        public void close() {
            threads.remove(thread, this);
            synchronized (this) {
                over = true;
                if (renamed) {
                    thread.setName(name);
                }
            }
        }
    }

    /** The calling thread waits no more, if it did. */
    static void end(@Nullable Wait wait) {
        if (wait != null) {
            wait.close();
        }
    }

    /** The calling thread waits from now on, until what is returned is closed. */
    public Wait begin(Waiter target) {
        Wait wait = new Wait(target);
        threads.put(wait.thread, wait);
        watch();
        return wait;
    }

    /**
     * The same, for as long as it takes.
     *
     * @throws IllegalStateException if the thread would wait for a scope that it has open itself
     */
    public Wait beginOrRefuse(Waiter target) {
        Wait wait = begin(target);
        if (scopes.isEmpty() || scopes.stream().noneMatch(each -> each.owner() == wait.thread)) {
            return wait; // mostly
        }
        CompletableFuture<List<Waiter>> found = new CompletableFuture<>();
        // In order, so that of threads that would wait for each other the last finds the others, and they do not find
        // it.
        inOrder.accept(() -> {
            List<Waiter> circle = path(target, each -> each instanceof Turn scope && scope.owner() == wait.thread);
            if (!circle.isEmpty()) {
                threads.remove(wait.thread, wait);
            }
            found.complete(circle);
        });
        List<Waiter> circle = found.join();
        if (!circle.isEmpty()) {
            wait.close();
            throw new IllegalStateException("this thread would wait for itself, and never end: for "
                    + text(circle, false)
                    + ", which it has open itself. Close that before, as read(view -> ...), update(view -> ...) and"
                    + " overwrite(view -> ...) do by themselves; what another thread is to close is asked for with readAsync(),"
                    + " updateAsync() or overwriteAsync()");
        }
        return wait;
    }

    /** The wait of a thread; none if it does not wait, or there is none. */
    public List<Wait> of(@Nullable Thread thread) {
        Wait wait = thread == null ? null : threads.get(thread);
        return wait == null ? List.of() : List.of(wait);
    }

    // ---- jobs, scopes, futures ----

    /** A scope was asked for. */
    public void entered(Turn scope) {
        scopes.add(scope);
        watch();
    }

    /** It is closed, or was given up. */
    public void left(Turn scope) {
        scopes.remove(scope);
    }

    /**
     * Refuses a future that is to be completed by a stage, if that stage waits for the future.
     *
     * @param refused takes the reason
     */
    void requireNoCircle(Waiter future, Waiter stage, Consumer<String> refused) {
        inOrder.accept(() -> {
            List<Waiter> circle = path(stage, each -> each == future);
            if (!circle.isEmpty()) {
                refused.accept("this future was to be completed by " + text(circle, false)
                        + ", which is this one: they would wait for each other, and never end; submit what it is to be"
                        + " completed by before what waits for it");
            }
        });
    }

    /** What has to do with a buffer at present, in words; empty if nothing has. */
    public String around(LogicalBuffer buffer) {
        List<Turn> all = new ArrayList<>();
        scopes.stream().filter(each -> each.uses(buffer)).forEach(all::add);
        jobs.get().stream().filter(each -> each.uses(buffer)).forEach(all::add);
        String named = all.stream().limit(MOST_NAMED).map(Waits::text).collect(Collectors.joining("; "));
        return named + (all.size() > MOST_NAMED ? "; and " + (all.size() - MOST_NAMED) + " more" : "");
    }

    // ---- in words ----

    /** What somebody is, and for whom it waits, up to one who waits for nobody, and what that one is at. */
    public static String text(Waiter of) {
        return text(path(of, null), true);
    }

    /** The same behind "it", without what it is. */
    public static String doing(Waiter of) {
        List<Waiter> path = path(of, null);
        return path.size() == 1 ? of.state() : "waits for " + text(path.subList(1, path.size()), true);
    }

    private static String text(List<Waiter> path, boolean withState) {
        StringBuilder text = new StringBuilder(path.get(0).what());
        for (int i = 1; i < path.size(); i++) {
            int left = path.size() - MOST_LAST - i;
            if (i == MOST_FIRST && left > 0) {
                text.append(", which waits for ").append(left).append(" more, one behind the other");
                i += left;
            }
            text.append(", which waits for ").append(path.get(i).what());
        }
        Waiter last = path.get(path.size() - 1);
        return withState ? text + ", which " + last.state() : text.toString();
    }

    /**
     * From one along those who wait for each other to one who is sought; empty if there is none. If nobody is sought, to one who waits for
     * nobody, best of those whom only the application can end, or around, if they wait for each other.
     */
    private static List<Waiter> path(Waiter from, @Nullable Predicate<Waiter> sought) {
        Map<Waiter, Waiter> reached = new HashMap<>(Map.of(from, from)); // each from whom
        ArrayDeque<Waiter> next = new ArrayDeque<>(List.of(from));
        Waiter end = null;
        Waiter last = from;
        for (Waiter one = next.poll(); one != null; one = next.poll()) {
            last = one;
            List<? extends Waiter> its = one.waitsFor();
            boolean ends = its.isEmpty() && one.progress() == null;
            if (sought == null ? ends : sought.test(one)) {
                return back(reached, one);
            }
            end = end == null && its.isEmpty() ? one : end;
            for (Waiter each : its) {
                if (reached.putIfAbsent(each, one) == null) {
                    next.add(each);
                }
            }
        }
        return sought != null ? List.of() : back(reached, end == null ? last : end);
    }

    private static List<Waiter> back(Map<Waiter, Waiter> reached, Waiter to) {
        ArrayDeque<Waiter> path = new ArrayDeque<>(List.of(to));
        for (Waiter at = reached.get(to); at != path.peekFirst(); at = reached.get(at)) {
            path.addFirst(at);
        }
        return List.copyOf(path);
    }

    // ---- those who wait for long ----

    /** Somebody waits from now on. */
    public void watch() {
        if (limit > 0 && !watched.get() && watched.compareAndSet(false, true)) {
            later.accept(Duration.ofNanos(limit), this::look);
        }
    }

    private void look() {
        long next = Long.MAX_VALUE;
        try {
            next = lookAt(clock.getAsLong());
        } catch (RuntimeException e) { // a listener's, or of what changes meanwhile
            LOG.warn("those who wait for long could not be told of", e);
        }
        if (next < Long.MAX_VALUE) {
            later.accept(Duration.ofNanos(Math.max(limit / 8, next)), this::look);
            return;
        }
        watched.set(false);
        if (!threads.isEmpty() || waiting().findAny().isPresent()) { // since the look began
            watch();
        }
    }

    /** The jobs and scopes that do not have their turns. */
    private Stream<Turn> waiting() {
        return Stream.concat(jobs.get().stream(), scopes.stream()).filter(each -> !each.hasBegun());
    }

    /** Tells of those who have waited for too long, once each; in how long to look again, never if nobody waits. */
    private long lookAt(long now) {
        Map<Waiter, Mark> kept = new HashMap<>();
        long next = Long.MAX_VALUE;
        for (Wait each : threads.values()) {
            Mark mark = mark(each, kept);
            long left = each.since + limit - now;
            if (!mark.told && left <= 0) {
                List<Waiter> path = path(each, null);
                mark.told = isStuck(path.get(path.size() - 1), kept, now);
                if (mark.told) {
                    path.forEach(one -> mark(one, kept).told = true);
                    tell(List.of(each), path.subList(1, path.size()), now - each.since);
                    each.rename(text(path.subList(1, path.size()), true));
                }
            }
            next = Math.min(next, left > 0 ? left : limit);
        }
        Map<Waiter, List<Turn>> stuck = new LinkedHashMap<>(); // behind whom
        for (Turn each : waiting().toList()) {
            Mark mark = mark(each, kept);
            long left = each.since() + limit - now;
            if (!mark.told && left <= 0) {
                Waiter first = firstOf(each);
                mark.told = first != null && isStuck(first, kept, now);
                if (mark.told && first != null) {
                    stuck.computeIfAbsent(first, f -> new ArrayList<>()).add(each);
                }
            }
            next = Math.min(next, left > 0 ? left : limit);
        }
        marks = kept;
        stuck.forEach((first, behind) -> {
            Mark mark = mark(first, kept);
            if (!mark.blamed) {
                mark.blamed = true;
                long longest = behind.stream()
                        .mapToLong(each -> now - each.since())
                        .max()
                        .orElse(0);
                tell(behind, List.of(first), longest);
            }
        });
        return next;
    }

    private Mark mark(Waiter of, Map<Waiter, Mark> kept) {
        return kept.computeIfAbsent(of, each -> marks.getOrDefault(each, new Mark()));
    }

    /**
     * For whom one waits who waits for nobody; itself if it waits for nobody; null if all for whom it waits wait themselves, of whom one is
     * told then: a thousand jobs one behind the other are one story.
     */
    private static @Nullable Waiter firstOf(Turn turn) {
        List<? extends Waiter> its = turn.waitsFor();
        Waiter first = its.isEmpty() ? turn : null;
        for (Waiter each : its) {
            if (each.waitsFor().isEmpty() && (first == null || each.progress() == null)) {
                first = each;
            }
        }
        return first;
    }

    /** Whether one who waits for nobody has not got on for long, or has to be ended by the application. */
    private boolean isStuck(Waiter one, Map<Waiter, Mark> kept, long now) {
        Object progress = one.progress();
        Mark mark = mark(one, kept);
        if (progress != null && !progress.equals(mark.progress)) {
            mark.progress = progress;
            mark.since = now;
            return false;
        }
        return progress == null || now - mark.since >= limit;
    }

    private void tell(List<? extends Waiter> who, List<Waiter> path, long nanos) {
        int more = who.size() - MOST_NAMED;
        String named = who.stream().limit(MOST_NAMED).map(Waiter::what).collect(Collectors.joining(" and "))
                + (more > 0 ? " and " + more + " more" : "");
        Waiter last = path.get(path.size() - 1);
        String text = (who.contains(last) ? "its turn: it " + last.state() : text(path, true))
                + (last.progress() == null ? "" : ", and has not got on for long");
        LOG.warn(
                "{} waited for more than {} s for {}",
                named + (who.size() > 1 ? " have" : " has"),
                seconds(nanos),
                text);
        listeners.accept(new LongWait(named, text, Duration.ofNanos(nanos)));
    }

    private static String seconds(long nanos) {
        return String.valueOf(Math.floor(nanos / 1e8) / 10);
    }
}
