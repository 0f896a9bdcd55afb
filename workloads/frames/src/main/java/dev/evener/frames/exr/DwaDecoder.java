package dev.evener.frames.exr;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;

/**
 * DWAA and DWAB: colours, in a scale near that of the eye, through a discrete cosine transform of 8 x 8 values and {@link Huffman}'s
 * code or Deflate; alpha by runs; all else by Deflate. Source: DreamWorks Animation's compressor in OpenEXR's library.
 *
 * <p>A chunk begins with eleven numbers of eight bytes; where their first is 2, rules follow that say which channels are coded how.
 * Then come four sections: other channels, one after another; the transform's values but the means, block by block, in each those
 * of its channels one after another; the means, channel by channel; channels in runs, byte by byte of equal weight.
 */
final class DwaDecoder extends Codec {
    private static final int HEADER = 11 * Long.BYTES;
    private static final int VALUES = 64; // of a block
    private static final int GROUP = 32; // blocks side by side
    private static final int OTHER = 0;
    private static final int LOSSY = 1;
    private static final int RUNS = 2;
    private static final int DONE = 3; // with others of its set

    /** How the channels of a name and type are coded; of those with a place, red, green and blue of a layer form a set. */
    private record Rule(String suffix, boolean anyCase, int type, int code, int place) {
        boolean matches(Channel channel) {
            String name = channel.component();
            return type == channel.type() && (anyCase ? name.equalsIgnoreCase(suffix) : name.equals(suffix));
        }
    }

    /** Of files that have none of their own. */
    private static final List<Rule> RULES = new ArrayList<>();

    static {
        String[][] names = {{"y", "by", "ry"}, {"r", "red"}, {"g", "grn", "green"}, {"b", "blu", "blue"}};
        for (int type = 0; type < 3; type++) {
            RULES.add(new Rule("a", true, type, RUNS, -1));
            for (int place = -1; place < 3 && type != Channel.UINT; place++) {
                for (String name : names[place + 1]) {
                    RULES.add(new Rule(name, true, type, LOSSY, place));
                }
            }
        }
    }

    /** What light values stand for: a power below 1, an exponential function above, that meet in 1. */
    private static final char[] LIGHT = Half.table(v -> {
        double size = Math.abs(v);
        return Math.signum(v) * (size <= 1 ? Math.pow(size, 2.2f) : Math.pow(9.025013f, size - 1));
    });

    /** Where the values of a block lie in the order in which a file has them: diagonal by diagonal. */
    private static final int[] ZIGZAG = {
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

    private final Huffman huffman = new Huffman();
    private final float[] coefficients = new float[VALUES]; // of a block
    private final float[][] values = new float[3][VALUES * GROUP]; // of three channels, row by row
    private final ByteBuffer memory = ByteBuffer.allocate(4 * VALUES * GROUP).order(ByteOrder.nativeOrder());
    private final int[] bits = new int[VALUES * GROUP];
    private final char[] samples = new char[VALUES * GROUP];
    private char[] others = {}; // the transform's values but the means
    private int other;
    private char[] means = {};
    private int mean;

    @Override
    public void decode(byte[] coded, int length, Block block, byte[] out) throws DataFormatException {
        int[] sizes = new int[HEADER / Long.BYTES];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = HEADER > length ? -1 : (int) Half.INTS.get(coded, i * Long.BYTES);
            boolean small = sizes[i] >= 0 && sizes[i] < 1 << 30 && (int) Half.INTS.get(coded, i * Long.BYTES + 4) == 0;
            require(small, "the sizes it begins with cannot be");
        }
        require(sizes[0] <= 2, "it is of version " + sizes[0] + " of DWA");
        List<Rule> rules = new ArrayList<>();
        int at = sizes[0] < 2 ? HEADER : rules(coded, length, rules);
        require((long) sizes[2] + sizes[3] + sizes[4] + sizes[5] <= length - at, "its sections are longer than itself");
        int[] codes = new int[block.channels().size()];
        List<int[]> sets = sets(block.channels(), sizes[0] < 2 ? RULES : rules, codes);
        int[] planes = new int[3]; // bytes of the channels of each code
        int blocks = 0;
        for (int c = 0; c < codes.length; c++) {
            planes[codes[c]] += block.bytes(c);
            blocks += codes[c] == LOSSY ? blocks(block.rows(c)) * blocks(block.columns(c)) : 0;
        }
        boolean fits = sizes[1] == planes[OTHER] && sizes[7] == planes[RUNS] && sizes[6] <= 2 * sizes[7];
        fits = fits && sizes[8] <= (VALUES - 1L) * blocks && sizes[9] == blocks && sizes[10] < 2;
        require(fits, "its sizes are not those of its channels");
        byte[] plain = inflate(coded, at, sizes[2], sizes[1]);
        at += sizes[2];
        if (sizes[10] == 1) {
            others = words(inflate(coded, at, sizes[3], Short.BYTES * sizes[8]));
        } else {
            others = new char[sizes[8]];
            huffman.decode(coded, at, sizes[3], others, sizes[8]);
        }
        at += sizes[3];
        byte[] restored = new byte[Short.BYTES * blocks];
        restore(inflate(coded, at, sizes[4], restored.length), restored);
        means = words(restored);
        at += sizes[4];
        byte[] runs = runs(inflate(coded, at, sizes[5], sizes[6]), sizes[6], sizes[7]);
        other = 0;
        mean = 0;
        for (int[] set : sets) {
            lossy(set, block, out);
            Arrays.stream(set).forEach(c -> codes[c] = DONE);
        }
        int fromPlain = 0;
        int fromRuns = 0;
        for (int c = 0; c < codes.length; c++) {
            switch (codes[c]) {
                case OTHER -> fromPlain = block.fromPlane(c, plain, fromPlain, out);
                case RUNS -> fromRuns = weights(block, c, runs, fromRuns, out);
                case LOSSY -> lossy(new int[] {c}, block, out);
                default -> {}
            }
        }
    }

    private static int blocks(int samples) {
        return (samples + 7) / 8;
    }

    private static char[] words(byte[] bytes) {
        char[] words = new char[bytes.length / Short.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asCharBuffer().get(words);
        return words;
    }

    /** Reads the rules, and returns where they end. */
    private static int rules(byte[] coded, int length, List<Rule> rules) throws DataFormatException {
        int size = length - HEADER < 2 ? 0 : (short) Half.SHORTS.get(coded, HEADER) & 0xffff;
        require(size >= 2 && size <= length - HEADER, "its rules have " + size + " bytes");
        int end = HEADER + size;
        for (int at = HEADER + 2; at < end; at += 3) {
            StringBuilder suffix = new StringBuilder();
            while (at < end && coded[at] != 0) {
                suffix.append((char) (coded[at++] & 0xff));
            }
            require(end - at >= 3, "its rules end within one");
            int how = coded[at + 1] & 0xff;
            Rule rule = new Rule(suffix.toString(), (how & 1) != 0, coded[at + 2], (how >> 2) & 3, (how >> 4) - 1);
            require(rule.code <= RUNS && rule.place < 3, "a rule has the code " + how);
            rules.add(rule);
        }
        return end;
    }

    /** Finds how each channel is coded, and which three are red, green and blue of one layer. */
    private static List<int[]> sets(List<Channel> channels, List<Rule> rules, int[] codes) throws DataFormatException {
        Map<String, int[]> layers = new LinkedHashMap<>();
        for (int c = 0; c < codes.length; c++) {
            int[] set = layers.computeIfAbsent(channels.get(c).layer(), layer -> new int[] {-1, -1, -1});
            for (Rule rule : rules) {
                if (rule.matches(channels.get(c))) {
                    codes[c] = rule.code;
                    if (rule.place >= 0) {
                        set[rule.place] = c;
                    }
                }
            }
        }
        List<int[]> sets = new ArrayList<>();
        for (int[] set : layers.values()) {
            boolean whole = Math.min(Math.min(set[0], set[1]), set[2]) >= 0;
            if (whole
                    && Arrays.stream(set)
                                    .mapToLong(c -> channels.get(c).sampling())
                                    .distinct()
                                    .count()
                            == 1) {
                require(Arrays.stream(set).allMatch(c -> codes[c] == LOSSY), "a rule for colours is none");
                sets.add(set);
            }
        }
        return sets;
    }

    /** Puts the bytes of a channel together, and returns where they end. */
    private static int weights(Block block, int channel, byte[] planes, int from, byte[] out) {
        int columns = block.columns(channel);
        int size = block.channels().get(channel).bytes();
        for (int weight = 0; weight < size; weight++) {
            for (int start : block.starts()[channel]) {
                for (int x = 0; x < columns; x++) {
                    out[start + x * size + weight] = planes[from++];
                }
            }
        }
        return from;
    }

    /** Decodes one channel, or three that were luma and chroma. */
    private void lossy(int[] set, Block block, byte[] out) throws DataFormatException {
        int columns = block.columns(set[0]);
        int across = blocks(columns);
        int blocks = across * blocks(block.rows(set[0]));
        boolean light = set.length == 3 || !block.channels().get(set[0]).linear();
        for (int first = 0, count; first < blocks; first += count) {
            count = Math.min(GROUP, across - first % across);
            for (int i = 0; i < count; i++) {
                for (int s = 0; s < set.length; s++) {
                    values(values[s], 8 * i, means[mean + s * blocks + first + i]);
                }
            }
            if (set.length == 3) {
                colours(values[0], values[1], values[2]);
            }
            int x = first % across * 8;
            for (int s = 0; s < set.length; s++) {
                halves(values[s], light);
                put(block, set[s], x, first / across * 8, Math.min(8 * count, columns - x), out);
            }
        }
        mean += set.length * blocks;
    }

    /** Makes halves of a channel's values. The bits of many floats are had faster by way of memory. */
    private void halves(float[] from, boolean light) {
        memory.asFloatBuffer().put(from);
        memory.asIntBuffer().get(bits);
        round(bits);
        for (int i = 0; i < samples.length; i++) {
            int index = bits[i] >= 0 ? bits[i] : Half.bits(from[i]);
            samples[i] = light ? LIGHT[index] : (char) index;
        }
    }

    /** Makes of the bits of floats those of halves, as {@link Half#bits}; below 0 of what is no usual number. A loop for vectors. */
    private static void round(int[] bits) {
        for (int i = 0; i < bits.length; i++) {
            int magnitude = bits[i] & 0x7fffffff;
            int unusual = ((magnitude - 0x38800000) | (0x477fffff - magnitude)) >> 31;
            int usual = (magnitude - (112 << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
            bits[i] = usual | ((bits[i] >>> 16) & 0x8000) | unusual;
        }
    }

    private void put(Block block, int c, int x, int y, int count, byte[] out) {
        int size = block.channels().get(c).bytes();
        int[] starts = block.starts()[c];
        CharBuffer chars = ByteBuffer.wrap(out).order(ByteOrder.LITTLE_ENDIAN).asCharBuffer();
        for (int row = y; row < Math.min(y + 8, starts.length); row++) {
            int from = 8 * GROUP * (row - y);
            int to = starts[row] + size * x;
            if (size == Short.BYTES) {
                chars.put(to / 2, samples, from, count);
            } else {
                for (int i = 0; i < count; i++, to += size) {
                    Half.INTS.set(out, to, Float.floatToRawIntBits(Half.toFloat(samples[from + i])));
                }
            }
        }
    }

    /** Decodes a block of a channel, whose rows come to stand at a place of each row of the group. */
    private void values(float[] group, int at, char first) throws DataFormatException {
        float[] v = coefficients;
        Arrays.fill(v, 0);
        int last = 0;
        int next = other;
        for (int i = 1; i < VALUES; ) {
            require(next < others.length, "its values end within a block");
            int value = others[next++];
            if (value < 0xff00) {
                last = i;
                v[ZIGZAG[i++]] = Half.toFloat(value);
            } else {
                i += value == 0xff00 ? VALUES : value & 0xff;
            }
        }
        other = next;
        v[0] = Half.toFloat(first);
        if (last == 0) {
            float all = v[0] * A * A;
            for (int row = 0; row < VALUES; row += 8) {
                Arrays.fill(group, at + GROUP * row, at + GROUP * row + 8, all);
            }
            return;
        }
        for (int row = 0; row < 8 && (row == 0 || last > LAST_OF_ROWS[row]); row++) {
            transform(v, 8 * row, 1, v, 8 * row, 1, true);
        }
        for (int column = 0; column < 8; column++) {
            transform(v, column, 8, group, at + column, 8 * GROUP, false);
        }
    }

    /**
     * The inverse of the transform of eight values, each so many after the one before. Sums are in the order of OpenEXR's library on
     * processors with AVX, so that the last bits agree: rows and columns have each their own.
     */
    private static void transform(float[] v, int at, int step, float[] out, int to, int next, boolean row) {
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
        out[to] = even0 + odd0;
        out[to + next] = even1 + odd1;
        out[to + 2 * next] = even2 + odd2;
        out[to + 3 * next] = even3 + odd3;
        out[to + 4 * next] = even3 - odd3;
        out[to + 5 * next] = even2 - odd2;
        out[to + 6 * next] = even1 - odd1;
        out[to + 7 * next] = even0 - odd0;
    }

    /** Makes red, green and blue of luma and two chromas, with Rec. 709's weights; so many values, in place. */
    private static void colours(float[] first, float[] second, float[] third) {
        for (int i = 0; i < VALUES * GROUP; i++) {
            float y = first[i];
            float b = second[i];
            float r = third[i];
            first[i] = y + 1.5747f * r;
            second[i] = y - 0.1873f * b - 0.4682f * r;
            third[i] = y + 1.8556f * b;
        }
    }
}
