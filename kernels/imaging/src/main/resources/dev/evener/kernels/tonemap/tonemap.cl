// Tone mapping: one frame row after another from linear floats to 8-bit codes, by the operator that OPERATOR names.
//
// A curve on luminance scales a pixel's three components by one factor Ld(Y) / Y; with CHANNELS each component is scaled by its
// own. That factor is computed directly, with the Y cancelled on paper: no division by zero for black, and one division per
// factor. What is constant over a frame was folded into parameters[] by the host; ToneMapParameters.java has their meaning:
//   0 REINHARD, 5 KHRONOS_NEUTRAL  e, the exposure factor
//   1 REINHARD_EXTENDED            e, (e / Lw)^2
//   2 DRAGO                        e, e / log10(1 + Lmax), e / Lmax, ln(bias) / ln(0.5), least of e Y / Lmax
//   3 HABLE                        2 e, 2 e B (C - E/F) / F(W), 2 e A (1 - E/F) / F(W)
//   4 ACES                         e, 0.03 e, 2.51 e
//   6 FILM                         defog, 2^(exposure + 2.47393), 2^kLow, f, gamma, 255 2^(-3.5 gamma)
//   9 PQ, 10 HLG                   the matrix to BT.2020, row by row, times e and white's luminance; knee, its square or 0, peak
//   11 ACES_HILL, 12 AGX           the matrix before the curve, times e, and the one behind it, of AGX times 255
//   with SATURATED                 the last is the saturation
// Of several frames of one size, which are rows of one job, each has so many of these.
// Then: colours out of range towards grey (in_range), sRGB curve, rounding to 8 bits, or with WORDS 2 to 16 bits, in two words a
// pixel. FILM's and AGX's curves give codes, PQ's and HLG's such of 16 bits.
//
// CPU: one work-item per group, float16 vectors, a run of rows per work-item. Other devices: QUADS times four pixels per
// work-item, loaded as float4s and stored as uint4s, and mapped one by one (LANES 1); the launch may be rounded up.

#ifndef QUADS
#define QUADS 1 // times four pixels for a work-item, form 2
#endif

#if OPERATOR == FILM

inline floatv film_knee(floatv c, __global const float *parameters)
{
    floatv x = AT_LEAST(c - parameters[0], 0.0f) * parameters[1];
    floatv above = AT_LEAST(x - parameters[2], 0.0f);
    floatv u = 1.0f + above * parameters[3];
    return AT_MOST(x, parameters[2]) + above * quotient(log2_numerator(u) * 0.6931472f, log2_denominator(u));
}

inline floatv film_gamma(floatv x, __global const float *parameters)
{
    floatv power = AT_LEAST(AT_MOST(parameters[4] * log2_of(x), 100.0f), -100.0f);
    return x > 0x1p-100f ? exp2_of(power) : (floatv)(0.0f);
}

inline floatv film_code(floatv x, __global const float *parameters)
{
    return AT_MOST(x * parameters[5], 255.0f) + 0.5f;
}

INLINED pixelv map(Pixel p, __global const float *parameters)
{
    p = EACH_OF(p, film_knee, parameters);
    if (parameters[4] != 1.0f) {
        p = EACH_OF(p, film_gamma, parameters);
    }
    p = EACH_OF(p, film_code, parameters);
    return pack(p.r, p.g, p.b);
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
    x = AT_LEAST(x, 0x1p-100f);
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
    p = without_negatives(p, shown_luminance(p));
    floatv y = shown_luminance(p);
    p = scaled(p, exp2_of(-0.16666667f * log2_of(AT_LEAST(y, 0x1p-100f))));
#endif
    p = in_range(p, shown_luminance(p), 1.0f, OPERATOR == PQ);
    return pack_wide(hdr_code(p.r), hdr_code(p.g), hdr_code(p.b));
}

#elif OPERATOR == KHRONOS_NEUTRAL

INLINED pixelv map(Pixel p, __global const float *parameters)
{
    p = scaled(p, (floatv)(parameters[0]));
    floatv x = LEAST(p);
    floatv offset = x < 0.08f ? x - (6.25f * x) * x : (floatv)(0.04f);
    p.r = p.r - offset;
    p.g = p.g - offset;
    p.b = p.b - offset;
    floatv peak = GREATEST(p);
    floatv high = AT_LEAST(peak, 0.76f);
    floatv compressed = 1.0f - quotient(0.0576f, high - 0.52f);
    // Khronos: mix(c * compressed / peak, compressed, g), 1 - g = 1 / (0.15 (peak - compressed) + 1), rearranged to
    // two divisions. A peak below 0.76, where Khronos leaves the colour alone, counts as 0.76: there scale is 1 and
    // white 0 but for rounding.
    floatv share = quotient(1.0f, high * (0.15f * (high - compressed) + 1.0f));
    floatv scale = compressed * share;
    floatv white = compressed - scale * high;
    return coded((Pixel){p.r * scale + white, p.g * scale + white, p.b * scale + white});
}

#elif OPERATOR == ACES_HILL || OPERATOR == AGX

inline floatv curve(floatv x)
{
#if OPERATOR == ACES_HILL
    return quotient(x * (x + 0.0245786f) - 0.000090537f, x * (0.983729f * x + 0.432951f) + 0.238081f);
#else
    // From 10 stops below middle grey to 6.5 above.
    x = AT_MOST(AT_LEAST(x, 0.00017578126f), 16.29174f);
    // Around the middle of the range, where the polynomial's terms do not cancel.
    floatv v = (log2_of(x) + 4.22393f) * 0.060606062f;
    floatv v2 = v * v;
    return ((1.7404f * v + 0.2914925f) + (-4.548f * v + 2.42405f) * v2) + ((15.5f * v + 6.36f) * v - 10.265f) * (v2 * v2);
#endif
}

INLINED pixelv map(Pixel p, __global const float *parameters)
{
    p = times(p, parameters);
    p = times((Pixel){curve(p.r), curve(p.g), curve(p.b)}, parameters + 9);
#if OPERATOR == ACES_HILL
    return coded(in_range(p, shown_luminance(p), 1.0f, true));
#else
    p = in_range(p, shown_luminance(p), 255.0f, true);
    return pack(p.r + 0.5f, p.g + 0.5f, p.b + 0.5f);
#endif
}

#else

// What luminance, or a component, is multiplied by.
inline floatv scale_of(floatv y, __global const float *parameters)
{
#if OPERATOR == REINHARD
    return quotient(parameters[0], 1.0f + parameters[0] * y);
#elif OPERATOR == REINHARD_EXTENDED
    return quotient(parameters[0] + parameters[1] * y, 1.0f + parameters[0] * y);
#elif OPERATOR == DRAGO
    floatv u = 1.0f + parameters[0] * y;
    floatv relative = y * parameters[2];
    relative = AT_MOST(AT_LEAST(relative, parameters[4]), 1.0f); // beyond Lmax the curve would fall
    floatv base = log2_of(2.0f + 8.0f * exp2_of(parameters[3] * log2_of(relative)));
    return quotient(parameters[1] * log2_numerator(u), log2_denominator(u) * base);
#elif OPERATOR == HABLE
    floatv x = parameters[0] * y;
    return quotient(parameters[1] + parameters[2] * x, (0.15f * x + 0.5f) * x + 0.06f);
#else
    floatv x = parameters[0] * y;
    return quotient(parameters[1] + parameters[2] * x, (2.43f * x + 0.59f) * x + 0.14f);
#endif
}

INLINED pixelv map(Pixel p, __global const float *parameters)
{
#ifdef CHANNELS
    p.r = p.r * scale_of(p.r, parameters);
    p.g = p.g * scale_of(p.g, parameters);
    p.b = p.b * scale_of(p.b, parameters);
    return coded(in_range(p, shown_luminance(p), 1.0f, false));
#else
    floatv y = luminance(p.r, p.g, p.b);
    floatv scale = scale_of(y, parameters);
    return coded(in_range(scaled(p, scale), y * scale, 1.0f, true));
#endif
}

#endif

// Distances from grey, times the saturation.
inline Pixel saturated(Pixel p, __global const float *parameters)
{
#ifdef SATURATED
    floatv y = luminance(p.r, p.g, p.b);
    float s = parameters[127];
    p = (Pixel){y + s * (p.r - y), y + s * (p.g - y), y + s * (p.b - y)};
#ifdef CHANNELS
    p = without_negatives(p, luminance(p.r, p.g, p.b));
#endif
    return p;
#else
    return p;
#endif
}

#define PARAMETERS 128 // ToneMapParameters.java has the same
#define OF_ROW(row) (of_frames + ((uint)first_row + (row)) / height * PARAMETERS)

#if FORM == 1

__kernel void tonemap(
        FRAME,
        __global uint *restrict pixels,
        __global const float *restrict of_frames,
        uint stride,
        uint height,
        ulong first_row,
        uint rows CODING)
{
    uint items = (uint)get_global_size(0);
    uint each = (rows + items - 1) / items;
    uint first = (uint)get_global_id(0) * each;
    uint end = min(rows, first + each);
    for (uint row = first; row < end; row++) {
        __global const float *parameters = OF_ROW(row);
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
        __global uint *restrict pixels,
        __global const float *restrict of_frames,
        uint stride,
        uint height,
        ulong first_row,
        uint rows CODING)
{
    // Neighbouring work-items have neighbouring runs of QUADS times four pixels.
    uint runs = stride / (4 * QUADS);
    uint i = (uint)get_global_id(0);
    uint row = i / runs;
    if (row >= rows) {
        return;
    }
    __global const float *parameters = OF_ROW(row);
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
