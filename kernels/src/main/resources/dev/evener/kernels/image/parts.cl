// What Canny's and Harris' kernels share: the parts that an image is worked on in, with the pixels around them. Pixels beyond an
// edge are those at the edge.
//
// CPU: blocks of BLOCK columns, line by line in private memory. Other devices: tiles of WIDE x TALL pixels in local memory.

inline uint clamped(long v, uint end) { return v < 0 ? 0 : v >= (long)end ? end - 1 : (uint)v; }

#if FORM == 1

#define BLOCK 256
#define LEFT 16
#define LINE (LEFT + BLOCK + 32)

// Columns x0 - 4 and on of a row: element LEFT + x - x0 belongs to column x.
inline void load_line(__global const uchar *row, long x0, uint wide, uint width, uchar *pixels)
{
    long from = max(0l, x0 - 4);
    long to = min((long)width, x0 + wide + 4);
    long x = from;
    for (; x + 16 <= to; x += 16) {
        vstore16(vload16(0, row + x), 0, pixels + LEFT + x - x0);
    }
    for (; x < to; x++) {
        pixels[LEFT + x - x0] = row[x];
    }
    for (x = x0 - 4; x < from; x++) {
        pixels[LEFT + x - x0] = row[0];
    }
    for (x = to; x < x0 + wide + 20; x++) {
        pixels[LEFT + x - x0] = row[to - 1];
    }
}

#else

#define WIDE 64
#define TALL 16
#define GROUP 256

// The tile at (x0, y0), of which rows up to y1 are wanted, and HALO pixels around it. Rows that none of them needs are not in
// the view.
#define LOAD_TILE(HALO) \
    for (uint i = me; i < (TALL + 2 * (HALO)) * (WIDE + 2 * (HALO)); i += GROUP) { \
        int r = (int)(i / (WIDE + 2 * (HALO))); \
        int c = (int)(i % (WIDE + 2 * (HALO))); \
        int y = clamp(min(y0 + r - (HALO), y1 + (HALO) - 1), 0, (int)height - 1); \
        int x = clamp(x0 + c - (HALO), 0, (int)width - 1); \
        grey[r][c] = image[(long)y * width + x]; \
    } \
    barrier(CLK_LOCAL_MEM_FENCE)

#endif
