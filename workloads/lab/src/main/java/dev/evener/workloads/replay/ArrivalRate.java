package dev.evener.workloads.replay;

/**
 * How fast arrivals follow each other.
 *
 * @param speed how many times as fast as they were recorded; infinite for all at once
 */
public record ArrivalRate(double speed) {
    /** As they were recorded. */
    public static final ArrivalRate RECORDED = new ArrivalRate(1);

    /** Everything is there at the beginning. */
    public static final ArrivalRate ASAP = new ArrivalRate(Double.POSITIVE_INFINITY);

    private static final double LEAST = 1e-3;
    private static final double MOST = 1e9;

    public ArrivalRate {
        if (!(speed >= LEAST) || (speed > MOST && speed != Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("a speed of " + speed + " is not between 0.001 and 1e9");
        }
    }

    /**
     * A speed such as {@code 2x} or {@code 0.5}.
     *
     * @throws IllegalArgumentException if the text is none, saying what would be
     */
    public static ArrivalRate parse(String text) {
        if (text.strip().matches("\\d{1,10}(\\.\\d{1,9})?[xX]?")) {
            double speed = Double.parseDouble(text.strip().replaceAll("[xX]$", ""));
            if (speed >= LEAST && speed <= MOST) {
                return new ArrivalRate(speed);
            }
        }
        throw new IllegalArgumentException(
                "'" + text + "' is no speed; expected a number from 0.001 to 1000000000, such as 2x or 0.5x");
    }

    /** When something that was recorded at this time is due, in nanoseconds after the beginning. */
    public long due(long nanos) {
        return (long) (nanos / speed);
    }
}
