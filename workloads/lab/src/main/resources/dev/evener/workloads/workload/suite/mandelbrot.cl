// For each pixel the number of iterations of z = z^2 + c, from z = 0, after which |z| > 2, at most `limit`, which is a
// multiple of STRIDE. c is the pixel's place in a view with square pixels of side `step`. A row is `width` pixels, a
// multiple of 16; `first` is the number of the chunk's first row in the whole image.
//
// Every operation is rounded on its own (contraction is off) and none is left to the compiler's choice, so that the
// counts are the same bits on every device. 2 x is x + x.
//
// CPU: a row for each work-item, one per group, 16 pixels side by side. A pixel that has escaped stays escaped whatever
// its z does from then on, infinity and NaN included, so the vector asks only every STRIDE iterations whether all have.
// Other devices: one pixel for each work-item; the launch may be rounded up.

#pragma OPENCL FP_CONTRACT OFF

#ifdef EVENER_CPU

#define STRIDE 8
// Written out, as some drivers bound the rounds of loops.
#define ITERATE                                                                                                       \
    {                                                                                                                 \
        float16 xx = x * x;                                                                                           \
        float16 yy = y * y;                                                                                           \
        inside &= xx + yy <= (float16)(4.0f);                                                                         \
        count -= inside;                                                                                              \
        y = (x + x) * y + cy;                                                                                         \
        x = xx - yy + cx;                                                                                             \
    }

__kernel void mandelbrot(__global uint *counts, ulong first, uint rows, uint width, float left, float top, float step,
        int limit)
{
    uint row = (uint)get_global_id(0);
    float16 cy = (float16)((float)(first + row) * step + top);
    float16 columns = (float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __global int16 *out = (__global int16 *)(counts + (size_t)row * width);
    for (uint column = 0; column < width; column += 16) {
        float16 cx = ((float16)((float)column) + columns) * step + left;
        float16 x = (float16)(0.0f);
        float16 y = (float16)(0.0f);
        int16 inside = (int16)(-1);
        int16 count = (int16)(0);
        for (int i = 0; i < limit && any(inside); i += STRIDE) {
            ITERATE ITERATE ITERATE ITERATE ITERATE ITERATE ITERATE ITERATE
        }
        out[column / 16] = count;
    }
}

#else

__kernel void mandelbrot(__global uint *counts, ulong first, uint rows, uint width, float left, float top, float step,
        int limit)
{
    size_t i = get_global_id(0);
    if (i >= (size_t)rows * width) {
        return;
    }
    uint row = (uint)(i / width);
    uint column = (uint)(i % width);
    float cx = (float)column * step + left;
    float cy = (float)(first + row) * step + top;
    float x = 0.0f;
    float y = 0.0f;
    int count = 0;
    for (; count < limit; count++) {
        float xx = x * x;
        float yy = y * y;
        if (!(xx + yy <= 4.0f)) {
            break;
        }
        y = (x + x) * y + cy;
        x = xx - yy + cx;
    }
    counts[i] = (uint)count;
}

#endif
