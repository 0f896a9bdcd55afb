// The kernels of symbols.cl in groups: each has a row, and its work-items have segments.

#if FORM != 1

// Words of the bits that a round of all work-items makes, before which a block's head may stand.
#define STAGE (GROUP * SEGMENT_BYTES * 12 / 32 + CODES - HEAD + 8)

inline uint group_sum(uint value, __local uint *sums)
{
    sum_before_uint(sums, value, GROUP);
    return sums[GROUP - 1];
}

// A segment: its words, less what the filter predicts, zero beyond the end of a row; a bit for each byte that is the one before it, for
// each that begins a symbol, and for each of these that begins a repetition.
typedef struct {
    uint d[SEGMENT];
    ulong same, symbols, repetitions;
} Segment;

inline void filter_segment(
        Segment *s, __global const uint *row, bool above, uint stride, uint filter, uint x, uint width)
{
    uint count = x < width ? min((uint)SEGMENT, width - x) : 0;
    uint last = count > 0 ? byte_before(row, above, stride, filter, x) : 0;
    ulong same = 0;
#pragma unroll
    for (uint i = 0; i < SEGMENT; i++) {
        uint d = i < count ? difference_at(row, above, stride, filter, x + i) : 0;
        uint other = d ^ (d << 8 | last);
        uint equal = ((other & 0xff) == 0) | ((other & 0xff00) == 0) << 1 | ((other & 0xff0000) == 0) << 2;
        same |= (ulong)equal << 3 * i;
        last = d >> 16;
        s->d[i] = d;
    }
    same &= ALL_BYTES(count);
    ulong runs = repetitions_in(same);
    ulong inside = runs | runs << 1;
    inside |= inside << 2;
    inside |= inside << 4;
    s->same = same;
    s->repetitions = runs & ~(same << 1);
    s->symbols = ALL_BYTES(count) & (~inside | s->repetitions);
}

// Runs EMIT(symbol) if a symbol begins at byte i of a segment. For loops that are unrolled, so that words stay in registers.
#define SYMBOL_AT(s, i, EMIT)                                                                \
    if ((s).symbols >> (i) & 1) {                                                            \
        uint symbol_ = ((s).d[(i) / 3] >> 8 * ((i) % 3)) & 0xff;                             \
        if ((s).repetitions >> (i) & 1) {                                                    \
            symbol_ = 253 + run_at((s).same, i);                                             \
        }                                                                                    \
        EMIT(symbol_)                                                                        \
    }

__kernel void png_filter(TO_FILTER)
{
    __local uint shared[GROUP];
    __local uint counts[SUM];
    __local ulong sums[GROUP];
    uint r = (uint)get_group_id(0), item = (uint)get_local_id(0);
    __global const uint *row = ROW(r);
    bool above = HAS_ABOVE(r);
    uint4 own = (uint4)(0);
    for (uint i = item, x; (x = i / SEGMENT * SEGMENT + i) < width; i += GROUP) { // every other segment
        own += all_magnitudes(around(row, above, stride, x));
    }
    for (uint i = item; i < SUM; i += GROUP) {
        counts[i] = 0;
    }
    uint4 all = (uint4)(
            group_sum(own.x, shared), group_sum(own.y, shared), group_sum(own.z, shared), group_sum(own.w, shared));
    uint filter = least(all);
    uint bytes = 3 * width + 1;
    uint sum = item == 0 ? filter : 0;
    ulong weighted = item == 0 ? (ulong)filter * bytes : 0;
    if (item == 0) {
        atomic_inc(&counts[filter]);
    }
    for (uint x = item * SEGMENT; x < width; x += GROUP * SEGMENT) {
        Segment s;
        filter_segment(&s, row, above, stride, filter, x, width);
#define COUNT(symbol) atomic_inc(&counts[symbol]);
#pragma unroll
        for (uint i = 0; i < SEGMENT_BYTES; i++) {
            SYMBOL_AT(s, i, COUNT)
        }
#undef COUNT
        uint in_segment = 0, running = 0;
#pragma unroll
        for (uint i = 0; i < SEGMENT; i++) {
            uint one = s.d[i] & 0xff, two = (s.d[i] >> 8) & 0xff, three = s.d[i] >> 16;
            running += 3 * (in_segment + one) + 2 * two + three;
            in_segment += one + two + three;
        }
        sum += in_segment;
        // Zeros beyond the row's end made running larger by as much as the other term is smaller.
        weighted += running + (ulong)in_segment * (ulong)((long)bytes - 1 - 3 * ((long)x + SEGMENT));
    }
    sum = group_sum(sum, shared);
    sum_before_ulong(sums, weighted, GROUP);
    __global uint *table = tables + (size_t)r * TABLE;
    for (uint i = item; i < SUM; i += GROUP) {
        table[i] = counts[i];
    }
    if (item == 0) {
        table[SUM] = sum % ADLER | filter << 16;
        table[WEIGHTED] = (uint)(sums[GROUP - 1] % ADLER);
    }
}

__kernel void png_measure(TO_MEASURE)
{
    __local uint shared[GROUP];
    uint r = (uint)get_group_id(0), item = (uint)get_local_id(0);
    __global const uint *table = tables + (size_t)r * TABLE;
    __global const uint *code = codes + (size_t)((first + r) / STRIP) * CODES;
    uint own = 0;
    for (uint i = item; i < END; i += GROUP) {
        own += table[i] * LENGTH(code[i]);
    }
    uint sum = group_sum(own, shared);
    if (item == 0) {
        bits[2 * r] = sum + (IS_FIRST(r) ? code[HEAD] : 0);
        bits[2 * r + 1] = IS_FIRST(r) ? 0 : first_bits(pixels, tables, code, view, width, stride, first, rows, height, r);
    }
}

// Adds bits at a place.
inline void put(__local uint *stage, uint at, uint value, uint count)
{
    ulong shifted = (ulong)value << (at & 31);
    atomic_or(&stage[at / 32], (uint)shifted);
    if ((at & 31) + count > 32) {
        atomic_or(&stage[at / 32 + 1], (uint)(shifted >> 32));
    }
}

// Writes a row's word of this number, of which the row has the bytes from one to another.
inline void store(__global uint *words, uint number, uint value, uint from, uint end)
{
    if (from == 0 && end == 4) {
        words[number] = value;
    } else {
        for (uint i = from; i < end; i++) {
            ((__global uchar *)(words + number))[i] = (uchar)(value >> 8 * i);
        }
    }
}

__kernel void png_pack(TO_PACK)
{
    __local uint shared[GROUP];
    __local uint code[HEAD];
    __local uint stage[STAGE];
    uint r = (uint)get_group_id(0), item = (uint)get_local_id(0);
    __global const uint *row = ROW(r);
    bool above = HAS_ABOVE(r);
    uint filter = FILTER_OF(r);
    __global const uint *table = codes + (size_t)((first + r) / STRIP) * CODES;
    ulong begin_bit = 8 * (ulong)bytes_before(codes, first, r) + bits_before(bits, first, r);
    __global uint *words = (__global uint *)coded + begin_bit / 32;
    // Of the first word what the rows before have begun is theirs.
    uint others = (uint)((begin_bit % 32 + 7) / 8);
    for (uint i = item; i < HEAD; i += GROUP) {
        code[i] = table[i];
    }
    for (uint i = item; i < STAGE; i += GROUP) {
        stage[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint at = (uint)(begin_bit % 32);
    uint head = IS_FIRST(r) ? table[HEAD] : 0;
    for (uint i = item; i * 32 < head; i += GROUP) {
        put(stage, at + i * 32, table[HEAD + 1 + i], 32);
    }
    at += head;
    if (item == 0) {
        put(stage, at, VALUE(code[filter]), LENGTH(code[filter]));
    }
    at += LENGTH(code[filter]);
    uint done = 0; // words that are written
    for (uint from = 0; from < width; from += GROUP * SEGMENT) {
        Segment s;
        filter_segment(&s, row, above, stride, filter, from + item * SEGMENT, width);
        uint own = 0;
#define MEASURE(symbol) own += LENGTH(code[symbol]);
#pragma unroll
        for (uint i = 0; i < SEGMENT_BYTES; i++) {
            SYMBOL_AT(s, i, MEASURE)
        }
#undef MEASURE
        uint begin = at + sum_before_uint(shared, own, GROUP);
        at += shared[GROUP - 1];
        uint word = begin / 32, pending = begin & 31;
        ulong held = 0;
#define WRITE(symbol)                                  \
    {                                                  \
        uint code_ = code[symbol];                     \
        held |= (ulong)VALUE(code_) << pending;        \
        pending += LENGTH(code_);                      \
        if (pending >= 32) {                           \
            atomic_or(&stage[word++], (uint)held);     \
            held >>= 32;                               \
            pending -= 32;                             \
        }                                              \
    }
#pragma unroll
        for (uint i = 0; i < SEGMENT_BYTES; i++) {
            SYMBOL_AT(s, i, WRITE)
        }
#undef WRITE
        if (held != 0) {
            atomic_or(&stage[word], (uint)held);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint full = at / 32;
        uint rest = stage[full];
        for (uint i = item; i < full; i += GROUP) {
            store(words, done + i, stage[i], done + i == 0 ? others : 0, 4);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i <= full; i += GROUP) {
            stage[i] = i == 0 ? rest : 0;
        }
        done += full;
        at &= 31;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        if (IS_LAST(r)) {
            put(stage, at, VALUE(code[END]), LENGTH(code[END]));
            at += LENGTH(code[END]) + 3;
            at = (at + 7) / 8 * 8;
            put(stage, at, 0xffff0000u, 32);
            at += 32;
        } else {
            uint open = (32 - at) & 7;
            put(stage, at, bits[2 * r + 3] & ((1u << open) - 1), open);
            at += open;
        }
        for (uint i = 0; i * 32 < at; i++) {
            store(words, done + i, stage[i], done + i == 0 ? others : 0, min(4u, at / 8 - 4 * i));
        }
        tell(about, tables, codes, first, r);
    }
}

#endif
