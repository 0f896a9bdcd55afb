package dev.evener.frames.exr;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
        return Math.signum(v) * (size <= 1 ? Math.pow(size, 2.2f) : Math.pow(9.02501329156f, size - 1));
    });

    private final boolean[] wanted;
    private final Huffman huffman = new Huffman();
    private final float[][] values = new float[3][VALUES];
    private char[] others = {}; // the transform's values but the means
    private int other;
    private char[] means = {};
    private int mean;

    DwaDecoder(boolean[] wanted) {
        this.wanted = wanted;
    }

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
        int[] codes = new int[wanted.length];
        List<int[]> sets = sets(block.channels, sizes[0] < 2 ? RULES : rules, codes);
        int[] planes = new int[3]; // bytes of the channels of each code
        int blocks = 0;
        for (int c = 0; c < codes.length; c++) {
            planes[codes[c]] += block.bytes(c);
            blocks += codes[c] == LOSSY ? blocks(block.rows(c)) * blocks(block.columns(c)) : 0;
        }
        require(
                sizes[1] == planes[OTHER]
                        && sizes[7] == planes[RUNS]
                        && sizes[6] <= 2 * sizes[7]
                        && sizes[8] <= (VALUES - 1L) * blocks
                        && sizes[9] == blocks
                        && sizes[10] < 2,
                "its sizes are not those of its channels");
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
            Rule rule = new Rule(suffix.toString(), (how & 1) != 0, coded[at + 2], how >> 2 & 3, (how >> 4) - 1);
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
        layers.values().removeIf(set -> set[0] < 0 || set[1] < 0 || set[2] < 0 || !alike(channels, set));
        for (int[] set : layers.values()) {
            require(Arrays.stream(set).allMatch(c -> codes[c] == LOSSY), "a rule for colours is none");
        }
        return List.copyOf(layers.values());
    }

    private static boolean alike(List<Channel> channels, int[] set) {
        return Arrays.stream(set).map(c -> channels.get(c).across()).distinct().count() == 1
                && Arrays.stream(set)
                                .map(c -> channels.get(c).down())
                                .distinct()
                                .count()
                        == 1;
    }

    /** Puts the bytes of a channel together, and returns where they end. */
    private static int weights(Block block, int channel, byte[] planes, int from, byte[] out) {
        int columns = block.columns(channel);
        int size = block.channels.get(channel).bytes();
        for (int weight = 0; weight < size; weight++) {
            for (int start : block.starts[channel]) {
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
        boolean needed = Arrays.stream(set).anyMatch(c -> wanted[c]);
        boolean light = set.length == 3 || !block.channels.get(set[0]).linear();
        for (int i = 0; i < blocks; i++) {
            int last = 0;
            for (int s = 0; s < set.length; s++) {
                last |= values(values[s], means[mean + s * blocks + i], needed);
            }
            if (set.length == 3 && needed) {
                Cosines.colours(values[0], values[1], values[2], last == 0 ? 1 : VALUES);
            }
            for (int s = 0; s < set.length && needed; s++) {
                if (last == 0) {
                    Arrays.fill(values[s], values[s][0]);
                }
                int x = i % across * 8;
                put(values[s], light, block, set[s], x, i / across * 8, Math.min(8, columns - x), out);
            }
        }
        mean += set.length * blocks;
    }

    private static void put(float[] from, boolean light, Block block, int c, int x, int y, int count, byte[] out) {
        boolean halves = block.channels.get(c).type() == Channel.HALF;
        int[] starts = block.starts[c];
        for (int row = y; row < Math.min(y + 8, starts.length); row++) {
            for (int i = 0; i < count; i++) {
                int bits = Half.bits(from[8 * (row - y) + i]);
                int value = light ? LIGHT[bits] : bits;
                if (halves) {
                    Half.SHORTS.set(out, starts[row] + Short.BYTES * (x + i), (short) value);
                } else {
                    Half.INTS.set(out, starts[row] + 4 * (x + i), Float.floatToRawIntBits(Half.toFloat(value)));
                }
            }
        }
    }

    /** Decodes a block of a channel, and returns where its last value is that is not 0; the first alone if that is 0. */
    private int values(float[] block, int first, boolean needed) throws DataFormatException {
        Arrays.fill(block, 0);
        int last = 0;
        for (int i = 1; i < VALUES; ) {
            require(other < others.length, "its values end within a block");
            int value = others[other++];
            if (value < 0xff00) {
                last = i;
                block[Cosines.ZIGZAG[i++]] = Half.toFloat(value);
            } else {
                i += value == 0xff00 ? VALUES : value & 0xff;
            }
        }
        block[0] = Half.toFloat(first);
        if (last == 0) {
            Arrays.fill(block, Cosines.mean(block[0]));
        } else if (needed) {
            Cosines.inverse(block, last);
        }
        return last;
    }
}
