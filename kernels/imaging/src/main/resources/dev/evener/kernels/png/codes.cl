// png_codes: the Huffman codes of a chunk's blocks, as HuffmanCode.java makes them, to the bit: from how often each symbol occurs in a block's
// rows the lengths of Huffman's code, of twelve bits at most, the codes, and the block's head, which says the lengths in a code of its own.
//
// A group has a block. What is done for each symbol by itself its work-items share; the first one makes the trees.

#define SYMBOLS 281 // literals, the block's end, and the lengths up to 130
#define END_SYMBOL 256
#define MOST_BITS 12
#define RUN_SYMBOLS 19 // of the code for lengths
#define MOST_RUN_BITS 7
#define ENTRY(bits, count) ((bits) << 6 | (count))
#define NONE 0xffffffffu

#define BLOCK (uint)get_group_id(0)
#define FOR_EACH(i, count) for (uint i = (uint)get_local_id(0); i < (count); i += GROUP)
#define SYNC barrier(CLK_LOCAL_MEM_FENCE);
#define IS_LEADER (get_local_id(0) == 0)

// In which order the lengths of the codes for lengths are written.
__constant uchar ORDER[RUN_SYMBOLS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

typedef struct {
    uint counts[SYMBOLS]; // NONE of what does not occur
    uint nodes[SYMBOLS]; // the inner ones of the tree in the order in which they are made: their weights, then parents, then depths
    uint leaves[MOST_BITS + 2]; // at a depth
    uint next[MOST_BITS + 1]; // code of a length
    ushort sorted[SYMBOLS]; // symbols that occur, by their counts
    ushort codes[SYMBOLS];
    ushort runs[SYMBOLS + 1]; // symbols of the lengths' own code, their extra bits from bit 8 on
    uchar lengths[SYMBOLS + 1]; // the last one is the distance's
} Code;

inline uint extra_bits(uint length)
{
    return length < 11 ? 0 : 29 - clz(length - 3);
}

inline uint symbol_of(uint length)
{
    uint bits = extra_bits(length);
    return length < 11 ? 254 + length : 257 + 4 * (bits + 1) + ((length - 3) >> bits & 3);
}

// Moffat and Katajainen, In-Place Calculation of Minimum-Redundancy Codes, 1995: how many leaves Huffman's tree has at each depth, those beyond
// `most` at the one behind it. A leaf weighs at least so much.
inline void leaves_by_depth(__local Code *c, int n, uint least, uint most)
{
    for (int next = 0, node = 0, leaf = 0; next < n - 1; next++) {
        uint weight = 0;
        for (uint child = 0; child < 2; child++) {
            uint own = leaf < n ? max(least, c->counts[c->sorted[leaf]]) : NONE;
            if (node == next || own <= c->nodes[node]) {
                weight += own;
                leaf++;
            } else {
                weight += c->nodes[node];
                c->nodes[node++] = next;
            }
        }
        c->nodes[next] = weight;
    }
    c->nodes[n - 2] = 0;
    for (int node = n - 3; node >= 0; node--) {
        c->nodes[node] = c->nodes[c->nodes[node]] + 1;
    }
    for (uint depth = 0; depth <= most + 1; depth++) {
        c->leaves[depth] = 0;
    }
    uint open = 1; // places at a depth
    int node = n - 2;
    for (uint depth = 0; open > 0; depth++) {
        uint inner = 0;
        for (; node >= 0 && c->nodes[node] == depth; node--) {
            inner++;
        }
        c->leaves[min(depth, most + 1)] += open - inner;
        open = 2 * inner;
    }
}

// Lengths of no more than `most` bits, the longest for the rarest symbols, and the codes that follow from them.
inline void make_code(__local Code *c, uint symbols, uint most)
{
    SYNC
    FOR_EACH(s, symbols) {
        uint own = c->counts[s], place = 0;
        for (uint i = 0; i < s; i++) {
            place += c->counts[i] <= own;
        }
        for (uint i = s + 1; i < symbols; i++) {
            place += c->counts[i] < own;
        }
        if (own != NONE) {
            c->sorted[place] = (ushort)s;
        }
        c->lengths[s] = 0;
    }
    SYNC
    if (IS_LEADER) {
        uint n = 0, sum = 0;
        for (uint s = 0; s < symbols; s++) {
            bool occurs = c->counts[s] != NONE;
            n += occurs;
            sum += occurs ? c->counts[s] : 0;
        }
        for (uint depth = 0; depth <= most + 1; depth++) {
            c->leaves[depth] = depth == 1; // of a single one
        }
        if (n > 1) {
            leaves_by_depth(c, (int)n, 0, most);
        }
        if (c->leaves[most + 1] > 0) {
            leaves_by_depth(c, (int)n, sum >> most, most);
            c->leaves[most] += c->leaves[most + 1];
            int excess = -(1 << most); // of what codes claim, in codes of the longest length
            for (uint depth = 1; depth <= most; depth++) {
                excess += (int)(c->leaves[depth] << (most - depth));
            }
            for (; excess > 0; excess--) {
                uint depth = most - 1;
                while (c->leaves[depth] == 0) {
                    depth--;
                }
                c->leaves[depth]--;
                c->leaves[depth + 1] += 2; // itself, and one of the longest beside it
                c->leaves[most]--;
            }
        }
        for (uint depth = most, i = 0; depth > 0; depth--) {
            for (uint end = i + c->leaves[depth]; i < end; i++) {
                c->lengths[c->sorted[i]] = (uchar)depth;
            }
        }
        for (uint bits = 1, code = 0; bits <= most; bits++) {
            c->next[bits] = code << 1;
            code = c->next[bits] + c->leaves[bits];
        }
        for (uint s = 0; s < symbols; s++) {
            uint length = c->lengths[s], code = length > 0 ? c->next[length]++ : 0, reversed = 0;
            for (uint bit = 0; bit < length; bit++) {
                reversed |= (code >> bit & 1) << (length - 1 - bit);
            }
            c->codes[s] = (ushort)reversed;
        }
    }
    SYNC
}

// Writes the lengths as symbols: 0 to 15 a length, 16 the one before 3 to 6 times, 17 and 18 zeros. Returns their number.
inline uint run_lengths(__local Code *c, uint count)
{
    uint made = 0;
    for (uint i = 0, end; i < count; i = end) {
        uchar length = c->lengths[i];
        for (end = i + 1; end < count && c->lengths[end] == length;) {
            end++;
        }
        uint left = end - i;
        if (length == 0) {
            for (uint now; left >= 11; left -= now) {
                now = min(left, 138u);
                c->runs[made++] = (ushort)(18 | (now - 11) << 8);
            }
            if (left >= 3) {
                c->runs[made++] = (ushort)(17 | (left - 3) << 8);
                left = 0;
            }
        } else {
            c->runs[made++] = length;
            left--;
            for (uint now; left >= 3; left -= now) {
                now = min(left, 6u);
                c->runs[made++] = (ushort)(16 | (now - 3) << 8);
            }
        }
        for (; left > 0; left--) {
            c->runs[made++] = length;
        }
    }
    return made;
}

// Adds bits to a head.
inline void put_head(__global uint *head, ulong *pending, uint bits, uint count)
{
    uint held = *head & 31;
    *pending |= (ulong)bits << held;
    *head += count;
    if (held + count >= 32) {
        head[*head / 32] = (uint)*pending;
        *pending >>= 32;
    }
}

__kernel void png_codes(__global const uint *tables, __global uint *codes, ulong first, uint rows)
{
    __local Code c;
    __local uint sums[END];
    uint bits = 0, literals = 0, count = 0; // the leader's
    uint block = BLOCK, from = block * STRIP, end = min(rows, from + STRIP);
    __global uint *table = codes + ((size_t)(first / STRIP) + block) * CODES;
    FOR_EACH(i, END) {
        uint sum = 0;
        for (uint r = from; r < end; r++) {
            sum += tables[(size_t)r * TABLE + i];
        }
        sums[i] = sum;
    }
    SYNC
    FOR_EACH(s, SYMBOLS) {
        uint sum = s < END_SYMBOL ? sums[s] : s == END_SYMBOL;
        for (uint length = 3; length <= SEGMENT_BYTES && s > END_SYMBOL; length++) {
            sum += symbol_of(length) == s ? sums[253 + length] : 0;
        }
        c.counts[s] = sum == 0 ? NONE : sum;
    }
    make_code(&c, SYMBOLS, MOST_BITS);
    FOR_EACH(i, END_SYMBOL) {
        table[i] = ENTRY((uint)c.codes[i], (uint)c.lengths[i]);
    }
    FOR_EACH(i, SEGMENT_BYTES - 2) {
        uint symbol = symbol_of(i + 3), extra = extra_bits(i + 3), length = c.lengths[symbol];
        uint code = c.codes[symbol] | (i & ((1 << extra) - 1)) << length; // and distance 1: a zero
        table[256 + i] = ENTRY(code, length + extra + 1);
    }
    SYNC // before lengths change
    if (IS_LEADER) {
        table[END] = ENTRY((uint)c.codes[END_SYMBOL], (uint)c.lengths[END_SYMBOL]);
        uint all = (uint)c.lengths[END_SYMBOL] + 3;
        for (uint i = 0; i < END; i++) {
            uint symbol = i < END_SYMBOL ? i : symbol_of(i - 253);
            all += sums[i] * (c.lengths[symbol] + (i < END_SYMBOL ? 0 : extra_bits(i - 253) + 1));
        }
        bits = all;
        uint used = SYMBOLS;
        while (c.lengths[used - 1] == 0) {
            used--;
        }
        literals = used;
        c.lengths[used] = 1; // the distance's follows
        count = run_lengths(&c, used + 1);
        for (uint s = 0; s < RUN_SYMBOLS; s++) {
            c.counts[s] = 0;
        }
        for (uint i = 0; i < count; i++) {
            c.counts[c.runs[i] & 0xff]++;
        }
        for (uint s = 0; s < RUN_SYMBOLS; s++) {
            c.counts[s] = c.counts[s] == 0 ? NONE : c.counts[s];
        }
    }
    make_code(&c, RUN_SYMBOLS, MOST_RUN_BITS);
    if (IS_LEADER) {
        uint kept = RUN_SYMBOLS;
        while (kept > 4 && c.lengths[ORDER[kept - 1]] == 0) {
            kept--;
        }
        __global uint *head = table + HEAD;
        ulong pending = 0;
        *head = 0;
        put_head(head, &pending, 4, 3); // that it is not the last one and has a code of its own
        put_head(head, &pending, literals - 257, 5);
        put_head(head, &pending, 0, 5);
        put_head(head, &pending, kept - 4, 4);
        for (uint i = 0; i < kept; i++) {
            put_head(head, &pending, c.lengths[ORDER[i]], 3);
        }
        for (uint i = 0; i < count; i++) {
            uint symbol = c.runs[i] & 0xff;
            put_head(head, &pending, c.codes[symbol], c.lengths[symbol]);
            put_head(head, &pending, c.runs[i] >> 8, symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
        }
        head[1 + *head / 32] = (uint)pending;
        table[BYTES] = (bits + *head + 7) / 8 + 4;
    }
}
