package dev.evener.simulation;

/** Checks of figures. */
final class Figures {
    private static final double MOST = 1e18;

    private Figures() {}

    static void require(String name, double value, double least) {
        require(name, value, least, MOST);
    }

    static void require(String name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(
                    name + " is " + value + ", not a number from " + text(least) + " to " + text(most));
        }
    }

    private static String text(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e6
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
