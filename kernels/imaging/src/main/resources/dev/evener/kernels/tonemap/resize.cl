// Resizes a frame with Lanczos' filter of three lobes, behind pixel.cl: down its columns to the rows of the new size,
// from pixels as they are coded to planar rows of floats, then along these. FrameResizer.java has the weights.
//
// For each place a table has the first pixel that weighs, of which pixels its range is, and the weights. Pixels beyond
// an edge are those at the edge, or with `wrap` beyond the left and right one those at the other. A sum adds in the
// order of the pixels in all forms, and is kept within the range of those in the filter's middle lobe: so nothing rings
// beside what is far brighter, and nothing is darker than black. What no pixel shows, below 2^-100, becomes 0, as some
// devices have no denormal numbers.
//
// CPU: a work-item takes a run of rows. Others: one takes a pixel, or one of its components.

#define HEAD 3 // words before the weights of a place

#define ADD(sum, low, high, v, weight, counts) \
    sum = sum + weight * v; \
    if (counts) { \
        low = v < low ? v : low; \
        high = v > high ? v : high; \
    }

#define KEPT(sum, low, high) \
    sum = sum < low ? low : sum; \
    sum = sum > high ? high : sum; \
    sum = ((sum > -0x1p-100f) & (sum < 0x1p-100f)) ? 0.0f : sum;

// `view` begins `start` before the part of the chunk, which has so much of it for each of its rows.
__kernel void resize_down(
        FRAME, ulong start, __global float *lines, __global const uint *table, uint taps, uint height, uint stride,
        uint per_row, ulong chunk, uint rows CODING)
{
    frame += (long)start - (long)(chunk * per_row);
    uint vectors = stride / LANES;
#if FORM == 1
    uint each = (rows + (uint)get_global_size(0) - 1) / (uint)get_global_size(0);
    uint first = (uint)get_global_id(0) * each * vectors;
    uint end = min(rows * vectors, first + each * vectors);
#else
    uint first = (uint)get_global_id(0);
    uint end = min(rows * vectors, first + 1);
#endif
    for (uint i = first; i < end; i++) {
        uint row = i / vectors;
        uint x = (i - row * vectors) * LANES;
        __global const uint *place = table + (size_t)(chunk + row) * (HEAD + taps);
        Pixel sum = {0.0f, 0.0f, 0.0f};
        Pixel low = {0x1p100f, 0x1p100f, 0x1p100f};
        Pixel high = {-0x1p100f, -0x1p100f, -0x1p100f};
#ifdef ALPHA
        floatv alpha = 0.0f, least = 0x1p100f, most = -0x1p100f;
#endif
        for (uint tap = 0; tap < taps; tap++) {
            int y = clamp(as_int(place[0]) + (int)tap, 0, (int)height - 1);
            Pixel p = pixel_at(frame, stride, (uint)y, x CODED);
            float weight = as_float(place[HEAD + tap]);
            bool counts = tap >= place[1] && tap < place[2];
            ADD(sum.r, low.r, high.r, p.r, weight, counts)
            ADD(sum.g, low.g, high.g, p.g, weight, counts)
            ADD(sum.b, low.b, high.b, p.b, weight, counts)
#ifdef ALPHA
            floatv a = alpha_at(frame, stride, (uint)y, x);
            ADD(alpha, least, most, a, weight, counts)
#endif
        }
        KEPT(sum.r, low.r, high.r)
        KEPT(sum.g, low.g, high.g)
        KEPT(sum.b, low.b, high.b)
        __global float *out = lines + (size_t)row * COMPONENTS * stride + x;
        *(__global floatv *)out = sum.r;
        *(__global floatv *)(out + stride) = sum.g;
        *(__global floatv *)(out + 2 * stride) = sum.b;
#ifdef ALPHA
        KEPT(alpha, least, most)
        *(__global floatv *)(out + 3 * stride) = alpha;
#endif
    }
}

__kernel void resize_across(
        __global const float *lines, __global float *resized, __global const uint *table, uint taps, uint width,
        uint stride, uint wrap, uint new_width, uint new_stride, uint rows)
{
#if FORM == 1
    uint each = (rows + (uint)get_global_size(0) - 1) / (uint)get_global_size(0);
    uint first = (uint)get_global_id(0) * each * COMPONENTS * new_stride;
    uint end = min(rows * COMPONENTS * new_stride, first + each * COMPONENTS * new_stride);
#else
    uint first = (uint)get_global_id(0);
    uint end = min(rows * COMPONENTS * new_stride, first + 1);
#endif
    for (uint i = first; i < end; i++) {
        uint line = i / new_stride;
        uint x = i - line * new_stride;
        float sum = 0.0f;
        if (x < new_width) {
            __global const float *from = lines + (size_t)line * stride;
            __global const uint *place = table + (size_t)x * (HEAD + taps);
            float low = 0x1p100f;
            float high = -0x1p100f;
            for (uint tap = 0; tap < taps; tap++) {
                int beside = as_int(place[0]) + (int)tap;
                if (wrap) {
                    beside = (beside % (int)width + (int)width) % (int)width;
                }
                float v = from[clamp(beside, 0, (int)width - 1)];
                float weight = as_float(place[HEAD + tap]);
                ADD(sum, low, high, v, weight, tap >= place[1] && tap < place[2])
            }
            KEPT(sum, low, high)
        }
        resized[i] = sum;
    }
}
