// Harris corners (Harris and Stephens, A Combined Corner and Edge Detector, Alvey 1988).
//
// harris_response: gradients gx, gy by Sobel (sobel.cl), pixels beyond an edge being those at the edge; sums of gx gx, gx gy
// and gy gy over the window of 2 RADIUS + 1 columns and rows, gradients beyond an edge being those at the edge: integers, below
// 2^25; then in floats, each operation rounded, xx yy - xy xy - k (xx + yy)(xx + yy). The same bits everywhere.
//
// harris_corners: of each row, in the order of the columns, the pixels whose response is above the threshold, above that of
// the four neighbours before it in the image, and not below that of the four behind it. The two conditions break ties: of
// neighbours with equal responses only the first can stay. So no two in a row are neighbours.
//
// CPU: a work-item, the only one of its group, takes `each` rows; harris_response in blocks of columns, with lines of products
// summed along the row in private memory, each computed once. Other devices: 64 x 16 pixels for each group, products in local
// memory; a group for each row of corners, with a scan over the row's candidates to keep their order.

#pragma OPENCL FP_CONTRACT OFF

#ifndef RADIUS
#define RADIUS 1 // of the window
#endif

// One of 9 neighbours' worth of tests. Rows that there are not are null.
inline bool is_peak(
        __global const float *above, __global const float *row, __global const float *below, uint x, uint width,
        float threshold)
{
    float r = row[x];
    if (!(r > threshold)) {
        return false;
    }
    bool left = x > 0;
    bool right = x + 1 < width;
    bool peak = (!left || r > row[x - 1]) && (!right || r >= row[x + 1]);
    if (peak && above) {
        peak = (!left || r > above[x - 1]) && r > above[x] && (!right || r > above[x + 1]);
    }
    if (peak && below) {
        peak = (!left || r >= below[x - 1]) && r >= below[x] && (!right || r >= below[x + 1]);
    }
    return peak;
}

#if FORM == 1

#define W(p) convert_int16(vload16(0, p))

// The gradients' products at row y, summed up along the row.
inline void sum_along(
        const uchar *above, const uchar *row, const uchar *below, uint x0, uint wide, uint width, int *xx, int *xy, int *yy)
{
    short along[LINE];
    short down[LINE];
    for (uint i = LEFT - RADIUS; i < LEFT + wide + RADIUS; i += 16) {
        SOBEL_AT(short16, BYTES_16, above, row, below, i - 1, i, i + 1);
        vstore16(gx, 0, along + i);
        vstore16(gy, 0, down + i);
    }
    for (uint i = 1; x0 == 0 && i <= RADIUS; i++) {
        along[LEFT - i] = along[LEFT];
        down[LEFT - i] = down[LEFT];
    }
    for (uint x = width; x < x0 + wide + RADIUS; x++) { // the edge may be within the next block
        along[LEFT + x - x0] = along[LEFT + width - 1 - x0];
        down[LEFT + x - x0] = down[LEFT + width - 1 - x0];
    }
    for (uint i = LEFT; i < LEFT + wide; i += 16) {
        int16 sxx = (int16)(0);
        int16 sxy = (int16)(0);
        int16 syy = (int16)(0);
        for (uint k = i - RADIUS; k <= i + RADIUS; k++) {
            int16 x = W(along + k);
            int16 y = W(down + k);
            sxx += x * x;
            sxy += x * y;
            syy += y * y;
        }
        vstore16(sxx, 0, xx + i);
        vstore16(sxy, 0, xy + i);
        vstore16(syy, 0, yy + i);
    }
}

__kernel void harris_response(
        __global const uchar *view,
        ulong start,
        __global float *responses,
        uint width,
        uint height,
        float k,
        uint each,
        ulong chunk,
        uint rows)
{
    uint begin = (uint)get_group_id(0) * each;
    uint end = min(rows, begin + each);
    if (begin >= end) {
        return;
    }
    long first = (long)chunk + begin;
    long stop = (long)chunk + end;
    __global const uchar *grey = view + ((long)start - (long)chunk * width);

    uchar pixels[4][LINE];
    int xx[8][LINE];
    int xy[8][LINE];
    int yy[8][LINE];
    for (uint x0 = 0; x0 < width; x0 += BLOCK) {
        uint wide = min((uint)BLOCK, width - x0);
        long next_sums = max(0l, first - RADIUS);
        long next_pixels = max(0l, next_sums - 1);
        for (long y = first; y < stop; y++) {
            for (; next_sums <= min(y + RADIUS, (long)height - 1); next_sums++) {
                for (; next_pixels <= min(next_sums + 1, (long)height - 1); next_pixels++) {
                    load_line(grey + next_pixels * width, x0, wide, width, pixels[next_pixels % 4]);
                }
                uint slot = next_sums % 8;
                sum_along(
                        pixels[clamped(next_sums - 1, height) % 4],
                        pixels[next_sums % 4],
                        pixels[clamped(next_sums + 1, height) % 4],
                        x0, wide, width, xx[slot], xy[slot], yy[slot]);
            }
            __global float *out = responses + (size_t)(y - (long)chunk) * width + x0;
            for (uint x = 0; x < wide; x += 16) {
                int16 sxx = (int16)(0);
                int16 sxy = (int16)(0);
                int16 syy = (int16)(0);
                for (long v = y - RADIUS; v <= y + RADIUS; v++) {
                    uint slot = clamped(v, height) % 8;
                    sxx += vload16(0, xx[slot] + LEFT + x);
                    sxy += vload16(0, xy[slot] + LEFT + x);
                    syy += vload16(0, yy[slot] + LEFT + x);
                }
                float16 a = convert_float16(sxx);
                float16 b = convert_float16(sxy);
                float16 c = convert_float16(syy);
                float16 trace = a + c;
                float16 response = (a * c - b * b) - k * (trace * trace);
                if (x + 16 <= wide) {
                    vstore16(response, 0, out + x);
                } else {
                    float rest[16];
                    vstore16(response, 0, rest);
                    for (uint i = 0; x + i < wide; i++) {
                        out[x + i] = rest[i];
                    }
                }
            }
        }
    }
}

__kernel void harris_corners(
        __global const float *view,
        ulong start,
        __global uint *corners,
        __global uint *counts,
        __global float *strengths,
        __global uint *strength_counts,
        uint width,
        uint height,
        float threshold,
        uint most,
        uint each,
        ulong chunk,
        uint rows)
{
    uint begin = (uint)get_group_id(0) * each;
    uint end = min(rows, begin + each);
    for (uint y = begin; y < end; y++) {
        __global const float *row = view + start + (size_t)y * width;
        __global const float *above = chunk + y > 0 ? row - width : 0;
        __global const float *below = chunk + y + 1 < height ? row + width : 0;
        uint count = 0;
        for (uint x = 0; x < width;) {
            if (x + 16 <= width && !any(vload16(0, row + x) > (float16)(threshold))) {
                x += 16;
                continue;
            }
            for (uint stop = min(width, x + 16); x < stop; x++) {
                if (is_peak(above, row, below, x, width, threshold)) {
                    corners[(size_t)y * most + count] = x | (uint)(chunk + y) << 16;
                    strengths[(size_t)y * most + count] = row[x];
                    count++;
                }
            }
        }
        counts[y] = count;
        strength_counts[y] = count;
    }
}

#else

#define GRADIENTS_WIDE (WIDE + 2 * RADIUS)
#define GRADIENTS_TALL (TALL + 2 * RADIUS)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void harris_response(
        __global const uchar *view,
        ulong start,
        __global float *responses,
        uint width,
        uint height,
        float k,
        uint each,
        ulong chunk,
        uint rows)
{
    __local uchar grey[GRADIENTS_TALL + 2][GRADIENTS_WIDE + 2];
    __local short across_row[GRADIENTS_TALL][GRADIENTS_WIDE];
    __local short down_column[GRADIENTS_TALL][GRADIENTS_WIDE];
    uint me = (uint)get_local_id(0);
    uint across = (width + WIDE - 1) / WIDE;
    uint down = (rows + TALL - 1) / TALL;
    __global const uchar *image = view + ((long)start - (long)chunk * width);

    for (ulong tile = get_group_id(0); tile < (ulong)across * down; tile += get_num_groups(0)) {
        int x0 = (int)(tile % across) * WIDE;
        int y0 = (int)chunk + (int)(tile / across) * TALL;
        int y1 = min(y0 + TALL, (int)chunk + (int)rows);
        LOAD_TILE(RADIUS + 1);
        for (uint i = me; i < GRADIENTS_TALL * GRADIENTS_WIDE; i += GROUP) {
            int y = clamp(y0 + (int)(i / GRADIENTS_WIDE) - RADIUS, 0, (int)height - 1);
            int x = clamp(x0 + (int)(i % GRADIENTS_WIDE) - RADIUS, 0, (int)width - 1);
            int r = y - y0 + RADIUS + 1;
            int c = x - x0 + RADIUS + 1;
            SOBEL_AT(int, ONE, grey[r - 1], grey[r], grey[r + 1], c - 1, c, c + 1);
            across_row[i / GRADIENTS_WIDE][i % GRADIENTS_WIDE] = (short)gx;
            down_column[i / GRADIENTS_WIDE][i % GRADIENTS_WIDE] = (short)gy;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = me; i < TALL * WIDE; i += GROUP) {
            int x = x0 + (int)(i % WIDE);
            int y = y0 + (int)(i / WIDE);
            if (x >= (int)width || y >= y1) {
                continue;
            }
            int sxx = 0, sxy = 0, syy = 0;
            for (uint r = i / WIDE; r <= i / WIDE + 2 * RADIUS; r++) {
                for (uint c = i % WIDE; c <= i % WIDE + 2 * RADIUS; c++) {
                    int u = across_row[r][c];
                    int v = down_column[r][c];
                    sxx += u * u;
                    sxy += u * v;
                    syy += v * v;
                }
            }
            float a = (float)sxx;
            float b = (float)sxy;
            float c = (float)syy;
            float trace = a + c;
            responses[(size_t)(y - (int)chunk) * width + x] = (a * c - b * b) - k * (trace * trace);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void harris_corners(
        __global const float *view,
        ulong start,
        __global uint *corners,
        __global uint *counts,
        __global float *strengths,
        __global uint *strength_counts,
        uint width,
        uint height,
        float threshold,
        uint most,
        uint each,
        ulong chunk,
        uint rows)
{
    __local uint sums[2][GROUP];
    uint me = (uint)get_local_id(0);
    uint y = (uint)get_group_id(0);
    if (y >= rows) {
        return;
    }
    __global const float *row = view + start + (size_t)y * width;
    __global const float *above = chunk + y > 0 ? row - width : 0;
    __global const float *below = chunk + y + 1 < height ? row + width : 0;
    uint before = 0;
    for (uint x0 = 0; x0 < width; x0 += GROUP) {
        uint x = x0 + me;
        bool peak = x < width && is_peak(above, row, below, x, width, threshold);
        uint from = 0;
        sums[0][me] = peak ? 1 : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint step = 1; step < GROUP; step *= 2) {
            sums[1 - from][me] = sums[from][me] + (me >= step ? sums[from][me - step] : 0);
            from = 1 - from;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (peak) {
            size_t at = (size_t)y * most + before + sums[from][me] - 1;
            corners[at] = x | (uint)(chunk + y) << 16;
            strengths[at] = row[x];
        }
        before += sums[from][GROUP - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0) {
        counts[y] = before;
        strength_counts[y] = before;
    }
}

#endif
