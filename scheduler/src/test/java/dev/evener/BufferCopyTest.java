package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.HostData;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Copies between buffers of any number of segments and what a caller has. */
class BufferCopyTest {
    private static final int N = 5000;

    /** In segments of 4 KiB at most. */
    private static HostData buffer(ElementType type) {
        HostData buffer = MadeUpBuffers.inSegments(type, N, 4096);
        assertTrue(buffer.segmentCount() > 1);
        return buffer;
    }

    @Test
    void arraysOfEveryTypeComeBack() {
        float[] floats = new float[N];
        double[] doubles = new double[N];
        short[] shorts = new short[N];
        int[] ints = new int[N];
        long[] longs = new long[N];
        for (int i = 0; i < N; i++) {
            shorts[i] = (short) (i * 31);
            ints[i] = i * 1_000_003;
            longs[i] = i * 1_000_000_000_039L;
            floats[i] = i / 3f;
            doubles[i] = i / 7.0;
        }
        float[] moreFloats = new float[N];
        double[] moreDoubles = new double[N];
        short[] moreShorts = new short[N];
        int[] moreInts = new int[N];
        long[] moreLongs = new long[N];
        roundTrip(ElementType.FLOAT, FloatBuffer.wrap(floats), FloatBuffer.wrap(moreFloats));
        roundTrip(ElementType.DOUBLE, DoubleBuffer.wrap(doubles), DoubleBuffer.wrap(moreDoubles));
        roundTrip(ElementType.USHORT, ShortBuffer.wrap(shorts), ShortBuffer.wrap(moreShorts));
        roundTrip(ElementType.UINT, IntBuffer.wrap(ints), IntBuffer.wrap(moreInts));
        roundTrip(ElementType.LONG, LongBuffer.wrap(longs), LongBuffer.wrap(moreLongs));
        assertArrayEquals(floats, moreFloats);
        assertArrayEquals(doubles, moreDoubles);
        assertArrayEquals(shorts, moreShorts);
        assertArrayEquals(ints, moreInts);
        assertArrayEquals(longs, moreLongs);
        byte[] bytes = new byte[4 * N];
        roundTrip(
                ElementType.INT,
                ByteBuffer.wrap(bytes)
                        .order(ByteOrder.nativeOrder())
                        .putInt(8000, 77)
                        .position(0),
                ByteBuffer.allocateDirect(4 * N).order(ByteOrder.nativeOrder()));
    }

    private static void roundTrip(ElementType type, Buffer from, Buffer to) {
        HostData buffer = buffer(type);
        buffer.put(0, from);
        assertEquals(0, from.remaining());
        buffer.get(0, to);
        assertEquals(0, to.remaining());
        assertEquals(from.flip(), to.flip());
    }

    @Test
    void aPartGoesWhereItIsTold() {
        HostData buffer = buffer(ElementType.INT);
        buffer.put(1020, IntBuffer.wrap(new int[] {9, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 8));
        int[] seen = new int[10];
        buffer.get(1019, IntBuffer.wrap(seen));
        assertArrayEquals(new int[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 0}, seen);
        ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
        buffer.get(1024, bytes);
        assertEquals(5, bytes.getInt(0));
        assertEquals(6, bytes.getInt(4));
        buffer.put(N, IntBuffer.allocate(0));
    }

    @Test
    void whatDoesNotFitIsRefusedBeforeAnythingIsCopied() {
        HostData buffer = buffer(ElementType.INT);
        int[] ones = new int[N];
        Arrays.fill(ones, 1);
        for (long first : new long[] {-1, 1, N, Long.MAX_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> buffer.put(first, IntBuffer.wrap(ones)));
            assertThrows(IndexOutOfBoundsException.class, () -> buffer.get(first, IntBuffer.wrap(ones)));
        }
        for (Buffer other : new Buffer[] {CharBuffer.allocate(2), ShortBuffer.allocate(2), LongBuffer.allocate(2)}) {
            String message = assertThrows(IllegalArgumentException.class, () -> buffer.put(0, other))
                    .getMessage();
            assertTrue(message.matches("elements of this buffer of \\d+ int have 4 bytes each.*"), message);
        }
        int[] seen = new int[N];
        buffer.get(0, IntBuffer.wrap(seen));
        assertArrayEquals(new int[N], seen);
        buffer.close();
        assertThrows(IllegalStateException.class, () -> buffer.put(0, IntBuffer.allocate(1)));
    }
}
