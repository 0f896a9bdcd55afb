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
// scan: G. E. Blelloch, Prefix sums and their applications, 1990.) What does not fill a tile is left to the host. The form
// for one device is in lookback.cl.
//
// CPU: a work-item takes ITEM tiles, a group is one work-item, vectors of a run each. The scan stores past the caches,
// which spares reading what it overwrites. Other devices: a group of 256 per tile, a run per work-item; elements are
// loaded and stored 16 bytes per work-item, side by side, and change hands in local memory.

#ifndef CHAINED
#define CHAINED 0 // 1: for the form for one device, which has kernels of its own
#endif
#ifndef ITEM
#define ITEM 8 // tiles that a work-item takes, form 1
#endif

#if FORM == 1

static inline values load(__global const element *in)
{
    return TO_VALUES(*(__global const elements *)in);
}

#if FLOATING

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

// Scans a block that follows on before; returns its total. Meanwhile, if asked to, it tallies another block: reading one from
// memory keeps no core from working on another that lies in a cache.
static inline value scan_block(
        __global const element *in, __global element *out, value before, int both, __global const element *other, tally *t)
{
#if FLOATING
    if (both) {
        *t = tally_block(*t, other);
    }
#endif
    value runs = IDENTITY;
    for (uint i = 0; i < BLOCK; i += RUN) {
#if !FLOATING
        if (both) {
            *t = COMBINE(*t, load(other + i));
        }
#endif
        values own = load(in + i), v = prefixes(own);
        STREAM(results(COMBINE(before, runs), own, v), (__global elements *)(out + i));
        runs = COMBINE(runs, v.sf);
    }
    return runs;
}

// Scans a tile that follows on carry. Returns the total of another tile, if asked to.
static inline value scan_tile(
        __global const element *in, __global element *out, value carry, int both, __global const element *other)
{
    value blocks = IDENTITY;
    tally t = NO_TALLY;
    for (uint block = 0; block < TILE; block += BLOCK) {
        value before = COMBINE(carry, blocks);
        blocks = COMBINE(blocks, scan_block(in + block, out + block, before, both, other + block, &t));
    }
    return tallied(t);
}

#if !CHAINED

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
        scan_tile(in + at, out + at, carries[tile], 0, in);
    }
}

#endif

#else

#define GROUP 256
typedef JOIN(ELEMENT, ACROSS) wide; // ACROSS is their number, for the preprocessor

// Functions that hold barriers, never called: Mesa 25.0 (llvmpipe) crashes while it compiles some such calls.
#define WITH_BARRIER static inline __attribute__((always_inline))

// Loads a tile, side by side, and gives each work-item its run.
WITH_BARRIER values load_run(__global const element *in, __local element *shared)
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
WITH_BARRIER void store_run(elements run, __global element *out, __local element *shared)
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
WITH_BARRIER value runs_before(value total, __local value *totals)
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
WITH_BARRIER void share_blocks(value before, value total, __local value *blocks)
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

// Every work-item gets the tile's total.
WITH_BARRIER value tile_total(
        __global const element *in, __local element *shared, __local value *totals, __local value *blocks)
{
    value total = prefixes(load_run(in, shared)).sf;
    share_blocks(runs_before(total, totals), total, blocks);
    return blocks_before(RUN, blocks);
}

WITH_BARRIER void scan_shared(
        __global const element *in,
        __global element *out,
        value carry,
        __local element *shared,
        __local value *totals,
        __local value *blocks)
{
    values own = load_run(in, shared), v = prefixes(own);
    value runs = runs_before(v.sf, totals);
    share_blocks(runs, v.sf, blocks);
    value before = COMBINE(carry, blocks_before((uint)get_local_id(0) >> 4, blocks));
    store_run(results(COMBINE(before, runs), own, v), out, shared);
}

#if !CHAINED

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
scan_totals(__global const element *in, __global value *totals, uint tiles)
{
    __local element shared[PLACE(TILE)];
    __local value runs[GROUP];
    __local value blocks[RUN];
    uint tile = (uint)get_group_id(0);
    value total = tile_total(in + (size_t)tile * TILE, shared, runs, blocks);
    if (get_local_id(0) == 0) {
        totals[tile] = total;
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
    scan_shared(in + at, out + at, carries[tile], shared, totals, blocks);
}

#endif

#endif
