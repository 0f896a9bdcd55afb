package dev.evener;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An array whose content stays where it was written. A device with memory of its own keeps what its chunks wrote there; another device
 * that reads it, or the host, is sent what it lacks, and nothing else moves. There is memory for it only where it is used. A job's
 * results on a GPU that only later jobs on the GPU read never cross the bus.
 *
 * <p>The host reads and writes it in a {@link Scope}, which waits for earlier jobs that matter, and which later jobs wait for. Give what
 * is to be done in it, and it is closed when that returns:
 *
 * <pre>{@code
 * buffer.overwrite(view -> view.floats().put(values));
 * float first = buffer.read(view -> view.floats().get(0));
 * CompletableFuture<Float> later = buffer.readAsync(view -> view.floats().get(0)); // waits for nothing
 * }</pre>
 *
 * <p>A new buffer has the value 0 everywhere. If a job fails or is cancelled, what it was to write is lost; if a device fails,
 * what only it held and does not give up any more, unless the buffer is {@linkplain #mirror mirrored}. Jobs and scopes that need
 * it end with a {@link DataLostException}, until a job or {@link #overwrite} has written it anew, or {@link #discard} gave it up.
 *
 * <p>Any thread. A scope must not be waited for in a host step or Java kernel of the same {@link Evener}, nor in a callback of a
 * scope's future, whose own end it might wait for; there, ask for it with {@link #readAsync}, {@link
 * #updateAsync} or {@link #overwriteAsync}.
 */
public interface ManagedBuffer extends DataBuffer {
    @Override
    ManagedBuffer named(String name);

    /**
     * What is done with the content in a scope to read, which is closed when it returns.
     *
     * @param <T> what it finds
     * @param <X> what it throws
     */
    @FunctionalInterface
    interface Reader<T extends @Nullable Object, X extends Exception> {
        /** Reads; the view, and those that it gives, must not be used after that. */
        T read(Scope view) throws X;
    }

    /**
     * What is written in a scope to write or overwrite, which is closed when it returns.
     *
     * @param <X> what it throws
     */
    @FunctionalInterface
    interface Writer<X extends Exception> {
        /** Writes; the view, and those that it gives, must not be used after that. */
        void write(Scope view) throws X;
    }

    /**
     * Has the content read in a scope like that of {@link #read()}, by this thread, and closes it, also if that fails.
     *
     * @return what the reader returns
     * @throws X if the reader does
     * @throws IllegalStateException as {@link #read()}
     */
    default <T extends @Nullable Object, X extends Exception> T read(Reader<T, X> reader) throws X {
        return read(0, elements(), reader);
    }

    /** The same with {@code count} elements from a place on; the rest stays where it is. */
    <T extends @Nullable Object, X extends Exception> T read(long element, long count, Reader<T, X> reader) throws X;

    /** Has the content changed in a scope like that of {@link #update()}, by this thread, and closes it, also if that fails. */
    default <X extends Exception> void update(Writer<X> writer) throws X {
        update(0, elements(), writer);
    }

    /** The same with {@code count} elements from a place on; the others keep their values. */
    <X extends Exception> void update(long element, long count, Writer<X> writer) throws X;

    /**
     * Has all of the content written in a scope like that of {@link #overwrite()}, by this thread, and closes it, also if that fails.
     *
     * @throws IllegalStateException in the checking mode also if the writer leaves something
     */
    default <X extends Exception> void overwrite(Writer<X> writer) throws X {
        overwrite(0, elements(), writer);
    }

    /** The same with {@code count} elements from a place on; the others keep their values. */
    <X extends Exception> void overwrite(long element, long count, Writer<X> writer) throws X;

    /**
     * {@link #read(Reader)}, without waiting: the reader is called when the host's turn has come and the content is there, at the place in
     * the order of this call, on the thread for callbacks of scopes, and the future has what it returns or throws, once the scope is
     * closed. A future that is cancelled, or completed in any other way, before that gives the turn back; whatever becomes of it, or
     * of what is derived from it, no scope stays open. All else is as {@link #readAsync()} says.
     *
     * @throws IllegalStateException if the buffer is closed
     */
    default <T extends @Nullable Object> CompletableFuture<T> readAsync(Reader<T, ? extends Exception> reader) {
        return readAsync(0, elements(), reader);
    }

    /** The same with {@code count} elements from a place on; the rest stays where it is. */
    <T extends @Nullable Object> CompletableFuture<T> readAsync(
            long element, long count, Reader<T, ? extends Exception> reader);

    /** {@link #update(Writer)} in a future; as {@link #readAsync(Reader)}. */
    default CompletableFuture<@Nullable Void> updateAsync(Writer<? extends Exception> writer) {
        return updateAsync(0, elements(), writer);
    }

    /** The same with {@code count} elements from a place on; the others keep their values. */
    CompletableFuture<@Nullable Void> updateAsync(long element, long count, Writer<? extends Exception> writer);

    /** {@link #overwrite(Writer)} in a future; as {@link #readAsync(Reader)}. */
    default CompletableFuture<@Nullable Void> overwriteAsync(Writer<? extends Exception> writer) {
        return overwriteAsync(0, elements(), writer);
    }

    /** The same with {@code count} elements from a place on; the others keep their values. */
    CompletableFuture<@Nullable Void> overwriteAsync(long element, long count, Writer<? extends Exception> writer);

    /**
     * The content, to be read. Waits for the earlier jobs that write it. Close the scope; {@link #read(Reader)} does so by itself.
     *
     * @throws DataLostException if some of it is lost
     * @throws IllegalStateException if the buffer is closed, also while it waits, or where it must not be waited for: in a host step, a
     *     Java kernel, a callback of a scope's future, and by a thread that would wait for a scope that it has open itself
     */
    default Scope read() {
        return read(0, elements());
    }

    /**
     * {@link #read()} of {@code count} elements from a place on; the rest stays where it is.
     *
     * @throws IllegalArgumentException if they do not lie in one {@linkplain #segmentBytes segment}; the same for every scope
     */
    Scope read(long element, long count);

    /**
     * The content, to be changed, and perhaps read: what the scope does not write keeps its value, wherever that was, so that the host
     * is first sent what it lacks. Code that writes all of it asks for {@link #overwrite()} instead, which moves nothing. Waits for the earlier jobs
     * that use the buffer.
     *
     * @throws DataLostException if some of it is lost, and so cannot keep its value
     * @throws IllegalStateException as {@link #read()}
     */
    default Scope update() {
        return update(0, elements());
    }

    /** {@link #update()} of {@code count} elements from a place on; the others keep their values, and stay where they are. */
    Scope update(long element, long count);

    /**
     * Memory of which the caller promises to write every element: what was there is given up, nothing is fetched, and what was lost is
     * whole again. Before it is written its content is undefined; what is left unwritten stays so. A scope that never asks for the memory
     * changes nothing. Waits for the earlier jobs that use the buffer.
     *
     * <p>In the checking mode ({@link EvenerBuilder#checked}) {@link Scope#close} throws an {@link IllegalStateException} if eight bytes in
     * a row, or four at the start or the end, were left.
     *
     * @throws IllegalStateException as {@link #read()}
     */
    default Scope overwrite() {
        return overwrite(0, elements());
    }

    /** {@link #overwrite()} of {@code count} elements from a place on; the others keep their values. */
    Scope overwrite(long element, long count);

    /**
     * {@link #read()}, without waiting: the future has the scope when the host's turn has come and the content is there. Its
     * place in the order is that of this call, and later jobs that conflict wait until the scope is closed: close it once it is
     * there. If what is derived from the future is cancelled before it begins, nobody does: {@link #readAsync(Reader)} closes it
     * whatever happens.
     *
     * <p>A future that is cancelled, or completed in any other way, before it has its scope gives its turn back and changes
     * nothing. It ends exceptionally with what {@link #read()} would throw, and with an {@link IllegalStateException} if the
     * buffer or the {@link Evener} is closed before. Callbacks run one after another, on a thread of the runtime's own for
     * scopes, which is not that of jobs' callbacks. Its {@code join()} and {@code get()}, and those of what is derived from it,
     * throw where they might never return, as those of a {@link JobFuture} do.
     *
     * @throws IllegalStateException if the buffer is closed
     */
    default CompletableFuture<Scope> readAsync() {
        return readAsync(0, elements());
    }

    /** {@link #readAsync()} of {@code count} elements from a place on; the rest stays where it is. */
    CompletableFuture<Scope> readAsync(long element, long count);

    /** {@link #update()} in a future; as {@link #readAsync()}. */
    default CompletableFuture<Scope> updateAsync() {
        return updateAsync(0, elements());
    }

    /** {@link #updateAsync()} of {@code count} elements from a place on; the others keep their values. */
    CompletableFuture<Scope> updateAsync(long element, long count);

    /** {@link #overwrite()} in a future; as {@link #readAsync()}. */
    default CompletableFuture<Scope> overwriteAsync() {
        return overwriteAsync(0, elements());
    }

    /** {@link #overwriteAsync()} of {@code count} elements from a place on; the others keep their values. */
    CompletableFuture<Scope> overwriteAsync(long element, long count);

    /**
     * From now on, and for good, the host is sent what jobs write on devices at the end of each chunk, in memory of its own. That
     * is as much traffic as for a {@link HostBuffer}'s results; what devices hold stays there too. In return no device's failure
     * loses anything, and a job that updates the buffer in place can go on without the device that failed. What a job that fails
     * or is cancelled was to write is lost all the same.
     *
     * <p>Takes its place in the order like a scope that writes, and waits for nothing: what devices alone hold by then is fetched
     * first. Any thread.
     *
     * @return this
     * @throws EvenerException if the host has no memory for it
     * @throws IllegalStateException if the buffer is closed
     */
    ManagedBuffer mirror();

    /**
     * Gives the content up, in the order of this call: after the earlier jobs and scopes that use it, before the later ones.
     * Nothing is moved, and it is as a new buffer's, 0 everywhere, which also makes whole what was lost. Memory that there is for
     * it, on the host and on devices, is kept for what is written next; a device short of memory takes its part for other buffers
     * and has nothing to move. Waits for nothing, and may be called by any thread.
     *
     * @throws IllegalStateException if the buffer is closed
     */
    void discard();

    /**
     * The host's turn at a range of the buffer. Jobs that were submitted later and need what it writes, or write what it
     * reads, wait until it is closed: close it, by try-with-resources, or have {@link #read(Reader)} and its kin do it. A view must not be
     * used after that: it may then show old content. One thread at a time; it counts as open in the thread that opened it, or that has asked
     * it for its memory since, which is refused to wait for what waits for its end. One that nothing refers to any more is closed once the
     * garbage collector finds it, with a warning that says where it was asked for, though views of it may be left.
     */
    interface Scope extends AutoCloseable {
        /**
         * The range, in native byte order, with a position and limit of its own; read-only in a scope to read.
         *
         * @throws IllegalStateException if the scope is closed
         */
        ByteBuffer bytes();

        /** The range as floats; see {@link #bytes()}. */
        default FloatBuffer floats() {
            return bytes().asFloatBuffer();
        }

        /** The range as doubles; see {@link #bytes()}. */
        default DoubleBuffer doubles() {
            return bytes().asDoubleBuffer();
        }

        /** The range as 16-bit integers; see {@link #bytes()}. */
        default ShortBuffer shorts() {
            return bytes().asShortBuffer();
        }

        /** The range as 32-bit integers; see {@link #bytes()}. */
        default IntBuffer ints() {
            return bytes().asIntBuffer();
        }

        /** The range as 64-bit integers; see {@link #bytes()}. */
        default LongBuffer longs() {
            return bytes().asLongBuffer();
        }

        /** Ends the host's turn. Idempotent. */
        @Override
        void close();
    }
}
