package dev.evener.record;

import java.io.ByteArrayOutputStream;
import java.util.Random;

/** Damages bytes at random. */
final class Mutants {
    private static final byte[] LIKELY =
            "0123456789{}[]\",:-.eE\\ntfu \n\u0000".getBytes(java.nio.charset.StandardCharsets.UTF_8);

    private Mutants() {}

    static byte[] of(byte[] original, Random random) {
        byte[] mutant = original.clone();
        for (int left = 1 + random.nextInt(3); left > 0; left--) {
            mutant = switch (random.nextInt(4)) {
                case 0 -> changed(mutant, random);
                case 1 -> copied(mutant, random, false);
                case 2 -> copied(mutant, random, true);
                default -> cut(mutant, random);
            };
        }
        return mutant;
    }

    private static byte[] changed(byte[] bytes, Random random) {
        if (bytes.length > 0) {
            byte to = random.nextBoolean() ? LIKELY[random.nextInt(LIKELY.length)] : (byte) random.nextInt();
            bytes[random.nextInt(bytes.length)] = to;
        }
        return bytes;
    }

    /** A stretch appears once more elsewhere, in place of what is there or between. */
    private static byte[] copied(byte[] bytes, Random random, boolean insert) {
        int from = random.nextInt(bytes.length + 1);
        int count = Math.min(bytes.length - from, 1 + random.nextInt(random.nextBoolean() ? 8 : 400));
        int to = random.nextInt(bytes.length + 1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, 0, to);
        out.write(bytes, from, count);
        int rest = insert ? to : Math.min(bytes.length, to + count);
        out.write(bytes, rest, bytes.length - rest);
        return out.toByteArray();
    }

    private static byte[] cut(byte[] bytes, Random random) {
        int from = random.nextInt(bytes.length + 1);
        int count = Math.min(bytes.length - from, random.nextInt(random.nextInt(4) == 0 ? 2000 : 12));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, 0, from);
        out.write(bytes, from + count, bytes.length - from - count);
        return out.toByteArray();
    }
}
