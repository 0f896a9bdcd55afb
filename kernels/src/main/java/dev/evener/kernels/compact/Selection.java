package dev.evener.kernels.compact;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import java.util.Objects;

/** Which elements are kept. */
public sealed interface Selection {

    /**
     * Those for which a comparison with a constant holds: {@code where(LESS, 0)} keeps the negative ones.
     *
     * @param constant of the elements' type: an integer in its range for {@code INT}, {@code UINT} and {@code LONG}, any
     *     number that a {@code float} holds exactly for {@code FLOAT}
     */
    static Selection where(Comparison comparison, Number constant) {
        return new Compared(
                Objects.requireNonNull(comparison, "comparison"), Objects.requireNonNull(constant, "constant"));
    }

    /**
     * Those whose flag is not zero.
     *
     * @param flags {@code UBYTE} or {@code BYTE}, at least one for each element
     */
    static Selection flagged(DataBuffer flags) {
        return new Flagged(Objects.requireNonNull(flags, "flags"));
    }

    /** By comparison; made by {@link Selection#where}. */
    record Compared(Comparison comparison, Number constant) implements Selection {

        /** The constant as an {@link Integer}, {@link Long} or {@link Float} of the elements' type. */
        Number constant(ElementType type) {
            boolean integral = constant instanceof Integer
                    || constant instanceof Long
                    || constant instanceof Short
                    || constant instanceof Byte;
            switch (type) {
                case FLOAT -> {
                    float value = constant.floatValue();
                    boolean same = integral
                            ? (long) value == constant.longValue() && value < 0x1p63f
                            : Double.compare(value, constant.doubleValue()) == 0;
                    if (same) {
                        return value;
                    }
                }
                case INT -> {
                    if (integral && constant.longValue() == constant.intValue()) {
                        return constant.intValue();
                    }
                }
                case UINT -> {
                    if (integral && constant.longValue() >>> 32 == 0) {
                        return (int) constant.longValue();
                    }
                }
                case LONG -> {
                    if (integral) {
                        return constant.longValue();
                    }
                }
                default ->
                    throw new IllegalArgumentException(
                            "compact: elements that are compared must be int, uint, long or float, not "
                                    + type.openClName());
            }
            throw new IllegalArgumentException("compact: the constant " + constant + " is no value of "
                    + type.openClName() + ", the elements' type");
        }
    }

    /** By flags; made by {@link Selection#flagged}. */
    record Flagged(DataBuffer flags) implements Selection {}
}
