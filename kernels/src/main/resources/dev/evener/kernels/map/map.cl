// Element-wise kernels: c = a + b, and the inversion of colours.
//
// They do nothing but move memory, so all that counts is how it is touched. CPU: a work-item, the only one of its group,
// takes ITEM elements (64 KiB of each buffer) in 64-byte vectors and stores them past the caches, which saves reading the
// lines that are overwritten. Other devices: one 16-byte vector for each work-item. A buffer is seen from the chunk's start,
// which is aligned well enough for either; the last vector of the job may be short and goes element by element.

#pragma OPENCL FP_CONTRACT OFF

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share local memory
#endif
#ifndef ITEM
#define ITEM 16384 // elements that a work-item takes, form 1
#endif

// Which NaN an addition gives differs between devices: all become one.
inline float one_nan(float v) { return v != v ? as_float(0x7fc00000) : v; }
#define ONE_NAN_16(v) ((v) != (v) ? (float16)(as_float(0x7fc00000)) : (v))
#define ONE_NAN_4(v) ((v) != (v) ? (float4)(as_float(0x7fc00000)) : (v))

// ELEMENT, vector and number of elements in it, as they are stored; what one vector and one element are mapped to.
#if FORM == 1
#define EACH_VECTOR(VECTOR, COUNT, OUT, MAP_VECTOR, MAP_ELEMENT) \
    uint first = (uint)get_group_id(0) * ITEM; \
    uint end = min(n, first + ITEM); \
    uint i = first; \
    for (; i + COUNT <= end; i += COUNT) { \
        STREAM(MAP_VECTOR, (__global VECTOR *)(OUT + i)); \
    } \
    for (; i < end; i++) { \
        OUT[i] = MAP_ELEMENT; \
    }
#else
#define EACH_VECTOR(VECTOR, COUNT, OUT, MAP_VECTOR, MAP_ELEMENT) \
    uint i = (uint)get_global_id(0) * COUNT; \
    if (i + COUNT <= n) { \
        *(__global VECTOR *)(OUT + i) = MAP_VECTOR; \
    } else { \
        for (; i < n; i++) { \
            OUT[i] = MAP_ELEMENT; \
        } \
    }
#endif

#if FORM == 1
#define FLOATS float16
#define UINTS uint16
#define WORDS 16
#define ONE_NAN ONE_NAN_16
#else
#define FLOATS float4
#define UINTS uint4
#define WORDS 4
#define ONE_NAN ONE_NAN_4
#endif
#define AT(VECTOR, p) (*(__global const VECTOR *)(p + i))

__kernel void add_float(__global const float *a, __global const float *b, __global float *c, uint n)
{
    EACH_VECTOR(FLOATS, WORDS, c, ONE_NAN(AT(FLOATS, a) + AT(FLOATS, b)), one_nan(a[i] + b[i]))
}

// Wraps around; the same for signed and unsigned.
__kernel void add_int(__global const int *a, __global const int *b, __global int *c, uint n)
{
    EACH_VECTOR(UINTS, WORDS, c, AT(UINTS, a) + AT(UINTS, b), (int)((uint)a[i] + (uint)b[i]))
}

// Red, green and blue in the lower three bytes, alpha in the upper one.
__kernel void invert_words(__global const uint *in, __global uint *out, uint n)
{
    EACH_VECTOR(UINTS, WORDS, out, AT(UINTS, in) ^ 0x00ffffffu, in[i] ^ 0x00ffffffu)
}

__kernel void invert_bytes(__global const uchar *in, __global uchar *out, uint n)
{
    EACH_VECTOR(UINTS, WORDS * 4, out, ~AT(UINTS, in), (uchar)(255 - in[i]))
}
