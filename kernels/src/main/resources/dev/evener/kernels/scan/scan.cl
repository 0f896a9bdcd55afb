// Prefix scan: out[i] is the combination of in[0] to in[i], or, exclusive, of in[0] to in[i - 1].
//
// The order of a float sum is fixed, and every form keeps to it, on every device:
//  - the prefixes within a run of 16 elements come from four steps (values.cl);
//  - the 16 runs of a block of 256 elements are added up one after another, starting from 0;
//  - the 16 blocks of a tile of 4096 elements are added up one after another, starting from 0;
//  - the 16 tiles of a row of 65536 elements are added up one after another, starting from 0;
//  - the rows are added up one after another.
// With these, the result is (((rows before + tiles before in the row) + blocks before in the tile) + runs before in the
// block) + prefix in the run.
//
// In the form that is split over devices, a unit is a tile, and there are two kernels: scan_totals finds each tile's
// total; the host combines those before each tile; scan_tiles scans each tile and adds what came before. (Reduce, then
// scan: G. E. Blelloch, Prefix sums and their applications, 1990.) What does not fill a tile is left to the host.
//
// CPU: a work-item takes ITEM tiles, a group is one work-item, vectors of a run each. The scan stores past the caches,
// which spares reading what it overwrites. Other devices: a group of 256 per tile, a run per work-item; elements are
// loaded and stored 16 bytes per work-item, side by side, and change hands in local memory.

#if defined(EVENER_CPU) && !defined(GROUPS)

static inline values load(__global const element *in)
{
    return TO_VALUES(*(__global const elements *)in);
}

#ifdef FLOATING

// Sums of neighbours: those of a, then those of b.
static inline values pairs(values a, values b)
{
    return (values)(a.even, b.even) + (values)(a.odd, b.odd);
}

// Four levels of the trees of 16 runs at once, which leave the total of run i in lane i.
static inline values quads(__global const element *in)
{
    return pairs(pairs(load(in), load(in + RUN)), pairs(load(in + 2 * RUN), load(in + 3 * RUN)));
}

static inline value block_total(__global const element *in)
{
    values t = pairs(
            pairs(quads(in), quads(in + 4 * RUN)),
            pairs(quads(in + 8 * RUN), quads(in + 12 * RUN)));
    return (((((((((((((((IDENTITY + t.s0) + t.s1) + t.s2) + t.s3) + t.s4) + t.s5) + t.s6) + t.s7) + t.s8) + t.s9)
            + t.sa) + t.sb) + t.sc) + t.sd) + t.se) + t.sf;
}

typedef value tally;
#define NO_TALLY IDENTITY

static inline tally tally_block(tally t, __global const element *in)
{
    return t + block_total(in);
}

static inline value tallied(tally t)
{
    return t;
}

#else

// Whatever is exact is combined lane by lane first.
typedef values tally;
#define NO_TALLY (values)(IDENTITY)

static inline tally tally_block(tally t, __global const element *in)
{
    values a = t, b = load(in);
    for (uint i = RUN; i < BLOCK - RUN; i += 2 * RUN) {
        a = COMBINE(a, load(in + i));
        b = COMBINE(b, load(in + i + RUN));
    }
    a = COMBINE(a, load(in + BLOCK - RUN));
    return COMBINE(a, b);
}

static inline value tallied(tally t)
{
    JOIN(VALUE, 8) t8 = COMBINE(t.lo, t.hi);
    value4 t4 = COMBINE(t8.lo, t8.hi);
    JOIN(VALUE, 2) t2 = COMBINE(t4.lo, t4.hi);
    return COMBINE(t2.x, t2.y);
}

#endif

static inline value tile_total(__global const element *in)
{
    tally t = NO_TALLY;
    for (uint block = 0; block < TILE; block += BLOCK) {
        t = tally_block(t, in + block);
    }
    return tallied(t);
}

// Scans a block that follows on before; returns its total.
static inline value scan_block(__global const element *in, __global element *out, value before)
{
    value runs = IDENTITY;
    for (uint i = 0; i < BLOCK; i += RUN) {
        values own = load(in + i), v = prefixes(own);
        STORE(results(COMBINE(before, runs), own, v), (__global elements *)(out + i));
        runs = COMBINE(runs, v.sf);
    }
    return runs;
}

#ifndef FLOATING
static inline value scan_block_and_tally(__global const element *in, __global element *out, value before, tally *t, __global const element *other)
{
    value runs = IDENTITY;
    tally sum = *t;
    for (uint i = 0; i < BLOCK; i += RUN) {
        sum = COMBINE(sum, load(other + i));
        values own = load(in + i), v = prefixes(own);
        STORE(results(COMBINE(before, runs), own, v), (__global elements *)(out + i));
        runs = COMBINE(runs, v.sf);
    }
    *t = sum;
    return runs;
}
#else
static inline value scan_block_and_tally(__global const element *in, __global element *out, value before, tally *t, __global const element *other)
{
    *t = tally_block(*t, other);
    return scan_block(in, out, before);
}
#endif

// Scans a tile that follows on carry.
static inline void scan_tile(__global const element *in, __global element *out, value carry)
{
    value blocks = IDENTITY;
    for (uint block = 0; block < TILE; block += BLOCK) {
        blocks = COMBINE(blocks, scan_block(in + block, out + block, COMBINE(carry, blocks)));
    }
}

// The same, and the total of another tile: reading one from memory while the other comes from a cache.
static inline value scan_tile_and_total(
        __global const element *in, __global element *out, value carry, __global const element *other)
{
    value blocks = IDENTITY;
    tally t = NO_TALLY;
    for (uint block = 0; block < TILE; block += BLOCK) {
        blocks = COMBINE(blocks, scan_block_and_tally(in + block, out + block, COMBINE(carry, blocks), &t, other + block));
    }
    return tallied(t);
}

__kernel void scan_totals(__global const element *in, __global value *totals, uint tiles)
{
    uint first = (uint)get_global_id(0) * ITEM;
    uint end = min(tiles, first + ITEM);
    for (uint tile = first; tile < end; tile++) {
        totals[tile] = tile_total(in + (size_t)tile * TILE);
    }
}

__kernel void scan_tiles(
        __global const element *in, __global element *out, __global const value *carries, uint tiles)
{
    uint first = (uint)get_global_id(0) * ITEM;
    uint end = min(tiles, first + ITEM);
    for (uint tile = first; tile < end; tile++) {
        size_t at = (size_t)tile * TILE;
        scan_tile(in + at, out + at, carries[tile]);
    }
}

// The chain. Each row has an entry of two values, its total and the combination of all elements up to its end, each of
// which is written once, by whoever finds it first. A word of a value is 16 of its bits and a mark that they are there:
// every word tells for itself whether it may be used, so it does not matter in which order words become visible.

#define WORDS (sizeof(value) / 2)
#define ENTRY (2 * WORDS)
#define MARK 0x10000u

#if defined(FLOATING)
#define TO_BITS(v) as_uint(v)
#define FROM_BITS(b) as_float((uint)(b))
#else
#define TO_BITS(v) (v)
#define FROM_BITS(b) ((value)(b))
#endif

// How often a row looks for the end of the one before it until it finds what is missing by itself.
#ifndef PATIENCE
#define PATIENCE 4096
#endif

// For tests: rows that tell nothing, as if they were late.
#ifndef SILENT
#define SILENT(row) 0
#endif

static inline void publish(volatile __global uint *words, value v, uint row)
{
    if (SILENT(row)) {
        return;
    }
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

#define ROW_TILES (ROW / TILE)

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

// What comes before a row. Goes back to a row whose end is known, and forward again in the order of the rows; a total that
// is not there after a while is found again rather than waited for.
static inline value rows_before(__global const element *in, volatile __global uint *entries, uint row, uint tiles)
{
    value sum = IDENTITY;
    if (row == 0) {
        return sum;
    }
    for (uint i = 0; i < PATIENCE; i++) {
        if (published(entries + (row - 1) * ENTRY + WORDS, &sum)) {
            return sum;
        }
    }
    uint known = row;
    while (known > 0 && !published(entries + (known - 1) * ENTRY + WORDS, &sum)) {
        known--;
    }
    if (known == 0) {
        sum = IDENTITY;
    }
    for (uint i = known; i < row; i++) {
        value v;
        if (published(entries + i * ENTRY + WORDS, &v)) {
            sum = v;
            continue;
        }
        if (!published(entries + i * ENTRY, &v)) {
            value each[ROW_TILES];
            v = row_total(in, i, tiles, each);
            publish(entries + i * ENTRY, v, i);
        }
        sum = COMBINE(sum, v);
    }
    return sum;
}

__kernel void scan_clear(__global uint *state, uint words)
{
    for (uint i = (uint)get_global_id(0); i < words; i += (uint)get_global_size(0)) {
        state[i] = 0;
    }
}

__kernel void scan_chained(
        __global const element *in, __global element *out, __global value *all, volatile __global uint *state, uint tiles)
{
    volatile __global uint *entries = state + 16;
    uint rows = (tiles + ROW_TILES - 1) / ROW_TILES;
    value a[ROW_TILES], b[ROW_TILES];
    value *each = a, *each_next = b;
    uint row = atomic_inc(state);
    if (row >= rows) {
        return;
    }
    value total = row_total(in, row, tiles, each);
    publish(entries + row * ENTRY, total, row);
    while (row < rows) {
        value carry = rows_before(in, entries, row, tiles);
        value end = COMBINE(carry, total);
        publish(entries + row * ENTRY + WORDS, end, row);
        if (row == rows - 1) {
            all[0] = end;
        }
        uint next = atomic_inc(state);
        uint first = row * ROW_TILES, count = min(tiles - first, (uint)ROW_TILES);
        uint first_next = min(next, rows) * ROW_TILES, count_next = next < rows ? min(tiles - first_next, (uint)ROW_TILES) : 0;
        value sum = IDENTITY;
        total = IDENTITY;
        for (uint i = 0; i < count; i++) {
            size_t at = (size_t)(first + i) * TILE;
            if (i < count_next) {
                each_next[i] = scan_tile_and_total(
                        in + at, out + at, COMBINE(carry, sum), in + (size_t)(first_next + i) * TILE);
                total = COMBINE(total, each_next[i]);
            } else {
                scan_tile(in + at, out + at, COMBINE(carry, sum));
            }
            sum = COMBINE(sum, each[i]);
        }
        if (next < rows) {
            publish(entries + next * ENTRY, total, next);
        }
        row = next;
        value *swap = each;
        each = each_next;
        each_next = swap;
    }
}

#else

#define GROUP 256
typedef JOIN(ELEMENT, ACROSS) wide; // ACROSS is their number, for the preprocessor

// Loads a tile, side by side, and gives each work-item its run.
static inline values load_run(__global const element *in, __local element *shared)
{
    uint me = (uint)get_local_id(0);
    for (uint i = me * ACROSS; i < TILE; i += GROUP * ACROSS) {
        wide w = *(__global const wide *)(in + i);
        __local element *to = shared + PLACE(i);
        to[0] = w.s0;
        to[1] = w.s1;
#if ACROSS == 4
        to[2] = w.s2;
        to[3] = w.s3;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return TO_VALUES(vload16(0, shared + me * (RUN + 1)));
}

// Stores the runs of all work-items as a tile.
static inline void store_run(elements run, __global element *out, __local element *shared)
{
    uint me = (uint)get_local_id(0);
    vstore16(run, 0, shared + me * (RUN + 1));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = me * ACROSS; i < TILE; i += GROUP * ACROSS) {
        __local const element *from = shared + PLACE(i);
#if ACROSS == 4
        *(__global wide *)(out + i) = (wide)(from[0], from[1], from[2], from[3]);
#else
        *(__global wide *)(out + i) = (wide)(from[0], from[1]);
#endif
    }
}

// What precedes a work-item's run in its block; every work-item gives its run's total.
static inline value runs_before(value total, __local value *totals)
{
    uint me = (uint)get_local_id(0);
    totals[me] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    value runs = IDENTITY;
    for (uint i = me & ~15u; i < me; i++) {
        runs = COMBINE(runs, totals[i]);
    }
    return runs;
}

// The totals of the 16 blocks, from the last work-item of each.
static inline void share_blocks(value before, value total, __local value *blocks)
{
    uint me = (uint)get_local_id(0);
    if ((me & 15) == 15) {
        blocks[me >> 4] = COMBINE(before, total);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static inline value blocks_before(uint block, __local const value *blocks)
{
    value sum = IDENTITY;
    for (uint i = 0; i < block; i++) {
        sum = COMBINE(sum, blocks[i]);
    }
    return sum;
}

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
scan_totals(__global const element *in, __global value *totals, uint tiles)
{
    __local element shared[PLACE(TILE)];
    __local value runs[GROUP];
    __local value blocks[RUN];
    uint tile = (uint)get_group_id(0);
    value total = prefixes(load_run(in + (size_t)tile * TILE, shared)).sf;
    share_blocks(runs_before(total, runs), total, blocks);
    if (get_local_id(0) == 0) {
        totals[tile] = blocks_before(RUN, blocks);
    }
}

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
scan_tiles(__global const element *in, __global element *out, __global const value *carries, uint tiles)
{
    __local element shared[PLACE(TILE)];
    __local value totals[GROUP];
    __local value blocks[RUN];
    uint tile = (uint)get_group_id(0);
    size_t at = (size_t)tile * TILE;
    values own = load_run(in + at, shared), v = prefixes(own);
    value runs = runs_before(v.sf, totals);
    share_blocks(runs, v.sf, blocks);
    value before = COMBINE(carries[tile], blocks_before((uint)get_local_id(0) >> 4, blocks));
    store_run(results(COMBINE(before, runs), own, v), out + at, shared);
}

#endif
