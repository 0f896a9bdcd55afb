package dev.evener.simulation;

/** The integral of a profile, from 0 at the beginning of the index space to 1 at its end. Immutable. */
final class Profile {
    private final double[] upTo;

    /** @param density in equal parts of the index space; none for a flat one */
    Profile(double[] density) {
        upTo = new double[Math.max(1, density.length) + 1];
        double sum = 0;
        for (double each : density) {
            sum += each;
        }
        for (int i = 0; i < upTo.length - 1; i++) {
            upTo[i + 1] = upTo[i] + (density.length == 0 ? 1 : density[i] / sum);
        }
    }

    /** What units {@code [first, first + units)} of so many are worth, in units of the mean cost. */
    double weight(double first, double units, double all) {
        if (upTo.length == 2) {
            return units;
        }
        return all * (at((first + units) / all) - at(first / all));
    }

    private double at(double part) {
        double place = Math.min(1, Math.max(0, part)) * (upTo.length - 1);
        int bin = (int) Math.min(place, upTo.length - 2);
        return upTo[bin] + (upTo[bin + 1] - upTo[bin]) * (place - bin);
    }
}
