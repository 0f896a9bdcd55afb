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
// floats are done in three steps instead: totals, carries (one group), tiles. Where there are warps (warp.cl), their lanes hand on
// what they have in registers, a portion is EACH tiles, and one warp looks back.

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

// Words are read and written whole, and whoever sees one needs nothing else that was written, so plain accesses do. What
// OpenCL promises is less, and there is no atomic load or store in 1.2: to prove the rest free of races, the words can be
// seen to by atomic operations.
#ifdef ATOMIC_WORDS
#define READ_WORD(word) atomic_or(word, 0u)
#define WRITE_WORD(word, content) atomic_xchg(word, content)
#else
#define READ_WORD(word) (*(word))
#define WRITE_WORD(word, content) (*(word) = (content))
#endif

static inline void publish(volatile __global uint *words, value v)
{
    ulong bits = (ulong)TO_BITS(v);
    for (uint i = 0; i < WORDS; i++) {
        WRITE_WORD(words + i, MARK | ((uint)(bits >> (16 * i)) & 0xffffu));
    }
}

// Whether the value was there.
static inline int published(volatile __global uint *words, value *v)
{
    ulong bits = 0;
    uint all = MARK;
    for (uint i = 0; i < WORDS; i++) {
        uint word = READ_WORD(words + i);
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

#elif defined(WARPS)

// A group's portion is EACH tiles. Each warp of the group has its own part of every tile, 512 elements, and each lane of it
// pieces of 16 bytes that are a warp apart, so that loads and stores are as wide as can be and side by side; what lanes have is
// combined in registers.
#ifndef EACH
#define EACH 1
#endif
#ifdef WARPS_ALIKE
#define PATIENCE 4 // looking takes long there
#else
#define PATIENCE 1024
#endif
#define NOTHING 0
#define TOTAL 1
#define END 2
#define GROUP_WARPS (GROUP / WARP)
#define PART (TILE / GROUP_WARPS)
#define PIECES (PART / WARP / ACROSS)
#define NONE 0xffffffffu

// Emulated exchanges are full of barriers, of which many copies take CPU drivers minutes to build.
#ifndef WARPS_ALIKE
#define UNROLL_WARPS
#endif

#ifdef WARPS_ALIKE
#define LOOKS_BACK 1 // all warps do, at what the first one saw
#else
#define LOOKS_BACK (warp_of_group() == 0)
#endif

static inline value value_from(value v, uint lane, __local uint *exchange)
{
    if (sizeof(value) == 8) {
        ulong bits = (ulong)v;
        uint low = warp_from((uint)bits, lane, exchange);
        uint high = warp_from((uint)(bits >> 32), lane, exchange);
        return (value)((ulong)high << 32 | low);
    }
    return (value)warp_from((uint)v, lane, exchange);
}

static inline value value_up(value v, uint by, __local uint *exchange)
{
    if (sizeof(value) == 8) {
        ulong bits = (ulong)v;
        uint low = warp_up((uint)bits, by, exchange);
        uint high = warp_up((uint)(bits >> 32), by, exchange);
        return (value)((ulong)high << 32 | low);
    }
    return (value)warp_up((uint)v, by, exchange);
}

// Combination of this lane's value and those of the lanes below it.
static inline value value_prefix(value v, __local uint *exchange)
{
    uint lane = lane_of_warp();
#ifdef UNROLL_WARPS
#pragma unroll
#endif
    for (uint by = 1; by < WARP; by *= 2) {
        value below = value_up(v, by, exchange);
        v = lane >= by ? COMBINE(below, v) : v;
    }
    return v;
}

// The lane's elements of its warp's part of a tile; identities where there is no such tile.
static inline void load_part(__global const element *in, uint tile, uint tiles, value *v)
{
    if (tile < tiles) {
        __global const wide *from =
                (__global const wide *)(in + (size_t)tile * TILE + warp_of_group() * PART) + lane_of_warp();
        wide pieces[PIECES];
#ifdef UNROLL_WARPS
#pragma unroll
#endif
        for (uint p = 0; p < PIECES; p++) {
            pieces[p] = from[p * WARP];
        }
#ifdef UNROLL_WARPS
#pragma unroll
#endif
        for (uint p = 0; p < PIECES; p++) {
            v[p * ACROSS] = TO_VALUE(pieces[p].s0);
            v[p * ACROSS + 1] = TO_VALUE(pieces[p].s1);
#if ACROSS == 4
            v[p * ACROSS + 2] = TO_VALUE(pieces[p].s2);
            v[p * ACROSS + 3] = TO_VALUE(pieces[p].s3);
#endif
        }
    } else {
#ifdef UNROLL_WARPS
#pragma unroll
#endif
        for (uint i = 0; i < PIECES * ACROSS; i++) {
            v[i] = IDENTITY;
        }
    }
}

// Finds what precedes each of the lane's pieces in its warp's part; returns the part's total, to every lane.
static inline value prefix_part(const value *v, value *before, __local uint *exchange)
{
    uint lane = lane_of_warp();
    value sum = IDENTITY;
#ifdef UNROLL_WARPS
#pragma unroll
#endif
    for (uint p = 0; p < PIECES; p++) {
        value total = v[p * ACROSS];
#ifdef UNROLL_WARPS
#pragma unroll
#endif
        for (uint i = 1; i < ACROSS; i++) {
            total = COMBINE(total, v[p * ACROSS + i]);
        }
        value upto = value_prefix(total, exchange);
#ifdef SUM
        before[p] = sum + (upto - total);
#else
        value below = value_up(upto, 1, exchange);
        before[p] = COMBINE(sum, lane == 0 ? (value)(IDENTITY) : below);
#endif
        sum = COMBINE(sum, value_from(upto, WARP - 1, exchange));
    }
    return sum;
}

static inline void store_part(
        __global element *out, uint tile, uint tiles, value carry, const value *v, const value *before)
{
    if (tile >= tiles) {
        return;
    }
    __global wide *to = (__global wide *)(out + (size_t)tile * TILE + warp_of_group() * PART) + lane_of_warp();
#ifdef UNROLL_WARPS
#pragma unroll
#endif
    for (uint p = 0; p < PIECES; p++) {
        value upto = COMBINE(carry, before[p]);
        element results[ACROSS];
#ifdef UNROLL_WARPS
#pragma unroll
#endif
        for (uint i = 0; i < ACROSS; i++) {
#ifdef EXCLUSIVE
            results[i] = TO_ELEMENT(upto);
            upto = COMBINE(upto, v[p * ACROSS + i]);
#else
            upto = COMBINE(upto, v[p * ACROSS + i]);
            results[i] = TO_ELEMENT(upto);
#endif
        }
#if ACROSS == 4
        to[p * WARP] = (wide)(results[0], results[1], results[2], results[3]);
#else
        to[p * WARP] = (wide)(results[0], results[1]);
#endif
    }
}

// The whole of a portion, to all work-items; they all call it together.
static inline value portion_total(
        __global const element *in, uint portion, uint tiles, __local value *totals, __local uint *exchange)
{
    value total = IDENTITY;
    for (uint i = 0; i < EACH; i++) {
        value v[PIECES * ACROSS], before[PIECES];
        load_part(in, portion * EACH + i, tiles, v);
        total = COMBINE(total, prefix_part(v, before, exchange));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane_of_warp() == 0) {
        totals[warp_of_group()] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    total = totals[0];
    for (uint w = 1; w < GROUP_WARPS; w++) {
        total = COMBINE(total, totals[w]);
    }
    return total;
}

// What a portion has told: its total, the combination of everything up to its end, or nothing yet.
static inline uint look(volatile __global uint *state, uint portion, value *v)
{
#if ACROSS == 4 && !defined(ATOMIC_WORDS)
    uint4 words = *(volatile __global uint4 *)total_of(state, portion);
    uint end = words.z & words.w & MARK;
    uint2 told = end ? words.zw : words.xy;
    *v = (value)((told.x & 0xffff) | told.y << 16);
    return end ? END : words.x & words.y & MARK ? TOTAL : NOTHING;
#else
    return published(end_of(state, portion), v) ? END : published(total_of(state, portion), v) ? TOTAL : NOTHING;
#endif
}

// Goes back from a portion, a warp's width at a time, and combines what it meets with sum. Returns NONE when it has met an
// end, or the beginning, or the portion that has told nothing for too long; then *end is the portion behind that one.
static inline uint look_back(
        volatile __global uint *state, uint *end, value *sum, __local value *found, __local uint *what, __local uint *exchange)
{
    uint lane = lane_of_warp();
    while (*end > 0) {
        uint patience = PATIENCE;
        uint ends, needed, missing;
        value v;
        do {
            uint kind = END; // in front of the first
            v = IDENTITY;
#ifdef WARPS_ALIKE
            if (warp_of_group() == 0) {
                kind = lane < *end ? look(state, *end - 1 - lane, &v) : END;
                what[lane] = kind;
                found[lane] = lane < *end ? v : (value)(IDENTITY);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            kind = what[lane];
            v = found[lane];
            barrier(CLK_LOCAL_MEM_FENCE);
#else
            if (lane < *end) {
                kind = look(state, *end - 1 - lane, &v);
            }
#endif
            ends = warp_ballot(kind == END, exchange);
            needed = ends ? ends ^ (ends - 1) : 0xffffffffu; // up to the nearest end
            missing = warp_ballot(kind == NOTHING, exchange) & needed;
        } while (missing && --patience > 0);
        uint known = missing ? (missing & (0u - missing)) - 1 : needed;
        v = known >> lane & 1 ? v : (value)(IDENTITY);
#ifdef UNROLL_WARPS
#pragma unroll
#endif
        for (uint apart = WARP / 2; apart > 0; apart /= 2) {
            v = COMBINE(v, value_from(v, lane ^ apart, exchange));
        }
        *sum = COMBINE(v, *sum);
        if (missing) {
            *end -= popcount(known);
            return *end - 1;
        }
        if (ends) {
            return NONE;
        }
        *end -= WARP;
    }
    return NONE;
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
    __local value totals[GROUP_WARPS];
    __local value found[WARP];
    __local uint what[WARP];
    __local value carried;
    __local uint ticket;
    __local uint absent;
    EXCHANGE(GROUP);
    uint me = (uint)get_local_id(0), lane = lane_of_warp(), warp = warp_of_group();
    uint portions = (tiles + EACH - 1) / EACH;
    for (;;) {
        if (me == 0) {
            ticket = atomic_inc(state);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint portion = ticket;
        if (portion >= portions) {
            return;
        }
        value v[EACH][PIECES * ACROSS], before[EACH][PIECES], warps[EACH];
#ifdef UNROLL_WARPS
#pragma unroll
#endif
        for (uint i = 0; i < EACH; i++) {
            load_part(in, portion * EACH + i, tiles, v[i]);
        }
        value total = IDENTITY;
#ifdef UNROLL_WARPS
#pragma unroll
#endif
        for (uint i = 0; i < EACH; i++) {
            value part = prefix_part(v[i], before[i], exchange);
            if (lane == 0) {
                totals[warp] = part;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            warps[i] = total;
#ifdef UNROLL_WARPS
#pragma unroll
#endif
            for (uint w = 0; w < GROUP_WARPS; w++) {
                value other = totals[w];
                warps[i] = w < warp ? COMBINE(warps[i], other) : warps[i];
                total = COMBINE(total, other);
            }
            if (i + 1 < EACH) {
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
        if (me == 0 && !SILENT(portion)) {
            publish(total_of(state, portion), total);
        }
        uint end = portion;
        value sum = IDENTITY;
        for (;;) {
            if (LOOKS_BACK) {
                uint missing = look_back(state, &end, &sum, found, what, exchange);
                if (me == 0) {
                    absent = missing;
                    carried = sum;
                    if (missing == NONE && !SILENT(portion)) {
                        publish(end_of(state, portion), COMBINE(sum, total));
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            uint missing = absent;
            if (missing == NONE) {
                break;
            }
            value again = portion_total(in, missing, tiles, totals, exchange);
            if (me == 0) {
                publish(total_of(state, missing), again);
            }
            sum = COMBINE(again, sum);
            end = missing;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        value carry = carried;
        if (me == 0 && portion == portions - 1) {
            all[0] = COMBINE(carry, total);
        }
#ifdef UNROLL_WARPS
#pragma unroll
#endif
        for (uint i = 0; i < EACH; i++) {
            store_part(out, portion * EACH + i, tiles, COMBINE(carry, warps[i]), v[i], before[i]);
        }
    }
}

#else

#define PATIENCE 64
#define WINDOW 32
#define NOTHING 0
#define TOTAL 1
#define END 2

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
