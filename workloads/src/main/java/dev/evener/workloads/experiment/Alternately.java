package dev.evener.workloads.experiment;

import java.util.function.DoubleSupplier;

/** Measures things in turn, so that what changes on the machine meets all of them alike. Stateless. */
final class Alternately {
    private Alternately() {}

    /**
     * Runs each once a round.
     *
     * @param warmUp rounds that are not counted, for compilers and caches
     * @param rounds that are
     * @param timed what is run; each says how many nanoseconds it took
     * @return the nanoseconds of each, round by round
     */
    static double[][] nanos(int warmUp, int rounds, DoubleSupplier... timed) {
        double[][] nanos = new double[timed.length][rounds];
        for (int round = -warmUp; round < rounds; round++) {
            for (int i = 0; i < timed.length; i++) {
                double time = timed[i].getAsDouble();
                if (round >= 0) {
                    nanos[i][round] = time;
                }
            }
        }
        return nanos;
    }
}
