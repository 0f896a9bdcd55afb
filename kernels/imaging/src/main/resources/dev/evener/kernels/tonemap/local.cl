// Local tone mapping: the luminance to which the eye would adapt around a pixel decides its factor. Behind tonemap.cl.
//
// REINHARD_LOCAL, dodging and burning (Reinhard, Stark, Shirley, Ferwerda, Photographic tone reproduction for digital images,
// SIGGRAPH 2002): nine Gaussians of the exposed luminance, each 1.6 times as wide as the one before. Centre and surround, two
// in a row, differ where there is an edge; the pixel adapts to the widest Gaussian up to which none do.
//
// GUIDED: base and detail (Durand and Dorsey, Fast bilateral filtering for the display of high-dynamic-range images, SIGGRAPH
// 2002) of the logarithm of the exposed luminance, the base by a guided filter whose guide is its input (He, Sun, Tang, Guided
// image filtering, IEEE PAMI 2013): means and variances of square windows give each window's line a l + b, and a pixel's base
// is the mean of the lines around it. The base's contrast is compressed, the detail kept.
//
// Three kernels over the same rows. local_luminance: the plane that is filtered. guided_coefficients: a, b and l of each pixel.
// local_map: the adaptation, and the pixels. Filters are separable: sums down the columns into lines of on-chip memory, one for
// each quantity, then along the lines. Neighbours go in pairs at the same distance, from near to far, and pixels beyond an edge
// are those at the edge, or with WRAP beyond the left and right one those at the other, so that all forms and cuts add in one order.
//
// CPU: a work-item takes rows in blocks of BLOCK columns, float16 by float16. Others: a group takes GROUP columns of a row, of
// which those at both ends, as many as a filter reaches, are only for the rest.

#define REINHARD_LOCAL 7
#define GUIDED 8

#if OPERATOR == GUIDED
#define LINES 2
#define PLANES 3 // of a row that local_map filters
#else
#define LINES 9
#define PLANES 1
#endif

// The column that stands for one beyond an edge, and whether a CPU's block of columns may be without it.
#ifdef WRAP
#define COLUMN(x) (((x) % (int)width + (int)width) % (int)width)
#define AROUND (width > BLOCK)
#else
#define COLUMN(x) clamp(x, 0, (int)width - 1)
#define AROUND false
#endif

#if FORM == 1
#define SPACE __private
typedef floatv __attribute__((aligned(4))) anywhere; // some compilers take vload16 to pieces
#define AT(p) (*(SPACE const anywhere *)(p))
#ifdef WRAP
#define ROW(p) (*(__global const anywhere *)(p))
#else
#define ROW(p) (*(__global const floatv *)(p))
#endif
#define PUT(v, p) vstore16(v, 0, p)
#define BLOCK 1024
#define PAD 48 // at least what filters reach, whole vectors
#define WIDE (PAD + BLOCK + PAD + 16) // and as much as a vector may be too long
#else
#define SPACE __local
#define AT(p) (*(p))
#define ROW(p) (*(p))
#define PUT(v, p) (*(p) = (v))
#define GROUP 256
#define WIDE GROUP
#endif

// e is its first parameter.
inline floatv filtered(floatv y, float exposure)
{
    floatv exposed = exposure * y;
#if OPERATOR == GUIDED
    return log2_of(AT_LEAST(exposed, 0x1p-20f));
#else
    return exposed;
#endif
}

__kernel void local_luminance(
        FRAME, __global float *plane, __global const float *parameters, uint stride, uint rows CODING)
{
#if FORM == 1
    uint all = rows * (stride / LANES);
    uint each = (all + (uint)get_global_size(0) - 1) / (uint)get_global_size(0);
    uint first = (uint)get_global_id(0) * each;
    uint end = min(all, first + each);
#else
    uint first = (uint)get_global_id(0);
    uint end = min(rows * stride, first + 1);
#endif
    for (uint i = first; i < end; i++) {
        uint row = i / (stride / LANES);
        floatv y = luminance_at(frame, stride, row, (i - row * (stride / LANES)) * LANES CODED);
        *(__global floatv *)(plane + (size_t)i * LANES) = filtered(y, parameters[0]);
    }
}

// Two pixels of a column, `by` rows above and below row y of the image.
#define ABOVE(by) ROW(column + max(y - (long)(by), 0l) * pitch)
#define BELOW(by) ROW(column + min(y + (long)(by), last) * pitch)

#if OPERATOR == GUIDED

// Sums of l and l l.
inline void moments_down(__global const float *column, long y, long last, long pitch, int radius, SPACE float *line)
{
    floatv middle = ROW(column + y * pitch);
    floatv sum = middle;
    floatv squares = middle * middle;
    for (int by = 1; by <= radius; by++) {
        floatv a = ABOVE(by);
        floatv b = BELOW(by);
        sum = sum + (a + b);
        squares = squares + (a * a + b * b);
    }
    PUT(sum, line);
    PUT(squares, line + WIDE);
}

// Sums of a and of b, which is a third of the pitch behind.
inline void sums_down(
        __global const float *column, long y, long last, long pitch, int radius, __global const float *parameters,
        SPACE float *line)
{
    for (int plane = 0; plane < 2; plane++) {
        floatv sum = ROW(column + y * pitch);
        for (int by = 1; by <= radius; by++) {
            sum = sum + (ABOVE(by) + BELOW(by));
        }
        PUT(sum, line + plane * WIDE);
        column += pitch / PLANES;
    }
}

// Means of both lines.
inline void means_across(SPACE const float *line, int radius, floatv *first, floatv *second)
{
    floatv a = AT(line);
    floatv b = AT(line + WIDE);
    for (int by = 1; by <= radius; by++) {
        a = a + (AT(line - by) + AT(line + by));
        b = b + (AT(line + WIDE - by) + AT(line + WIDE + by));
    }
    float n = (float)(2 * radius + 1);
    float share = 1.0f / (n * n);
    *first = a * share;
    *second = b * share;
}

inline void coefficients(SPACE const float *line, int radius, floatv *a, floatv *b)
{
    floatv mean, square;
    means_across(line, radius, &mean, &square);
    floatv variance = square - mean * mean;
    variance = AT_LEAST(variance, 0.0f);
    *a = variance / (variance + 1.0f);
    *b = mean - *a * mean;
}

// What the pixels are multiplied by. Parameters: e, the contrast less 1, -log2 of middle grey. The third plane of their row has l.
inline floatv factor(
        SPACE const float *line, int radius, __global const float *own, uint stride, __global const float *parameters)
{
    floatv a, b;
    means_across(line, radius, &a, &b);
    floatv base = a * ROW(own + 2 * stride) + b;
    return parameters[0] * exp2_of(parameters[1] * (base + parameters[2]));
}

#else

// Parameters: e, the weights of each Gaussian from its middle outwards, 2^phi a / s^2 of each scale but the last.
__constant int RADII[LINES] = {1, 2, 2, 4, 5, 8, 13, 21, 33};
__constant int WEIGHTS[LINES] = {1, 3, 6, 9, 14, 20, 29, 43, 65};
#define NORMS 99

#define ADD(scale, at) sum##scale = sum##scale + parameters[at + by] * both;
#define ADD_8 ADD(8, 65)
#define ADD_7 ADD(7, 43) ADD_8
#define ADD_6 ADD(6, 29) ADD_7
#define ADD_5 ADD(5, 20) ADD_6
#define ADD_4 ADD(4, 14) ADD_5
#define ADD_3 ADD(3, 9) ADD_4
#define ADD_2 ADD(2, 6) ADD_3
#define ADD_1 ADD(1, 3) ADD_2
#define ADD_0 ADD(0, 1) ADD_1
#define ADD_FOR(from, to, adds) \
    for (int by = from; by <= to; by++) { \
        floatv both = ABOVE(by) + BELOW(by); \
        adds \
    }

inline void sums_down(
        __global const float *column, long y, long last, long pitch, int radius, __global const float *parameters,
        SPACE float *line)
{
    floatv middle = ROW(column + y * pitch);
    floatv sum0 = parameters[1] * middle, sum1 = parameters[3] * middle, sum2 = parameters[6] * middle;
    floatv sum3 = parameters[9] * middle, sum4 = parameters[14] * middle, sum5 = parameters[20] * middle;
    floatv sum6 = parameters[29] * middle, sum7 = parameters[43] * middle, sum8 = parameters[65] * middle;
    ADD_FOR(1, 1, ADD_0)
    ADD_FOR(2, 2, ADD_1)
    ADD_FOR(3, 4, ADD_3)
    ADD_FOR(5, 5, ADD_4)
    ADD_FOR(6, 8, ADD_5)
    ADD_FOR(9, 13, ADD_6)
    ADD_FOR(14, 21, ADD_7)
    ADD_FOR(22, 33, ADD_8)
    PUT(sum0, line), PUT(sum1, line + WIDE), PUT(sum2, line + 2 * WIDE), PUT(sum3, line + 3 * WIDE);
    PUT(sum4, line + 4 * WIDE), PUT(sum5, line + 5 * WIDE), PUT(sum6, line + 6 * WIDE), PUT(sum7, line + 7 * WIDE);
    PUT(sum8, line + 8 * WIDE);
}

inline floatv blur(int scale, SPACE const float *line, __global const float *parameters)
{
    __global const float *weights = parameters + WEIGHTS[scale];
    line += scale * WIDE;
    floatv sum = weights[0] * AT(line);
    for (int by = 1; by <= RADII[scale]; by++) {
        sum = sum + weights[by] * (AT(line - by) + AT(line + by));
    }
    return sum;
}

// The published choice of a scale is all or nothing at an activity of 0.05; here a scale's share falls from 1 to 0 between
// 0.025 and 0.075, so that no rounding error decides.
inline floatv share_of(floatv centre, floatv surround, float norm)
{
    floatv difference = centre - surround;
    floatv share = 1.5f - 20.0f * (max(difference, -difference) / (norm + centre));
    return AT_LEAST(AT_MOST(share, 1.0f), 0.0f);
}

// The first Gaussian counts as a scale, too, beside the pixel itself, so that what leaks into it of a neighbour as
// bright as the sun makes no pixel black. Few pixels have such a neighbour.
inline floatv factor(
        SPACE const float *line, int radius, __global const float *own, uint stride, __global const float *parameters)
{
    floatv pixel = ROW(own);
    floatv centre = blur(0, line, parameters);
    floatv adapted = centre;
    floatv quiet = (floatv)(1.0f);
    float norm = 2.56f * parameters[NORMS];
    floatv leak = max(pixel - centre, centre - pixel) * 40.0f;
    if (ANY(leak > norm + pixel)) {
        quiet = leak > norm + pixel ? share_of(pixel, centre, norm) : quiet;
        adapted = leak > norm + pixel ? pixel + quiet * (centre - pixel) : centre;
    }
    floatv before = centre;
    for (int scale = 0; scale < LINES - 1; scale++) {
        floatv surround = blur(scale + 1, line, parameters);
        quiet = quiet * share_of(centre, surround, parameters[NORMS + scale]);
        adapted = adapted + quiet * (centre - before);
        before = centre;
        centre = surround;
    }
    return parameters[0] / (1.0f + adapted);
}

#endif

// Runs DOWN with `column` and `into` for each column that the pixels of a row depend on, then ACROSS with `x` and `line` for
// each pixel. `view` begins `start` before the chunk's rows; `pitch` floats make a row.
#if FORM == 1

#define ROWS(DOWN, ACROSS) \
    SPACE float lines[LINES * WIDE]; \
    uint each = (rows + (uint)get_global_size(0) - 1) / (uint)get_global_size(0); \
    uint first = (uint)get_global_id(0) * each; \
    uint end = min(rows, first + each); \
    for (uint x0 = 0; x0 < stride; x0 += BLOCK) { \
        uint stop = min(stride, x0 + BLOCK); \
        for (uint row = first; row < end; row++) { \
            long y = (long)chunk + row; \
            for (uint c = x0 == 0 ? 0 : x0 - PAD; c < min(stride, stop + PAD); c += 16) { \
                __global const float *column = image + c; \
                SPACE float *into = lines + (c + PAD - x0); \
                DOWN; \
            } \
            for (int x = x0 == 0 ? -PAD : (int)width; x < (int)stop + PAD; x = x == -16 ? (int)width : x + 16) { \
                SPACE float *into = lines + (x + PAD - (int)x0); \
                if (AROUND) { \
                    __global const float *column = image + COLUMN(x); \
                    DOWN; \
                } else { \
                    for (int i = 0; i < 16 * LINES; i++) { \
                        into[i / 16 * WIDE + i % 16] = into[i / 16 * WIDE + COLUMN(x + i % 16) - x]; \
                    } \
                } \
            } \
            for (uint x = x0; x < stop; x += 16) { \
                SPACE const float *line = lines + (x + PAD - x0); \
                ACROSS; \
            } \
        } \
    }

#else

#define ROWS(DOWN, ACROSS) \
    SPACE float lines[LINES * WIDE]; \
    uint me = (uint)get_local_id(0); \
    uint span = GROUP - 2 * (uint)radius; \
    uint groups = (stride + span - 1) / span; \
    uint row = (uint)get_group_id(0) / groups; \
    if (row >= rows) { \
        return; \
    } \
    uint x = ((uint)get_group_id(0) - row * groups) * span + me - (uint)radius; \
    long y = (long)chunk + row; \
    { \
        __global const float *column = image + COLUMN((int)x); \
        SPACE float *into = lines + me; \
        DOWN; \
    } \
    barrier(CLK_LOCAL_MEM_FENCE); \
    if (me >= (uint)radius && me < GROUP - (uint)radius && x < stride) { \
        SPACE const float *line = lines + me; \
        ACROSS; \
    }

#endif

#if OPERATOR == GUIDED

__kernel void guided_coefficients(
        __global const float *view, ulong start, __global float *planes, uint width, uint height, uint stride, int radius,
        ulong chunk, uint rows)
{
    long pitch = stride;
    long last = (long)height - 1;
    __global const float *image = view + ((long)start - (long)chunk * pitch);
    ROWS(moments_down(column, y, last, pitch, radius, into), {
        floatv a;
        floatv b;
        coefficients(line, radius, &a, &b);
        __global float *out = planes + (size_t)row * PLANES * stride + x;
        PUT(a, out);
        PUT(b, out + stride);
        PUT(ROW(image + y * pitch + x), out + 2 * stride);
    })
}

#endif

__kernel void local_map(
        FRAME, __global const float *view, ulong start, __global uint *pixels, __global const float *parameters, uint width,
        uint height, uint stride, int radius, ulong chunk, uint rows CODING)
{
    long pitch = PLANES * stride;
    long last = (long)height - 1;
    __global const float *image = view + ((long)start - (long)chunk * pitch);
    ROWS(sums_down(column, y, last, pitch, radius, parameters, into), {
        floatv scale = factor(line, radius, image + y * pitch + x, stride, parameters);
        Pixel p = saturated(pixel_at(frame, stride, row, x CODED), parameters);
        __global uint *out = pixels + ((size_t)row * stride + x) * WORDS;
        *(__global pixelv *)out = coded(in_range(scaled(p, scale), scale * luminance(p.r, p.g, p.b), 1.0f, true));
    })
}
