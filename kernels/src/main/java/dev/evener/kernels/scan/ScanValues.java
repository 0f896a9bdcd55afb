package dev.evener.kernels.scan;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.kernels.BufferChecks;
import java.util.List;
import java.util.Locale;

/**
 * What is scanned: elements of a type, by an operation, and as what the kernels combine them.
 *
 * @param type INT, UINT, LONG or FLOAT
 */
record ScanValues(ElementType type, Operation operation) {

    /** Refuses types that the kernels do not know. */
    static ScanValues of(String what, ElementType type, Operation operation) {
        if (!List.of(ElementType.INT, ElementType.UINT, ElementType.LONG, ElementType.FLOAT)
                .contains(type)) {
            throw new IllegalArgumentException(
                    what + ": the elements must be int, uint, long or float, not " + type.openClName());
        }
        return new ScanValues(type, operation);
    }

    /** Refuses a pair of buffers of which the second cannot take so many results. */
    static void require(DataBuffer input, DataBuffer output, long elements, long results) {
        BufferChecks.requireDistinct(input, output);
        BufferChecks.requireElements("input", input, elements);
        BufferChecks.require("output", output, input.type(), results);
    }

    /** Whether floats are added, the only case in which the order matters. */
    boolean floatingSum() {
        return type == ElementType.FLOAT && operation == Operation.ADD;
    }

    /** Whether floats are compared as integer keys. */
    boolean keys() {
        return type == ElementType.FLOAT && operation != Operation.ADD;
    }

    /** For buffers of the values that are combined: their type, but for signs. */
    ElementType carrier() {
        return floatingSum() ? ElementType.FLOAT : type == ElementType.LONG ? ElementType.ULONG : ElementType.UINT;
    }

    /** The kernels' build options. */
    String options(ScanKind kind) {
        return "-D ELEMENT=" + type.openClName()
                + " -D VALUE=" + (keys() ? "int" : type.openClName())
                + " -D OPERATION=" + (operation == Operation.ADD ? "SUM" : operation.name())
                + " -D IDENTITY=" + identity()
                + " -D ACROSS=" + 16 / type.bytes()
                + (keys() ? " -D KEYS" : floatingSum() ? " -D FLOATING" : "")
                + (kind == ScanKind.EXCLUSIVE ? " -D EXCLUSIVE" : "");
    }

    private String identity() {
        if (operation == Operation.ADD) {
            return type == ElementType.FLOAT ? "0.0f" : "0";
        }
        if (type == ElementType.FLOAT) { // the keys of the infinities
            return operation == Operation.MIN ? "0x7f800000" : "((int)0x807fffff)";
        }
        if (type == ElementType.UINT && operation == Operation.MAX) {
            return "0";
        }
        return type.openClName().toUpperCase(Locale.ROOT) + (operation == Operation.MIN ? "_MAX" : "_MIN");
    }

    /** The identity as {@link IntegerTiles} holds values. */
    long identityValue() {
        boolean least = operation == Operation.MAX;
        return switch (operation) {
            case ADD -> 0;
            case MIN, MAX ->
                switch (type) {
                    case LONG -> least ? Long.MIN_VALUE : Long.MAX_VALUE;
                    case UINT -> least ? 0 : 0xffffffffL;
                    case FLOAT -> least ? 0x807fffff : 0x7f800000;
                    default -> least ? Integer.MIN_VALUE : Integer.MAX_VALUE;
                };
        };
    }
}
