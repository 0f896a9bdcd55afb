package dev.evener.internal.run;

import dev.evener.internal.ManagedBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The order of jobs by their data: submission order is program order. A job waits for each earlier one that writes what it
 * touches or touches what it writes, whatever their devices, be that one running or waiting itself, and for no other.
 *
 * <p>Of each buffer it knows the last job to write it and those that read it since; these are all that a later one has to wait
 * for, as they in turn wait for the ones before. So a job that ends while it waits, because it is cancelled, keeps its place
 * until those before it have ended.
 *
 * <p>One thread at a time: whoever drains the {@link Dispatcher}'s events.
 *
 * @param <R> a job under way
 */
final class Accesses<R> {
    private final Map<ManagedBuffer, Users<R>> tracked = new IdentityHashMap<>();
    private final Set<ManagedBuffer> wrapped = new LinkedHashSet<>(); // those of the tracked that may lie over others

    /** Who works on a buffer, or will. */
    private static final class Users<R> {
        private @Nullable Claim<R> writer;
        private final Set<Claim<R>> readers = new LinkedHashSet<>();
    }

    /** What a run touches, and its place in the order. */
    static final class Claim<R> {
        final R run;
        private final Set<ManagedBuffer> uses;
        private final Set<ManagedBuffer> writes;
        private final List<Claim<R>> followers = new ArrayList<>();
        private int awaited; // ends of others
        private boolean entered;
        private boolean ended;

        /** @param writes those of the buffers it uses that it may write */
        Claim(R run, Set<ManagedBuffer> uses, Set<ManagedBuffer> writes) {
            this.run = run;
            this.uses = uses;
            this.writes = writes;
        }

        /** Whether it waits for no other. */
        boolean isFree() {
            return awaited == 0;
        }
    }

    /** Gives a run its place behind all that were entered before. */
    void enter(Claim<R> claim) {
        claim.entered = true;
        for (ManagedBuffer buffer : claim.uses) {
            boolean writes = claim.writes.contains(buffer);
            Users<R> users = tracked.get(buffer);
            if (users != null) {
                follow(claim, users, writes);
            }
            for (ManagedBuffer other : buffer.isWrapped() ? tracked.keySet() : wrapped) {
                if (other != buffer && buffer.mayOverlap(other)) {
                    follow(claim, tracked.get(other), writes);
                }
            }
        }
        for (ManagedBuffer buffer : claim.uses) {
            Users<R> users = tracked.computeIfAbsent(buffer, b -> new Users<>());
            if (buffer.isWrapped()) {
                wrapped.add(buffer);
            }
            if (claim.writes.contains(buffer)) {
                users.writer = claim;
                users.readers.clear();
            } else {
                users.readers.add(claim);
            }
        }
    }

    private static <R> void follow(Claim<R> claim, Users<R> users, boolean writes) {
        if (users.writer != null) {
            follow(claim, users.writer);
        }
        if (writes) {
            users.readers.forEach(reader -> follow(claim, reader));
        }
    }

    private static <R> void follow(Claim<R> claim, Claim<R> earlier) {
        earlier.followers.add(claim);
        claim.awaited++;
    }

    /**
     * A run works on its buffers no more, or never will. May be called again.
     *
     * @param freed told of each run that waits for no other from now on
     */
    void end(Claim<R> claim, Consumer<R> freed) {
        if (!claim.entered || claim.ended) {
            return;
        }
        claim.ended = true;
        ArrayDeque<Claim<R>> over = new ArrayDeque<>();
        if (claim.isFree()) {
            over.add(claim);
        }
        for (Claim<R> next = over.poll(); next != null; next = over.poll()) {
            forget(next);
            for (Claim<R> follower : next.followers) {
                follower.awaited--;
                if (follower.isFree() && follower.ended) {
                    over.add(follower);
                } else if (follower.isFree()) {
                    freed.accept(follower.run);
                }
            }
        }
    }

    private void forget(Claim<R> claim) {
        for (ManagedBuffer buffer : claim.uses) {
            Users<R> users = tracked.get(buffer);
            if (users == null) {
                continue; // another has written it since, and has been forgotten
            }
            users.readers.remove(claim);
            if (users.writer == claim) {
                users.writer = null;
            }
            if (users.writer == null && users.readers.isEmpty()) {
                tracked.remove(buffer);
                wrapped.remove(buffer);
            }
        }
    }
}
