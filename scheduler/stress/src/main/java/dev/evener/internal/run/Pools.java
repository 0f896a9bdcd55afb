package dev.evener.internal.run;

/** What the stress tests of {@link ChunkPool} share. A range is written "first-end", no granules "none". */
final class Pools {
    private Pools() {}

    /** A pool whose lane {@code i} has the granules from {@code bounds[i]} to before {@code bounds[i + 1]}. */
    static ChunkPool of(int... bounds) {
        ChunkPool pool = new ChunkPool(bounds.length - 1);
        pool.reset(bounds);
        return pool;
    }

    static String text(long range) {
        return range == ChunkPool.NONE ? "none" : ChunkPool.first(range) + "-" + ChunkPool.end(range);
    }

    /** Takes all there is: the lanes' ranges, the common one, the returned ones. */
    static String rest(ChunkPool pool) {
        StringBuilder rest = new StringBuilder();
        for (int owner = 0; owner <= pool.common(); owner++) {
            append(rest, pool.takeFront(owner, Integer.MAX_VALUE));
        }
        while (pool.hasReturned()) {
            append(rest, pool.takeReturned(Integer.MAX_VALUE));
        }
        append(rest, pool.takeReturned(1)); // what hasReturned() failed to tell
        return rest.length() == 0 ? "none" : rest.toString();
    }

    private static void append(StringBuilder rest, long range) {
        if (range != ChunkPool.NONE) {
            rest.append(rest.length() == 0 ? "" : " ").append(text(range));
        }
    }
}
