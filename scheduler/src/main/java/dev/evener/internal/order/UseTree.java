package dev.evener.internal.order;

import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.MemoryRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Uses of memory by where that lies, which may lie over each other. Those that meet a range are found in time that grows with their
 * number and the logarithm of all; so is one added or removed. A treap (Seidel and Aragon, 1996): a search tree by first bytes, a heap
 * by random priorities, each node of which knows where the last use below it ends. One thread at a time.
 */
final class UseTree {
    private @Nullable Use root;
    private long added;
    private int random = 1;
    private long looks;

    /** What a claim works on, in one place in memory. */
    static final class Use {
        final Accesses.Claim claim;
        final MemoryRange where;
        final Range of; // what of a buffer lies there
        final boolean writes;
        final boolean isRest; // of a use that others have cut

        @Nullable
        Use next; // of the claim

        private long number; // tells apart those that begin at one byte
        private long end; // of all uses from here down
        private int priority; // 0 outside of a tree
        private @Nullable Use left;
        private @Nullable Use right;

        Use(Accesses.Claim claim, MemoryRange where, Range of, boolean writes) {
            this(claim, where, of, writes, false);
        }

        /** What others have left of one. */
        Use(Use of, MemoryRange rest) {
            this(of.claim, rest, of.of, of.writes, true);
        }

        private Use(Accesses.Claim claim, MemoryRange where, Range of, boolean writes, boolean isRest) {
            this.claim = claim;
            this.where = where;
            this.of = of;
            this.writes = writes;
            this.isRest = isRest;
        }

        private boolean isBefore(Use other) {
            return where.from() == other.where.from() ? number < other.number : where.from() < other.where.from();
        }

        private void setEnd() {
            end = Math.max(where.to(), Math.max(left == null ? 0 : left.end, right == null ? 0 : right.end));
        }
    }

    boolean isEmpty() {
        return root == null;
    }

    /** How many uses have been looked at so far. */
    long looks() {
        return looks;
    }

    /** Adds one that is in no tree. */
    void add(Use use) {
        random ^= random << 13; // xorshift, which is never 0
        random ^= random >>> 17;
        random ^= random << 5;
        use.priority = random;
        use.number = ++added;
        use.setEnd();
        root = add(use, root);
    }

    private Use add(Use use, @Nullable Use to) {
        looks++;
        Use top = to;
        if (to == null) {
            return use;
        } else if (use.isBefore(to)) {
            Use left = add(use, to.left);
            to.left = left;
            if (left.priority > to.priority) {
                to.left = left.right;
                left.right = to;
                to.setEnd();
                top = left;
            }
        } else {
            Use right = add(use, to.right);
            to.right = right;
            if (right.priority > to.priority) {
                to.right = right.left;
                right.left = to;
                to.setEnd();
                top = right;
            }
        }
        top.setEnd();
        return top;
    }

    /** Removes one, unless it is in no tree. */
    void remove(Use use) {
        if (use.priority != 0) {
            root = remove(use, root);
            use.priority = 0;
            use.left = null;
            use.right = null;
        }
    }

    private @Nullable Use remove(Use use, @Nullable Use from) {
        looks++;
        if (from == null || from == use) {
            return joined(use.left, use.right);
        } else if (use.isBefore(from)) {
            from.left = remove(use, from.left);
        } else {
            from.right = remove(use, from.right);
        }
        from.setEnd();
        return from;
    }

    private @Nullable Use joined(@Nullable Use one, @Nullable Use behind) {
        looks++;
        if (one == null || behind == null) {
            return one == null ? behind : one;
        }
        Use top = one.priority > behind.priority ? one : behind;
        if (top == one) {
            one.right = joined(one.right, behind);
        } else {
            behind.left = joined(one, behind.left);
        }
        top.setEnd();
        return top;
    }

    /** Adds to a list all those that have a byte in common with a range, from the first byte on. */
    void find(MemoryRange range, List<Use> found) {
        find(range, root, found);
    }

    private void find(MemoryRange range, @Nullable Use from, List<Use> found) {
        looks++;
        if (from == null || from.end <= range.from()) {
            return;
        }
        find(range, from.left, found);
        if (from.where.from() < range.to()) {
            if (from.where.overlaps(range)) {
                found.add(from);
            }
            find(range, from.right, found);
        }
    }
}
