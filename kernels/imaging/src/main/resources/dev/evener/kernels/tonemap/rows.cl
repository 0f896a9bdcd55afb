// Rows of a picture as uncompressed files have them, from a word a pixel whose bytes are red, green, blue and one that does not
// count; or of 16 bits a sample from two words, as tonemap.cl has them. PictureRows.java has the layouts; LAYOUT is the number of one.
//
// CPU: a work-item has a run of rows. Other devices: a group has a row.

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share a row
#endif
#ifndef LAYOUT
// 0: three bytes a pixel, 1: four, 2: luma, and of every other row chroma, 3: the same of 10 bits, 4: four times two bytes
#define LAYOUT 0
#endif
#ifdef ALPHA // a code for each pixel, for layouts 1 and 4; without, all are opaque
#define WITH_ALPHA __global const uint *alpha,
#define CODE_OF_ALPHA(x) alpha[(size_t)r * alpha_stride + (x)]
#else
#define WITH_ALPHA
#define CODE_OF_ALPHA(x) 0xffffu
#endif

#if FORM == 1
#define EACH(x, count) for (uint x = 0; x < (count); x++)
#else
#define EACH(x, count) for (uint x = (uint)get_local_id(0); x < (count); x += (uint)get_local_size(0))
#endif

// Weights add up to 1, and those of a difference to 0, so that grey stays grey; of a sum of four or eight samples for chroma.
#if LAYOUT == 3

typedef ushort code;
typedef long sum;
#define RED(w) (((w)[0] & 0xff) << 8 | ((w)[0] >> 8 & 0xff))
#define GREEN(w) (((w)[0] >> 8 & 0xff00) | ((w)[1] & 0xff))
#define BLUE(w) (((w)[1] & 0xff00) | ((w)[1] >> 16 & 0xff))
// BT.2020 in narrow range, in 2^22ths, and in 2^32ths.
#define LUMA(w) (code)((14728u * RED(w) + 38012u * GREEN(w) + 3325u * BLUE(w) + (64u << 22) + (1u << 21)) >> 22)
#define CODE(weighted) (code)(((weighted) + (512L << 32) + (1L << 31)) >> 32)
#define CB(r, g, b) CODE(-1024905 * (r) - 2645167 * (g) + 3670072 * (b))
#define CR(r, g, b) CODE(3670072 * (r) - 3374893 * (g) - 295179 * (b))
#define WORDS 2
#define LINE(OF, from) ((sum)OF(from + 2 * (at - (at > 0))) + 2 * (sum)OF(from + 2 * at) + (sum)OF(from + 2 * after))

#else

typedef uchar code;
typedef int sum;
#define RED(w) (int)((w)[0] & 0xff)
#define GREEN(w) (int)((w)[0] >> 8 & 0xff)
#define BLUE(w) (int)((w)[0] >> 16 & 0xff)
// Rec. 709 in full range, in 2^16ths, and in 2^18ths. One colour makes it 256.
#define LUMA(w) (code)((13933 * RED(w) + 46871 * GREEN(w) + 4732 * BLUE(w) + 32768) >> 16)
#define CODE(weighted) (code)min(255, ((weighted) + (128 << 18) + (1 << 17)) >> 18)
#define CB(r, g, b) CODE(-7509 * (r) - 25259 * (g) + 32768 * (b))
#define CR(r, g, b) CODE(32768 * (r) - 29763 * (g) - 3005 * (b))
#define WORDS 1
#define LINE(OF, from) (OF(from + at) + OF(from + after))

#endif
#define SUM(OF) (LINE(OF, row) + LINE(OF, below))

__kernel void picture_rows(
        __global const uint *pixels, WITH_ALPHA __global uchar *bytes, uint width, uint stride, uint pitch, uint rows)
{
#ifdef ALPHA
    uint alpha_stride = LAYOUT == 4 ? stride / 2 : stride;
#endif
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
            ((__global uint *)out)[x] = (row[x] & 0xffffffu) | CODE_OF_ALPHA(x) << 24;
        }
#elif LAYOUT == 4
        EACH(x, width) {
            uint first = row[2 * x], second = row[2 * x + 1], a = CODE_OF_ALPHA(x);
            ((__global uint *)out)[2 * x] = (first & 0xffffffu) | second << 24;
            ((__global uint *)out)[2 * x + 1] = (second >> 8 & 0xffffu) | (a >> 8) << 16 | a << 24;
        }
#else
        __global code *codes = (__global code *)out;
        EACH(x, width) {
            codes[x] = LUMA(row + WORDS * x);
        }
        uint end_of_row = width;
        if (r % 2 == 0) { // chunks begin at even rows
            __global const uint *below = r + 1 < rows ? row + stride : row;
            uint half_width = (width + 1) / 2;
            EACH(x, half_width) {
                uint at = 2 * x, after = min(at + 1, width - 1);
                sum red = SUM(RED), green = SUM(GREEN), blue = SUM(BLUE);
                codes[width + x] = CB(red, green, blue);
                codes[width + half_width + x] = CR(red, green, blue);
            }
            end_of_row += 2 * half_width;
        }
        EACH(x, pitch / (uint)sizeof(code) - end_of_row) { // or it would hold anything
            codes[end_of_row + x] = 0;
        }
#endif
    }
}
