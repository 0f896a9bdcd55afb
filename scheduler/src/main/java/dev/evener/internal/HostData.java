package dev.evener.internal;

import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a {@link HostBuffer} is to the runtime: memory on the host that is current whenever no job works on it. Any thread. */
public final class HostData extends LogicalBuffer implements HostBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(HostData.class);

    private volatile boolean tells;

    public HostData(ElementType type, Segments memory) {
        this(type, memory, false);
    }

    /** @param tells whether to say, once, that its user looks at it as numbers of another type */
    HostData(ElementType type, Segments memory, boolean tells) {
        super(type, memory);
        this.tells = tells && type.bytes() > 1; // bytes may be anything
    }

    @Override
    public HostBuffer named(String name) {
        name(name);
        return this;
    }

    @Override
    public boolean hasHostViews() {
        return true;
    }

    @Override
    public boolean isMirrored() {
        return true;
    }

    @Override
    public ByteBuffer bytes() {
        checkOpen();
        if (memory().count() > 1) {
            throw new EvenerException("this " + text() + " lies in " + memory().count()
                    + " segments of " + memory().stride()
                    + " bytes, not in one view; use segments(), or bytes(offset, length)"
                    + " for a part within one of them");
        }
        return memory().get(0);
    }

    @Override
    public FloatBuffer floats() {
        return seenAs(Float.BYTES, true).asFloatBuffer();
    }

    @Override
    public DoubleBuffer doubles() {
        return seenAs(Double.BYTES, true).asDoubleBuffer();
    }

    @Override
    public ShortBuffer shorts() {
        return seenAs(Short.BYTES, false).asShortBuffer();
    }

    @Override
    public IntBuffer ints() {
        return seenAs(Integer.BYTES, false).asIntBuffer();
    }

    @Override
    public LongBuffer longs() {
        return seenAs(Long.BYTES, false).asLongBuffer();
    }

    /** All of it, to be seen as numbers of this width. */
    private ByteBuffer seenAs(int width, boolean floating) {
        if (tells && (type().bytes() != width || type().isFloating() != floating)) {
            tells = false;
            LOG.warn(
                    "a {} is looked at as {} numbers of {} bytes, which are not its values; if its bits are"
                            + " meant, take bytes() and a view of that",
                    text(),
                    floating ? "floating-point" : "whole",
                    width);
        }
        return bytes();
    }

    @Override
    public ByteBuffer bytes(long offset, int length) {
        checkOpen();
        return memory().get(offset, length);
    }

    @Override
    public List<ByteBuffer> segments() {
        checkOpen();
        return IntStream.range(0, memory().count()).mapToObj(memory()::get).toList();
    }

    @Override
    public void put(long element, Buffer source) {
        copy(element, source, true);
    }

    @Override
    public void get(long element, Buffer target) {
        copy(element, target, false);
    }

    private void copy(long element, Buffer other, boolean in) {
        checkOpen();
        int width = width(other);
        if (width != 1 && width != type().bytes()) {
            throw new IllegalArgumentException("elements of this " + text() + " have " + type().bytes()
                    + " bytes each; they are copied from and to a ByteBuffer, or one of numbers of that width, not a "
                    + kind(other));
        }
        if (width != 1 && type().isFloating() != (other instanceof FloatBuffer || other instanceof DoubleBuffer)) {
            throw new IllegalArgumentException("elements of " + type().openClName() + " are no numbers of a "
                    + kind(other) + ", whose bits would be taken for them: copy from and to a "
                    + (type().isFloating()
                            ? type() == ElementType.FLOAT ? "FloatBuffer" : "DoubleBuffer"
                            : type().bytes() == Integer.BYTES ? "IntBuffer" : "LongBuffer")
                    + " or, if the bits are meant, a ByteBuffer in native order");
        }
        String order = other instanceof ByteBuffer bytes && type().bytes() > 1 ? HostMemory.otherOrder(bytes) : null;
        if (order != null) {
            throw new IllegalArgumentException(
                    "the ByteBuffer that elements of " + type().openClName() + " are copied from or to " + order);
        }
        int count = other.remaining();
        long first = element * type().bytes();
        if (first < 0 || element > elements() || (long) count * width > byteSize() - first) {
            throw new IndexOutOfBoundsException(
                    (long) count * width + " bytes from element " + element + " on do not lie in this " + text());
        }
        for (int done = 0; done < count; ) {
            long at = first + (long) done * width;
            int here = (int) Math.min(count - done, (segmentBytes() - at % segmentBytes()) / width);
            copy(memory().get(at, here * width), other, other.position() + done, here, in);
            done += here;
        }
        other.position(other.limit());
    }

    private static String kind(Buffer of) {
        return of.getClass().getSuperclass().getSimpleName().replace("Mapped", "");
    }

    private static int width(Buffer of) {
        return of instanceof ByteBuffer
                ? 1
                : of instanceof ShortBuffer
                        ? 2
                        : of instanceof IntBuffer || of instanceof FloatBuffer
                                ? 4
                                : of instanceof LongBuffer || of instanceof DoubleBuffer ? 8 : 0;
    }

    private static void copy(ByteBuffer part, Buffer other, int at, int count, boolean in) {
        if (other instanceof ByteBuffer b) {
            Object ignored = in ? part.put(0, b, at, count) : b.put(at, part, 0, count);
        } else if (other instanceof ShortBuffer b) {
            ShortBuffer own = part.asShortBuffer();
            Object ignored = in ? own.put(0, b, at, count) : b.put(at, own, 0, count);
        } else if (other instanceof IntBuffer b) {
            IntBuffer own = part.asIntBuffer();
            Object ignored = in ? own.put(0, b, at, count) : b.put(at, own, 0, count);
        } else if (other instanceof FloatBuffer b) {
            FloatBuffer own = part.asFloatBuffer();
            Object ignored = in ? own.put(0, b, at, count) : b.put(at, own, 0, count);
        } else if (other instanceof LongBuffer b) {
            LongBuffer own = part.asLongBuffer();
            Object ignored = in ? own.put(0, b, at, count) : b.put(at, own, 0, count);
        } else if (other instanceof DoubleBuffer b) {
            DoubleBuffer own = part.asDoubleBuffer();
            Object ignored = in ? own.put(0, b, at, count) : b.put(at, own, 0, count);
        }
    }

    @Override
    public int segmentCount() {
        return memory().count();
    }

    @Override
    public long segmentBytes() {
        return memory().stride();
    }

    @Override
    public boolean isReadOnly() {
        return memory().isReadOnly();
    }

    @Override
    public boolean isWrapped() {
        return memory().isForeign();
    }

    @Override
    public boolean mayOverlap(LogicalBuffer other) {
        return other == this || (other instanceof HostData host && memory().overlaps(host.memory()));
    }

    @Override
    List<MemoryRange> where(long from, long to) {
        long last = Math.max(0, byteSize() - type().bytes());
        long first = Math.min(from, last); // of an empty one at the end, too
        return memory().where(first, Math.max(first + 1, Math.min(to, byteSize())));
    }
}
