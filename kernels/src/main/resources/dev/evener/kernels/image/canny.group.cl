// Canny's edges by groups with local memory (canny.cl).

#if FORM != 1

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
        LOAD_TILE(4);
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
            SOBEL_AT(int, ONE, smooth[r], smooth[r + 1], smooth[r + 2], c, c + 1, c + 2);
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
