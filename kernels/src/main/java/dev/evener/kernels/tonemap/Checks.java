package dev.evener.kernels.tonemap;

/** Range checks with messages that say what would be right. */
final class Checks {
    private Checks() {}

    /** The value, if it is a number in {@code [low, high]}. */
    static double within(String what, double value, double low, double high) {
        if (!(value >= low && value <= high)) {
            throw new IllegalArgumentException(
                    what + " must be between " + plain(low) + " and " + plain(high) + ", not " + plain(value));
        }
        return value;
    }

    private static String plain(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e6
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
