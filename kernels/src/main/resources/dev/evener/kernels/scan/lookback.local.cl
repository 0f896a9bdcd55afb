// The scan with look-back through local memory (lookback.cl): a group for each tile.

#if FORM == 2 && !FLOATING

#define PATIENCE 64
#define WINDOW 32

// What comes before a tile, for every work-item.
WITH_BARRIER value tiles_before(
        __global const element *in,
        volatile __global uint *state,
        uint tile,
        __local element *shared,
        __local value *totals,
        __local value *blocks,
        __local value *found,
        __local uint *what)
{
    uint me = (uint)get_local_id(0);
    value before = IDENTITY;
    int done = 0;
    for (uint end = tile; end > 0 && !done;) {
        uint window = min(end, (uint)WINDOW);
        if (me < window) {
            uint portion = end - 1 - me;
            uint kind = NOTHING;
            value v = IDENTITY;
            for (uint i = 0; i < PATIENCE && kind == NOTHING; i++) {
                kind = published(end_of(state, portion), &v) ? END : published(total_of(state, portion), &v) ? TOTAL : NOTHING;
            }
            found[me] = v;
            what[me] = kind;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < window && !done; i++) { // the same in all work-items
            uint portion = end - 1 - i;
            value v = found[i];
            if (what[i] == NOTHING) {
                v = tile_total(in + (size_t)portion * TILE, shared, totals, blocks);
                if (me == 0) {
                    publish(total_of(state, portion), v);
                }
            }
            before = COMBINE(v, before);
            done = what[i] == END;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        end -= window;
    }
    return before;
}

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
chain_scan(
        __global const element *in, __global element *out, __global value *all, volatile __global uint *state, uint tiles)
{
    __local element shared[PLACE(TILE)];
    __local value totals[GROUP];
    __local value blocks[RUN];
    __local value found[WINDOW];
    __local uint what[WINDOW];
    __local uint ticket;
    uint me = (uint)get_local_id(0);
    for (;;) {
        if (me == 0) {
            ticket = atomic_inc(state);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint tile = ticket;
        if (tile >= tiles) {
            return;
        }
        size_t at = (size_t)tile * TILE;
        values own = load_run(in + at, shared), v = prefixes(own);
        value runs = runs_before(v.sf, totals);
        share_blocks(runs, v.sf, blocks);
        value in_tile = COMBINE(blocks_before(me >> 4, blocks), runs);
        value total = blocks_before(RUN, blocks);
        if (me == 0 && !SILENT(tile)) {
            publish(total_of(state, tile), total);
        }
        value before = tiles_before(in, state, tile, shared, totals, blocks, found, what);
        if (me == 0) {
            value end = COMBINE(before, total);
            if (!SILENT(tile)) {
                publish(end_of(state, tile), end);
            }
            if (tile == tiles - 1) {
                all[0] = end;
            }
        }
        store_run(results(COMBINE(before, in_tile), own, v), out + at, shared);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#endif
