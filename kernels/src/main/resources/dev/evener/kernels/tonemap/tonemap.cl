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
// Then: limit to 1, sRGB curve, rounding to 8 bits.
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
// Operator.java has the same numbers.

#ifndef OPERATOR
#define OPERATOR REINHARD
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

inline uintv pack(floatv r, floatv g, floatv b)
{
    return AS_UINT(CONVERT_INT(r) | (CONVERT_INT(g) << 8) | (CONVERT_INT(b) << 16) | (int)0xff000000);
}

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

inline uintv map(Pixel p, __global const float *parameters)
{
    return pack(film_code(p.r, parameters), film_code(p.g, parameters), film_code(p.b, parameters));
}

#elif OPERATOR == KHRONOS_NEUTRAL

inline uintv map(Pixel p, __global const float *parameters)
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

inline uintv map(Pixel p, __global const float *parameters)
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
        __global uint *out = pixels + (size_t)row * stride;
        for (uint x = 0; x < stride; x += LANES) {
            *(__global uintv *)(out + x) = map(pixel_at(frame, stride, row, x CODED), parameters);
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
    __global uint4 *out = (__global uint4 *)pixels + (size_t)i * QUADS;
#ifdef RGBE
    __global const uint4 *four = (__global const uint4 *)frame + (size_t)i * QUADS;
    uint4 words[QUADS];
#define LOAD(q) words[q] = four[q]
#define MAPPED(q, s) map(pixel_of(words[q].s CODED), parameters)
#else
    uint quads = stride / 4;
    __global const float4 *red = (__global const float4 *)frame + (size_t)row * 3 * quads + (i - row * runs) * QUADS;
    float4 r[QUADS], g[QUADS], b[QUADS];
#define LOAD(q) r[q] = red[q], g[q] = red[quads + q], b[q] = red[2 * quads + q]
#define MAPPED(q, s) map((Pixel){sanitise(r[q].s), sanitise(g[q].s), sanitise(b[q].s)}, parameters)
#endif
#pragma unroll
    for (uint q = 0; q < QUADS; q++) {
        LOAD(q);
    }
#pragma unroll
    for (uint q = 0; q < QUADS; q++) {
        out[q] = (uint4)(MAPPED(q, x), MAPPED(q, y), MAPPED(q, z), MAPPED(q, w));
    }
}

#endif
