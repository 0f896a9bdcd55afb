// Takes the alpha out of colours that were multiplied by it, behind pixel.cl, so that they are measured and mapped as
// they would be seen in full. What is transparent becomes black, which counts for nothing. Of alpha there is a code for
// each pixel.

#define LEAST_ALPHA 0x1p-17f // below it, 16 bits have none

__kernel void unassociate(
        FRAME, __global float *colours, __global uint *alpha, uint stride, float largest, uint rows CODING)
{
    uint vectors = stride / LANES;
#if FORM == 1
    uint each = (rows + (uint)get_global_size(0) - 1) / (uint)get_global_size(0);
    uint first = (uint)get_global_id(0) * each * vectors;
    uint end = min(rows * vectors, first + each * vectors);
#else
    uint first = (uint)get_global_id(0);
    uint end = min(rows * vectors, first + 1);
#endif
#ifdef ALPHA // without, nothing is to be done
    for (uint i = first; i < end; i++) {
        uint row = i / vectors;
        uint x = (i - row * vectors) * LANES;
        Pixel p = pixel_at(frame, stride, row, x CODED);
        floatv a = alpha_at(frame, stride, row, x);
        floatv divisor = a < LEAST_ALPHA ? (floatv)(1.0f) : a;
        __global float *out = colours + (size_t)row * 3 * stride + x;
        *(__global floatv *)out = a < LEAST_ALPHA ? (floatv)(0.0f) : p.r / divisor;
        *(__global floatv *)(out + stride) = a < LEAST_ALPHA ? (floatv)(0.0f) : p.g / divisor;
        *(__global floatv *)(out + 2 * stride) = a < LEAST_ALPHA ? (floatv)(0.0f) : p.b / divisor;
        *(__global uintv *)(alpha + (size_t)row * stride + x) = CONVERT_UINT(a * largest + 0.5f);
    }
#endif
}
