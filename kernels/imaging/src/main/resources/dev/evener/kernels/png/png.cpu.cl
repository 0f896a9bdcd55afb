// The kernels of symbols.cl where a group is one work-item: each has rows of its own.

#if FORM == 1

#define EACH ((rows + (uint)get_global_size(0) - 1) / (uint)get_global_size(0))
#define MY_FIRST ((uint)get_global_id(0) * EACH)
#define MY_END min(rows, MY_FIRST + EACH)

#define FOURS(i) _Pragma("unroll") for (uint i = 0; i < SEGMENT / 4; i++)
#define FOUR(words) (as_uchar16(vload4(0, words) & RGB))
#if WORDS == 1
#define BESIDE(before, four) ((uchar16)((before).sCDEF, (four).s01234567, (four).s89AB))
#else
#define BESIDE(before, four) ((uchar16)((before).s89ABCDEF, (four).s01234567))
#endif

// To store with, as functions for unaligned vectors are loops over their elements on some CPUs.
typedef union __attribute__((packed)) {
    ulong eight;
    uchar16 sixteen;
    ushort16 symbols;
} Unaligned;

// A segment: its bytes, less what the filter predicts, in fours of words, each before four zeros; beyond the end of a row they are zero.
typedef struct {
    uchar16 d[SEGMENT / 4];
} Segment;

// The last of these words are those before x, those before a row zero.
inline uchar16 words_before(__global const uint *row, uint x)
{
    uchar16 words = (uchar16)(0);
    if (x > 0) {
        words.sCDEF = as_uchar4(pixel_at(row, x - 1));
#if WORDS == 2
        words.s89AB = as_uchar4(pixel_at(row, x - 2));
#endif
    }
    return words;
}

inline __attribute__((always_inline)) void filter_segment(
        Segment *s, __global const uint *row, bool above, uint stride, uint filter, uint x, uint count)
{
    if (count < SEGMENT) {
#define DIFFERENCE(j) (4 * i + j < count ? difference_at(row, above, stride, filter, x + 4 * i + j) : 0)
        FOURS(i) {
            s->d[i] = as_uchar16((uint4)(DIFFERENCE(0), DIFFERENCE(1), DIFFERENCE(2), DIFFERENCE(3)));
        }
    } else {
        uchar16 left = words_before(row, x);
        uchar16 before = above ? words_before(row - stride, x) : (uchar16)(0);
        FOURS(i) {
            uchar16 four = FOUR(row + x + 4 * i);
            uchar16 up = above ? FOUR(row - stride + x + 4 * i) : (uchar16)(0);
            uchar16 a = BESIDE(left, four);
            s->d[i] = filter == SUB ? four - a
                    : filter == UP ? four - up
                    : filter == AVERAGE ? four - HALF_SUM(a, up)
                                        : four - paeth16(a, up, BESIDE(before, up));
            left = four;
            before = up;
        }
    }
    FOURS(i) { // without the fourth bytes
        uchar16 d = s->d[i];
        s->d[i] = (uchar16)(d.s01245689, d.sACDE, 0, 0, 0, 0);
    }
}

// A bit for each of sixteen bytes that are all ones or all zeros.
#ifdef __has_builtin
#if __has_builtin(__builtin_ia32_pmovmskb128)
typedef char Sixteen __attribute__((__vector_size__(16)));
#define BITS(equal) ((uint)__builtin_ia32_pmovmskb128((Sixteen)(equal)))
#endif
#endif
#ifndef BITS
// The product gathers the lowest bits of eight bytes in the highest one.
#define GATHER(eight) ((uint)(((eight) & 0x0101010101010101UL) * 0x0102040810204080UL >> 56))
#define BITS(equal) (GATHER(as_ulong2(equal).x) | GATHER(as_ulong2(equal).y) << 8)
#endif

// Whether bytes are the ones before them, a bit each.
inline ulong repeats(Segment s, uchar last, uint count)
{
    ulong same = 0;
    FOURS(i) {
        uchar16 v = s.d[i];
        char16 equal = v == (uchar16)(last, v.s0123, v.s4567, v.s89A, (uchar4)(0));
        same |= (ulong)(BITS(equal) & 0xfff) << 12 * i;
        last = v.sB;
    }
    return same & ALL_BYTES(count);
}

// Runs RUN(from, length) for the repetitions of a segment in turn.
#define RUNS(same, RUN)                                              \
    {                                                                \
        ulong runs_ = repetitions_in(same);                          \
        while (runs_ != 0) {                                         \
            uint from_ = LOWEST(runs_);                              \
            uint length_ = run_at(same, from_);                      \
            RUN(from_, length_)                                      \
            uint end_ = from_ + length_;                             \
            runs_ = runs_ >> end_ << end_;                           \
        }                                                            \
    }

#define ALL(v)                                                                                                           \
    ((((uint)(v).s0 + (v).s1) + ((v).s2 + (v).s3)) + (((v).s4 + (v).s5) + ((v).s6 + (v).s7))                             \
            + (((v).s8 + (v).s9) + ((v).sA + (v).sB)) + (((v).sC + (v).sD) + ((v).sE + (v).sF)))

// Magnitudes of signed bytes.
#define SIZES(v) convert_ushort16(as_uchar16(MAGNITUDE(as_char16(v), 8)))

inline uint choose(__global const uint *row, bool above, uint stride, uint width)
{
    uint4 sums = (uint4)(0);
    for (uint x = 0; x < width;) {
        ushort16 sub = (ushort16)(0), over = (ushort16)(0), average = (ushort16)(0), best = (ushort16)(0);
        // Beyond so many words, sums of 16 bits may overflow.
        for (uint end = min(width, x + 128 * SEGMENT); x < end; x += 2 * SEGMENT) {
            uchar16 left = words_before(row, x);
            uchar16 before = above ? words_before(row - stride, x) : (uchar16)(0);
            uint i = x, until = min(width, x + SEGMENT);
            for (; i + 4 <= until; i += 4) {
                uchar16 four = FOUR(row + i);
                uchar16 up = above ? FOUR(row - stride + i) : (uchar16)(0);
                uchar16 a = BESIDE(left, four);
                sub += SIZES(four - a);
                over += SIZES(four - up);
                average += SIZES(four - HALF_SUM(a, up));
                best += SIZES(four - paeth16(a, up, BESIDE(before, up)));
                left = four;
                before = up;
            }
            for (; i < until; i++) {
                sums += all_magnitudes(around(row, above, stride, i));
            }
        }
        sums += (uint4)(ALL(sub), ALL(over), ALL(average), ALL(best));
    }
    return least(sums);
}

#define TABLES 8
#define PIECE (512 * SEGMENT) // words of a row, whose sums fit 32 bits

__kernel void png_filter(TO_FILTER)
{
    uchar bytes[SEGMENT_BYTES + 4]; // of a segment, and four zeros
    uint counts[TABLES * 256]; // in turn, so that several counts go on at once
    for (uint r = MY_FIRST; r < MY_END; r++) {
        __global const uint *row = ROW(r);
        bool above = HAS_ABOVE(r);
        uint filter = choose(row, above, stride, width);
        __global uint *table = tables + (size_t)r * TABLE;
        for (uint i = 0; i < TABLE; i++) {
            table[i] = 0;
        }
        for (uint i = 0; i < TABLES * 256; i++) {
            counts[i] = 0;
        }
        table[filter] = 1;
        ulong sum = filter, weighted = (ulong)filter * (3 * width + 1);
        uchar last = (uchar)filter;
        for (uint x = 0; x < width;) {
            uint16 own[SEGMENT / 4] = {(uint16)(0), (uint16)(0), (uint16)(0), (uint16)(0)};
            uint16 before = (uint16)(0); // each byte once for each segment after its own
            for (uint end = min(width, x + PIECE); x < end; x += SEGMENT) {
                uint count = min((uint)SEGMENT, width - x);
                Segment s;
                filter_segment(&s, row, above, stride, filter, x, count);
                ulong same = repeats(s, last, count);
                FOURS(i) {
                    ((__private Unaligned *)(bytes + 12 * i))->sixteen = s.d[i];
                }
                last = s.d[3].sB;
                // All bytes are counted, and those of repetitions taken back: cheaper than to guess wrongly which are which.
                if (same == ALL_BYTES(SEGMENT)) {
                    table[253 + SEGMENT_BYTES]++;
                } else {
                    for (uint i = 0; i < SEGMENT_BYTES; i += TABLES) {
#pragma unroll
                        for (uint t = 0; t < TABLES; t++) {
                            counts[256 * t + bytes[i + t]]++;
                        }
                    }
                    counts[0] -= SEGMENT_BYTES - 3 * count;
#define TAKE_BACK(from, length)             \
    counts[bytes[from]] -= (length);        \
    table[253 + (length)]++;
                    RUNS(same, TAKE_BACK)
#undef TAKE_BACK
                }
                before += (own[0] + own[1]) + (own[2] + own[3]);
                FOURS(i) {
                    own[i] += convert_uint16(s.d[i]);
                }
            }
            uint16 all = (own[0] + own[1]) + (own[2] + own[3]);
            uint16 later = own[1] + own[2] * 2 + own[3] * 3; // the fours of words before them
            uint16 from_end = all * (uint16)(48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 0, 0, 0, 0) - later * 12;
            sum += ALL(all);
            weighted += (ulong)ALL(from_end) + (ulong)ALL(before) * SEGMENT_BYTES + (ulong)ALL(all) * 3 * ((long)width - x);
        }
        for (uint i = 0; i < 256; i++) {
            uint literals = 0;
            for (uint t = 0; t < TABLES; t++) {
                literals += counts[256 * t + i];
            }
            table[i] += literals;
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
            sum += table[i] * LENGTH(code[i]);
        }
        bits[2 * r] = sum;
        bits[2 * r + 1] = IS_FIRST(r) ? 0 : first_bits(pixels, tables, code, view, width, stride, first, rows, height, r);
    }
}

// Where a row's bits go: to the place of the byte that is not full yet.
typedef struct {
    __global uchar *to;
    ulong held;
    uint pending;
} Bits;
#define INLINE inline __attribute__((always_inline))
#define ROOM (SEGMENT_BYTES * 12 / 8 + 8) // bytes of a segment, at most, and eight more
// Adds bits. If the row may end within the next eight bytes, or has begun with a byte that is the row's before it, only bytes that are full
// and its own are written; else without a branch: what is not full yet is written again.
INLINE void put(Bits *out, ulong value, uint number, __global const uchar *own, bool careful)
{
    out->held |= value << out->pending;
    out->pending += number;
    if (careful) {
        for (; out->pending >= 8; out->pending -= 8, out->held >>= 8, out->to++) {
            if (out->to >= own) {
                *out->to = (uchar)out->held;
            }
        }
    } else {
        ((__global Unaligned *)out->to)->eight = out->held;
        out->to += out->pending / 8;
        out->held >>= out->pending & 56;
        out->pending &= 7;
    }
}
// A shift counts with the lowest bits of what it is given: those of a code, or of a sum of codes, are numbers of bits.
#define PAIR(first, second) (VALUE(first) | VALUE(second) << (first))
#define PUT_FOUR(a, b, c, d)                                                                    \
    {                                                                                           \
        uint one_ = code[a], two_ = code[b], three_ = code[c], four_ = code[d];                 \
        uint half_ = one_ + two_;                                                               \
        ulong later_ = (ulong)PAIR(three_, four_) << half_;                                     \
        put(out, PAIR(one_, two_) | later_, LENGTH(half_ + three_ + four_), own, careful);      \
    }
// Adds the symbols of a segment, which begin at these bytes.
INLINE void put_segment(
        Bits *out, const uint *code, const ushort *symbols, ulong left, __global const uchar *own, bool careful)
{
    if (left == ALL_BYTES(SEGMENT)) {
        for (uint i = 0; i < SEGMENT_BYTES; i += 4) {
            PUT_FOUR(symbols[i], symbols[i + 1], symbols[i + 2], symbols[i + 3])
        }
    } else {
        while (left != 0) {
            uint at[4];
            FOURS(i) {
                at[i] = symbols[LOWEST(left)];
                left &= left - 1;
            }
            PUT_FOUR(at[0], at[1], at[2], at[3])
        }
    }
}

__kernel void png_pack(TO_PACK)
{
    uint code[END + 2]; // the block's, and one of no bits
    ushort symbols[64 + 1]; // of a segment; what is behind it has no bits
    code[END + 1] = 0;
    symbols[64] = END + 1;
    for (uint r = MY_FIRST; r < MY_END; r++) {
        __global const uint *row = ROW(r);
        bool above = HAS_ABOVE(r);
        uint filter = FILTER_OF(r);
        __global const uint *table = codes + (size_t)((first + r) / STRIP) * CODES;
        for (uint i = 0; i <= END; i++) {
            code[i] = table[i];
        }
        ulong begin = bits_before(bits, first, r);
        __global uchar *block = coded + bytes_before(codes, first, r);
        __global const uchar *own = block + (begin + 7) / 8;
        __global const uchar *end = block + (begin + bits[2 * r] + 7) / 8; // at least
        Bits out = {block + begin / 8, 0, (uint)(begin & 7)};
        if (IS_FIRST(r)) {
            uint head = table[HEAD];
            for (uint i = 0; i < head; i += 32) {
                put(&out, table[HEAD + 1 + i / 32], min(32u, head - i), own, true);
            }
        }
        put(&out, VALUE(code[filter]), LENGTH(code[filter]), own, true);
        uchar last = (uchar)filter;
        for (uint x = 0; x < width; x += SEGMENT) {
            uint count = min((uint)SEGMENT, width - x);
            Segment s;
            filter_segment(&s, row, above, stride, filter, x, count);
            ulong same = repeats(s, last, count);
            last = s.d[3].sB;
            FOURS(i) {
                ((__private Unaligned *)(symbols + 12 * i))->symbols = convert_ushort16(s.d[i]);
            }
            ulong left = ALL_BYTES(count); // where symbols are
#define MARK(from, length)                                             \
    symbols[from] = 253 + (length);                                    \
    left &= ~(ALL_BITS((length) - 1) << (from) << 1);
            RUNS(same, MARK)
#undef MARK
            if (out.to >= own && out.to + ROOM <= end) {
                put_segment(&out, code, symbols, left, own, false);
            } else {
                put_segment(&out, code, symbols, left, own, true);
            }
        }
        if (IS_LAST(r)) {
            put(&out, VALUE(code[END]), LENGTH(code[END]), own, true);
            put(&out, 0, 3 + ((5 - out.pending) & 7), own, true); // to the end of a byte
            put(&out, 0xffff0000u, 32, own, true);
        } else {
            uint open = (8 - out.pending) & 7;
            put(&out, bits[2 * r + 3] & ((1u << open) - 1), open, own, true);
        }
        tell(about, tables, codes, first, r);
    }
}

#endif
