package dev.evener.frames;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * A moving window over a file: decoders read from an array, and the memory they need does not grow with the file. Not a
 * mapping, because a mapped file that another program truncates kills the reader. One thread,
 * which uses nothing of it after {@link #close}.
 */
final class FileWindow implements AutoCloseable {
    /** Of the window that a thread had last, for its next one: making one for each small frame keeps the garbage collector busy. */
    private static final ThreadLocal<byte[]> LAST = new ThreadLocal<>();

    private final FrameFile.Source file;
    private final long length;
    private final ByteBuffer wrapped;
    private final int size;
    private ReadableByteChannel channel;
    private long start;

    /** Bytes behind a full window, so that a decoder may load more than it needs. */
    static final int SPARE = 32;

    /** What was read; valid from {@link #position} to {@link #limit}. */
    final byte[] bytes;

    /** Index of the next byte to take. Advanced by the decoder. */
    int position;

    /** Index after the last byte read. */
    int limit;

    /**
     * Opens a file at {@code offset}, with a window of {@code capacity} bytes, or fewer for a file that has fewer.
     *
     * @param length the file's
     */
    FileWindow(FrameFile.Source file, long length, long offset, int capacity) throws IOException {
        this.file = file;
        this.length = length;
        this.start = offset;
        this.size = (int) Math.max(0, Math.min(capacity, length - offset));
        byte[] last = LAST.get();
        LAST.remove();
        this.bytes = last != null && last.length >= size + SPARE ? last : new byte[size + SPARE];
        this.wrapped = ByteBuffer.wrap(bytes);
        this.channel = file.open(offset);
    }

    /**
     * Brings at least {@code wanted} bytes into the window if the file has them; at most the capacity.
     *
     * @return bytes now available, fewer than wanted only at the end of the file
     */
    int require(int wanted) throws IOException {
        if (limit - position < wanted) {
            refill(wanted);
        }
        return limit - position;
    }

    private void refill(int wanted) throws IOException {
        System.arraycopy(bytes, position, bytes, 0, limit - position);
        start += position;
        limit -= position;
        position = 0;
        // What a file gains after its opening is not looked at.
        while (limit < Math.min(wanted, size)) {
            wrapped.limit(size).position(limit);
            int read = channel.read(wrapped);
            if (read < 0) {
                return;
            }
            limit += read;
        }
    }

    /** Takes so many bytes, however many the window holds; false if the file ends before, with some of them taken. */
    boolean take(byte[] target, int count) throws IOException {
        for (int done = 0; done < count; ) {
            int now = Math.min(require(1), count - done);
            if (now == 0) {
                return false;
            }
            System.arraycopy(bytes, position, target, done, now);
            position += now;
            done += now;
        }
        return true;
    }

    /** Leaves out so many bytes, not reading those that it need not; a file that ends before has none left. */
    void skip(long count) throws IOException {
        if (count <= limit - position) {
            position += (int) count;
            return;
        }
        start = Math.min(length, offset() + Math.min(length, count));
        position = 0;
        limit = 0;
        channel.close();
        channel = file.open(start);
    }

    /** The file offset of the next byte to take. */
    long offset() {
        return start + position;
    }

    @Override
    public void close() throws IOException {
        LAST.set(bytes);
        channel.close();
    }
}
