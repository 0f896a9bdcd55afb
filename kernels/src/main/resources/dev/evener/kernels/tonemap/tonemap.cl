// Tone mapping: one frame row after another from linear floats to 8-bit codes, by the operator that OPERATOR names.
//
// The luminance operators scale a pixel's three components by one factor Ld(Y) / Y. Each computes that factor directly,
// with the Y cancelled on paper: no division by zero for black, and one division per pixel. What is constant over a
// frame was folded into parameters[] by the host; ToneMapParameters.java has their meaning, by operator:
//   0 REINHARD, 5 KHRONOS_NEUTRAL  e, the exposure factor
//   1 REINHARD_EXTENDED            e, (e / Lw)^2
//   2 DRAGO                        e, e / log10(1 + Lmax), e / Lmax, ln(bias) / ln(0.5)
//   3 HABLE                        2 e, 2 e B (C - E/F) / F(W), 2 e A (1 - E/F) / F(W)
//   4 ACES                         e, 0.03 e, 2.51 e
//   6 FILM                         defog, 2^(exposure + 2.47393), 2^kLow, f, gamma, 255 2^(-3.5 gamma)
//   9 PQ, 10 HLG                   the matrix to BT.2020, row by row, times e and white's luminance; knee, its square or 0, peak
// Then: limit to 1, sRGB curve, rounding to 8 bits; of the last two, curves and rounding to 16 bits, in two words a pixel; with WORDS 2
// so of all.
//
// sRGB's x^(5/12) without a logarithm: y, a quadratic in the float's bits read as an integer (a piecewise linear log2),
// is x^(-1/12) within 0.3 %. Then q = x y^12 is near 1 and x y^7 q^(-7/12) is exactly x^(5/12) whatever y's error; the
// short polynomial for q^(-7/12) is all that is approximated.
//
// CPU: one work-item per group, float16 vectors, a run of rows per work-item. Other devices: QUADS times four pixels per
// work-item, loaded as float4s and stored as uint4s, and mapped one by one (LANES 1); the launch may be rounded up.

#define REINHARD 0
#define REINHARD_EXTENDED 1
#define DRAGO 2
#define HABLE 3
#define ACES 4
#define KHRONOS_NEUTRAL 5
#define FILM 6
#define PQ 9
#define HLG 10
// Operator.java has the same numbers.

#ifndef OPERATOR
#define OPERATOR REINHARD
#endif
#ifndef WORDS
#define WORDS (OPERATOR == PQ || OPERATOR == HLG ? 2 : 1) // of a pixel
#endif
#ifndef QUADS
#define QUADS 1 // times four pixels for a work-item, form 2
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

// 255 * sRGB(x) + 0.5 for x >= 0: its integer part is the code.
inline floatv srgb_code(floatv x)
{
    x = AT_MOST(x, 1.0f);
    floatv bits = CONVERT_FLOAT(AS_INT(x));
    floatv y = (0x1.16419p-55f * bits + -0x1.30c5e6p-24f) * bits + 0x1.52d912p+5f;
    floatv y2 = y * y;
    floatv y3 = y2 * y;
    floatv y6 = y3 * y3;
    floatv xy6 = x * y6;
    floatv q = xy6 * y6;
    floatv p = (0x1.f0cdp+6f * q + -0x1.956d94p+8f) * q + 0x1.13205ep+9f;
    floatv curve = (xy6 * y) * p + -13.525f;
    floatv line = x * 3294.6f + 0.5f;
    return x > 0.0031308f ? curve : line;
}

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
        x = x > 0.0f ? exp2_of(gamma * log2_of(x)) : x;
    }
    x = x * parameters[5];
    return (x < 255.0f ? x : (floatv)(255.0f)) + 0.5f;
}

inline pixelv map(Pixel p, __global const float *parameters)
{
    return pack(film_code(p.r, parameters), film_code(p.g, parameters), film_code(p.b, parameters));
}

#elif OPERATOR == PQ || OPERATOR == HLG

// In units of the curve's largest luminance, what is above the knee nears the peak.
inline floatv rolled_off(floatv x, __global const float *parameters)
{
    floatv high = parameters[11] - parameters[10] / x;
    return AT_MOST(x > parameters[9] ? high : x, 1.0f);
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

inline pixelv map(Pixel p, __global const float *m)
{
    floatv r = rolled_off((m[0] * p.r + m[1] * p.g) + m[2] * p.b, m);
    floatv g = rolled_off((m[3] * p.r + m[4] * p.g) + m[5] * p.b, m);
    floatv b = rolled_off((m[6] * p.r + m[7] * p.g) + m[8] * p.b, m);
#if OPERATOR == HLG
    // Light on the display becomes light of the scene.
    floatv y = (0.2627f * r + 0.678f * g) + 0.0593f * b;
    y = exp2_of(-0.16666667f * log2_of(y > 0x1p-100f ? y : (floatv)(0x1p-100f)));
    r = AT_MOST(r * y, 1.0f);
    g = AT_MOST(g * y, 1.0f);
    b = AT_MOST(b * y, 1.0f);
#endif
    return pack_wide(hdr_code(r), hdr_code(g), hdr_code(b));
}

#elif OPERATOR == KHRONOS_NEUTRAL

inline pixelv map(Pixel p, __global const float *parameters)
{
    float exposure = parameters[0];
    floatv r = p.r * exposure;
    floatv g = p.g * exposure;
    floatv b = p.b * exposure;
    floatv x = r < g ? r : g;
    x = x < b ? x : b;
    floatv offset = x < 0.08f ? x - (6.25f * x) * x : (floatv)(0.04f);
    r = r - offset;
    g = g - offset;
    b = b - offset;
    floatv peak = r > g ? r : g;
    peak = peak > b ? peak : b;
    floatv high = peak > 0.76f ? peak : (floatv)(0.76f);
    floatv compressed = 1.0f - 0.0576f / (high - 0.52f);
    // Khronos: mix(c * compressed / peak, compressed, g), 1 - g = 1 / (0.15 (peak - compressed) + 1), rearranged to
    // two divisions. A peak below 0.76, where Khronos leaves the colour alone, counts as 0.76: there scale is 1 and
    // white 0 but for rounding.
    floatv share = 1.0f / (high * (0.15f * (high - compressed) + 1.0f));
    floatv scale = compressed * share;
    floatv white = compressed - scale * high;
    return pack(srgb_code(r * scale + white), srgb_code(g * scale + white), srgb_code(b * scale + white));
}

#else

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

inline pixelv map(Pixel p, __global const float *parameters)
{
    floatv scale = scale_of(luminance(p.r, p.g, p.b), parameters);
    return pack(srgb_code(p.r * scale), srgb_code(p.g * scale), srgb_code(p.b * scale));
}

#endif

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
            *(__global pixelv *)(out + x * WORDS) = map(pixel_at(frame, stride, row, x CODED), parameters);
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
#define MAPPED(q, s) map(pixel_of(words[q].s CODED), parameters)
#else
    __global const float4 *red = (__global const float4 *)frame + (size_t)row * 3 * quads + (i - row * runs) * QUADS;
    float4 r[QUADS], g[QUADS], b[QUADS];
#define LOAD(q) r[q] = red[q], g[q] = red[quads + q], b[q] = red[2 * quads + q]
#define MAPPED(q, s) map(pixel_from(r[q].s, g[q].s, b[q].s COLOURED), parameters)
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
