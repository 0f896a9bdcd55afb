package dev.evener.workloads.workload;

import dev.evener.HostBuffer;
import dev.evener.ManagedBuffer;
import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.function.LongSupplier;

/** What a workload computed, as raw values one after another. */
@FunctionalInterface
public interface Output {
    /** Writes all of it, in the order of the machine's bytes. */
    void writeTo(WritableByteChannel target) throws IOException;

    /** The first elements of a buffer, as many as there turn out to be. */
    static Output of(HostBuffer buffer, LongSupplier elements) {
        return target -> {
            long left = elements.getAsLong() * buffer.type().bytes();
            for (ByteBuffer segment : buffer.segments()) {
                segment.limit((int) Math.min(segment.limit(), left));
                left -= segment.limit();
                write(segment, target);
            }
        };
    }

    /** The words of each pixel of a picture, such as the bytes R, G, B, 255, row by row without padding. */
    static Output pixels(HostBuffer picture, FrameLayout layout, int words) {
        return target -> writeRows(picture.bytes(), layout, words, target);
    }

    /** The same of a picture that is where it was made. */
    static Output pixels(ManagedBuffer picture, FrameLayout layout, int words) {
        return target -> {
            try (ManagedBuffer.Scope scope = picture.read(0, (long) words * layout.words())) {
                writeRows(scope.bytes(), layout, words, target);
            }
        };
    }

    private static void writeRows(ByteBuffer picture, FrameLayout layout, int words, WritableByteChannel target)
            throws IOException {
        for (int row = 0; row < layout.height(); row++) {
            int start = row * layout.stride() * words * Integer.BYTES;
            write(picture.slice(start, layout.width() * words * Integer.BYTES), target);
        }
    }

    /** Writes what remains of a buffer. */
    private static void write(ByteBuffer source, WritableByteChannel target) throws IOException {
        while (source.hasRemaining()) {
            target.write(source);
        }
    }
}
