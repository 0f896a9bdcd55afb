package dev.evener.internal.opencl;

import java.nio.ByteBuffer;
import org.jocl.cl_mem;

/**
 * Memory that one argument of a checked kernel has: a guard zone, the bytes that the kernel is given, and another guard zone. It is
 * filled here and sent; what is fetched afterwards is compared with that.
 *
 * @param index number of the argument
 * @param origin place of the given bytes in the job's buffer
 * @param front bytes of the zone before them
 * @param length how many are given
 * @param sent all of it as it is sent
 * @param got the same as it was fetched
 * @param all the same on the device
 */
record GuardedRegion(int index, long origin, int front, int length, ByteBuffer sent, ByteBuffer got, cl_mem all) {

    /** What memory holds that a kernel should not see. */
    enum Around {
        /** Around inputs their neighbours, as in the job's buffer. */
        NEIGHBOURS,
        /** Around inputs their own content once more: other values than the neighbours, but fit for an index if those are. */
        REPEATED,
        POISON,
        OTHER_POISON;

        /** What everything is filled with that is no input. As a float or an integer one is negative, the other positive. */
        byte poison(boolean temporary) {
            boolean other = this == REPEATED || this == OTHER_POISON;
            return (byte) (temporary ? other ? 0x47 : 0xC9 : other ? 0x5A : 0xDB);
        }
    }

    /** Where the bytes end that the kernel is given. */
    int end() {
        return front + length;
    }

    /** Fills {@code [begin, end)} with a byte. */
    void fill(byte value, int begin, int end) {
        if (begin < end) {
            sent.put(begin, value);
            repeat(begin, 1, end);
        }
    }

    /** Fills in an input that lies in a segment from a byte on, and what is to be around it. */
    void surround(Around around, ByteBuffer segment, int within) {
        sent.put(front, segment, within, length);
        if (around == Around.REPEATED) {
            int some = Math.min(front, length);
            sent.put(0, segment, within, some);
            repeat(0, some, front);
            repeat(front, length, sent.limit());
        } else if (around == Around.NEIGHBOURS) {
            neighbours(0, front, segment, within - front);
            neighbours(end(), sent.limit(), segment, within + length);
        }
    }

    /** Fills {@code [begin + period, end)} with repetitions of the bytes before. */
    private void repeat(int begin, int period, int end) {
        for (int at = begin + period; at < end; ) {
            int some = Math.min(end - at, at - begin);
            sent.put(at, sent, begin, some);
            at += some;
        }
    }

    /** Fills {@code [begin, end)} with a segment's bytes from one on, which begin anew where it ends. */
    private void neighbours(int begin, int end, ByteBuffer segment, long from) {
        for (int at = begin; at < end; ) {
            int source = (int) Math.floorMod(from + at - begin, (long) segment.limit());
            int some = Math.min(end - at, segment.limit() - source);
            sent.put(at, segment, source, some);
            at += some;
        }
    }

    /** The first byte between two places that is not as it was sent, or -1. */
    int mismatch(int begin, int end) {
        int at = sent.slice(begin, end - begin).mismatch(got.slice(begin, end - begin));
        return at < 0 ? at : begin + at;
    }
}
