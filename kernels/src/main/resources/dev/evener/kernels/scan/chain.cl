// The scan on one device, which needs to read the input but once (D. Merrill and M. Garland, Single-pass parallel prefix scan
// with decoupled look-back, 2016). Groups take portions in order, by tickets from a counter; a portion's total is told to all
// as soon as it is known, and so is the combination of everything up to its end as soon as that is. Whoever needs what comes
// before its portion looks back until it meets such an end. What is not there after a while is found again from the input
// rather than waited for (decoupled fallback), so that nothing depends on which groups run, or when.
//
// Each portion has an entry of two values, its total and its end. A word of a value is 16 of its bits and a mark that they are
// there: every word tells for itself whether it may be used, so it does not matter in which order words become visible
// to whom, and no fence is needed. All who write a value write the same.
//
// CPU: a portion is a row. While a work-item scans one, which lies in its cache, it reads the next and finds its total.
// Other devices: a portion is a tile, and a group looks back at 32 entries at once. That combines out of order, so sums of
// floats are done in three steps instead: totals, carries (one group), tiles.

#if defined(FLOATING)
#define TO_BITS(v) as_uint(v)
#define FROM_BITS(b) as_float((uint)(b))
#else
#define TO_BITS(v) (v)
#define FROM_BITS(b) ((value)(b))
#endif

#define WORDS (sizeof(value) / 2)
#define MARK 0x10000u
#define TICKET 16 // words before the first entry, of which the first is the counter

// For tests: portions that tell nothing, as if they were late.
#ifndef SILENT
#define SILENT(portion) 0
#endif

static inline volatile __global uint *total_of(volatile __global uint *state, uint portion)
{
    return state + TICKET + (size_t)portion * 2 * WORDS;
}

static inline volatile __global uint *end_of(volatile __global uint *state, uint portion)
{
    return total_of(state, portion) + WORDS;
}

static inline void publish(volatile __global uint *words, value v)
{
    ulong bits = (ulong)TO_BITS(v);
    for (uint i = 0; i < WORDS; i++) {
        words[i] = MARK | ((uint)(bits >> (16 * i)) & 0xffffu);
    }
}

// Whether the value was there.
static inline int published(volatile __global uint *words, value *v)
{
    ulong bits = 0;
    uint all = MARK;
    for (uint i = 0; i < WORDS; i++) {
        uint word = words[i];
        all &= word;
        bits |= (ulong)(word & 0xffffu) << (16 * i);
    }
    *v = FROM_BITS(bits);
    return all != 0;
}

static inline void clear(__global uint *state, uint words)
{
    for (uint i = (uint)get_global_id(0); i < words; i += (uint)get_global_size(0)) {
        state[i] = 0;
    }
}

#if defined(EVENER_CPU) && !defined(GROUPS)

#define ROW_TILES (ROW / TILE)
#define PATIENCE 4096

static inline value row_total(__global const element *in, uint row, uint tiles, value *each)
{
    uint first = row * ROW_TILES, count = min(tiles - first, (uint)ROW_TILES);
    value total = IDENTITY;
    for (uint i = 0; i < count; i++) {
        each[i] = tile_total(in + (size_t)(first + i) * TILE);
        total = COMBINE(total, each[i]);
    }
    return total;
}

// What comes before a row: back to a row whose end is known, and forward again in the order of the rows.
static inline value rows_before(__global const element *in, volatile __global uint *state, uint row, uint tiles)
{
    value sum = IDENTITY;
    for (uint i = 0; row > 0 && i < PATIENCE && !SILENT(row - 1); i++) {
        if (published(end_of(state, row - 1), &sum)) {
            return sum;
        }
    }
    uint known = row;
    while (known > 0 && !published(end_of(state, known - 1), &sum)) {
        known--;
    }
    if (known == 0) {
        sum = IDENTITY;
    }
    for (uint i = known; i < row; i++) {
        value v;
        if (published(end_of(state, i), &v)) {
            sum = v;
            continue;
        }
        if (!published(total_of(state, i), &v)) {
            value each[ROW_TILES];
            v = row_total(in, i, tiles, each);
            publish(total_of(state, i), v);
        }
        sum = COMBINE(sum, v);
    }
    return sum;
}

__kernel void chain_begin(__global const element *in, __global uint *state, uint words, uint tiles)
{
    clear(state, words);
}

__kernel void chain_carries(__global value *all, __global uint *state, uint tiles)
{
}

__kernel void chain_scan(
        __global const element *in, __global element *out, __global value *all, volatile __global uint *state, uint tiles)
{
    uint rows = (tiles + ROW_TILES - 1) / ROW_TILES;
    value each[ROW_TILES]; // totals of the tiles of this row; of those behind the present one, of the next row
    // By way of local memory, as llvmpipe does not leave a loop before its idle lanes would, and they get no tickets.
    volatile __local uint ticket;
    ticket = atomic_inc(state);
    uint row = ticket;
    value total = IDENTITY;
    if (row < rows) {
        total = row_total(in, row, tiles, each);
        if (!SILENT(row)) {
            publish(total_of(state, row), total);
        }
    }
    while (row < rows) {
        value carry = rows_before(in, state, row, tiles);
        value end = COMBINE(carry, total);
        if (!SILENT(row)) {
            publish(end_of(state, row), end);
        }
        if (row == rows - 1) {
            all[0] = end;
        }
        ticket = atomic_inc(state);
        uint next = ticket;
        uint first = row * ROW_TILES, count = min(tiles - first, (uint)ROW_TILES);
        uint first_next = min(next, rows - 1) * ROW_TILES;
        uint count_next = next < rows ? min(tiles - first_next, (uint)ROW_TILES) : 0;
        value sum = IDENTITY;
        total = IDENTITY;
        for (uint i = 0; i < count; i++) {
            // Where there is no other tile, the same one, whose total is not asked for.
            uint tile = first + i, other = i < count_next ? first_next + i : tile;
            value other_total = scan_tile(
                    in + (size_t)tile * TILE,
                    out + (size_t)tile * TILE,
                    COMBINE(carry, sum),
                    1,
                    in + (size_t)other * TILE);
            sum = COMBINE(sum, each[i]);
            each[i] = other_total;
            if (i < count_next) {
                total = COMBINE(total, other_total);
            }
        }
        if (next < rows && !SILENT(next)) {
            publish(total_of(state, next), total);
        }
        row = next;
    }
}

#elif defined(FLOATING)

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

#else

#define PATIENCE 64
#define WINDOW 32
#define NOTHING 0
#define TOTAL 1
#define END 2

// What comes before a tile, for every work-item.
static inline value tiles_before(
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
chain_begin(__global const element *in, __global uint *state, uint words, uint tiles)
{
    clear(state, words);
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
