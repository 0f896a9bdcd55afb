// The kernels of symbols.cl where a group is one work-item: each has rows of its own.

#if FORM == 1

#define EACH ((rows + (uint)get_global_size(0) - 1) / (uint)get_global_size(0))
#define MY_FIRST ((uint)get_global_id(0) * EACH)
#define MY_END min(rows, MY_FIRST + EACH)

#define FOUR(words) (as_uchar16(vload4(0, words) & RGB))
#define BESIDE(before, four) ((uchar16)((before).sCDEF, (four).s01234567, (four).s89AB))

// A segment's differences.
inline void differences(
        __global const uint *row, bool above, uint stride, uint filter, uint x, uint count, __private uint *to)
{
    if (count < SEGMENT) {
        for (uint i = 0; i < count; i++) {
            to[i] = difference_at(row, above, stride, filter, x + i);
        }
        return;
    }
    uchar16 left = (uchar16)(0), before = (uchar16)(0);
    if (x > 0) {
        left.sCDEF = as_uchar4(pixel_at(row, x - 1));
        before.sCDEF = as_uchar4(above ? pixel_at(row - stride, x - 1) : 0);
    }
    for (uint i = 0; i < SEGMENT; i += 4) {
        uchar16 four = FOUR(row + x + i);
        uchar16 up = above ? FOUR(row - stride + x + i) : (uchar16)(0);
        uchar16 a = BESIDE(left, four);
        uchar16 d = filter == SUB ? four - a
                : filter == UP ? four - up
                : filter == AVERAGE ? four - HALF_SUM(a, up)
                                    : four - paeth16(a, up, BESIDE(before, up));
        vstore4(as_uint4(d), 0, to + i);
        left = four;
        before = up;
    }
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

// For each pixel of a segment, whose differences are words[1] to words[SEGMENT], whether from one of its bytes on three repeat the one
// before.
inline void repetitions(__private const uint *words, __private uint *starts)
{
    uint same[SEGMENT + 1]; // where a byte is the one before it, zero
    for (uint i = 0; i < SEGMENT; i++) {
        same[i] = (words[i + 1] ^ (words[i + 1] << 8 | words[i] >> 16)) & RGB;
    }
    same[SEGMENT] = RGB;
    for (uint i = 0; i < SEGMENT; i++) {
        uint from_green = (same[i] >> 8 | same[i + 1] << 16) & RGB, from_blue = (same[i] >> 16 | same[i + 1] << 8) & RGB;
        starts[i] = (same[i] == 0) | (from_green == 0) | (from_blue == 0);
    }
}

// The same as SYMBOLS for a whole segment, three literals at a time where nothing repeats: a byte that happens to be the one before
// it then costs no misprediction.
#define WHOLE_SEGMENT(EMIT, THREE)                                 \
    {                                                              \
        repetitions(words, starts);                                \
        uint last_, run_ = 0;                                      \
        for (uint i = 0; i < SEGMENT; i++) {                       \
            uint word_ = MY_WORD(i);                               \
            if (run_ | starts[i]) {                                \
                last_ = words[i] >> 16;                            \
                NEXT_BYTE(word_ & 0xff, EMIT)                      \
                NEXT_BYTE((word_ >> 8) & 0xff, EMIT)               \
                NEXT_BYTE(word_ >> 16, EMIT)                       \
            } else {                                               \
                THREE(word_ & 0xff, (word_ >> 8) & 0xff, word_ >> 16) \
            }                                                      \
        }                                                          \
        END_RUN(EMIT)                                              \
    }

#define MY_WORD(i) words[1 + (i)]

__kernel void png_filter(TO_FILTER)
{
    uint words[1 + SEGMENT]; // the first is the pixel before a segment's
    uint starts[SEGMENT];
    for (uint r = MY_FIRST; r < MY_END; r++) {
        __global const uint *row = ROW(r);
        bool above = HAS_ABOVE(r);
        uint filter = choose(row, above, stride, width);
        __global uint *table = tables + (size_t)r * TABLE;
        uint reds[256], greens[256], blues[256]; // so that three counts go on at once
        for (uint i = 0; i < TABLE; i++) {
            table[i] = 0;
        }
        for (uint i = 0; i < 256; i++) {
            reds[i] = greens[i] = blues[i] = 0;
        }
        table[filter] = 1;
        uint left = 3 * width; // bytes behind
        ulong sum = filter, weighted = (ulong)filter * (left + 1);
        words[SEGMENT] = filter << 16;
        for (uint x = 0; x < width; x += SEGMENT) {
            uint count = min((uint)SEGMENT, width - x);
            words[0] = words[SEGMENT];
            differences(row, above, stride, filter, x, count, words + 1);
#define COUNT(symbol) table[symbol]++
#define COUNT_THREE(red, green, blue) \
    reds[red]++;                      \
    greens[green]++;                  \
    blues[blue]++;
            if (count == SEGMENT) {
                WHOLE_SEGMENT(COUNT, COUNT_THREE)
            } else {
                SYMBOLS(count, words[0] >> 16, MY_WORD, COUNT)
            }
#undef COUNT
#undef COUNT_THREE
            uint own = 0, running = 0;
            for (uint i = 0; i < count; i++) {
                uint red = MY_WORD(i) & 0xff, green = (MY_WORD(i) >> 8) & 0xff, blue = MY_WORD(i) >> 16;
                running += 3 * (own + red) + 2 * green + blue;
                own += red + green + blue;
            }
            left -= 3 * count;
            sum += own;
            weighted += running + (ulong)own * left;
        }
        for (uint i = 0; i < 256; i++) {
            table[i] += reds[i] + greens[i] + blues[i];
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
    uint words[1 + SEGMENT]; // the first is the pixel before a segment's
    uint starts[SEGMENT];
    for (uint r = MY_FIRST; r < MY_END; r++) {
        __global const uint *row = ROW(r);
        bool above = HAS_ABOVE(r);
        uint filter = FILTER_OF(r);
        __global const uint *code = codes + (size_t)((first + r) / STRIP) * CODES;
        __global uint *slot = (__global uint *)(slots + (size_t)r * most);
        // The bits of the byte that the row before has begun are dropped: they end the first word.
        uint pending = (32 - begin_of(bits, first, r)) & 7;
        int at = pending > 0 ? -1 : 0;
        pending = pending > 0 ? 32 - pending : 0;
        ulong held = 0;
// Without a branch: what is not full yet is written again. So is what goes to the word before the first.
#define PUT(value, number)                     \
    {                                          \
        held |= (ulong)(value) << pending;     \
        pending += (number);                   \
        slot[max(at, 0)] = (uint)held;         \
        at += (int)(pending / 32);             \
        held >>= pending & 32;                 \
        pending &= 31;                         \
    }
#define WRITE(symbol)                          \
    {                                          \
        uint code_ = code[symbol];             \
        PUT(code_ & RGB, code_ >> 24)     \
    }
#define WRITE_THREE(red, green, blue)                                                            \
    {                                                                                            \
        uint one_ = code[red], two_ = code[green];                                               \
        PUT((one_ & RGB) | (two_ & RGB) << (one_ >> 24), (one_ >> 24) + (two_ >> 24))            \
        WRITE(blue)                                                                              \
    }
        if (IS_FIRST(r)) {
            uint head = code[HEAD];
            for (uint i = 0; i < head; i += 32) {
                PUT(code[HEAD + 1 + i / 32], min(32u, head - i))
            }
        }
        WRITE(filter)
        words[SEGMENT] = filter << 16;
        for (uint x = 0; x < width; x += SEGMENT) {
            uint count = min((uint)SEGMENT, width - x);
            words[0] = words[SEGMENT];
            differences(row, above, stride, filter, x, count, words + 1);
            if (count == SEGMENT) {
                WHOLE_SEGMENT(WRITE, WRITE_THREE)
            } else {
                SYMBOLS(count, words[0] >> 16, MY_WORD, WRITE)
            }
        }
        if (IS_LAST(r, height)) {
            WRITE(END)
            PUT(0, 3)
            PUT(0, (32 - pending) & 7)
            PUT(0xffff0000u, 32)
        } else {
            uint open = (32 - pending) & 7;
            PUT(bits[2 * r + 3] & ((1u << open) - 1), open)
        }
        slot[at] = (uint)held;
        counts[r] = (uint)(4 * at + (int)(pending / 8));
#undef WRITE
#undef WRITE_THREE
#undef PUT
    }
}

#endif
