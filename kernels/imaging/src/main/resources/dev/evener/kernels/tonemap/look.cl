// A look: the picture's codes of 16 bits through tables, one of curves and one of a cube, of which either may be
// missing. Look.java has what they mean. Behind tonemap.cl and local.cl, whatever the operator; without a look
// nothing of this is built or run.
//
// The table is float4s, of which three components count: of the curves and of the cube what a value is multiplied by
// to be a place in the table, and what is added; then the curves' entries, then the cube's, red fastest.
//
// In a cell of the cube colours are interpolated in the tetrahedron of its grey diagonal and two edges more, which
// keeps grey as straight as the table has it (Kasson, Plouffe and Nin, A tetrahedral interpolation technique for
// color space conversion, 1993). Each sum has one order, so that all devices give the same bits.
//
// CPU: a work-item has a run of rows. Other devices: a pixel.

#pragma OPENCL FP_CONTRACT OFF

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share rows
#endif
#ifndef WORDS
#define WORDS 1 // of a pixel: 8 bits a sample, or in two words 16
#endif

// As in pixel.cl.
#define INLINED inline __attribute__((always_inline))

#define HEAD 4 // float4s of the table before its entries

INLINED float4 place(float4 v, __global const float4 *table, uint entries)
{
    float4 p = v * table[0] + table[1];
    float most = (float)(entries - 1);
    p = p > 0.0f ? p : (float4)(0.0f);
    return p < most ? p : (float4)(most);
}

INLINED float4 looked(float4 v, __global const float4 *table, uint curves, uint cube)
{
    if (curves > 0) {
        float4 p = place(v, table, curves);
        int4 at = min(convert_int4(p), (int4)((int)curves - 2)); // rounded towards zero
        float4 f = p - convert_float4(at);
        __global const float4 *own = table + HEAD;
        float4 low = (float4)(own[at.x].x, own[at.y].y, own[at.z].z, 0.0f);
        float4 high = (float4)(own[at.x + 1].x, own[at.y + 1].y, own[at.z + 1].z, 0.0f);
        v = low + (high - low) * f;
    }
    if (cube > 0) {
        float4 p = place(v, table + 2, cube);
        int4 at = min(convert_int4(p), (int4)((int)cube - 2));
        float4 f = p - convert_float4(at);
        int green = (int)cube, blue = green * green;
        __global const float4 *corner = table + HEAD + curves + (at.x + green * at.y + blue * at.z);
        bool rg = f.x >= f.y, rb = f.x >= f.z, gb = f.y >= f.z;
        int first = rg && rb ? 1 : gb ? green : blue; // the axis along which the colour is farthest from the corner
        int last = rb && gb ? blue : rg ? green : 1;
        float most = rg && rb ? f.x : gb ? f.y : f.z;
        float least = rb && gb ? f.z : rg ? f.y : f.x;
        float middle = rg != rb ? f.x : rg == gb ? f.y : f.z;
        int end = 1 + green + blue;
        v = ((corner[0] * (1.0f - most) + corner[first] * (most - middle)) + corner[end - last] * (middle - least))
                + corner[end] * least;
    }
    v = v > 0.0f ? v : (float4)(0.0f);
    return v < 1.0f ? v : (float4)(1.0f);
}

#define HIGH_LOW(high, low) (float)(((high) & 0xff) << 8 | ((low) & 0xff))

INLINED void look_at(
        __global const uint *wide,
        __global const float4 *table,
        __global uint *pixels,
        size_t i,
        uint curves,
        uint cube)
{
    uint first = wide[2 * i], second = wide[2 * i + 1];
    float4 v = (float4)(
            HIGH_LOW(first, first >> 8), HIGH_LOW(first >> 16, second), HIGH_LOW(second >> 8, second >> 16), 0.0f);
    v = looked(v, table, curves, cube);
#if WORDS == 1
    uint4 c = convert_uint4(v * 255.0f + 0.5f);
    pixels[i] = c.x | c.y << 8 | c.z << 16 | 0xff000000u;
#else
    uint4 c = convert_uint4(v * 65535.0f + 0.5f);
    pixels[2 * i] = c.x >> 8 | (c.x & 0xff) << 8 | (c.y >> 8) << 16 | 0xff000000u;
    pixels[2 * i + 1] = (c.y & 0xff) | (c.z >> 8) << 8 | (c.z & 0xff) << 16 | 0xff000000u;
#endif
}

__kernel void look(
        __global const uint *wide,
        __global const float *table,
        __global uint *pixels,
        uint curves,
        uint cube,
        uint stride,
        uint rows)
{
    __global const float4 *entries = (__global const float4 *)table;
#if FORM == 1
    uint each = (rows + (uint)get_global_size(0) - 1) / (uint)get_global_size(0);
    size_t first = (size_t)get_global_id(0) * each * stride;
    size_t end = min((size_t)rows * stride, first + (size_t)each * stride);
    for (size_t i = first; i < end; i++) {
        look_at(wide, entries, pixels, i, curves, cube);
    }
#else
    size_t i = get_global_id(0);
    if (i < (size_t)rows * stride) {
        look_at(wide, entries, pixels, i, curves, cube);
    }
#endif
}
