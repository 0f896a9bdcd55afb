package dev.evener.kernels.map;

import static dev.evener.kernels.Refusals.refused;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import dev.evener.kernels.Buffers;
import org.junit.jupiter.api.Test;

class MapRefusalsTest {

    @Test
    void wrongTypesSizesAndBuffersAreRefused() {
        HostBuffer floats = TestBuffers.allocate(ElementType.FLOAT, 10);
        HostBuffer more = TestBuffers.allocate(ElementType.FLOAT, 10);
        HostBuffer fewer = TestBuffers.allocate(ElementType.FLOAT, 9);
        HostBuffer doubles = TestBuffers.allocate(ElementType.DOUBLE, 10);
        HostBuffer words = TestBuffers.allocate(ElementType.UINT, 10);
        HostBuffer bytes = TestBuffers.allocate(ElementType.UBYTE, 10);
        refused("must be at least 0, not -1", () -> VectorAdd.job(-1, floats, floats, more));
        refused("float or int or uint, not double", () -> VectorAdd.job(10, doubles, doubles, doubles));
        refused("must hold float, not uint", () -> VectorAdd.job(10, floats, words, more));
        refused("sum's buffer has 9 elements, 10 are needed", () -> VectorAdd.job(10, floats, floats, fewer));
        refused("first summand's buffer has 9", () -> VectorAdd.job(10, fewer, floats, more));
        refused("different buffers", () -> VectorAdd.job(10, floats, more, more));
        refused("different buffers", () -> VectorAdd.job(10, more, floats, more));
        refused("uint or uchar, not float", () -> ColourInversion.job(10, floats, more));
        refused("must hold uint, not uchar", () -> ColourInversion.job(10, words, bytes));
        refused("different buffers", () -> ColourInversion.job(10, words, words));
        refused("input buffer has 10 elements, 11", () -> ColourInversion.job(11, words, words));
    }

    @Test
    void plainCalls() {
        try (Evener evener = open("jvm");
                HostBuffer in = Buffers.of(evener, new int[] {0x80123456, -1, 0});
                HostBuffer out = evener.allocate(ElementType.UINT, 3);
                HostBuffer shorter = evener.allocate(ElementType.UINT, 2)) {
            assertEquals(3, ColourInversion.invert(evener, in, out).units());
            assertArrayEquals(new int[] {0x80edcba9, 0xff000000, 0xffffff}, Buffers.ints(out, 3));
            VectorAdd.add(evener, in, in, out);
            assertArrayEquals(new int[] {0x2468ac, -2, 0}, Buffers.ints(out, 3));
            refused("a has 3 elements and b 2", () -> VectorAdd.add(evener, in, shorter, out));
        }
    }
}
