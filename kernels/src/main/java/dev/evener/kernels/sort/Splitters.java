package dev.evener.kernels.sort;

import dev.evener.ElementType;
import dev.evener.EvenerException.DevicesFailedException;
import dev.evener.HostBuffer;
import dev.evener.kernels.Allocator;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;

/**
 * Which keys can come to lie where: the buffers in which the devices gather it, and the host steps that work it out. A key's
 * prefix is {@code (number - base) >>> shift}, below {@link #PREFIXES}.
 */
final class Splitters implements AutoCloseable {
    static final int PREFIXES = 1 << 16;

    /** Where the shift stands, behind the starts of all prefixes and their end; then the base, lower word first. */
    private static final int SHIFT = PREFIXES + 1;

    private static final int BASE = PREFIXES + 2;
    private static final int WORDS = PREFIXES + 4;

    private static final long WORD = 0xFFFFFFFFL;

    /** Smallest upper word and smallest lower word of any key. */
    final HostBuffer least;
    /** Largest upper and lower word, and the bits of all magnitudes, upper word first. */
    final HostBuffer largest;
    /** Keys with each prefix. */
    final HostBuffer histogram;
    /** What the passes read. */
    final HostBuffer words;

    Splitters(Allocator allocator) {
        HostBuffer[] made = new HostBuffer[4];
        int[] sizes = {2, 4, PREFIXES, WORDS};
        try {
            for (int i = 0; i < made.length; i++) {
                made[i] = allocator.allocate(ElementType.UINT, sizes[i]);
            }
        } catch (RuntimeException | Error e) {
            for (HostBuffer each : made) {
                if (each != null) {
                    each.close();
                }
            }
            throw e;
        }
        this.least = made[0];
        this.largest = made[1];
        this.histogram = made[2];
        this.words = made[3];
    }

    /** After the range of the keys is known: how prefixes are made. */
    void choosePrefixes(KeyOrder order) {
        IntBuffer low = least.ints();
        IntBuffer high = largest.ints();
        long base = low.get(0) & WORD;
        long top = high.get(0) & WORD;
        if (order.wide()) {
            if (base == top) {
                base = base << 32 | (low.get(1) & WORD);
                top = top << 32 | (high.get(1) & WORD);
            } else if (order.signed() && high.get(2) == 0) {
                // Numbers of both signs, of which none has a larger magnitude than these bits.
                long magnitude = (Integer.highestOneBit(high.get(3)) & WORD) * 2 - 1;
                base = Long.MIN_VALUE + (-magnitude - 1);
                top = Long.MIN_VALUE + magnitude;
            } else {
                base <<= 32;
                top = top << 32 | WORD;
            }
        }
        int bits = Long.SIZE - Long.numberOfLeadingZeros(top - base);
        IntBuffer all = words.ints();
        all.put(SHIFT, Math.max(0, bits - (Integer.SIZE - Integer.numberOfLeadingZeros(PREFIXES - 1))));
        all.put(BASE, (int) base);
        all.put(BASE + 1, (int) (base >>> 32));
    }

    /** After the prefixes were counted: where each starts. */
    void chooseStarts(long keys) {
        int[] starts = new int[PREFIXES + 1];
        histogram.ints().get(0, starts, 0, PREFIXES);
        long place = 0;
        for (int i = 0; i < PREFIXES; i++) {
            long count = Integer.toUnsignedLong(starts[i]);
            starts[i] = (int) place;
            place += count;
        }
        if (place != keys) {
            throw new DevicesFailedException(
                    "sort: of " + keys + " keys the devices counted " + place
                            + "; one of them computes wrongly, or the keys were changed meanwhile",
                    null);
        }
        starts[PREFIXES] = (int) place;
        words.ints().put(0, starts);
    }

    /** How a prefix is made, as a device sees it. */
    static int prefix(ByteBuffer words, long number) {
        return (int) ((number - base(words)) >>> words.getInt(SHIFT * Integer.BYTES));
    }

    /** How many keys have a smaller prefix. */
    static int start(ByteBuffer words, int prefix) {
        return words.getInt(prefix * Integer.BYTES);
    }

    private static long base(ByteBuffer words) {
        return (words.getInt(BASE * Integer.BYTES) & WORD) | ((long) words.getInt((BASE + 1) * Integer.BYTES) << 32);
    }

    @Override
    public void close() {
        try (least;
                largest;
                histogram;
                words) {
            // nothing else is held
        }
    }
}
