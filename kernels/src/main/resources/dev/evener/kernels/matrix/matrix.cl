// C = A B, row-major float32: A has K columns, B and C have N. Any sizes.
//
// Every element of C is one accumulator that begins as 0 and takes A[i][k] * B[k][j] in the order of k, each product and each
// sum rounded: so its bits depend neither on the tiles nor on the device nor on the split, and parallelism comes from
// different elements alone. Cutting k into blocks keeps the order, as the accumulator waits in C between two blocks.
//
// CPU (after Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM TOMS 2008): a work-item, the only
// one of its group, computes each = 4 to 64 rows of C. A block of B, DEPTH rows of one column panel, is copied into private memory,
// where its rows lie one behind the other, and stays in the first-level cache while the block's part of all of these rows of A
// streams past; 4 rows of C by two vectors of 8 are accumulated in registers. Columns that fill no panel are padded with 0 in
// the copy and not stored.
//
// Other devices: a group of 128 work-items computes tiles of 64 rows by 128 columns of C, 8 x 8 elements in the registers of
// each work-item, from blocks of A (transposed) and B, DEPTH deep, in local memory. There may be more or fewer groups than
// tiles. A work-item's columns are two runs of four, 64 apart, so that its neighbours read neighbouring banks.
//
// The Java form is one loop over the same sums. Which NaN comes out differs between devices, so all become one.

#pragma OPENCL FP_CONTRACT OFF

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share local memory
#endif

#define ONE_NAN(v) ((v) != (v) ? as_float(0x7fc00000) : (v))

#if FORM == 1

#define PANEL 16
#define PANELS 4
#define DEPTH 256
#define TALL 4

// The part of TALL rows of C that one panel's block adds. Rows beyond the last repeat it and are not stored.
inline void micro(
        __global const float *a, size_t down, const float8 *panel, uint depth, float8 *left, float8 *right)
{
    float8 l0 = left[0], l1 = left[1], l2 = left[2], l3 = left[3];
    float8 r0 = right[0], r1 = right[1], r2 = right[2], r3 = right[3];
    __global const float *a1 = a + down, *a2 = a + 2 * down, *a3 = a + 3 * down;
    for (uint k = 0; k < depth; k++) {
        float8 bl = panel[2 * k];
        float8 br = panel[2 * k + 1];
        l0 = l0 + a[k] * bl;
        r0 = r0 + a[k] * br;
        l1 = l1 + a1[k] * bl;
        r1 = r1 + a1[k] * br;
        l2 = l2 + a2[k] * bl;
        r2 = r2 + a2[k] * br;
        l3 = l3 + a3[k] * bl;
        r3 = r3 + a3[k] * br;
    }
    left[0] = l0; left[1] = l1; left[2] = l2; left[3] = l3;
    right[0] = r0; right[1] = r1; right[2] = r2; right[3] = r3;
}

inline float8 load_columns(__global const float *p, uint columns)
{
    if (columns >= 8) {
        return vload8(0, p);
    }
    float v[8];
    for (uint i = 0; i < 8; i++) {
        v[i] = i < columns ? p[i] : 0.0f;
    }
    return (float8)(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
}

inline void store_columns(float8 v, __global float *p, uint columns)
{
    if (columns >= 8) {
        vstore8(v, 0, p);
        return;
    }
    float all[8];
    vstore8(v, 0, all);
    for (uint i = 0; i < columns; i++) {
        p[i] = all[i];
    }
}

inline float8 one_nan(float8 v) { return v != v ? (float8)(as_float(0x7fc00000)) : v; }

// Up to TALL rows by PANEL columns of C: what one block of B adds, to what the blocks before it left there.
inline void tile(
        __global const float *a, uint down, const float8 *panel, uint deep, __global float *c, uint columns, uint tall, uint wide,
        bool more, bool last)
{
    uint right_wide = max(wide, 8u) - 8;
    float8 left[TALL];
    float8 right[TALL];
    for (uint r = 0; r < TALL; r++) {
        left[r] = (float8)(0.0f);
        right[r] = (float8)(0.0f);
        if (more && r < tall) {
            __global const float *at = c + (size_t)r * columns;
            left[r] = load_columns(at, wide);
            right[r] = right_wide > 0 ? load_columns(at + 8, right_wide) : (float8)(0.0f);
        }
    }
    if (tall == TALL) {
        micro(a, down, panel, deep, left, right);
    } else {
        for (uint r = 0; r < tall; r++) {
            for (uint k = 0; k < deep; k++) {
                float factor = a[(size_t)r * down + k];
                left[r] = left[r] + factor * panel[2 * k];
                right[r] = right[r] + factor * panel[2 * k + 1];
            }
        }
    }
    for (uint r = 0; r < tall; r++) {
        __global float *to = c + (size_t)r * columns;
        store_columns(last ? one_nan(left[r]) : left[r], to, wide);
        if (right_wide > 0) {
            store_columns(last ? one_nan(right[r]) : right[r], to + 8, right_wide);
        }
    }
}

__kernel void matrix_multiply(
        __global const float *a, __global const float *b, __global float *c, uint depth, uint columns, uint each,
        uint rows)
{
    uint first = (uint)get_group_id(0) * each;
    uint end = min(rows, first + each);
    if (first >= end) {
        return;
    }
    float8 panels[PANELS][2 * DEPTH];
    // At least one block, even an empty one, so that C is written when K is 0.
    for (uint from = 0; from == 0 || from < depth; from += DEPTH) {
        uint deep = min((uint)DEPTH, depth - from);
        bool last = from + deep >= depth;
        for (uint x0 = 0; x0 < columns; x0 += PANELS * PANEL) {
            uint across = min((uint)PANELS, (columns - x0 + PANEL - 1) / PANEL);
            for (uint k = 0; k < deep; k++) {
                __global const float *row = b + (size_t)(from + k) * columns + x0;
                for (uint p = 0; p < across; p++) {
                    uint wide = min((uint)PANEL, columns - x0 - p * PANEL);
                    panels[p][2 * k] = load_columns(row + p * PANEL, wide);
                    panels[p][2 * k + 1] = wide > 8 ? load_columns(row + p * PANEL + 8, wide - 8) : (float8)(0.0f);
                }
            }
            for (uint p = 0; p < across; p++) {
                uint x = x0 + p * PANEL;
                for (uint y = first; y < end; y += TALL) {
                    tile(a + (size_t)y * depth + from, depth, panels[p], deep, c + (size_t)y * columns + x, columns,
                            min((uint)TALL, end - y), min((uint)PANEL, columns - x), from > 0, last);
                }
            }
        }
    }
}

#else

#define TILE_ROWS 64
#define TILE_COLUMNS 128
#define DEPTH 16
#define GROUP 128

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void matrix_multiply(
        __global const float *a, __global const float *b, __global float *c, uint depth, uint columns, uint each,
        uint rows)
{
    // One column more than there are rows: the transposing stores then hit different banks.
    __local float as[DEPTH][TILE_ROWS + 4];
    __local float bs[DEPTH][TILE_COLUMNS];

    uint me = (uint)get_local_id(0);
    uint mine_x = me % 16 * 4;
    uint mine_y = me / 16 * 8;
    uint across = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    uint down = (rows + TILE_ROWS - 1) / TILE_ROWS;

    for (ulong tile = get_group_id(0); tile < (ulong)across * down; tile += get_num_groups(0)) {
        uint y = (uint)(tile / across) * TILE_ROWS;
        uint x = (uint)(tile % across) * TILE_COLUMNS;
        float sums[8][8];
#pragma unroll
        for (uint r = 0; r < 8; r++) {
#pragma unroll
            for (uint s = 0; s < 8; s++) {
                sums[r][s] = 0.0f;
            }
        }
        for (uint from = 0; from < depth; from += DEPTH) {
            for (uint i = me; i < TILE_ROWS * DEPTH; i += GROUP) {
                uint r = i / DEPTH;
                uint k = i % DEPTH;
                as[k][r] = y + r < rows && from + k < depth ? a[(size_t)(y + r) * depth + from + k] : 0.0f;
            }
            for (uint i = me; i < TILE_COLUMNS * DEPTH; i += GROUP) {
                uint k = i / TILE_COLUMNS;
                uint s = i % TILE_COLUMNS;
                bs[k][s] = x + s < columns && from + k < depth ? b[(size_t)(from + k) * columns + x + s] : 0.0f;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            uint deep = min((uint)DEPTH, depth - from); // not the padding: adding 0 could change -0, and inf * 0 is NaN
            for (uint k = 0; k < deep; k++) {
                float left[8];
                float right[8];
#pragma unroll
                for (uint r = 0; r < 8; r++) {
                    left[r] = as[k][mine_y + r];
                }
#pragma unroll
                for (uint s = 0; s < 8; s++) {
                    right[s] = bs[k][mine_x + s % 4 + s / 4 * 64];
                }
#pragma unroll
                for (uint r = 0; r < 8; r++) {
#pragma unroll
                    for (uint s = 0; s < 8; s++) {
                        sums[r][s] = sums[r][s] + left[r] * right[s];
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#pragma unroll
        for (uint r = 0; r < 8; r++) {
#pragma unroll
            for (uint s = 0; s < 8; s++) {
                uint column = x + mine_x + s % 4 + s / 4 * 64;
                if (y + mine_y + r < rows && column < columns) {
                    c[(size_t)(y + mine_y + r) * columns + column] = ONE_NAN(sums[r][s]);
                }
            }
        }
    }
}

#endif
