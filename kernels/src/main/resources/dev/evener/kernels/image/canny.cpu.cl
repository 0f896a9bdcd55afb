// Canny's edges on CPUs (canny.cl): a work-item for each tile of rows.

#if FORM == 1

#define S(p) vload16(0, p)
#define G(p) convert_short16(vload16(0, p))

// Of 16 pixels; the built-in any() goes through them one by one on some drivers.
inline bool no_edge(__global const uchar *classes)
{
    ulong2 all = as_ulong2(vload16(0, classes));
    return (all.x | all.y) == 0;
}

// Pixels x0 - 4 to x0 + wide + 3 of a row, weighted along it: element LEFT + x - x0 of a line belongs to column x.
inline void smooth_along(__global const uchar *row, long x0, uint wide, uint width, ushort *line)
{
    uchar pixels[LINE];
    load_line(row, x0, wide, width, pixels);
    for (uint i = LEFT - 2; i < LEFT + wide + 2; i += 16) {
        ushort16 sum = as_ushort16(G(pixels + i - 2) + G(pixels + i + 2)
                + (G(pixels + i - 1) + G(pixels + i + 1)) * (short16)(4) + G(pixels + i) * (short16)(6));
        vstore16(sum, 0, line + i);
    }
}

inline void smooth_down(
        const ushort *a, const ushort *b, const ushort *c, const ushort *d, const ushort *e, uint x0, uint wide, uint width,
        short *line)
{
    for (uint i = LEFT - 2; i < LEFT + wide + 2; i += 16) {
        ushort16 sum = S(a + i) + S(e + i) + (S(b + i) + S(d + i)) * (ushort16)(4) + S(c + i) * (ushort16)(6);
        vstore16(as_short16((sum + (ushort16)(128)) >> (ushort16)(8)), 0, line + i);
    }
    if (x0 == 0) {
        line[LEFT - 2] = line[LEFT - 1] = line[LEFT];
    }
    for (uint x = width; x < x0 + wide + 2; x++) { // the edge may be within the next block
        line[LEFT + x - x0] = line[LEFT + width - 1 - x0];
    }
}

inline void differentiate(
        const short *above, const short *row, const short *below, uint x0, uint wide, uint width, short *magnitudes,
        short *sectors)
{
    for (uint i = LEFT - 1; i < LEFT + wide + 1; i += 16) {
        SOBEL_AT(short16, SHORTS_16, above, row, below, i - 1, i, i + 1);
        vstore16(size_short16(gx) + size_short16(gy), 0, magnitudes + i);
        vstore16(sector_short16(gx, gy), 0, sectors + i);
    }
    if (x0 == 0) {
        magnitudes[LEFT - 1] = 0;
    }
    if (x0 + wide == width) {
        magnitudes[LEFT + wide] = 0;
    }
}

inline void classify(
        const short *above, const short *row, const short *below, const short *sectors, uint wide, short low, short high,
        __global uchar *out)
{
    for (uint x = 0; x < wide; x += 16) {
        uint i = LEFT + x;
        short16 m = S(row + i);
        uchar16 classes = (uchar16)(0);
        ulong4 strong_enough = as_ulong4(m >= (short16)(low));
        if ((strong_enough.x | strong_enough.y | strong_enough.z | strong_enough.w) != 0) {
            short16 sector = S(sectors + i);
            short16 first = S(row + i - 1);
            short16 last = S(row + i + 1);
            first = sector == (short16)(1) ? S(above + i - 1) : first;
            last = sector == (short16)(1) ? S(below + i + 1) : last;
            first = sector == (short16)(2) ? S(above + i) : first;
            last = sector == (short16)(2) ? S(below + i) : last;
            first = sector == (short16)(3) ? S(above + i + 1) : first;
            last = sector == (short16)(3) ? S(below + i - 1) : last;
            short16 kept = (m > first) & (m >= last) & (m >= (short16)(low));
            short16 strength = m >= (short16)(high) ? (short16)(STRONG) : (short16)(WEAK);
            classes = convert_uchar16(kept & strength);
        }
        if (x + 16 <= wide) {
            vstore16(classes, 0, out + x);
        } else {
            uchar rest[16];
            vstore16(classes, 0, rest);
            for (uint k = 0; x + k < wide; k++) {
                out[x + k] = rest[k];
            }
        }
    }
}

__kernel void canny_classes(
        __global const uchar *view,
        ulong start,
        __global uchar *classes,
        uint width,
        uint height,
        uint low,
        uint high,
        uint tall,
        ulong chunk,
        uint rows)
{
    uint begin = (uint)get_group_id(0) * tall;
    uint end = min(rows, begin + tall);
    if (begin >= end) {
        return;
    }
    // Rows of the image from here on; grey + y * width is row y.
    long first = (long)chunk + begin;
    long stop = (long)chunk + end;
    __global const uchar *grey = view + ((long)start - (long)chunk * width);

    ushort along[8][LINE];
    short smooth[4][LINE];
    short magnitudes[4][LINE];
    short sectors[4][LINE];
    short nothing[LINE];
    for (uint i = 0; i < LINE; i++) {
        nothing[i] = 0;
    }
    for (uint x0 = 0; x0 < width; x0 += BLOCK) {
        uint wide = min((uint)BLOCK, width - x0);
        long next_magnitudes = max(0l, first - 1);
        long next_smooth = max(0l, next_magnitudes - 1);
        long next_along = max(0l, next_smooth - 2);
        for (long y = first; y < stop; y++) {
            for (; next_magnitudes <= min(y + 1, (long)height - 1); next_magnitudes++) {
                for (; next_smooth <= min(next_magnitudes + 1, (long)height - 1); next_smooth++) {
                    for (; next_along <= min(next_smooth + 2, (long)height - 1); next_along++) {
                        smooth_along(grey + next_along * width, x0, wide, width, along[next_along % 8]);
                    }
                    smooth_down(
                            along[clamped(next_smooth - 2, height) % 8],
                            along[clamped(next_smooth - 1, height) % 8],
                            along[next_smooth % 8],
                            along[clamped(next_smooth + 1, height) % 8],
                            along[clamped(next_smooth + 2, height) % 8],
                            x0, wide, width, smooth[next_smooth % 4]);
                }
                differentiate(
                        smooth[clamped(next_magnitudes - 1, height) % 4],
                        smooth[next_magnitudes % 4],
                        smooth[clamped(next_magnitudes + 1, height) % 4],
                        x0, wide, width, magnitudes[next_magnitudes % 4], sectors[next_magnitudes % 4]);
            }
            classify(
                    y > 0 ? magnitudes[(y - 1) % 4] : nothing,
                    magnitudes[y % 4],
                    y + 1 < (long)height ? magnitudes[(y + 1) % 4] : nothing,
                    sectors[y % 4], wide, (short)low, (short)high,
                    classes + (size_t)(y - (long)chunk) * width + x0);
        }
    }
}

inline uint root_of(__global uint *labels, uint i)
{
    while (true) {
        uint above = labels[i] & LABEL;
        if (above == i) {
            return i;
        }
        uint higher = labels[above] & LABEL;
        labels[i] = higher; // only roots carry a flag, and this is none
        i = higher;
    }
}

inline uint join(__global uint *labels, uint a, uint b)
{
    uint low = min(a, b);
    uint high = max(a, b);
    if (low != high) {
        labels[low] |= labels[high] & STRONG_COMPONENT;
        labels[high] = low;
    }
    return low;
}

__kernel void canny_link(__global const uchar *classes, __global uint *labels, uint width, uint tall, uint rows)
{
    uint begin = (uint)get_group_id(0) * tall;
    uint end = min(rows, begin + tall);
    if (begin >= end) {
        return;
    }
    classes += (size_t)begin * width;
    labels += (size_t)begin * width;
    uint pixels = (end - begin) * width;

    uint x = 0; // column of pixel i
    for (uint i = 0; i < pixels;) {
        if (i + 16 <= pixels && no_edge(classes + i)) {
            i += 16;
            x += 16;
            while (x >= width) {
                x -= width;
            }
            continue;
        }
        uint here = min(pixels, i + 16);
        for (; i < here; i++) {
            if (classes[i] != 0) {
                bool top = i < width;
                bool left = x > 0;
                bool right = x + 1 < width;
                uint root = i;
                if (!top && classes[i - width] != 0) {
                    root = root_of(labels, i - width);
                } else {
                    // Left and upper left are joined already.
                    if (left && classes[i - 1] != 0) {
                        root = root_of(labels, i - 1);
                    } else if (left && !top && classes[i - width - 1] != 0) {
                        root = root_of(labels, i - width - 1);
                    }
                    if (right && !top && classes[i - width + 1] != 0) {
                        uint other = root_of(labels, i - width + 1);
                        root = root == i ? other : join(labels, root, other);
                    }
                }
                labels[i] = root;
                if (classes[i] == STRONG) {
                    labels[root] |= STRONG_COMPONENT;
                }
            }
            x++;
            x = x == width ? 0 : x;
        }
    }
    for (uint i = 0; i < pixels;) {
        if (i + 16 <= pixels && no_edge(classes + i)) {
            i += 16;
            continue;
        }
        uint here = min(pixels, i + 16);
        for (; i < here; i++) {
            uint above = labels[i] & LABEL;
            if (classes[i] != 0 && above != i) {
                labels[i] = labels[above] & LABEL; // a root: those before are done
            }
        }
    }
}

__kernel void canny_trace(
        __global const uchar *classes,
        __global const uint *labels,
        __global const uchar *kept,
        __global uchar *edges,
        uint width,
        uint tall,
        ulong chunk,
        uint rows)
{
    uint begin = (uint)get_group_id(0) * tall;
    uint end = min(rows, begin + tall);
    if (begin >= end) {
        return;
    }
    classes += (size_t)begin * width;
    labels += (size_t)begin * width;
    edges += (size_t)begin * width;
    kept += (size_t)((chunk + begin) / tall) * 2 * width;
    uint pixels = (end - begin) * width;

    // First the roots that are kept, for what they know themselves or because of others; then everything else.
    for (uint i = 0; i < pixels;) {
        if (i + 16 <= pixels && no_edge(classes + i)) {
            vstore16((uchar16)(0), 0, edges + i);
            i += 16;
            continue;
        }
        uint here = min(pixels, i + 16);
        for (; i < here; i++) {
            edges[i] = classes[i] != 0 && labels[i] == (i | STRONG_COMPONENT) ? 255 : 0;
        }
    }
    for (uint x = 0; x < 2 * width; x++) {
        if (kept[x] != 0) {
            uint pixel = x < width ? x : pixels - 2 * width + x;
            edges[labels[pixel] & LABEL] = 255;
        }
    }
    for (uint i = 0; i < pixels;) {
        if (i + 16 <= pixels && no_edge(classes + i)) {
            i += 16;
            continue;
        }
        uint here = min(pixels, i + 16);
        for (; i < here; i++) {
            if (classes[i] != 0) {
                edges[i] = edges[labels[i] & LABEL];
            }
        }
    }
}

#endif
