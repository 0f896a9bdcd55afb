package dev.evener.kernels.compact;

import dev.evener.ElementType;
import dev.evener.JvmKernel;
import java.nio.ByteBuffer;

/**
 * The Java form of {@code compact.cl}. Stateless, so that several threads may run it at once.
 *
 * @param type the elements' type; without meaning if only flags and indices matter
 * @param selection which elements are kept
 * @param indices whether their indices are wanted instead of themselves
 */
record CompactJvm(ElementType type, Selection selection, boolean indices) {

    /** Tiles: the inputs' slices, the slots, the counts. */
    void tiles(JvmKernel.Chunk chunk) {
        Test test = test(chunk.buffer(0), chunk.buffer(inputs() - 1));
        ByteBuffer slots = chunk.buffer(inputs());
        ByteBuffer counts = chunk.buffer(inputs() + 1);
        for (int unit = 0; unit < chunk.units(); unit++) {
            int from = unit * Compact.TILE;
            long origin = chunk.firstUnit() * Compact.TILE;
            int end = copy(test, chunk.buffer(0), from, from + Compact.TILE, origin, slots, from);
            counts.putInt(unit * Integer.BYTES, end - from);
        }
    }

    /** On host memory: what is behind the last whole tile. Returns where in the output it ends. */
    int tail(ByteBuffer first, ByteBuffer second, int from, int end, long origin, ByteBuffer out, int to) {
        return copy(test(first, second), first, from, end, origin, out, to);
    }

    /** Arguments that are inputs. */
    int inputs() {
        return selection instanceof Selection.Flagged && !indices ? 2 : 1;
    }

    @FunctionalInterface
    private interface Test {
        boolean keeps(int index);
    }

    private Test test(ByteBuffer first, ByteBuffer second) {
        if (selection instanceof Selection.Compared compared) {
            Comparison comparison = compared.comparison();
            Number constant = compared.constant(type);
            return switch (type) {
                case INT -> i -> comparison.holds(Integer.compare(first.getInt(4 * i), constant.intValue()));
                case UINT -> i -> comparison.holds(Integer.compareUnsigned(first.getInt(4 * i), constant.intValue()));
                case LONG -> i -> comparison.holds(Long.compare(first.getLong(8 * i), constant.longValue()));
                default -> {
                    float than = constant.floatValue();
                    yield i -> holds(comparison, first.getFloat(4 * i), than);
                }
            };
        }
        return i -> second.get(i) != 0;
    }

    private static boolean holds(Comparison comparison, float value, float than) {
        if (value < than) {
            return comparison.holds(-1);
        }
        if (value > than) {
            return comparison.holds(1);
        }
        return value == than ? comparison.holds(0) : comparison == Comparison.NOT_EQUAL;
    }

    private int copy(Test test, ByteBuffer in, int from, int end, long origin, ByteBuffer out, int to) {
        boolean wide = !indices && type.bytes() == Long.BYTES;
        int next = to;
        for (int i = from; i < end; i++) {
            if (test.keeps(i)) {
                if (wide) {
                    out.putLong(8 * next, in.getLong(8 * i));
                } else {
                    out.putInt(4 * next, indices ? (int) (origin + i) : in.getInt(4 * i));
                }
                next++;
            }
        }
        return next;
    }
}
