// Rows of a picture as uncompressed files have them, from a word a pixel whose bytes are red, green, blue and one that does not
// count. PictureRows.java has the layouts; LAYOUT is the number of one.
//
// CPU: a work-item has a run of rows. Other devices: a group has a row.

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share a row
#endif
#ifndef LAYOUT
#define LAYOUT 0 // 0: three bytes a pixel, 1: four, 2: luma, and of every other row chroma
#endif

#if FORM == 1
#define EACH(x, count) for (uint x = 0; x < (count); x++)
#else
#define EACH(x, count) for (uint x = (uint)get_local_id(0); x < (count); x += (uint)get_local_size(0))
#endif

#define RED(w) (int)((w) & 0xff)
#define GREEN(w) (int)(((w) >> 8) & 0xff)
#define BLUE(w) (int)(((w) >> 16) & 0xff)

// Rec. 709 in 65,536ths. Weights add up to 1, and those of a difference to 0, so that grey stays grey.
#define LUMA(w) (uchar)((13933 * RED(w) + 46871 * GREEN(w) + 4732 * BLUE(w) + 32768) >> 16)
// Of four pixels' sums; one colour makes it 256.
#define CHROMA(r, g, b) (uchar)min(255, ((r) + (g) + (b) + (128 << 18) + (1 << 17)) >> 18)
#define SUM(OF) (OF(row[left]) + OF(row[right]) + OF(below[left]) + OF(below[right]))

__kernel void picture_rows(
        __global const uint *pixels, __global uchar *bytes, uint width, uint stride, uint pitch, uint rows)
{
#if FORM == 1
    uint each = (rows + (uint)get_global_size(0) - 1) / (uint)get_global_size(0);
    uint first = (uint)get_global_id(0) * each;
    uint end = min(rows, first + each);
#else
    uint first = (uint)get_group_id(0);
    uint end = min(rows, first + 1);
#endif
    for (uint r = first; r < end; r++) {
        __global const uint *row = pixels + (size_t)r * stride;
        __global uchar *out = bytes + (size_t)r * pitch;
#if LAYOUT == 0
        EACH(x, width) {
            uint w = row[x];
            out[3 * x] = (uchar)w;
            out[3 * x + 1] = (uchar)(w >> 8);
            out[3 * x + 2] = (uchar)(w >> 16);
        }
#elif LAYOUT == 1
        EACH(x, width) {
            ((__global uint *)out)[x] = row[x] | 0xff000000u;
        }
#else
        EACH(x, width) {
            out[x] = LUMA(row[x]);
        }
        uint end_of_row = width;
        if (r % 2 == 0) { // chunks begin at even rows
            __global const uint *below = r + 1 < rows ? row + stride : row;
            uint half_width = (width + 1) / 2;
            EACH(x, half_width) {
                uint left = 2 * x, right = min(left + 1, width - 1);
                int red = SUM(RED), green = SUM(GREEN), blue = SUM(BLUE);
                out[width + x] = CHROMA(-7509 * red, -25259 * green, 32768 * blue);
                out[width + half_width + x] = CHROMA(32768 * red, -29763 * green, -3005 * blue);
            }
            end_of_row += 2 * half_width;
        }
        EACH(x, pitch - end_of_row) { // or it would hold anything
            out[end_of_row + x] = 0;
        }
#endif
    }
}
