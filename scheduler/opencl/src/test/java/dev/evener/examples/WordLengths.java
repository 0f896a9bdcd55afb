package dev.evener.examples;

import static dev.evener.Access.slice;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import java.nio.charset.StandardCharsets;

/** How many words of each length a text has. A word belongs to the block in which it begins, wherever it ends. */
public final class WordLengths {
    // region kernel
    /** Bytes of text for each unit. */
    static final int BLOCK = 4096;

    /** Words of this length and longer are counted together. */
    static final int LONGEST = 31;

    private static final String SOURCE = """
            int is_letter(uchar c) {
                return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            }
            kernel void lengths(global const uchar *text, ulong start, ulong first, ulong bytes, global uint *counts) {
                ulong block = (first + get_global_id(0)) * BLOCK;    // where in the text this unit begins
                global const uchar *at = text + start + get_global_id(0) * BLOCK;
                uint mine[LONGEST + 1];
                for (int i = 0; i <= LONGEST; i++) mine[i] = 0;
                for (int i = 0; i < BLOCK && block + i < bytes; i++) {
                    if (!is_letter(at[i]) || (block + i > 0 && is_letter(at[i - 1]))) continue;
                    int length = 1; // a word begins here
                    while (length < LONGEST && block + i + length < bytes && is_letter(at[i + length])) length++;
                    mine[length]++;
                }
                for (int i = 1; i <= LONGEST; i++)
                    if (mine[i] > 0) atomic_add(counts + i, mine[i]); // shared by the work-items of a device
            }
            """.replace("BLOCK", "" + BLOCK).replace("LONGEST", "" + LONGEST);
    // endregion

    // region job
    /** Counts the words of the first {@code bytes} bytes; {@code text} is as long as its blocks. */
    static Job job(HostBuffer text, long bytes, HostBuffer counts) {
        return Job.named("word lengths")
                .source(SOURCE)
                .units(text.elements() / BLOCK)
                .kernel("lengths")
                .reads(text, slice(BLOCK).halo(1, 1)) // the byte before and the rest of the last word
                .viewStart(text)
                .chunkStart()
                .scalar(bytes)
                .reduces(counts, Reduction.SUM)
                .build();
    }
    // endregion

    private WordLengths() {}

    /** Text in whole blocks. */
    static HostBuffer load(Evener evener, byte[] text) {
        int blocks = (text.length + BLOCK - 1) / BLOCK;
        HostBuffer buffer = evener.allocate(ElementType.UBYTE, (long) blocks * BLOCK);
        buffer.bytes().put(text);
        return buffer;
    }

    public static void main(String[] args) {
        byte[] text = "It was the best of times, it was the worst of times. "
                .repeat(10_000)
                .getBytes(StandardCharsets.US_ASCII);
        try (Evener evener = Evener.open()) {
            HostBuffer counts = evener.allocate(ElementType.UINT, LONGEST + 1);
            evener.submit(job(load(evener, text), text.length, counts)).join();
            for (int length = 1; length <= LONGEST; length++) {
                int words = counts.ints().get(length);
                if (words > 0) {
                    System.out.println(words + " words of " + length + " letters");
                }
            }
        }
    }
}
