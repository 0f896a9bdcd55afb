package dev.evener.internal.fold;

import dev.evener.internal.ManagedBuffer;
import java.nio.ByteBuffer;

/** Ranges of a buffer's bytes, in however many segments they lie. Stateless; any thread. */
final class Pieces {
    private Pieces() {}

    /** What is done with a part of a range that lies in one segment. */
    interface Action {
        /**
         * Works on one part.
         *
         * @param piece a view of the part, from 0 to its capacity, in native byte order
         * @param done bytes of the range before it
         */
        void run(ByteBuffer piece, int done);
    }

    /** Goes through bytes {@code [offset, offset + length)}; elements never lie in two segments. */
    static void forEach(ManagedBuffer buffer, long offset, int length, Action action) {
        for (int done = 0; done < length; ) {
            long at = offset + done;
            int here = (int) Math.min(length - done, buffer.segmentBytes() - at % buffer.segmentBytes());
            action.run(buffer.part(at, here), done);
            done += here;
        }
    }

    /** Copies from one buffer to another. */
    static void copy(ManagedBuffer from, long offset, ManagedBuffer to, long target, int length) {
        forEach(
                from,
                offset,
                length,
                (source, read) -> forEach(
                        to,
                        target + read,
                        source.capacity(),
                        (piece, done) -> piece.put(0, source, done, piece.capacity())));
    }
}
