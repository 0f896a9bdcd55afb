package dev.evener.frames.exr;

/**
 * The inverse of the discrete cosine transform of 8 x 8 values, and the conversion from luma and chroma, both as DWA has them:
 * single precision, with sums in the order of OpenEXR's library on processors with AVX, so that the last bits agree. Stateless.
 */
final class Cosines {
    /** Where the values of a block lie in the order in which a file has them: diagonal by diagonal. */
    static final int[] ZIGZAG = {
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48,
        41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
        30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63
    };

    /** Up to which place in that order so many rows have all that is not 0. */
    private static final int[] LAST_OF_ROWS = {0, 1, 2, 8, 9, 19, 20, 34};

    private static final float A = 3.535536e-01f; // cos(pi / 4) / 2
    private static final float B = 4.903927e-01f; // cos(pi / 16) / 2
    private static final float C = 4.619398e-01f; // cos(pi / 8) / 2
    private static final float D = 4.157349e-01f; // cos(3 pi / 16) / 2
    private static final float E = 2.777855e-01f; // cos(5 pi / 16) / 2
    private static final float F = 1.913422e-01f; // cos(3 pi / 8) / 2
    private static final float G = 9.754573e-02f; // cos(7 pi / 16) / 2

    private Cosines() {}

    /** Of a block with but a mean. */
    static float mean(float value) {
        return value * A * A;
    }

    /** In place, of a block whose last value that is not 0 is at this place in the file's order. */
    static void inverse(float[] v, int last) {
        int rows = 8;
        while (rows > 1 && last <= LAST_OF_ROWS[rows - 1]) {
            rows--;
        }
        for (int row = 0; row < rows; row++) {
            transform(v, 8 * row, 1, true);
        }
        for (int column = 0; column < 8; column++) {
            transform(v, column, 8, false);
        }
    }

    /** Of eight values, each so many after the one before; in rows and in columns sums have an order of their own. */
    private static void transform(float[] v, int at, int step, boolean row) {
        float x0 = A * v[at];
        float x4 = A * v[at + 4 * step];
        float x2 = v[at + 2 * step];
        float x6 = v[at + 6 * step];
        float even0 = row ? (x0 + C * x2) + (x4 + F * x6) : (x0 + x4) + (C * x2 + F * x6);
        float even1 = row ? (x0 + F * x2) - (x4 + C * x6) : (x0 - x4) + (F * x2 - C * x6);
        float even2 = row ? (x0 - F * x2) - (x4 - C * x6) : (x0 - x4) - (F * x2 - C * x6);
        float even3 = row ? (x0 - C * x2) + (x4 - F * x6) : (x0 + x4) - (C * x2 + F * x6);
        float y1 = v[at + step];
        float y3 = v[at + 3 * step];
        float y5 = v[at + 5 * step];
        float y7 = v[at + 7 * step];
        float odd0 = (B * y1 + D * y3) + (E * y5 + G * y7);
        float odd1 = row ? (D * y1 - G * y3) - (B * y5 + E * y7) : D * y1 - (G * y3 + B * y5) - E * y7;
        float odd2 = row ? (E * y1 - B * y3) + (G * y5 + D * y7) : E * y1 - B * y3 + G * y5 + D * y7;
        float odd3 = row ? (G * y1 - E * y3) + (D * y5 - B * y7) : (G * y1 + D * y5) - (E * y3 + B * y7);
        v[at] = even0 + odd0;
        v[at + step] = even1 + odd1;
        v[at + 2 * step] = even2 + odd2;
        v[at + 3 * step] = even3 + odd3;
        v[at + 4 * step] = even3 - odd3;
        v[at + 5 * step] = even2 - odd2;
        v[at + 6 * step] = even1 - odd1;
        v[at + 7 * step] = even0 - odd0;
    }

    /** Makes red, green and blue of luma and two chromas, with Rec. 709's weights; so many values, in place. */
    static void colours(float[] first, float[] second, float[] third, int count) {
        for (int i = 0; i < count; i++) {
            float y = first[i];
            float b = second[i];
            float r = third[i];
            first[i] = y + 1.5747f * r;
            second[i] = y - 0.1873f * b - 0.4682f * r;
            third[i] = y + 1.8556f * b;
        }
    }
}
