package dev.evener;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The checking mode finds what {@link ManagedBuffer#overwrite} promised to write and did not. */
class BrokenPromiseTest {
    private static final int N = 1000;
    private static final int FIRST = 10; // of the scopes of a part

    private final Evener evener = Evener.builder()
            .devices(DeviceSelector.parse("0.0"))
            .history(History.inMemory())
            .checked()
            .open();

    private List<Supplier<ManagedBuffer.Scope>> ways(ManagedBuffer b) {
        return List.of(
                b::overwrite,
                () -> b.overwrite(FIRST, N - FIRST),
                () -> b.overwriteAsync().join(),
                () -> b.overwriteAsync(FIRST, N - FIRST).join());
    }

    /** The first, the last, some in between, all: of every way to ask, and of bytes too, of which one may be as it was by chance. */
    @Test
    void whatIsLeftIsToldWithItsPlace() {
        try (evener) {
            for (ElementType type : List.of(ElementType.UBYTE, ElementType.INT, ElementType.DOUBLE)) {
                ManagedBuffer b = evener.allocateManaged(type, N);
                int proof = 8 / type.bytes(); // elements
                for (Supplier<ManagedBuffer.Scope> way : ways(b)) {
                    for (int[] left :
                            new int[][] {{0, proof}, {N - FIRST - proof, proof}, {50, proof}, {0, N - FIRST}}) {
                        ManagedBuffer.Scope scope = way.get();
                        ByteBuffer bytes = scope.bytes();
                        int first = (N - bytes.capacity() / type.bytes());
                        int from = left[0] * type.bytes();
                        int to = left[0] + left[1] == N - FIRST ? bytes.capacity() : from + left[1] * type.bytes();
                        for (int at = 0; at < bytes.capacity(); at++) {
                            if (at < from || at >= to) {
                                bytes.put(at, (byte) at);
                            }
                        }
                        String said = assertThrows(IllegalStateException.class, scope::close)
                                .getMessage();
                        // A byte before it may be as it was by chance, of whole elements where they are bytes.
                        assertTrue(
                                said.contains("left element " + (first + left[0]) + " ")
                                        || said.contains("left element " + (first + left[0] - 1) + " ")
                                        || (type == ElementType.UBYTE && left[0] > 0 && said.contains("left element ")),
                                said);
                        assertTrue(said.contains("update()"), said);
                    }
                }
                try (ManagedBuffer.Scope all = b.overwrite()) {
                    all.bytes().put(new byte[N * type.bytes()]);
                }
                b.read().close(); // nothing waits for the scopes that told
            }
        }
    }

    @Test
    void oneNumberAtAnEndIsEnough() {
        try (evener) {
            ManagedBuffer b = evener.allocateManaged(ElementType.FLOAT, N);
            ManagedBuffer.Scope scope = b.overwrite();
            scope.floats().put(new float[N - 1]);
            assertThrows(IllegalStateException.class, scope::close);
        }
    }

    /** Nobody is told wrongly: random data are written, a scope is given back unseen, or others than overwrite() leave something. */
    @Test
    void whoKeepsItIsToldNothing() {
        try (evener) {
            Random random = new Random(5);
            ManagedBuffer b = evener.allocateManaged(ElementType.UBYTE, N);
            byte[] values = new byte[N];
            for (int i = 0; i < 2000; i++) {
                random.nextBytes(values);
                try (ManagedBuffer.Scope scope = b.overwrite()) {
                    scope.bytes().put(values);
                }
            }
            for (Supplier<ManagedBuffer.Scope> way : ways(b)) {
                assertDoesNotThrow(() -> way.get().close());
            }
            try (ManagedBuffer.Scope scope = b.update()) {
                scope.bytes().put(3, values[3]);
            }
            try (ManagedBuffer.Scope scope = b.read()) {
                assertEquals(ByteBuffer.wrap(values), scope.bytes());
            }
        }
    }
}
