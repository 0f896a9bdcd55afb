package dev.evener.internal.opencl;

/**
 * What lanes are told when they are opened.
 *
 * @param allowSharing false to move data through transfers even where memory could be shared
 * @param bindCores whether lanes that compute in their own thread may take a core for themselves
 * @param mostForMirrors bytes of a device's memory in which it may keep copies of host buffers between chunks
 * @param pieceBytes bytes that each piece of a chunk moves, however few; 0 for what suits the chunk
 * @param pinnedFrom fewest bytes of a piece of host memory for which pages are locked; {@link Long#MAX_VALUE} for never
 * @param checked whether lanes look for mistakes of their kernels ({@link CheckedChunk})
 */
public record LaneOptions(
        boolean allowSharing,
        boolean bindCores,
        long mostForMirrors,
        long pieceBytes,
        long pinnedFrom,
        boolean checked) {
    /** Below, a driver's own copy of pageable memory is as good, and locking wastes the rest of a page. */
    public static final long WORTH_PINNING = 64 << 10;

    private static final LaneOptions USUAL = new LaneOptions(true, false, Long.MAX_VALUE, 0, WORTH_PINNING, false);

    /** The usual ones: memory is shared where it can be, and no core is bound. */
    public static LaneOptions usual() {
        return USUAL;
    }

    /** The same, but with transfers to every device. */
    public LaneOptions copying() {
        return new LaneOptions(false, bindCores, mostForMirrors, pieceBytes, pinnedFrom, checked);
    }
}
