package dev.evener;

/** Buffers in many segments that are not large, for tests outside this package. */
public final class SmallSegments {
    private SmallSegments() {}

    /** Has buffers in segments of at most so many bytes. */
    public static EvenerBuilder of(long bytes, EvenerBuilder builder) {
        return builder.segmentBytes(bytes);
    }
}
