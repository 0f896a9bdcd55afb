package dev.evener.internal.order;

import dev.evener.DataLostException;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.MemoryRange;
import dev.evener.internal.Waiter;
import dev.evener.internal.order.UseTree.Use;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The order of jobs, and of the host's scopes, by their data: submission order is program order. A job waits for each earlier one that
 * writes what it touches or touches what it writes, whatever their devices, be that one running or waiting itself, and for no other.
 * Of what one that failed or was cancelled was to write, that is lost at its place in the order which it may have begun to write; the rest
 * is as it was. Either way those that need it and were made before anybody could know that it failed are told so ({@link
 * Claim#requireWritten}): none works on what it does not expect.
 *
 * <p>Of each byte it knows the last job to write it, and those that read it since; these are all that a later one has to wait for, as
 * they in turn wait for the ones before. Jobs without a common byte do not wait for each other. What counts is where memory lies, not
 * through which buffer a job sees it: those that were wrapped over each other are one. A job that ends while it waits, because it is
 * cancelled, keeps its place until those before it have ended.
 *
 * <p>One thread at a time: whoever drains the dispatcher's events.
 */
public final class Accesses {
    private final IdentityHashMap<Object, Users> tracked = new IdentityHashMap<>(); // by the space of memory
    private final List<Claim> owing = new ArrayList<>(); // that have ended, and keep their places as writers meanwhile
    private final List<Use> found = new ArrayList<>(); // for a moment

    /** Who works on memory, or will. */
    private static final class Users {
        private final UseTree writers = new UseTree(); // the last of each byte
        private final UseTree readers = new UseTree(); // since then
    }

    /**
     * What was not written.
     *
     * @param where it lies, which may be a part of that which was to be
     * @param range what was to be written
     * @param whose that was
     */
    private record Missing(MemoryRange where, Range range, Claim whose) {}

    /** What a job or a scope touches, and its place in the order. */
    public static final class Claim {
        private final Set<Range> uses;
        private final Set<Range> writes;
        private final Supplier<Set<Range>> replaces;
        private List<Claim> followers = List.of();
        private List<Use> edges = List.of(); // for each of these, which of its uses it waits for
        private @Nullable Use all; // of its uses, and of what others have left of these
        private final String name;
        private volatile @Nullable Waiter who; // null when it is over, too
        private volatile List<Claim> before =
                List.of(); // whose ends it waits for, or waited for; none once it has its turn
        private Runnable turn = () -> {};
        private @Nullable String waitedFor;
        private final long made = System.nanoTime(); // by the thread that wants it
        private List<Missing> missed = List.of(); // what others have not written
        private @Nullable String failure; // why it has not written what it was to write
        private Set<Range> lost = Set.of(); // of that, if it has failed
        private List<Missing> owed = List.of(); // what its followers may count on and do not find
        private boolean gone; // and it has told them
        private LongSupplier knownSince = () -> 0; // when that could be known, in the time above; 0 if not yet
        private boolean known;
        private int awaited; // ends of others
        private boolean entered;
        private boolean ended;

        /**
         * One without a place yet.
         *
         * @param name of the job, or what it is
         * @param who works on it, for those who ask for whom others wait
         * @param writes what of that which it uses it may write
         * @param replaces what of that it writes all of and does not read
         */
        public Claim(
                String name, @Nullable Waiter who, Set<Range> uses, Set<Range> writes, Supplier<Set<Range>> replaces) {
            this.name = name;
            this.who = who;
            this.replaces = replaces;
            this.uses = uses;
            this.writes = writes;
        }

        /**
         * Does nothing if those before it have written what it sees of a range. Once it has its turn.
         *
         * @throws DataLostException if one has not that has failed or was cancelled since this was made; it says why
         */
        public void requireWritten(Range seen) {
            for (Missing each : missed) {
                String failure = each.whose.failure;
                Range range = each.range;
                if (failure != null && seen.memory().stream().anyMatch(each.where::overlaps)) {
                    throw new DataLostException(
                            "the " + range.elements() + " elements from " + range.first()
                                    + " on that an earlier job was to write to the "
                                    + range.buffer().text(),
                            failure);
                }
            }
        }

        private void isFollowedBy(Claim other, Use at) {
            if (followers.isEmpty()) { // mostly
                followers = new ArrayList<>();
                edges = new ArrayList<>();
            }
            followers.add(other);
            edges.add(at);
        }

        private Use has(Use use) {
            use.next = all;
            all = use;
            return use;
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
        claim.entered = true;
        claim.turn = turn;
        List<Claim> before = List.of();
        for (Range range : claim.uses) {
            boolean writes = claim.writes.contains(range);
            for (MemoryRange where : range.memory()) {
                claim.has(new Use(claim, where, range, writes));
                Users users = tracked.get(where.space());
                if (users != null) {
                    before = follow(claim, users.writers, where, before);
                }
                if (users != null && writes) {
                    before = follow(claim, users.readers, where, before);
                }
            }
        }
        claim.before = before;
        for (Use use = claim.all; use != null; use = use.next) {
            Users users = tracked.computeIfAbsent(use.where.space(), space -> new Users());
            if (use.writes) {
                // Whoever is left out is waited for by this one, and whoever would follow it follows this one.
                cut(users.readers, use);
                cut(users.writers, use);
                users.writers.add(use);
            } else {
                users.readers.add(use);
            }
        }
        if (claim.awaited == 0) {
            turn.run();
        }
    }

    /**
     * Whoever is the first to wait for a claim, if there is one, and waits for nobody but these.
     *
     * @param others asked with who works on what it waits for
     */
    public @Nullable Waiter behind(Claim claim, Predicate<@Nullable Waiter> others) {
        Claim first = claim.followers.isEmpty() ? null : claim.followers.get(0);
        if (first == null || first.ended || claim.gone) {
            return null;
        }
        for (Claim each : first.before) {
            if (!each.gone && !others.test(each.who)) {
                return null;
            }
        }
        return first.who;
    }

    /** How many uses others have been compared with so far, as long as there are any. */
    long looks() {
        return tracked.values().stream()
                .mapToLong(users -> users.writers.looks() + users.readers.looks())
                .sum();
    }

    private List<Claim> follow(Claim claim, UseTree earlier, MemoryRange where, List<Claim> others) {
        List<Claim> before = others;
        earlier.find(where, found);
        for (Use each : found) {
            if (each.claim.gone) {
                tell(each, claim);
            } else {
                each.claim.isFollowedBy(claim, each);
                before = before.isEmpty() ? new ArrayList<>() : before;
                before.add(each.claim);
                claim.awaited++;
            }
        }
        found.clear();
        return before;
    }

    /** Leaves of others' uses what one has nothing of. */
    private void cut(UseTree others, Use by) {
        others.find(by.where, found);
        for (Use each : found) {
            if (each.claim != by.claim) {
                others.remove(each);
                each.where.without(by.where).forEach(rest -> others.add(each.claim.has(new Use(each, rest))));
            }
        }
        found.clear();
    }

    /** A job or scope works on its buffers no more, and has written what it was to write. May be called again. */
    public void end(Claim claim) {
        end(claim, null, Set.of(), () -> 0);
    }

    /**
     * A job works on its buffers no more, or never will. May be called again.
     *
     * @param failure why it has not written what it was to write; null if it has
     * @param lost what of that it may have begun to write
     * @param knownSince when whoever submitted it could know of a failure, as {@link System#nanoTime}; 0 as long as nobody could
     */
    public void end(Claim claim, @Nullable String failure, Set<Range> lost, LongSupplier knownSince) {
        if (!claim.entered || claim.ended) {
            return;
        }
        claim.ended = true;
        claim.failure = failure;
        claim.lost = lost;
        claim.knownSince = knownSince;
        ArrayDeque<Claim> over = new ArrayDeque<>(0);
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
                }
            }
        }
    }

    /** Of a claim that has failed, or will: all that are entered from now on were made by those who could know. */
    public void isKnown(Claim claim) {
        claim.known = true;
        owing.removeIf(each -> {
            each.owed.removeIf(missing -> missing.whose == claim);
            boolean owesNothing = each.owed.isEmpty();
            if (owesNothing) {
                leave(each, true);
            }
            return owesNothing;
        });
    }

    /** Tells a claim that comes after a use of another what is not there, if it sees any of that and may count on it. */
    private static void tell(Use behind, Claim claim) {
        for (Missing owed : behind.claim.owed) {
            long known = owed.whose.knownSince.getAsLong();
            MemoryRange there = owed.where.common(behind.where);
            boolean counts = (known == 0 || claim.made - known < 0)
                    && !owed.range.buffer().gaveMemoryBack(); // else this is another buffer's
            for (Use use = claim.all; counts && there != null && use != null; use = use.next) {
                MemoryRange seen = there.common(use.where);
                Missing missing = seen == null ? null : new Missing(seen, owed.range, owed.whose);
                if (missing != null && !claim.missed.contains(missing)) {
                    claim.missed = claim.missed.isEmpty() ? new ArrayList<>() : claim.missed;
                    claim.missed.add(missing);
                }
            }
        }
    }

    private void forget(Claim claim) {
        claim.who = null; // nothing of the job is kept by one that waits for others as well
        claim.turn = () -> {};
        claim.before = List.of();
        String failure = claim.failure;
        if (failure == null && claim.missed.isEmpty()) { // as nearly always
            claim.gone = true;
            leave(claim, true);
            return;
        }
        claim.owed = failure == null ? passedOn(claim) : new ArrayList<>();
        if (failure != null) {
            claim.lost.forEach(range -> range.buffer().lose(range.from(), range.to(), failure));
            for (Use use = claim.all; use != null; use = use.next) {
                if (use.writes && !use.isRest) {
                    claim.owed.add(new Missing(use.where, use.of, claim));
                }
            }
        }
        for (int i = 0; i < claim.followers.size() && !claim.owed.isEmpty(); i++) {
            tell(claim.edges.get(i), claim.followers.get(i));
        }
        claim.gone = true;
        claim.owed.removeIf(missing -> missing.whose.known);
        leave(claim, claim.owed.isEmpty());
        if (!claim.owed.isEmpty()) {
            owing.add(claim);
        }
    }

    /** What others have not written and it has written some of, for whoever would have followed them and follows this one. */
    private static List<Missing> passedOn(Claim claim) {
        Set<Range> replaced = claim.replaces.get();
        List<Missing> owed = new ArrayList<>();
        for (Missing missing : claim.missed) {
            List<MemoryRange> left = List.of(missing.where);
            for (Use use = claim.all; use != null; use = use.next) {
                if (use.writes && !use.isRest && isIn(replaced, use.of)) {
                    MemoryRange anew = use.where;
                    left = left.stream()
                            .flatMap(each -> each.without(anew).stream())
                            .toList();
                }
            }
            for (Use use = claim.all; use != null; use = use.next) {
                for (MemoryRange each : left) {
                    MemoryRange there = use.writes && !use.isRest ? each.common(use.where) : null;
                    if (there != null) {
                        owed.add(new Missing(there, missing.range, missing.whose));
                    }
                }
            }
        }
        return owed;
    }

    private static boolean isIn(Set<Range> all, Range range) {
        return all.stream().anyMatch(each -> each.contains(range));
    }

    /** It has no place in the order any more, but, as long as it owes something, those of a writer. */
    private void leave(Claim claim, boolean altogether) {
        for (Use use = claim.all; use != null; use = use.next) {
            Users users = tracked.get(use.where.space());
            if (users == null) {
                continue; // others have written it since, and have been forgotten
            }
            if (!use.writes) {
                users.readers.remove(use);
            } else if (altogether) {
                users.writers.remove(use);
            }
            if (users.writers.isEmpty() && users.readers.isEmpty()) {
                tracked.remove(use.where.space());
            }
        }
        claim.all = altogether ? null : claim.all;
    }
}
