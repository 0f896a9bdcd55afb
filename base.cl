// What the tone-mapping kernels share: the vector types of a device class, and the sanitised, weighted pixel.
//
// A frame is "planar rows": each row is stride reds, stride greens, stride blues (floats; stride is a multiple of 16), rows from top
// to bottom without gaps. With RGBE it is a word a pixel instead: three mantissas and an exponent (PixelCoding.java), with PLANES as four
// planes of bytes a row, and with MATRIX in another colour space. A buffer handed to these kernels starts on a 64-byte boundary, and so does each row of each plane, which is
// why whole vectors are loaded through pointers.
//
// Every device and the Java form give the same bits. That rests on four habits:
//  - contraction is off, and only + - * /, comparisons, integer operations and conversions are used: all of them exact
//    or exactly rounded in OpenCL 1.2 once division is asked to be (-cl-fp32-correctly-rounded-divide-sqrt);
//  - no built-in log, exp or pow, whose last bits differ between vendors: polynomials instead (docs/tone-mapping-formulas.md has
//    their coefficients and errors);
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

// The lesser of v and limit, a number; limit if v is NaN. One instruction for a float, but not on every CPU.
#if LANES == 1
#define AT_MOST(v, limit) fmin(v, limit)
#else
#define AT_MOST(v, limit) ((v) < (limit) ? (v) : (floatv)(limit))
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

// What kernels get of a frame: its pixels first, how they are coded and the matrix to linear Rec. 709 last.
#ifdef MATRIX
#define COLOURS , float to0, float to1, float to2, float to3, float to4, float to5, float to6, float to7, float to8
#define COLOURED , to0, to1, to2, to3, to4, to5, to6, to7, to8
#else
#define COLOURS
#define COLOURED
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
    floatv limited = AT_MOST(c, LARGEST);
    limited = limited > -LARGEST ? limited : (floatv)(-LARGEST);
    return c == c ? limited : (floatv)(0.0f);
}

// The pixel of these components.
inline Pixel pixel_from(floatv r, floatv g, floatv b COLOURS)
{
    Pixel p;
#ifdef MATRIX
#ifndef RGBE
    r = limit(r);
    g = limit(g);
    b = limit(b);
#endif
    p.r = sanitise((to0 * r + to1 * g) + to2 * b);
    p.g = sanitise((to3 * r + to4 * g) + to5 * b);
    p.b = sanitise((to6 * r + to7 * g) + to8 * b);
#else
    p.r = sanitise(r);
    p.g = sanitise(g);
    p.b = sanitise(b);
#endif
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
    __global const float *red = frame + (size_t)row * 3 * stride + x;
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
// What the curves of tonemap.cl are made of: logarithms and powers, ranges of colours, codes.
//
// sRGB's x^(5/12) without a logarithm: y, a quadratic in the float's bits read as an integer (a piecewise linear log2),
// is x^(-1/12) within 0.3 %. Then q = x y^12 is near 1 and x y^7 q^(-7/12) is exactly x^(5/12) whatever y's error; the
// short polynomial for q^(-7/12) is all that is approximated. Factors are such that it needs no leading one.

#define REINHARD 0
#define REINHARD_EXTENDED 1
#define DRAGO 2
#define HABLE 3
#define ACES 4
#define KHRONOS_NEUTRAL 5
#define FILM 6
#define PQ 9
#define HLG 10
#define ACES_HILL 11
#define AGX 12
// Operator.java has the same numbers.

#ifndef OPERATOR
#define OPERATOR REINHARD
#endif
#ifndef WORDS
#define WORDS (OPERATOR == PQ || OPERATOR == HLG ? 2 : 1) // of a pixel
#endif

// log2(1 + t) / t for t in [sqrt(1/2) - 1, sqrt(2) - 1]. Evaluated in pairs: shorter dependencies than Horner's rule.
inline floatv log2_polynomial(floatv t)
{
    floatv t2 = t * t;
    floatv low = (-0.7213523f * t + 1.442695f)
            + (-0.36026356f * t + 0.48091918f) * t2;
    floatv high = (-0.24875838f * t + 0.2872416f)
            + (-0.14480314f * t + 0.2329416f) * t2;
    return low + high * (t2 * t2);
}

// log2 of a normal positive number: exponent, and polynomial of the mantissa in [sqrt(1/2), sqrt(2)).
inline floatv log2_of(floatv v)
{
    intv bits = AS_INT(v);
    intv exponent = (bits - 0x3f3504f3) >> 23;
    floatv t = AS_FLOAT(bits - (exponent << 23)) - 1.0f;
    return t * log2_polynomial(t) + CONVERT_FLOAT(exponent);
}

// 2^x, x limited to [-100, 100]: whole part into the exponent, polynomial of the fraction in [-1/2, 1/2].
inline floatv exp2_of(floatv x)
{
    x = x < 100.0f ? x : (floatv)(100.0f);
    x = x > -100.0f ? x : (floatv)(-100.0f);
    intv whole = CONVERT_INT(x + 128.5f) - 128; // truncation of a positive number: exact, and the same everywhere
    floatv f = x - CONVERT_FLOAT(whole);
    floatv f2 = f * f;
    floatv p = ((0.69314706f * f + 1.0000001f)
                    + (0.055506036f * f + 0.24022095f) * f2)
            + (0.0013305986f * f + 0.009676756f) * (f2 * f2);
    return AS_FLOAT(AS_INT(p) + (whole << 23));
}

// log2(1 + z) / z for z >= 0 is log2(u) / (u - 1) with u = 1 + z as rounded: the quotient changes so slowly with u that
// the rounding does not matter, however small z. Numerator and denominator are apart to share a caller's division.
inline floatv log2_numerator(floatv u)
{
    return u == 1.0f ? (floatv)(1.442695f) : log2_of(u);
}

inline floatv log2_denominator(floatv u)
{
    return u == 1.0f ? (floatv)(1.0f) : u - 1.0f;
}

// What a pixel becomes: 8 bits a component in a word, or 16, the upper ones first, in two words of three bytes each.
#if WORDS == 2
typedef ulong4 pixel4;
#if LANES == 1
typedef ulong pixelv;
#define WIDE(v) (ulong)(v)
#elif LANES == 16
typedef ulong16 pixelv;
#define WIDE(v) convert_ulong16(v)
#else
typedef ulong4 pixelv;
#define WIDE(v) convert_ulong4(v)
#endif

// Of codes of 16 bits plus one half.
inline pixelv pack_wide(floatv r, floatv g, floatv b)
{
    intv red = CONVERT_INT(r);
    intv green = CONVERT_INT(g);
    intv blue = CONVERT_INT(b);
    uintv first = AS_UINT((red >> 8) | ((red & 0xff) << 8) | ((green >> 8) << 16) | (int)0xff000000);
    uintv second = AS_UINT((green & 0xff) | ((blue >> 8) << 8) | ((blue & 0xff) << 16) | (int)0xff000000);
    return WIDE(first) | (WIDE(second) << 32);
}

// Of codes of 8 bits plus one half, of which 16 bits have 257 times as many.
inline pixelv pack(floatv r, floatv g, floatv b)
{
    return pack_wide(257.0f * r - 128.0f, 257.0f * g - 128.0f, 257.0f * b - 128.0f);
}
#else
typedef uint4 pixel4;
typedef uintv pixelv;

inline pixelv pack(floatv r, floatv g, floatv b)
{
    return AS_UINT(CONVERT_INT(r) | (CONVERT_INT(g) << 8) | (CONVERT_INT(b) << 16) | (int)0xff000000);
}
#endif

// 255 * sRGB(x) + 0.5 for x in [0, 1], and a rounding beyond: its integer part is the code.
inline floatv srgb_code(floatv x)
{
    floatv bits = CONVERT_FLOAT(AS_INT(x));
    floatv y = (0x1.4515c8p-55f * bits + -0x1.64108ep-24f) * bits + 0x1.8bdfcap+5f;
    floatv y2 = y * y;
    floatv y3 = y2 * y;
    floatv y6 = y3 * y3;
    floatv xy6 = x * y6;
    floatv q = xy6 * y6;
    floatv z = q + -0x1.51b4ep+3f;
    floatv curve = (xy6 * y) * (z * z + 0x1.27671ep+6f) + -13.525f;
    floatv line = x * 3294.6f + 0.5f;
    return x > 0.0031308f ? curve : line;
}

// A call of a kernel's whole work would go through memory.
#define INLINED inline __attribute__((always_inline))

#define EACH_OF(p, function, parameters) \
    (Pixel){function(p.r, parameters), function(p.g, parameters), function(p.b, parameters)}

inline pixelv coded(Pixel p)
{
    return pack(srgb_code(p.r), srgb_code(p.g), srgb_code(p.b));
}

inline Pixel scaled(Pixel p, floatv by)
{
    return (Pixel){p.r * by, p.g * by, p.b * by};
}

#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
#define LEAST(p) LESSER(LESSER(p.r, p.g), p.b)
#define GREATEST(p) GREATER(GREATER(p.r, p.g), p.b)

// A matrix, row by row.
inline Pixel times(Pixel p, __global const float *m)
{
    return (Pixel){
        (m[0] * p.r + m[1] * p.g) + m[2] * p.b,
        (m[3] * p.r + m[4] * p.g) + m[5] * p.b,
        (m[6] * p.r + m[7] * p.g) + m[8] * p.b};
}

// Luminance in the primaries of the display.
inline floatv shown_luminance(Pixel p)
{
#if OPERATOR != PQ && OPERATOR != HLG
    return luminance(p.r, p.g, p.b);
#else
    floatv y = (0.2627f * p.r + 0.678f * p.g) + 0.0593f * p.b;
    return y > 0x1p-100f ? y : (floatv)(0.0f);
#endif
}

#define CLIPPED(c, most) c > 0.0f ? AT_MOST(c, most) : (floatv)(0.0f)

// What is not in [0, most], but for rounding, goes straight towards the grey of its luminance y, no farther than it must: a part
// t of its distance is left. With CLIP each component is cut off instead. Most vectors of a picture have nothing to do.
INLINED Pixel in_range(Pixel p, floatv y, float most)
{
#ifdef CLIP
    return EACH_OF(p, CLIPPED, most);
#else
    // Of bits, those of negative numbers are above all others.
    uintv bits = GREATER(GREATER(AS_UINT(p.r), AS_UINT(p.g)), AS_UINT(p.b));
    if (ANY(bits > as_uint(most))) {
        y = AT_MOST(y, most);
        if (ANY(bits > 0x80000000u)) {
            // y + t (c - y) with t = y / (y - low), in a form that loses no digits.
            floatv low = LESSER(LEAST(p), (floatv)(0.0f));
            floatv t = low < 0.0f ? y / (y - low) : (floatv)(1.0f);
            p = (Pixel){(p.r - low) * t, (p.g - low) * t, (p.b - low) * t};
        }
        floatv high = GREATEST(p);
        floatv t = high > most ? (most - y) / (high - y) : (floatv)(1.0f);
        floatv grey = y - t * y;
        p = (Pixel){t * p.r + grey, t * p.g + grey, t * p.b + grey};
    }
    return p;
#endif
}
// Tone mapping: one frame row after another from linear floats to 8-bit codes, by the operator that OPERATOR names.
//
// A curve on luminance scales a pixel's three components by one factor Ld(Y) / Y; with CHANNELS each component is scaled by its
// own. That factor is computed directly, with the Y cancelled on paper: no division by zero for black, and one division per
// factor. What is constant over a frame was folded into parameters[] by the host; ToneMapParameters.java has their meaning:
//   0 REINHARD, 5 KHRONOS_NEUTRAL  e, the exposure factor
//   1 REINHARD_EXTENDED            e, (e / Lw)^2
//   2 DRAGO                        e, e / log10(1 + Lmax), e / Lmax, ln(bias) / ln(0.5)
//   3 HABLE                        2 e, 2 e B (C - E/F) / F(W), 2 e A (1 - E/F) / F(W)
//   4 ACES                         e, 0.03 e, 2.51 e
//   6 FILM                         defog, 2^(exposure + 2.47393), 2^kLow, f, gamma, 255 2^(-3.5 gamma)
//   9 PQ, 10 HLG                   the matrix to BT.2020, row by row, times e and white's luminance; knee, its square or 0, peak
//   11 ACES_HILL, 12 AGX           the matrix before the curve, times e, and the one behind it, of AGX times 255
//   with SATURATED                 the last is the saturation
// Then: colours out of range towards grey (in_range), sRGB curve, rounding to 8 bits, or with WORDS 2 to 16 bits, in two words a
// pixel. FILM's and AGX's curves give codes, PQ's and HLG's such of 16 bits.
//
// CPU: one work-item per group, float16 vectors, a run of rows per work-item. Other devices: QUADS times four pixels per
// work-item, loaded as float4s and stored as uint4s, and mapped one by one (LANES 1); the launch may be rounded up.

#ifndef QUADS
#define QUADS 1 // times four pixels for a work-item, form 2
#endif

// A colour of the frame within Rec. 709, as that of bytes is by itself.
#if defined(RGBE) && !defined(MATRIX) && !defined(SATURATED)
#define positive(p) (p)
#else
#define positive(p) in_range(p, luminance(p.r, p.g, p.b), INFINITY)
#endif

#if OPERATOR == FILM

inline floatv film_code(floatv c, __global const float *parameters)
{
    floatv x = c - parameters[0];
    x = (x > 0.0f ? x : (floatv)(0.0f)) * parameters[1];
    floatv z = x - parameters[2];
    floatv above = z > 0.0f ? z : (floatv)(0.0f);
    floatv u = 1.0f + above * parameters[3];
    floatv knee = parameters[2] + above * ((log2_numerator(u) * 0.6931472f) / log2_denominator(u));
    x = z > 0.0f ? knee : x;
    float gamma = parameters[4];
    if (gamma != 1.0f) {
        x = x > 0x1p-100f ? exp2_of(gamma * log2_of(x)) : (floatv)(0.0f);
    }
    x = x * parameters[5];
    return AT_MOST(x, 255.0f) + 0.5f;
}

INLINED pixelv map(Pixel p, __global const float *parameters)
{
    p = positive(p);
    return pack(film_code(p.r, parameters), film_code(p.g, parameters), film_code(p.b, parameters));
}

#elif OPERATOR == PQ || OPERATOR == HLG

// In units of the curve's largest luminance, what is above the knee nears the peak.
inline floatv rolled_off(floatv x, __global const float *parameters)
{
    floatv high = parameters[11] - parameters[10] / x;
    return x > parameters[9] ? high : x;
}

// 65535 times the curve of x in [0, 1], plus one half.
inline floatv hdr_code(floatv x)
{
    x = x > 0x1p-100f ? x : (floatv)(0x1p-100f);
#if OPERATOR == PQ
    // (c1 + c2 y) / (1 + c3 y) is 1 - z, so close to 1 that z has to be exact.
    floatv y = exp2_of(0.15930176f * log2_of(x));
    floatv z = (0.1640625f - 0.1640625f * y) / (1.0f + 18.6875f * y);
    floatv v = exp2_of((-78.84375f * z) * log2_polynomial(-z));
#else
    floatv low = log2_of(x > 0.083333336f ? 12.0f * x - 0.28466892f : 3.0f * x);
    floatv v = x > 0.083333336f ? 0.12395743f * low + 0.5599107f : exp2_of(0.5f * low);
#endif
    return 65535.0f * v + 0.5f;
}

INLINED pixelv map(Pixel p, __global const float *m)
{
    p = times(p, m);
    p = EACH_OF(p, rolled_off, m);
#if OPERATOR == HLG
    // Light on the display, of a colour that it has, becomes light of the scene.
    p = in_range(p, shown_luminance(p), INFINITY);
    floatv y = shown_luminance(p);
    p = scaled(p, exp2_of(-0.16666667f * log2_of(y > 0x1p-100f ? y : (floatv)(0x1p-100f))));
#endif
    p = in_range(p, shown_luminance(p), 1.0f);
    return pack_wide(hdr_code(p.r), hdr_code(p.g), hdr_code(p.b));
}

#elif OPERATOR == KHRONOS_NEUTRAL

INLINED pixelv map(Pixel p, __global const float *parameters)
{
    p = scaled(positive(p), (floatv)(parameters[0]));
    floatv x = LEAST(p);
    floatv offset = x < 0.08f ? x - (6.25f * x) * x : (floatv)(0.04f);
    p.r = p.r - offset;
    p.g = p.g - offset;
    p.b = p.b - offset;
    floatv peak = GREATEST(p);
    floatv high = peak > 0.76f ? peak : (floatv)(0.76f);
    floatv compressed = 1.0f - 0.0576f / (high - 0.52f);
    // Khronos: mix(c * compressed / peak, compressed, g), 1 - g = 1 / (0.15 (peak - compressed) + 1), rearranged to
    // two divisions. A peak below 0.76, where Khronos leaves the colour alone, counts as 0.76: there scale is 1 and
    // white 0 but for rounding.
    floatv share = 1.0f / (high * (0.15f * (high - compressed) + 1.0f));
    floatv scale = compressed * share;
    floatv white = compressed - scale * high;
    return coded((Pixel){p.r * scale + white, p.g * scale + white, p.b * scale + white});
}

#elif OPERATOR == ACES_HILL || OPERATOR == AGX

inline floatv curve(floatv x)
{
#if OPERATOR == ACES_HILL
    return (x * (x + 0.0245786f) - 0.000090537f) / (x * (0.983729f * x + 0.432951f) + 0.238081f);
#else
    // From 10 stops below middle grey to 6.5 above.
    x = x > 0.00017578126f ? AT_MOST(x, 16.29174f) : (floatv)(0.00017578126f);
    // Around the middle of the range, where the polynomial's terms do not cancel.
    floatv v = (log2_of(x) + 4.22393f) * 0.060606062f;
    floatv v2 = v * v;
    return ((1.7404f * v + 0.2914925f) + (-4.548f * v + 2.42405f) * v2) + ((15.5f * v + 6.36f) * v - 10.265f) * (v2 * v2);
#endif
}

INLINED pixelv map(Pixel p, __global const float *parameters)
{
    p = times(positive(p), parameters);
    p = times((Pixel){curve(p.r), curve(p.g), curve(p.b)}, parameters + 9);
#if OPERATOR == ACES_HILL
    return coded(in_range(p, shown_luminance(p), 1.0f));
#else
    p = in_range(p, shown_luminance(p), 255.0f);
    return pack(p.r + 0.5f, p.g + 0.5f, p.b + 0.5f);
#endif
}

#else

// What luminance, or a component, is multiplied by.
inline floatv scale_of(floatv y, __global const float *parameters)
{
#if OPERATOR == REINHARD
    return parameters[0] / (1.0f + parameters[0] * y);
#elif OPERATOR == REINHARD_EXTENDED
    return (parameters[0] + parameters[1] * y) / (1.0f + parameters[0] * y);
#elif OPERATOR == DRAGO
    floatv u = 1.0f + parameters[0] * y;
    floatv relative = y * parameters[2];
    relative = relative > 0x1p-100f ? relative : (floatv)(0x1p-100f);
    relative = relative < 1.0f ? relative : (floatv)(1.0f); // beyond Lmax the curve would fall
    floatv base = log2_of(2.0f + 8.0f * exp2_of(parameters[3] * log2_of(relative)));
    return (parameters[1] * log2_numerator(u)) / (log2_denominator(u) * base);
#elif OPERATOR == HABLE
    floatv x = parameters[0] * y;
    return (parameters[1] + parameters[2] * x) / ((0.15f * x + 0.5f) * x + 0.06f);
#else
    floatv x = parameters[0] * y;
    return (parameters[1] + parameters[2] * x) / ((2.43f * x + 0.59f) * x + 0.14f);
#endif
}

INLINED pixelv map(Pixel p, __global const float *parameters)
{
#ifdef CHANNELS
    p = positive(p);
    p.r = p.r * scale_of(p.r, parameters);
    p.g = p.g * scale_of(p.g, parameters);
    p.b = p.b * scale_of(p.b, parameters);
    floatv y = shown_luminance(p);
#else
    floatv y = luminance(p.r, p.g, p.b);
    floatv scale = scale_of(y, parameters);
    y = y * scale;
    p = scaled(p, scale);
#endif
    return coded(in_range(p, y, 1.0f));
}

#endif

// Distances from grey, times the saturation.
inline Pixel saturated(Pixel p, __global const float *parameters)
{
#ifdef SATURATED
    floatv y = luminance(p.r, p.g, p.b);
    float s = parameters[127];
    return (Pixel){y + s * (p.r - y), y + s * (p.g - y), y + s * (p.b - y)};
#else
    return p;
#endif
}

#if FORM == 1

__kernel void tonemap(
        FRAME,
        __global uint *pixels,
        __global const float *parameters,
        uint stride,
        uint rows CODING)
{
    uint items = (uint)get_global_size(0);
    uint each = (rows + items - 1) / items;
    uint first = (uint)get_global_id(0) * each;
    uint end = min(rows, first + each);
    for (uint row = first; row < end; row++) {
        __global uint *out = pixels + (size_t)row * stride * WORDS;
        for (uint x = 0; x < stride; x += LANES) {
            *(__global pixelv *)(out + x * WORDS) =
                    map(saturated(pixel_at(frame, stride, row, x CODED), parameters), parameters);
        }
    }
}

#else

__kernel void tonemap(
        FRAME,
        __global uint *pixels,
        __global const float *parameters,
        uint stride,
        uint rows CODING)
{
    // Neighbouring work-items have neighbouring runs of QUADS times four pixels.
    uint runs = stride / (4 * QUADS);
    uint i = (uint)get_global_id(0);
    uint row = i / runs;
    if (row >= rows) {
        return;
    }
    __global pixel4 *out = (__global pixel4 *)pixels + (size_t)i * QUADS;
    uint quads = stride / 4;
#ifdef RGBE
#ifdef PLANES
    __global const uchar4 *red = (__global const uchar4 *)frame + (size_t)row * 4 * quads + (i - row * runs) * QUADS;
#define LOAD(q) words[q] = GATHERED(convert_uint4, red + q, quads)
#else
    __global const uint4 *four = (__global const uint4 *)frame + (size_t)i * QUADS;
#define LOAD(q) words[q] = four[q]
#endif
    uint4 words[QUADS];
#define MAPPED(q, s) map(saturated(pixel_of(words[q].s CODED), parameters), parameters)
#else
    __global const float4 *red = (__global const float4 *)frame + (size_t)row * 3 * quads + (i - row * runs) * QUADS;
    float4 r[QUADS], g[QUADS], b[QUADS];
#define LOAD(q) r[q] = red[q], g[q] = red[quads + q], b[q] = red[2 * quads + q]
#define MAPPED(q, s) map(saturated(pixel_from(r[q].s, g[q].s, b[q].s COLOURED), parameters), parameters)
#endif
#pragma unroll
    for (uint q = 0; q < QUADS; q++) {
        LOAD(q);
    }
#pragma unroll
    for (uint q = 0; q < QUADS; q++) {
        out[q] = (pixel4)(MAPPED(q, x), MAPPED(q, y), MAPPED(q, z), MAPPED(q, w));
    }
}

#endif
