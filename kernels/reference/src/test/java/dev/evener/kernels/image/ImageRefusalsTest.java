package dev.evener.kernels.image;

import static dev.evener.kernels.Refusals.refused;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import dev.evener.kernels.Buffers;
import dev.evener.kernels.map.ColourInversion;
import dev.evener.kernels.map.VectorAdd;
import dev.evener.kernels.matrix.MatrixMultiply;
import dev.evener.kernels.reference.CannyReference;
import dev.evener.kernels.reference.GradientReference;
import dev.evener.kernels.reference.HarrisReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class ImageRefusalsTest {
    private static final ImageSize SIZE = new ImageSize(5, 4);
    private static final HarrisCorners.Settings SETTINGS = new HarrisCorners.Settings(1, 0.04f, 0);

    private final HostBuffer grey = TestBuffers.allocate(ElementType.UBYTE, 20);
    private final HostBuffer other = TestBuffers.allocate(ElementType.UBYTE, 20);
    private final HostBuffer small = TestBuffers.allocate(ElementType.UBYTE, 19);
    private final HostBuffer shorts = TestBuffers.allocate(ElementType.USHORT, 20);
    private final HostBuffer words = TestBuffers.allocate(ElementType.UINT, 20);
    private final HostBuffer floats = TestBuffers.allocate(ElementType.FLOAT, 20);
    private final HostBuffer count = TestBuffers.allocate(ElementType.UINT, 1);

    @Test
    void sizes() {
        refused("0 x 4", () -> new ImageSize(0, 4));
        refused("4 x -1", () -> new ImageSize(4, -1));
        refused("cut it into smaller ones", () -> new ImageSize(65536, 65536));
        assertEquals(0, new ImageSize(3, 0).pixels());
    }

    @Test
    void gradientAndGrey() {
        refused("grey buffer must hold uchar, not ushort", () -> Gradient.job(SIZE, shorts, shorts, null));
        refused("grey buffer has 19 elements, 20", () -> Gradient.job(SIZE, small, shorts, null));
        refused("must hold ushort, not uchar", () -> Gradient.job(SIZE, grey, other, null));
        refused("sectors' buffer has 19", () -> Gradient.job(SIZE, grey, shorts, small));
        refused("different buffers", () -> Gradient.job(SIZE, grey, shorts, grey));
        refused("must be at least 0, not -1", () -> GreyConversion.job(-1, words, grey));
        refused("must hold uint, not float", () -> GreyConversion.job(20, floats, grey));
        refused("grey buffer has 19", () -> GreyConversion.job(20, words, small));
    }

    @Test
    void canny() {
        try (Canny canny = new Canny(TestBuffers::allocate)) {
            refused("edges' buffer has 19", () -> canny.job(SIZE, grey, small, 1, 2));
            refused("must hold uchar, not uint", () -> canny.job(SIZE, words, grey, 1, 2));
            refused("different buffers", () -> canny.job(SIZE, grey, grey, 1, 2));
            refused("thresholds of 0 and 2", () -> canny.job(SIZE, grey, other, 0, 2));
            refused("thresholds of 3 and 2", () -> canny.job(SIZE, grey, other, 3, 2));
            refused("high <= 2040", () -> canny.job(SIZE, grey, other, 3, 2041));
        }
    }

    @Test
    void harris() {
        refused("1 or 2, not 3", () -> new HarrisCorners.Settings(3, 0.04f, 0));
        refused("between 0 and 0.25, not NaN", () -> new HarrisCorners.Settings(1, Float.NaN, 0));
        refused("at least 0 and finite", () -> new HarrisCorners.Settings(1, 0.04f, -1));
        HostBuffer few = TestBuffers.allocate(ElementType.FLOAT, 19);
        HostBuffer second = TestBuffers.allocate(ElementType.UINT, 1);
        try (HarrisCorners harris = new HarrisCorners(TestBuffers::allocate)) {
            refused("grey buffer has 19", () -> harris.job(SIZE, small, words, floats, count, second, SETTINGS));
            refused(
                    "corners' buffer must hold uint",
                    () -> harris.job(SIZE, grey, floats, floats, count, second, SETTINGS));
            refused("strengths' buffer has 19", () -> harris.job(SIZE, grey, words, few, count, second, SETTINGS));
            refused("different buffers", () -> harris.job(SIZE, grey, words, floats, count, count, SETTINGS));
            refused(
                    "up to 65536 x 65536",
                    () -> harris.job(new ImageSize(65537, 0), grey, words, floats, count, second, SETTINGS));
        }
    }

    @Test
    void plainCalls() {
        ImageSize size = new ImageSize(16, 16);
        byte[] square = new byte[256];
        for (int i = 0; i < 256; i++) {
            square[i] = (byte) (i % 16 >= 8 && i / 16 >= 8 ? 200 : 0);
        }
        try (Evener evener = open("jvm");
                HostBuffer in = Buffers.of(evener, square);
                HostBuffer edges = evener.allocate(ElementType.UBYTE, 256);
                HostBuffer magnitudes = evener.allocate(ElementType.USHORT, 256);
                HostBuffer corners = evener.allocate(ElementType.UINT, 256);
                HostBuffer strengths = evener.allocate(ElementType.FLOAT, 256);
                HostBuffer number = evener.allocate(ElementType.UINT, 1);
                HostBuffer none = evener.allocate(ElementType.UINT, 0)) {
            Canny.edges(evener, size, in, edges, 50, 100);
            assertArrayEquals(CannyReference.edges(size, square, 50, 100), Buffers.bytes(edges, 256));
            Gradient.gradient(evener, size, in, magnitudes, null);
            assertArrayEquals(GradientReference.magnitudes(size, square), Buffers.shorts(magnitudes, 256));
            HarrisCorners.corners(evener, size, in, corners, strengths, number, SETTINGS);
            int found = number.ints().get(0);
            assertEquals(HarrisReference.corners(size, square, SETTINGS).size(), found);
            assertTrue(found > 0, "no corner of a square");
            assertThrows(
                    EvenerException.class,
                    () -> HarrisCorners.corners(evener, size, in, none, strengths, number, SETTINGS));
            assertEquals(found, number.ints().get(0), "how much room there should have been");
        }
    }

    @Test
    void theCallersOwnMemory() {
        ImageSize size = new ImageSize(64, 3);
        ByteBuffer words = memory(4 * 192);
        ByteBuffer bytes = memory(192);
        ByteBuffer edges = memory(192);
        ByteBuffer magnitudes = memory(384);
        for (int i = 0; i < 192; i++) {
            words.putInt(4 * i, i % 64 < 20 ? 0x203040 : 0xf0e0d0);
        }
        byte[] grey = new byte[192];
        byte[] found = new byte[192];
        short[] slopes = new short[192];
        try (Evener evener = open("0.0,0.1");
                HostBuffer colours = evener.wrap(ElementType.UINT, words);
                HostBuffer in = evener.wrap(ElementType.UBYTE, bytes);
                HostBuffer out = evener.wrap(ElementType.UBYTE, edges);
                HostBuffer steps = evener.wrap(ElementType.USHORT, magnitudes);
                HostBuffer summand = evener.wrap(ElementType.INT, bytes);
                HostBuffer sum = evener.wrap(ElementType.INT, edges);
                HostBuffer zeros = evener.wrap(ElementType.FLOAT, memory(64));
                HostBuffer product = evener.wrap(ElementType.FLOAT, edges);
                HostBuffer overlapping = evener.wrap(ElementType.UBYTE, words)) {
            GreyConversion.convert(evener, colours, in);
            bytes.get(0, grey);
            Canny.edges(evener, size, in, out, 50, 100);
            edges.get(0, found);
            assertArrayEquals(CannyReference.edges(size, grey, 50, 100), found);
            Gradient.gradient(evener, size, in, steps, null);
            magnitudes.asShortBuffer().get(0, slopes);
            assertArrayEquals(GradientReference.magnitudes(size, grey), slopes);
            ColourInversion.invert(evener, in, out);
            assertEquals(255 - (grey[0] & 255), edges.get(0) & 255);
            VectorAdd.add(evener, summand, summand, sum);
            assertEquals(2 * bytes.getInt(0), edges.getInt(0));
            MatrixMultiply.multiply(evener, 4, 4, 4, zeros, zeros, product);
            assertEquals(0, edges.getInt(0));
            refused("different buffers", () -> GreyConversion.convert(evener, colours, overlapping));
            refused("", () -> evener.wrap(ElementType.UBYTE, ByteBuffer.allocate(192)));
        }
    }

    private static ByteBuffer memory(int bytes) {
        return ByteBuffer.allocateDirect(bytes + 8192)
                .alignedSlice(4096)
                .limit(bytes)
                .order(ByteOrder.nativeOrder());
    }
}
