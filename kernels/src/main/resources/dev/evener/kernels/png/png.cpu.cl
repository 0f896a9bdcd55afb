// The kernels of symbols.cl where a group is one work-item: each has rows of its own.

#if FORM == 1

#define EACH ((rows + (uint)get_global_size(0) - 1) / (uint)get_global_size(0))
#define MY_FIRST ((uint)get_global_id(0) * EACH)
#define MY_END min(rows, MY_FIRST + EACH)

#define FOUR(words) (as_uchar16(vload4(0, words) & RGB))
#if WORDS == 1
#define BESIDE(before, four) ((uchar16)((before).sCDEF, (four).s01234567, (four).s89AB))
#else
#define BESIDE(before, four) ((uchar16)((before).s89ABCDEF, (four).s01234567))
#endif

// A segment: its bytes, less what the filter predicts, as three vectors; beyond the end of a row they are zero.
typedef struct {
    uchar16 first, second, third;
} Segment;

inline Segment segment(__global const uint *row, bool above, uint stride, uint filter, uint x, uint count)
{
    uchar16 d[SEGMENT / 4];
    if (count < SEGMENT) {
        for (uint i = 0; i < SEGMENT / 4; i++) {
            uint4 four = (uint4)(0);
            if (4 * i < count) {
                four.x = difference_at(row, above, stride, filter, x + 4 * i);
            }
            if (4 * i + 1 < count) {
                four.y = difference_at(row, above, stride, filter, x + 4 * i + 1);
            }
            if (4 * i + 2 < count) {
                four.z = difference_at(row, above, stride, filter, x + 4 * i + 2);
            }
            if (4 * i + 3 < count) {
                four.w = difference_at(row, above, stride, filter, x + 4 * i + 3);
            }
            d[i] = as_uchar16(four);
        }
    } else {
        uchar16 left = (uchar16)(0), before = (uchar16)(0);
        if (x > 0) {
            left.sCDEF = as_uchar4(pixel_at(row, x - 1));
            before.sCDEF = as_uchar4(above ? pixel_at(row - stride, x - 1) : 0);
#if WORDS == 2
            left.s89AB = as_uchar4(pixel_at(row, x - 2));
            before.s89AB = as_uchar4(above ? pixel_at(row - stride, x - 2) : 0);
#endif
        }
        for (uint i = 0; i < SEGMENT / 4; i++) {
            uchar16 four = FOUR(row + x + 4 * i);
            uchar16 up = above ? FOUR(row - stride + x + 4 * i) : (uchar16)(0);
            uchar16 a = BESIDE(left, four);
            d[i] = filter == SUB ? four - a
                    : filter == UP ? four - up
                    : filter == AVERAGE ? four - HALF_SUM(a, up)
                                        : four - paeth16(a, up, BESIDE(before, up));
            left = four;
            before = up;
        }
    }
    Segment s; // without the fourth bytes
    s.first = (uchar16)(d[0].s01245689, d[0].sACDE, d[1].s0124);
    s.second = (uchar16)(d[1].s5689ACDE, d[2].s01245689);
    s.third = (uchar16)(d[2].sACDE, d[3].s01245689, d[3].sACDE);
    return s;
}

inline void store(Segment s, __private uchar *bytes)
{
    vstore16(s.first, 0, bytes);
    vstore16(s.second, 1, bytes);
    vstore16(s.third, 2, bytes);
}

// Whether bytes are the ones before them, a bit each. The product gathers the lowest bits of eight bytes in the highest byte.
#define GATHER(eight) (((eight) & 0x0101010101010101UL) * 0x0102040810204080UL >> 56)

inline ulong equal_bytes(uchar16 v, uchar16 before)
{
    ulong2 equal = as_ulong2(v == before);
    return GATHER(equal.x) | GATHER(equal.y) << 8;
}

#define ONE_LATER(last, v) ((uchar16)(last, (v).s0123, (v).s4567, (v).s89AB, (v).sCDE))

inline ulong repeats(Segment s, uchar last, uint count)
{
    ulong same = equal_bytes(s.first, ONE_LATER(last, s.first))
            | equal_bytes(s.second, ONE_LATER(s.first.sF, s.second)) << 16
            | equal_bytes(s.third, ONE_LATER(s.second.sF, s.third)) << 32;
    return same & ((1UL << 3 * count) - 1);
}

#define LOWEST(mask) (63 - (uint)clz((mask) & -(mask)))

// Runs LITERALS(from, to) and MATCH(symbol) for the symbols of a segment in turn, as SYMBOLS does.
#define SEGMENT_SYMBOLS(same, end, LITERALS, MATCH)                  \
    {                                                                \
        ulong two_ = (same) & (same) >> 1, four_ = two_ & two_ >> 2; \
        ulong runs_ = four_ & four_ >> 4; /* LEAST in a row */       \
        uint at_ = 0;                                                \
        while (runs_ != 0) {                                         \
            uint run_ = LOWEST(runs_);                               \
            LITERALS(at_, run_)                                      \
            ulong other_ = ~((same) >> run_);                        \
            uint length_ = LOWEST(other_);                           \
            MATCH(253 + length_)                                     \
            at_ = run_ + length_;                                    \
            runs_ = runs_ >> at_ << at_;                             \
        }                                                            \
        LITERALS(at_, (end))                                         \
    }

// Magnitudes of signed bytes.
#define SIZES(v) convert_ushort16(as_uchar16(MAGNITUDE(as_char16(v), 8)))

inline uint choose(__global const uint *row, bool above, uint stride, uint width)
{
    uint4 sums = (uint4)(0);
    uchar16 left = (uchar16)(0), before = (uchar16)(0);
    uint x = 0;
    while (x + 4 <= width) {
        uint end = min(width, x + 1024); // beyond which sums of 16 bits may overflow
        ushort16 sub = (ushort16)(0), over = (ushort16)(0), average = (ushort16)(0), best = (ushort16)(0);
        for (; x + 4 <= end; x += 4) {
            uchar16 four = FOUR(row + x);
            uchar16 up = above ? FOUR(row - stride + x) : (uchar16)(0);
            uchar16 a = BESIDE(left, four);
            sub += SIZES(four - a);
            over += SIZES(four - up);
            average += SIZES(four - HALF_SUM(a, up));
            best += SIZES(four - paeth16(a, up, BESIDE(before, up)));
            left = four;
            before = up;
        }
#define ALL(v) ((uint)v.s0 + v.s1 + v.s2 + v.s3 + v.s4 + v.s5 + v.s6 + v.s7 + v.s8 + v.s9 + v.sA + v.sB + v.sC + v.sD + v.sE + v.sF)
        sums += (uint4)(ALL(sub), ALL(over), ALL(average), ALL(best));
    }
    for (; x < width; x++) {
        sums += (uint4)(
                magnitudes(difference_at(row, above, stride, SUB, x)),
                magnitudes(difference_at(row, above, stride, UP, x)),
                magnitudes(difference_at(row, above, stride, AVERAGE, x)),
                magnitudes(difference_at(row, above, stride, PAETH, x)));
    }
    return least(sums);
}

#define UP_TO(n) ((uint16)((n), (n) - 1, (n) - 2, (n) - 3, (n) - 4, (n) - 5, (n) - 6, (n) - 7, (n) - 8, (n) - 9, (n) - 10, \
        (n) - 11, (n) - 12, (n) - 13, (n) - 14, (n) - 15))

__kernel void png_filter(TO_FILTER)
{
    uchar bytes[SEGMENT_BYTES];
    uint counts[4 * 256]; // in turn, so that several counts go on at once
    for (uint r = MY_FIRST; r < MY_END; r++) {
        __global const uint *row = ROW(r);
        bool above = HAS_ABOVE(r);
        uint filter = choose(row, above, stride, width);
        __global uint *table = tables + (size_t)r * TABLE;
        for (uint i = 0; i < TABLE; i++) {
            table[i] = 0;
        }
        for (uint i = 0; i < 4 * 256; i++) {
            counts[i] = 0;
        }
        table[filter] = 1;
        uint left = 3 * width; // bytes behind
        ulong sum = filter, weighted = (ulong)filter * (left + 1);
        uchar last = (uchar)filter;
        for (uint x = 0; x < width; x += SEGMENT) {
            uint count = min((uint)SEGMENT, width - x);
            Segment s = segment(row, above, stride, filter, x, count);
            ulong same = repeats(s, last, count);
            store(s, bytes);
#define COUNT_LITERALS(from, to)                             \
    for (uint i = (from); i < (to); i++) {                   \
        counts[(i & 3) * 256 + bytes[i]]++;                \
    }
#define COUNT_MATCH(symbol) table[symbol]++;
            SEGMENT_SYMBOLS(same, 3 * count, COUNT_LITERALS, COUNT_MATCH)
#undef COUNT_LITERALS
#undef COUNT_MATCH
            uint16 all = convert_uint16(s.first) + convert_uint16(s.second) + convert_uint16(s.third);
            uint16 parts = convert_uint16(s.first) * UP_TO(48u) + convert_uint16(s.second) * UP_TO(32u)
                    + convert_uint16(s.third) * UP_TO(16u);
            uint own = ALL(all);
            uint running = ALL(parts) - own * (SEGMENT_BYTES - 3 * count);
            left -= 3 * count;
            sum += own;
            weighted += running + (ulong)own * left;
            last = bytes[3 * count - 1];
        }
        for (uint i = 0; i < 256; i++) {
            table[i] += (counts[i] + counts[256 + i]) + (counts[512 + i] + counts[768 + i]);
        }
        table[SUM] = (uint)(sum % ADLER) | filter << 16;
        table[WEIGHTED] = (uint)(weighted % ADLER);
    }
}

__kernel void png_measure(TO_MEASURE)
{
    for (uint r = MY_FIRST; r < MY_END; r++) {
        __global const uint *table = tables + (size_t)r * TABLE;
        __global const uint *code = codes + (size_t)((first + r) / STRIP) * CODES;
        uint sum = IS_FIRST(r) ? code[HEAD] : 0;
        for (uint i = 0; i < END; i++) {
            sum += table[i] * (code[i] >> 24);
        }
        bits[2 * r] = sum;
        bits[2 * r + 1] = IS_FIRST(r) ? 0 : first_bits(pixels, tables, code, view, width, stride, first, rows, height, r);
    }
}

__kernel void png_pack(TO_PACK)
{
    uchar bytes[SEGMENT_BYTES];
    for (uint r = MY_FIRST; r < MY_END; r++) {
        __global const uint *row = ROW(r);
        bool above = HAS_ABOVE(r);
        uint filter = FILTER_OF(r);
        __global const uint *code = codes + (size_t)((first + r) / STRIP) * CODES;
        __global uchar *slot = slots + (size_t)r * most;
        // The byte that the row before has begun is not this one's: it ends there, and is dropped here.
        uint pending = begin_of(bits, first, r);
        int at = pending > 0 ? -1 : 0;
        ulong held = 0;
// Without a branch: what is not full yet is written again, and a slot has room for eight bytes more.
#define PUT(value, number)                                                       \
    {                                                                            \
        held |= (ulong)(value) << pending;                                       \
        pending += (number);                                                     \
        vstore8(as_uchar8(held >> ((at >> 31) & 8)), 0, slot + max(at, 0));      \
        at += (int)(pending / 8);                                                \
        held >>= pending & 56;                                                   \
        pending &= 7;                                                            \
    }
#define WRITE(symbol)                          \
    {                                          \
        uint code_ = code[symbol];             \
        PUT(code_ & RGB, code_ >> 24)          \
    }
#define WRITE_LITERALS(from, to)                                                                        \
    {                                                                                                   \
        uint i = (from), end_ = (to);                                                                   \
        for (; i + 3 <= end_; i += 3) {                                                                 \
            uint one_ = code[bytes[i]], two_ = code[bytes[i + 1]], three_ = code[bytes[i + 2]];         \
            uint both_ = (one_ >> 24) + (two_ >> 24);                                                   \
            ulong value_ = (one_ & RGB) | (two_ & RGB) << (one_ >> 24) | (ulong)(three_ & RGB) << both_; \
            PUT(value_, both_ + (three_ >> 24))                                                         \
        }                                                                                               \
        for (; i < end_; i++) {                                                                         \
            WRITE(bytes[i])                                                                             \
        }                                                                                               \
    }
        if (IS_FIRST(r)) {
            uint head = code[HEAD];
            for (uint i = 0; i < head; i += 32) {
                PUT(code[HEAD + 1 + i / 32], min(32u, head - i))
            }
        }
        WRITE(filter)
        uchar last = (uchar)filter;
        for (uint x = 0; x < width; x += SEGMENT) {
            uint count = min((uint)SEGMENT, width - x);
            Segment s = segment(row, above, stride, filter, x, count);
            ulong same = repeats(s, last, count);
            store(s, bytes);
            SEGMENT_SYMBOLS(same, 3 * count, WRITE_LITERALS, WRITE)
            last = bytes[3 * count - 1];
        }
        if (IS_LAST(r, height)) {
            WRITE(END)
            PUT(0, 3)
            PUT(0, (8 - pending) & 7)
            PUT(0xffff0000u, 32)
        } else {
            uint open = (8 - pending) & 7;
            PUT(bits[2 * r + 3] & ((1u << open) - 1), open)
        }
        counts[r] = (uint)at;
#undef WRITE
#undef WRITE_LITERALS
#undef PUT
    }
}

#endif
