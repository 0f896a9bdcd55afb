// What the tone-mapping kernels share: the vector types of a device class, and the sanitised, weighted pixel.
//
// A frame is "planar rows": each row is stride reds, stride greens, stride blues (floats; stride is a multiple of 16), rows from top
// to bottom without gaps. With RGBE it is a word a pixel instead: three mantissas and an exponent (PixelCoding.java), with PLANES as four
// planes of bytes a row, and with MATRIX in another colour space. With ALPHA rows of floats have a fourth plane. A
// buffer handed to these kernels starts on a 64-byte boundary, and so does each row of each plane, which is
// why whole vectors are loaded through pointers.
//
// Every device and the Java form give the same bits. That rests on four habits:
//  - contraction is off, and only + - * /, comparisons, integer operations and conversions are used: all of them exact
//    or exactly rounded in OpenCL 1.2 once division is asked to be (-cl-fp32-correctly-rounded-divide-sqrt);
//  - no built-in log, exp or pow, whose last bits differ between vendors: polynomials instead (colour.cl has their
//    coefficients, package-info.java their errors);
//  - components are between -2^40 and 2^40, luminances from 2^-100 on or 0, and settings within ranges, so that nothing overflows where
//    it matters and no result depends on denormal numbers, which some devices flush to zero;
//  - each expression is parenthesised into the one order in which the Java form evaluates it.

#pragma OPENCL FP_CONTRACT OFF

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share local memory
#endif
#ifndef LANES // floats of a vector: 1, 4 or 16
#if FORM == 1
#define LANES 16
#else
#define LANES 4
#endif
#endif

// A CPU core works on one float16 at a time in one work-item; other devices on a float4 (16-byte accesses) per item, or, with
// LANES 1, on one float after another of those that they load so: their instructions are for single floats, and their
// compilers make more of these of a vector's comparisons than needed.
#if LANES == 1
typedef float floatv;
typedef int intv;
typedef uint uintv;
typedef uchar ucharv;
#define CONVERT_UINT(v) convert_uint(v)
#define CONVERT_FLOAT(v) convert_float(v)
#define CONVERT_INT(v) convert_int(v)
#define AS_FLOAT(v) as_float(v)
#define AS_INT(v) as_int(v)
#define AS_UINT(v) as_uint(v)
#elif LANES == 16
typedef float16 floatv;
typedef int16 intv;
typedef uint16 uintv;
typedef uchar16 ucharv;
#define CONVERT_UINT(v) convert_uint16(v)
#define CONVERT_FLOAT(v) convert_float16(v)
#define CONVERT_INT(v) convert_int16(v)
#define AS_FLOAT(v) as_float16(v)
#define AS_INT(v) as_int16(v)
#define AS_UINT(v) as_uint16(v)
#else
typedef float4 floatv;
typedef int4 intv;
typedef uint4 uintv;
typedef uchar4 ucharv;
#define CONVERT_UINT(v) convert_uint4(v)
#define CONVERT_FLOAT(v) convert_float4(v)
#define CONVERT_INT(v) convert_int4(v)
#define AS_FLOAT(v) as_float4(v)
#define AS_INT(v) as_int4(v)
#define AS_UINT(v) as_uint4(v)
#endif

// The lesser and the greater of v and limit, a number; limit if v is NaN. One instruction for a float, but not on every CPU.
#if LANES == 1
#define AT_MOST(v, limit) fmin(v, limit)
#define AT_LEAST(v, limit) fmax(v, limit)
#else
#define AT_MOST(v, limit) ((v) < (limit) ? (v) : (floatv)(limit))
#define AT_LEAST(v, limit) ((v) > (limit) ? (v) : (floatv)(limit))
#endif

// Whether a comparison holds for one of a vector. Compilers to a processor's code make two instructions of the first form and a
// call of the second; those to SPIR-V know the first and fail at it.
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if LANES == 1
#define ANY(v) (v)
#elif (defined(__x86_64__) || defined(__aarch64__)) && __has_builtin(__builtin_reduce_or)
#define ANY(v) (__builtin_reduce_or(v) != 0)
#else
#define ANY(v) any(v)
#endif

#define LARGEST 0x1p40f

// NaN (every comparison with it is false) and what is not above -LARGEST become 0, huge numbers and infinity LARGEST. Negative
// components, of colours outside the primaries, stay.
inline floatv sanitise(floatv c)
{
    return c > -LARGEST ? AT_MOST(c, LARGEST) : (floatv)(0.0f);
}

// Rec. 709 luminance of a sanitised pixel: 0, or from 2^-100 to 2^40 but for rounding.
inline floatv luminance(floatv r, floatv g, floatv b)
{
    floatv y = (0.2126f * r + 0.7152f * g) + 0.0722f * b;
    return y > 0x1p-100f ? y : (floatv)(0.0f);
}

typedef struct {
    floatv r, g, b;
} Pixel;

#define LEAST(p) AT_MOST(AT_MOST(p.r, p.g), p.b)
#define GREATEST(p) AT_LEAST(AT_LEAST(p.r, p.g), p.b)

// Whether a component is above a positive limit, below 0, or no number: as bits, all these are above the others. Most vectors of a
// picture have none.
#define UPPER(a, b) ((a) > (b) ? (a) : (b))
#define ANY_BEYOND(p, limit) ANY(UPPER(UPPER(AS_UINT(p.r), AS_UINT(p.g)), AS_UINT(p.b)) > as_uint(limit))

// A call of a kernel's whole work would go through memory; and Oclgrind mistakes a pixel that is given by value for the caller's.
#define INLINED inline __attribute__((always_inline))

// Components below 0 go straight towards the grey of luminance y, no farther than they must: y + t (c - y) with t = y / (y - low),
// in a form that loses no digits. With CLIP they are cut off.
INLINED Pixel without_negatives(Pixel p, floatv y)
{
#ifdef CLIP
    return (Pixel){AT_LEAST(p.r, 0.0f), AT_LEAST(p.g, 0.0f), AT_LEAST(p.b, 0.0f)};
#else
    floatv low = AT_MOST(LEAST(p), 0.0f);
    if (ANY(low < 0.0f)) {
        floatv t = low < 0.0f ? y / (y - low) : (floatv)(1.0f);
        p = (Pixel){(p.r - low) * t, (p.g - low) * t, (p.b - low) * t};
    }
    return p;
#endif
}

// What kernels get of a frame: its pixels first, how they are coded and the matrix to linear Rec. 709 last.
#ifdef MATRIX
#define COLOURS , float to0, float to1, float to2, float to3, float to4, float to5, float to6, float to7, float to8
#define COLOURED , to0, to1, to2, to3, to4, to5, to6, to7, to8
#else
#define COLOURS
#define COLOURED
#endif
#ifdef ALPHA
#define COMPONENTS 4 // of a row of floats
#else
#define COMPONENTS 3
#endif
#ifdef RGBE
#define FRAME __global const uint *frame
#define CODING , int bias, uint fraction COLOURS
#define CODED , bias, fraction COLOURED
#else
#define FRAME __global const float *frame
#define CODING COLOURS
#define CODED COLOURED
#endif

// NaN becomes 0, what is beyond LARGEST on either side that: so no product of it is infinite.
inline floatv limit(floatv c)
{
    return c == c ? AT_LEAST(AT_MOST(c, LARGEST), -LARGEST) : (floatv)(0.0f);
}

// The pixel of these components; for curves on CHANNELS, unless they are to be SATURATED first, with none below 0.
inline Pixel pixel_from(floatv r, floatv g, floatv b COLOURS)
{
    Pixel p = {r, g, b};
#ifdef MATRIX
#ifndef RGBE
    r = limit(r);
    g = limit(g);
    b = limit(b);
#endif
    p.r = (to0 * r + to1 * g) + to2 * b;
    p.g = (to3 * r + to4 * g) + to5 * b;
    p.b = (to6 * r + to7 * g) + to8 * b;
#endif
    if (ANY_BEYOND(p, LARGEST)) {
        p = (Pixel){sanitise(p.r), sanitise(p.g), sanitise(p.b)};
#if defined(CHANNELS) && !defined(SATURATED)
        p = without_negatives(p, luminance(p.r, p.g, p.b));
#endif
    }
    return p;
}

#ifdef RGBE
// Factors of exponents differ in their powers of two only. None takes 255 beyond the range of floats.
inline Pixel pixel_of(uintv word CODING)
{
    intv exponent = AS_INT(word >> 24);
    intv field = exponent + bias;
    floatv factor = AS_FLOAT(((field < 254 ? field : (intv)(254)) << 23) | (int)fraction);
    factor = factor < 0x1.0101p+120f ? factor : (floatv)(0x1.0101p+120f);
    factor = ((exponent > 0) & (field > 0)) ? factor : (floatv)(0.0f);
    floatv r = CONVERT_FLOAT(AS_INT(word & 0xff)) * factor;
    floatv g = CONVERT_FLOAT(AS_INT((word >> 8) & 0xff)) * factor;
    floatv b = CONVERT_FLOAT(AS_INT((word >> 16) & 0xff)) * factor;
    return pixel_from(r, g, b COLOURED);
}

// Words whose bytes are so many apart, by a conversion to words.
#define GATHERED(convert, bytes, plane)                                                           \
    (convert((bytes)[0]) | convert((bytes)[plane]) << 8 | convert((bytes)[2 * (plane)]) << 16      \
            | convert((bytes)[3 * (plane)]) << 24)

// LANES pixels of a row, from a multiple of LANES on.
inline Pixel pixel_at(FRAME, uint stride, uint row, uint x CODING)
{
#ifdef PLANES
    uint plane = stride / LANES;
    __global const ucharv *red = (__global const ucharv *)frame + (size_t)row * 4 * plane + x / LANES;
    return pixel_of(GATHERED(CONVERT_UINT, red, plane) CODED);
#else
    return pixel_of(*(__global const uintv *)(frame + (size_t)row * stride + x) CODED);
#endif
}
#else

inline Pixel pixel_at(FRAME, uint stride, uint row, uint x CODING)
{
    __global const float *red = frame + (size_t)row * COMPONENTS * stride + x;
    return pixel_from(
            *(__global const floatv *)red,
            *(__global const floatv *)(red + stride),
            *(__global const floatv *)(red + 2 * stride) COLOURED);
}
#endif

inline floatv luminance_at(FRAME, uint stride, uint row, uint x CODING)
{
    Pixel p = pixel_at(frame, stride, row, x CODED);
    return luminance(p.r, p.g, p.b);
}

#ifdef ALPHA
// From 0, which NaN counts as, to 1.
inline floatv alpha_at(__global const float *frame, uint stride, uint row, uint x)
{
    floatv a = *(__global const floatv *)(frame + ((size_t)row * COMPONENTS + 3) * stride + x);
    return a > 0.0f ? AT_MOST(a, 1.0f) : (floatv)(0.0f);
}
#endif
