// Canny's edge detector (Canny, A Computational Approach to Edge Detection, IEEE PAMI 1986) in integers, in three kernels
// over the same rows.
//
// canny_classes: smoothing by the binomial 1 4 6 4 1 in both directions, ((sum + 128) / 256); Sobel's gradient of that
// (sobel.cl); thinning: a pixel stays if its magnitude exceeds that of its neighbour against the gradient's direction (the one
// that comes first in the image) and is not below that of its neighbour along it, where magnitudes beyond the image are 0; two
// thresholds: WEAK from `low` on, STRONG from `high` on. Pixels beyond an edge, of the image and of the smoothed image, are those
// at the edge. All of it is computed from the grey rows at once, four rows beyond the chunk on either side.
//
// Hysteresis keeps the weak pixels that are joined to a strong one by a path of weak or strong pixels, eight neighbours to
// each. It is a question of connected components and so of the whole image; here it is answered in tiles of `tall` rows over
// the whole width, which never depend on the split, then between them:
//
// canny_link labels the components of each tile: the label of a pixel is its component's first pixel, counted from the
// tile's start, and that pixel's own label carries the flag STRONG_COMPONENT if the component has a strong pixel. Labels of
// pixels that are no edge are left alone, since nobody reads them.
//
// Then the host joins components that touch across the border of two tiles, and says for each tile which of its components
// is kept because of others: in `kept`, two bytes for each column of a tile, for its first and its last row, of which one for
// each such component is set.
//
// canny_trace writes 255 for the pixels of components that are kept, 0 for all others.
//
// CPU: a work-item, the only one of its group, takes `tall` rows. canny_classes goes through them in blocks of columns, with
// lines of each intermediate image in private memory, each computed once; canny_link is the sequential algorithm of union and
// find in one pass over the pixels (after Wu, Otoo and Suzuki, Optimizing two-pass connected-component labeling algorithms,
// 2009), then one pass that shortens paths; 16 pixels without an edge are passed over at once.
//
// Other devices: canny_classes works on tiles of 64 x 16 pixels in local memory, of which a group may take several;
// canny_link and canny_trace take a group for each tile of rows, with union by atomic minimum (after Playne and Hawick, A new
// algorithm for parallel connected-component labelling on GPUs, IEEE TPDS 2018).

#define WEAK 1
#define STRONG 2
#define STRONG_COMPONENT 0x80000000u
#define LABEL 0x7fffffffu

inline uint clamped(long v, uint end) { return v < 0 ? 0 : v >= (long)end ? end - 1 : (uint)v; }

#ifdef ON_CPU

#define BLOCK 256
#define LEFT 16
#define LINE (LEFT + BLOCK + 32)
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
    long from = max(0l, x0 - 4);
    long to = min((long)width, x0 + wide + 4);
    long x = from;
    for (; x + 16 <= to; x += 16) {
        vstore16(vload16(0, row + x), 0, pixels + LEFT + x - x0);
    }
    for (; x < to; x++) {
        pixels[LEFT + x - x0] = row[x];
    }
    for (x = x0 - 4; x < from; x++) {
        pixels[LEFT + x - x0] = row[0];
    }
    for (x = to; x < x0 + wide + 20; x++) {
        pixels[LEFT + x - x0] = row[to - 1];
    }
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
        short16 al = S(above + i - 1), ar = S(above + i + 1), bl = S(below + i - 1), br = S(below + i + 1);
        short16 gx = gradient_x_short16(al, ar, S(row + i - 1), S(row + i + 1), bl, br);
        short16 gy = gradient_y_short16(al, S(above + i), ar, bl, S(below + i), br);
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

#else

#define WIDE 64
#define TALL 16
#define GROUP 256

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void canny_classes(
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
    __local uchar grey[TALL + 8][WIDE + 8];
    __local ushort along[TALL + 8][WIDE + 4];
    __local uchar smooth[TALL + 4][WIDE + 4];
    __local ushort magnitudes[TALL + 2][WIDE + 2];
    __local uchar sectors[TALL + 2][WIDE + 2];

    uint me = (uint)get_local_id(0);
    uint across = (width + WIDE - 1) / WIDE;
    uint down = (rows + TALL - 1) / TALL;
    __global const uchar *image = view + ((long)start - (long)chunk * width);

    for (ulong tile = get_group_id(0); tile < (ulong)across * down; tile += get_num_groups(0)) {
        int x0 = (int)(tile % across) * WIDE;
        int y0 = (int)chunk + (int)(tile / across) * TALL; // of the image
        int y1 = min(y0 + TALL, (int)chunk + (int)rows);
        for (uint i = me; i < (TALL + 8) * (WIDE + 8); i += GROUP) {
            int r = (int)(i / (WIDE + 8));
            int c = (int)(i % (WIDE + 8));
            // Rows that no pixel of the chunk needs are not in the view.
            int y = clamp(min(y0 + r - 4, y1 + 3), 0, (int)height - 1);
            int x = clamp(x0 + c - 4, 0, (int)width - 1);
            grey[r][c] = image[(long)y * width + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = me; i < (TALL + 8) * (WIDE + 4); i += GROUP) {
            uint r = i / (WIDE + 4);
            int x = clamp(x0 + (int)(i % (WIDE + 4)) - 2, 0, (int)width - 1);
            int c = x - x0 + 4;
            along[r][i % (WIDE + 4)] = (ushort)(grey[r][c - 2] + grey[r][c + 2] + 4 * (grey[r][c - 1] + grey[r][c + 1])
                    + 6 * grey[r][c]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = me; i < (TALL + 4) * (WIDE + 4); i += GROUP) {
            uint c = i % (WIDE + 4);
            int y = clamp(y0 + (int)(i / (WIDE + 4)) - 2, 0, (int)height - 1);
            int r = y - y0 + 4;
            smooth[i / (WIDE + 4)][c] = (uchar)((along[r - 2][c] + along[r + 2][c] + 4 * (along[r - 1][c] + along[r + 1][c])
                    + 6 * along[r][c] + 128) >> 8);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = me; i < (TALL + 2) * (WIDE + 2); i += GROUP) {
            uint r = i / (WIDE + 2);
            uint c = i % (WIDE + 2);
            int x = x0 + (int)c - 1;
            int y = y0 + (int)r - 1;
            int gx = gradient_x_int(smooth[r][c], smooth[r][c + 2], smooth[r + 1][c], smooth[r + 1][c + 2], smooth[r + 2][c],
                    smooth[r + 2][c + 2]);
            int gy = gradient_y_int(smooth[r][c], smooth[r][c + 1], smooth[r][c + 2], smooth[r + 2][c], smooth[r + 2][c + 1],
                    smooth[r + 2][c + 2]);
            bool inside = x >= 0 && x < (int)width && y >= 0 && y < (int)height;
            magnitudes[r][c] = inside ? (ushort)(size_int(gx) + size_int(gy)) : (ushort)0;
            sectors[r][c] = (uchar)sector_int(gx, gy);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = me; i < TALL * WIDE; i += GROUP) {
            uint r = i / WIDE + 1;
            uint c = i % WIDE + 1;
            int x = x0 + (int)c - 1;
            int y = y0 + (int)r - 1;
            if (x < (int)width && y < y1) {
                uint m = magnitudes[r][c];
                uint sector = sectors[r][c];
                int up = sector == 0 ? 0 : 1;
                int side = sector == 2 ? 0 : sector == 3 ? -1 : 1;
                bool stays = m >= low && m > magnitudes[r - up][c - side] && m >= magnitudes[r + up][c + side];
                classes[(size_t)(y - (int)chunk) * width + x] = (uchar)(stays ? (m >= high ? STRONG : WEAK) : 0);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Labels are read while others lower them, so every access is atomic. None has a flag yet.
inline uint read_label(volatile __global uint *labels, uint i) { return atomic_or(&labels[i], 0u); }

inline uint root_of(volatile __global uint *labels, uint i)
{
    uint above = read_label(labels, i) & LABEL;
    while (above != i) {
        i = above;
        above = read_label(labels, i) & LABEL;
    }
    return i;
}

inline void join(volatile __global uint *labels, uint a, uint b)
{
    while (true) {
        a = root_of(labels, a);
        b = root_of(labels, b);
        if (a == b) {
            return;
        }
        uint high = max(a, b);
        b = min(a, b);
        a = atomic_min(&labels[high], b);
        if (a == high) {
            return; // it was a root until now
        }
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void canny_link(
        __global const uchar *classes, volatile __global uint *labels, uint width, uint tall, uint rows)
{
    uint begin = (uint)get_group_id(0) * tall;
    if (begin >= rows) {
        return; // the whole group
    }
    uint me = (uint)get_local_id(0);
    classes += (size_t)begin * width;
    labels += (size_t)begin * width;
    uint pixels = (min(rows, begin + tall) - begin) * width;
    for (uint i = me; i < pixels; i += GROUP) {
        if (classes[i] != 0) {
            atomic_xchg(&labels[i], i);
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint i = me; i < pixels; i += GROUP) {
        if (classes[i] != 0) {
            uint x = i % width;
            bool left = x > 0;
            if (i >= width && classes[i - width] != 0) {
                join(labels, i, i - width);
            } else {
                if (left && classes[i - 1] != 0) {
                    join(labels, i, i - 1);
                } else if (left && i >= width && classes[i - width - 1] != 0) {
                    join(labels, i, i - width - 1);
                }
                if (x + 1 < width && i >= width && classes[i - width + 1] != 0) {
                    join(labels, i, i - width + 1);
                }
            }
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint i = me; i < pixels; i += GROUP) {
        if (classes[i] != 0) {
            uint root = root_of(labels, i);
            if (root != i) {
                atomic_min(&labels[i], root);
            }
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint i = me; i < pixels; i += GROUP) {
        if (classes[i] == STRONG) {
            atomic_or(&labels[read_label(labels, i) & LABEL], STRONG_COMPONENT);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void canny_trace(
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
    if (begin >= rows) {
        return;
    }
    uint me = (uint)get_local_id(0);
    classes += (size_t)begin * width;
    labels += (size_t)begin * width;
    edges += (size_t)begin * width;
    kept += (size_t)((chunk + begin) / tall) * 2 * width;
    uint pixels = (min(rows, begin + tall) - begin) * width;
    for (uint i = me; i < pixels; i += GROUP) {
        edges[i] = classes[i] != 0 && labels[i] == (i | STRONG_COMPONENT) ? 255 : 0;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint x = me; x < 2 * width; x += GROUP) {
        if (kept[x] != 0) { // for no other pixel of that component
            uint pixel = x < width ? x : pixels - 2 * width + x;
            edges[labels[pixel] & LABEL] = 255;
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint i = me; i < pixels; i += GROUP) {
        if (classes[i] != 0 && (labels[i] & LABEL) != i) {
            edges[i] = edges[labels[i] & LABEL];
        }
    }
}

#endif
