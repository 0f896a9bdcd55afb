// PNG: filters, the symbols of DEFLATE and their packing, row by row. PngEncoder.java has the format and the host's part; codes.cl makes the
// codes between.
//
// png_filter: chooses a row's filter, by every other segment, and counts its symbols.
// png_measure: the bits that a row takes, and the first eight of those from the row on.
// png_pack: writes them, those of a chunk without gaps from its first byte on. A byte belongs to the row in which it begins; what follows in
// it is the beginning of the next rows.
//
// A symbol is a byte, or 253 + n for n bytes that repeat the one before them (n from LEAST to SEGMENT_BYTES). Repetitions are found within
// segments of SEGMENT pixels, each by itself: the first byte of one may repeat the last one of the segment before, or the number of
// the filter, which begins a row.
//
// CPU: a work-item has rows of its own, filters a segment in vectors of four pixels, and finds its repetitions in a mask of bits. Other devices: a
// group has a row, its work-items segments; bits are put together in local memory.

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share local memory
#endif

#ifndef WORDS
#define WORDS 1 // that a pixel has, of three bytes each: 1 with 8 bits, 2 with 16. Filters predict from the word so many before
#endif

#define STRIP 32 // rows of a block
#define SEGMENT 16 // words
#define SEGMENT_BYTES (3 * SEGMENT)
#define LEAST 8 // bytes of a repetition; fewer cost less as bytes, and branches besides
#define GROUP 128 // work-items, form 2
#define TABLE 320 // words of a row's table: symbols, then the two sums of Adler-32, the filter above the first one
#define END (256 + SEGMENT_BYTES - 2) // entry of the block's end in a table of codes
#define HEAD (END + 1) // number of bits of its head; the head follows
#define CODES 512 // words of a table of codes: the number of bits to write, and from bit 6 on these
#define BYTES (CODES - 1) // its last one: bytes of the block, with its head, its end, and an empty stored block behind that
#define SUM (TABLE - 2)
#define WEIGHTED (TABLE - 1)
#define ADLER 65521
#define FILTER_OF(r) (tables[(size_t)(r) * TABLE + SUM] >> 16)
#define RGB 0x00ffffffu
#define LENGTH(code) ((code) & 63)
#define VALUE(code) ((code) >> 6)

#define SUB 1
#define UP 2
#define AVERAGE 3
#define PAETH 4

#define PIXELS __global const uint *pixels
#define PICTURE ulong view, uint width, uint stride, ulong first, uint rows, uint height
// What the kernels are given, in both forms.
#define TO_FILTER PIXELS, __global uint *tables, PICTURE
#define TO_MEASURE                                                                                                \
    PIXELS, __global const uint *tables, __global const uint *codes, __global uint *bits, PICTURE
#define TO_PACK                                                                                                        \
    PIXELS, __global const uint *tables, __global const uint *codes, __global const uint *bits, __global uchar *coded,    \
            __global uint *about, PICTURE

// What stands above a row: nothing above the first one of a picture. There may be several, of so many rows each, which end with a block.
#define ROW(r) (pixels + view + (size_t)(r) * stride)
#define HAS_ABOVE(r) ((uint)(first + (r)) % height > 0)
#define SEGMENTS ((width + SEGMENT - 1) / SEGMENT)
// Whether a row is its block's first, or last.
#define IS_FIRST(r) ((first + (r)) % STRIP == 0)
#define IS_LAST(r) ((first + (r)) % STRIP == STRIP - 1 || (uint)(first + (r)) % height + 1 == height)

// The built-in functions for vectors are loops over their elements on some CPUs; operators are not.
#define MAGNITUDE(v, bits) (((v) ^ ((v) >> (bits - 1))) - ((v) >> (bits - 1)))
#define HALF_SUM(a, b) (((a) & (b)) + (((a) ^ (b)) >> (uchar)1))
#define PAETHS(N)                                                                                       \
    inline uchar##N paeth##N(uchar##N left, uchar##N up, uchar##N before)                               \
    {                                                                                                   \
        short##N a = convert_short##N(left), b = convert_short##N(up), c = convert_short##N(before);    \
        short##N to_b = a - c, to_a = b - c, to_c = to_a + to_b;                                        \
        short##N pa = MAGNITUDE(to_a, 16), pb = MAGNITUDE(to_b, 16), pc = MAGNITUDE(to_c, 16);          \
        short##N up_or_before = (pb <= pc) ? b : c;                                                     \
        return convert_uchar##N(((pa <= pb) & (pa <= pc)) ? a : up_or_before);                          \
    }
PAETHS(4)
#if FORM == 1
PAETHS(16)
#endif

inline uint pixel_at(__global const uint *row, uint x)
{
    return row[x] & RGB;
}

// A word, and what filters predict it from.
typedef struct {
    uint word, left, up, before;
} Around;

inline Around around(__global const uint *row, bool above, uint stride, uint x)
{
    Around a = {pixel_at(row, x), 0, 0, 0};
    if (x >= WORDS) {
        a.left = pixel_at(row, x - WORDS);
    }
    if (above) {
        a.up = pixel_at(row - stride, x);
        a.before = x >= WORDS ? pixel_at(row - stride, x - WORDS) : 0;
    }
    return a;
}

// The word, less what the filter predicts.
inline uint difference(uint filter, Around at)
{
    uchar4 a = as_uchar4(at.left), b = as_uchar4(at.up);
    uchar4 predicted = filter == SUB ? a : filter == UP ? b : filter == AVERAGE ? HALF_SUM(a, b) : paeth4(a, b, as_uchar4(at.before));
    return as_uint((uchar4)(as_uchar4(at.word) - predicted));
}

inline uint difference_at(__global const uint *row, bool above, uint stride, uint filter, uint x)
{
    return difference(filter, around(row, above, stride, x));
}

inline uint magnitudes(uint d)
{
    char4 m = as_char4(d);
    return (uint)(abs((int)m.x) + abs((int)m.y) + abs((int)m.z));
}

// Of all four filters.
inline uint4 all_magnitudes(Around a)
{
    return (uint4)(
            magnitudes(difference(SUB, a)),
            magnitudes(difference(UP, a)),
            magnitudes(difference(AVERAGE, a)),
            magnitudes(difference(PAETH, a)));
}

// A segment's bytes in masks, a bit each.
#define ALL_BITS(count) ((1UL << (count)) - 1)
#define ALL_BYTES(count) ALL_BITS(3 * (count))
#define LOWEST(mask) ((uint)popcount(~(mask) & ((mask) - 1)))

// Of bytes that are the ones before them, those from which on LEAST are.
inline ulong repetitions_in(ulong same)
{
    ulong two = same & same >> 1, four = two & two >> 2;
    return four & four >> 4;
}

// How many are, from one of them on.
inline uint run_at(ulong same, uint from)
{
    ulong others = ~(same >> from);
    return LOWEST(others);
}

// The best of four sums; of equal ones the first.
inline uint least(uint4 sums)
{
    uint filter = SUB, sum = sums.x;
    if (sums.y < sum) {
        filter = UP;
        sum = sums.y;
    }
    if (sums.z < sum) {
        filter = AVERAGE;
        sum = sums.z;
    }
    return sums.w < sum ? PAETH : filter;
}

// The byte before a segment.
inline uint byte_before(__global const uint *row, bool above, uint stride, uint filter, uint x)
{
    return x == 0 ? filter : (difference_at(row, above, stride, filter, x - 1) >> 16) & 0xff;
}

// The first eight bits from row r on, the rows behind it and the block's end included; less if the block ends.
inline uint first_bits(
        PIXELS,
        __global const uint *tables,
        __global const uint *codes,
        PICTURE,
        uint r)
{
    uint bits = 0, count = 0;
#define KEEP(symbol)                       \
    if (count < 8) {                       \
        uint code_ = codes[symbol];        \
        bits |= VALUE(code_) << count;     \
        count += LENGTH(code_);            \
    }
#define BYTE(i) ((difference_at(row, above, stride, filter, x + (i) / 3) >> 8 * ((i) % 3)) & 0xff)
    for (bool more = true; more && count < 8; r++) {
        uint filter = FILTER_OF(r);
        bool above = HAS_ABOVE(r);
        __global const uint *row = ROW(r);
        KEEP(filter)
        for (uint x = 0; x < width && count < 8; x += SEGMENT) {
            uint last = byte_before(row, above, stride, filter, x);
            uint end = 3 * min((uint)SEGMENT, width - x);
            for (uint i = 0, run; i < end && count < 8; i += run) {
                for (run = 0; i + run < end && BYTE(i + run) == last; run++) {
                }
                uint symbol = 253 + run;
                if (run < LEAST) {
                    last = symbol = BYTE(i);
                    run = 1;
                }
                KEEP(symbol)
            }
        }
        more = !IS_LAST(r);
        if (!more) {
            KEEP(END)
        }
    }
    return bits & 0xff;
#undef KEEP
#undef BYTE
}

// Bits of the rows of its block before row r.
inline ulong bits_before(__global const uint *bits, ulong first, uint r)
{
    ulong sum = 0;
    for (uint q = r - (uint)((first + r) % STRIP); q < r; q++) {
        sum += bits[2 * q];
    }
    return sum;
}

// Bytes of its chunk before the block of row r.
inline size_t bytes_before(__global const uint *codes, ulong first, uint r)
{
    size_t sum = 0;
    for (ulong block = first / STRIP; block < (first + r) / STRIP; block++) {
        sum += codes[block * CODES + BYTES];
    }
    return sum;
}

// What the host has to know of a row: the first one of its chunk, the two sums, and of a block's first one the bytes of that.
inline void tell(__global uint *about, __global const uint *tables, __global const uint *codes, ulong first, uint r)
{
    about[4 * r] = (uint)first;
    about[4 * r + 1] = tables[(size_t)r * TABLE + SUM] & 0xffff;
    about[4 * r + 2] = tables[(size_t)r * TABLE + WEIGHTED];
    about[4 * r + 3] = IS_FIRST(r) ? codes[(size_t)((first + r) / STRIP) * CODES + BYTES] : 0;
}
