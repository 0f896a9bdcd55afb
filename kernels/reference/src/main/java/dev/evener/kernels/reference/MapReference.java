package dev.evener.kernels.reference;

/** What the primitives of this package are, one element at a time: the yardstick of tests and {@code --verify}. */
public final class MapReference {
    private MapReference() {}

    /** {@code a + b}, element by element. */
    public static float[] add(float[] a, float[] b) {
        float[] c = new float[a.length];
        for (int i = 0; i < c.length; i++) {
            c[i] = a[i] + b[i];
        }
        return c;
    }

    /** {@code a + b} modulo 2^32, element by element. */
    public static int[] add(int[] a, int[] b) {
        int[] c = new int[a.length];
        for (int i = 0; i < c.length; i++) {
            c[i] = (int) ((long) a[i] + b[i]);
        }
        return c;
    }

    /** {@code 255 - component} for three components of each word, alpha kept. */
    public static int[] invertWords(int[] words) {
        int[] out = new int[words.length];
        for (int i = 0; i < out.length; i++) {
            int red = 255 - (words[i] & 255);
            int green = 255 - (words[i] >>> 8 & 255);
            int blue = 255 - (words[i] >>> 16 & 255);
            int alpha = words[i] >>> 24;
            out[i] = red | green << 8 | blue << 16 | alpha << 24;
        }
        return out;
    }

    /** {@code 255 - component} for every byte. */
    public static byte[] invertBytes(byte[] bytes) {
        byte[] out = new byte[bytes.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = (byte) (255 - (bytes[i] & 255));
        }
        return out;
    }
}
