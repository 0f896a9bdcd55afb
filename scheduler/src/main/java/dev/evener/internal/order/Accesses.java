package dev.evener.internal.order;

import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.Waiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The order of jobs, and of the host's scopes, by their data: submission order is program order. A job waits for each earlier one that
 * writes what it touches or touches what it writes, whatever their devices, be that one running or waiting itself, and for no other.
 * What one that failed or was cancelled was to write is lost at its place in the order.
 *
 * <p>Of each buffer it knows the last jobs to write its ranges, and those that read since; these are all that a later one has to wait
 * for, as they in turn wait for the ones before. Jobs on ranges without a common element do not wait for each other. A job that ends
 * while it waits, because it is cancelled, keeps its place until those before it have ended.
 *
 * <p>One thread at a time: whoever drains the dispatcher's events.
 */
public final class Accesses {
    private final IdentityHashMap<LogicalBuffer, Users> tracked = new IdentityHashMap<>();
    private final List<Claim> enqueued = new ArrayList<>(); // all of their work; a few, as lanes have one at most
    private final Set<LogicalBuffer> wrapped = new LinkedHashSet<>(); // those of the tracked that may lie over others

    /** Who works on a buffer, or will. */
    private static final class Users {
        private final List<Use> writers = new ArrayList<>(2); // one, unless they write different ranges
        private final Set<Use> readers = new LinkedHashSet<>();
    }

    /** One that works on a range. */
    private record Use(Claim claim, Range range) {}

    /** What a job or a scope touches, and its place in the order. */
    public static final class Claim {
        private final Set<Range> uses;
        private final Set<Range> writes;
        private final List<Claim> followers = new ArrayList<>();
        private final String name;
        private volatile @Nullable Waiter who; // null when it is over, too
        private volatile List<Claim> before =
                List.of(); // whose ends it waits for, or waited for; none once it has its turn
        private Runnable turn = () -> {};
        private Consumer<Object> mayFollow = queue -> {};
        private @Nullable Object queue; // in which all that is left of its work is
        private @Nullable String waitedFor;
        private @Nullable String failure; // why it has not written what it was to write
        private int awaited; // ends of others
        private boolean entered;
        private boolean ended;

        /** One of somebody who is not known. */
        public Claim(String name, Set<Range> uses, Set<Range> writes) {
            this(name, null, uses, writes);
        }

        /**
         * One without a place yet.
         *
         * @param name of the job, or what it is
         * @param who works on it, for those who ask for whom others wait
         * @param writes what of that which it uses it may write
         */
        public Claim(String name, @Nullable Waiter who, Set<Range> uses, Set<Range> writes) {
            this.name = name;
            this.who = who;
            this.uses = uses;
            this.writes = writes;
        }

        /** Who has to end before it has its turn. Any thread. */
        public List<Waiter> waitsFor() {
            List<Claim> all = before;
            return all.isEmpty()
                    ? List.of()
                    : all.stream()
                            .map(each -> each.who)
                            .filter(Objects::nonNull)
                            .distinct()
                            .toList();
        }

        /** Whether it uses some of a buffer. Any thread. */
        public boolean uses(LogicalBuffer buffer) {
            return uses.stream().anyMatch(range -> range.buffer() == buffer);
        }

        /** Whose end gave it its turn: of those it had to wait for, the last. Null if there was none. */
        public @Nullable String waitedFor() {
            return waitedFor;
        }
    }

    /**
     * Gives a claim its place behind all that were entered before.
     *
     * @param turn run once it waits for no other, which may be at once
     */
    public void enter(Claim claim, Runnable turn) {
        enter(claim, turn, queue -> {});
    }

    /**
     * The same for one whose work may go into a device's queue behind that of the one it waits for.
     *
     * @param mayFollow told before its turn, perhaps more than once, if it waits for one alone that has all of its work {@linkplain
     *     #enqueued in a queue}, and is the first that does: which queue that is
     */
    public void enter(Claim claim, Runnable turn, Consumer<Object> mayFollow) {
        claim.entered = true;
        claim.turn = turn;
        claim.mayFollow = mayFollow;
        List<Claim> before = new ArrayList<>(0);
        for (Range range : claim.uses) {
            LogicalBuffer buffer = range.buffer();
            boolean writes = claim.writes.contains(range);
            Users users = tracked.get(buffer);
            if (users != null) {
                follow(claim, users, range, writes, before);
            }
            for (LogicalBuffer other : buffer.isWrapped() ? tracked.keySet() : wrapped) {
                if (other != buffer && buffer.mayOverlap(other)) {
                    follow(claim, tracked.get(other), other.all(), writes, before);
                }
            }
        }
        if (!before.isEmpty()) {
            claim.before = before;
        }
        for (Range range : claim.uses) {
            LogicalBuffer buffer = range.buffer();
            Users users = tracked.computeIfAbsent(buffer, b -> new Users());
            if (buffer.isWrapped()) {
                wrapped.add(buffer);
            }
            if (claim.writes.contains(range)) {
                // Whoever is left out is waited for by this one, and whoever would follow it follows this one.
                users.readers.removeIf(use -> use.claim != claim && range.contains(use.range));
                users.writers.removeIf(use -> use.claim != claim && range.contains(use.range));
                users.writers.add(new Use(claim, range));
            } else {
                users.readers.add(new Use(claim, range));
            }
        }
        if (claim.awaited == 0) {
            turn.run();
        } else {
            offerQueueTo(claim);
        }
    }

    /** All that is left of a claim's work is in a queue that runs in order; null if that is true no more. */
    public void enqueued(Claim claim, @Nullable Object queue) {
        enqueued.remove(claim);
        claim.queue = queue;
        if (queue != null && !claim.ended) {
            enqueued.add(claim);
            if (!claim.followers.isEmpty()) {
                offerQueueTo(claim.followers.get(0));
            }
        }
    }

    /**
     * A claim may have its work behind that of one that it waits for, if it is the first to and waits for nothing else: all of its edges,
     * which lie side by side, come from there.
     */
    private void offerQueueTo(Claim claim) {
        for (Claim before : enqueued) {
            List<Claim> followers = before.followers;
            int edges = 0;
            while (edges < followers.size() && followers.get(edges) == claim) {
                edges++;
            }
            Object queue = before.queue;
            if (edges > 0 && edges == claim.awaited && queue != null) {
                claim.mayFollow.accept(queue);
            }
        }
    }

    private static void follow(Claim claim, Users users, Range range, boolean writes, List<Claim> before) {
        follow(claim, users.writers, range, before);
        if (writes) {
            follow(claim, users.readers, range, before);
        }
    }

    private static void follow(Claim claim, Collection<Use> earlier, Range range, List<Claim> before) {
        for (Use each : earlier) {
            if (each.range.meets(range)) {
                each.claim.followers.add(claim);
                before.add(each.claim);
                claim.awaited++;
            }
        }
    }

    /**
     * A job works on its buffers no more, or never will. May be called again.
     *
     * @param failure why it has not written what it was to write; null if it has
     */
    public void end(Claim claim, @Nullable String failure) {
        if (!claim.entered || claim.ended) {
            return;
        }
        claim.ended = true;
        claim.failure = failure;
        enqueued.remove(claim);
        ArrayDeque<Claim> over = new ArrayDeque<>();
        if (claim.awaited == 0) {
            over.add(claim);
        }
        for (Claim next = over.poll(); next != null; next = over.poll()) {
            forget(next);
            for (Claim follower : next.followers) {
                follower.awaited--;
                if (follower.awaited == 0 && follower.ended) {
                    over.add(follower);
                } else if (follower.awaited == 0) {
                    follower.before = List.of();
                    follower.waitedFor = claim.name;
                    follower.turn.run();
                } else {
                    offerQueueTo(follower);
                }
            }
        }
    }

    private void forget(Claim claim) {
        claim.who = null; // nothing of the job is kept by one that waits for others as well
        claim.turn = () -> {};
        claim.mayFollow = queue -> {};
        claim.before = List.of();
        String failure = claim.failure;
        if (failure != null) {
            claim.writes.forEach(range -> range.buffer().lose(range.from(), range.to(), failure));
        }
        for (Range range : claim.uses) {
            LogicalBuffer buffer = range.buffer();
            Users users = tracked.get(buffer);
            if (users == null) {
                continue; // another has written it since, and has been forgotten
            }
            Use use = new Use(claim, range);
            users.readers.remove(use);
            users.writers.remove(use);
            if (users.writers.isEmpty() && users.readers.isEmpty()) {
                tracked.remove(buffer);
                wrapped.remove(buffer);
            }
        }
    }
}
