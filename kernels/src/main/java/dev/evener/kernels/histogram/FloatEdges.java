package dev.evener.kernels.histogram;

/** Floats as integers of the same order, and the edges of even bins between floats. Stateless; any thread. */
final class FloatEdges {
    private FloatEdges() {}

    /** A number's place in the order of floats; of both zeros that of -0, so that either is at or above it. */
    static int key(float edge) {
        return edge == 0 ? -1 : key(Float.floatToRawIntBits(edge));
    }

    /** The place of an element with these bits; that of NaN is beyond both infinities. */
    static int key(int bits) {
        return bits ^ ((bits >> 31) & Integer.MAX_VALUE);
    }

    /**
     * The edges: of each bin the least float that belongs to it or to a later one, so that comparing with edges gives the
     * bin that exact arithmetic gives.
     *
     * @return one more than there are bins; the last is {@code high}
     */
    static float[] of(Bins.EvenFloats bins) {
        int count = bins.count();
        float[] edges = new float[count + 1];
        edges[0] = bins.low();
        edges[count] = bins.high();
        for (int bin = 1; bin < count; bin++) {
            // v is in this bin or a later one if v * count >= low * (count - bin) + high * bin. A float times an
            // integer of
            // 17 bits is exact in double, and so is a sum of two doubles together with its rounding error.
            double left = (double) bins.low() * (count - bin);
            double right = (double) bins.high() * bin;
            double sum = left + right;
            double virtual = sum - left;
            double error = (left - (sum - virtual)) + (right - virtual);
            float edge = (float) (sum / count);
            while (reaches(edge, count, sum, error)) {
                edge = Math.nextDown(edge);
            }
            while (!reaches(edge, count, sum, error)) {
                edge = Math.nextUp(edge);
            }
            edges[bin] = edge;
        }
        return edges;
    }

    /** Whether {@code edge * count >= sum + error}; the error is at most half of the distance to the next double. */
    private static boolean reaches(float edge, int count, double sum, double error) {
        double product = (double) edge * count;
        return product != sum ? product > sum : error <= 0;
    }
}
