package dev.evener.internal.run;

/** What the stress tests of {@link ChunkPool} share. A range is written "first-end", no granules "none". */
final class Pools {
    private Pools() {}

    static String text(long range) {
        return range == ChunkPool.NONE ? "none" : ChunkPool.first(range) + "-" + ChunkPool.end(range);
    }

    /** Takes all there is: the lanes' ranges, the common one, the returned ones. */
    static String rest(ChunkPool pool) {
        StringBuilder rest = new StringBuilder();
        for (int owner = 0; owner <= pool.lanes(); owner++) {
            append(rest, pool.takeFront(owner, Integer.MAX_VALUE));
        }
        for (long range = pool.takeReturned(); range != ChunkPool.NONE; range = pool.takeReturned()) {
            append(rest, range);
        }
        return rest.length() == 0 ? "none" : rest.toString();
    }

    private static void append(StringBuilder rest, long range) {
        if (range != ChunkPool.NONE) {
            rest.append(rest.length() == 0 ? "" : " ").append(text(range));
        }
    }
}
