package dev.evener;

/** Buffers in many segments that are not large, for tests outside this package. */
public final class SmallSegments {
    private SmallSegments() {}

    /** Has buffers in segments of at most so many bytes. */
    public static Evener.Builder of(long bytes, Evener.Builder builder) {
        return builder.segmentBytes(bytes);
    }
}
