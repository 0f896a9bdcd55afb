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

// 2^x of x in [-100, 100]: whole part into the exponent, polynomial of the fraction in [-1/2, 1/2].
inline floatv exp2_of(floatv x)
{
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

// a / b, exactly rounded, of 2^-100 < |b| < 2^125 and an a and a quotient in that range, or 0. For each division NVIDIA's compiler
// looks whether that is so, and branches; here curves know. These are its own steps where it is so: the processor's reciprocal,
// wrong in the last bit at most, is made right, and the quotient twice, by what is left of a.
#if LANES == 1 && defined(cl_nv_pragma_unroll)
inline float quotient(float a, float b)
{
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
    r = fma(fma(-b, r, 1.0f), r, r);
    float q = a * r;
    q = fma(fma(-b, q, a), r, q);
    return fma(fma(-b, q, a), r, q);
}
#else
#define quotient(a, b) ((a) / (b))
#endif

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

#define CLIPPED(c, most) AT_MOST(AT_LEAST(c, 0.0f), most)

#if OPERATOR != PQ && OPERATOR != HLG
#define RED_WEIGHT 0.2126f
#define GREEN_WEIGHT 0.7152f
#define BLUE_WEIGHT 0.0722f
#else
#define RED_WEIGHT 0.2627f
#define GREEN_WEIGHT 0.678f
#define BLUE_WEIGHT 0.0593f
#endif

// What is not in [0, most], but for rounding, goes towards the grey of its luminance y, no farther than it must: a part t of its
// distance is left. The way is straight but for blues and oranges, which would look violet and pink on it: there green takes
// over from the lesser of red and blue, so that hues are those of Oklab (Colours.java), and luminance stays.
// Curves on CHANNELS have moved hues as published, and go straight.
// With CLIP each component is cut off instead. `negatives` is false where there can be none.
INLINED Pixel in_range(Pixel p, floatv y, float most, bool negatives)
{
#ifdef CLIP
    return EACH_OF(p, CLIPPED, most);
#else
    if (ANY_BEYOND(p, most)) {
        y = AT_MOST(y, most);
        if (negatives) {
            p = without_negatives(p, y);
        }
        floatv high = GREATEST(p);
        floatv t = high > most ? quotient(most - y, high - y) : (floatv)(1.0f);
        floatv grey = y - t * y;
#ifndef CHANNELS
        floatv strong = AT_LEAST(p.r, p.b);
        floatv weak = AT_MOST(p.r, p.b);
        floatv bend = (strong - 2.0f * weak) + 3.0f * AT_MOST(p.g - weak, 0.0f);
        bend = AT_MOST(bend, 3.0f * (strong - p.g));
        bend = ((0.28f * bend) * t) * (1.0f - t);
        intv warm = p.r > p.b;
#endif
        p = (Pixel){t * p.r + grey, t * p.g + grey, t * p.b + grey};
#ifndef CHANNELS
        if (ANY(bend > 0.0f)) {
            bend = AT_LEAST(AT_MOST(bend, AT_MOST(p.r, p.b) * (1.0f / GREEN_WEIGHT)), 0.0f);
            floatv loss = GREEN_WEIGHT * bend;
            p.r = p.r - (warm ? (floatv)(0.0f) : loss);
            p.b = p.b - (warm ? loss : (floatv)(0.0f));
            p.g = p.g + (warm ? (floatv)(BLUE_WEIGHT) : (floatv)(RED_WEIGHT)) * bend;
        }
#endif
    }
    return p;
#endif
}
