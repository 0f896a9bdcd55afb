// Sums of floats on one device that is no CPU (lookback.cl): totals, carries, tiles, each combined in the order that fixes the bits.

#if FORM != 1 && FLOATING

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
chain_begin(__global const element *in, __global uint *state, uint words, uint tiles)
{
    __local element shared[PLACE(TILE)];
    __local value runs[GROUP];
    __local value blocks[RUN];
    __global value *totals = (__global value *)state;
    for (uint tile = (uint)get_group_id(0); tile < tiles; tile += (uint)get_num_groups(0)) {
        value total = tile_total(in + (size_t)tile * TILE, shared, runs, blocks);
        if (get_local_id(0) == 0) {
            totals[tile] = total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The totals become what comes before each tile in its row; behind them stands what comes before each row.
__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
chain_carries(__global value *all, __global uint *state, uint tiles)
{
    __local value shared[GROUP];
    uint me = (uint)get_local_id(0);
    uint rows = (tiles + 15) / 16;
    __global value *totals = (__global value *)state;
    __global value *carries = totals + tiles;
    value sum = IDENTITY; // of all rows so far
    for (uint first = 0; first < rows; first += GROUP) {
        uint row = first + me;
        value in_row = IDENTITY;
        if (row < rows) {
            for (uint tile = row * 16; tile < min(tiles, row * 16 + 16); tile++) {
                value total = totals[tile];
                totals[tile] = in_row;
                in_row = COMBINE(in_row, total);
            }
        }
        shared[me] = in_row;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me == 0) {
            for (uint i = 0; i < GROUP; i++) {
                value total = shared[i];
                shared[i] = sum;
                sum = COMBINE(sum, total);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < rows) {
            carries[row] = shared[me];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0) {
        all[0] = sum;
    }
}

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
chain_scan(
        __global const element *in, __global element *out, __global value *all, volatile __global uint *state, uint tiles)
{
    __local element shared[PLACE(TILE)];
    __local value totals[GROUP];
    __local value blocks[RUN];
    __global const value *in_row = (__global const value *)state;
    for (uint tile = (uint)get_group_id(0); tile < tiles; tile += (uint)get_num_groups(0)) {
        value carry = COMBINE(in_row[tiles + tile / 16], in_row[tile]);
        scan_shared(in + (size_t)tile * TILE, out + (size_t)tile * TILE, carry, shared, totals, blocks);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#endif
