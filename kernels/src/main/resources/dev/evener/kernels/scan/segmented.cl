// Sums of the elements up to each, begun anew in every segment: equal parts of the buffer, one behind the other. A unit is
// a segment. STYLE names one of four ways:
//
// RUNS  The order of additions within a segment is that of scan.cl, with the segment for the whole.
//   CPU: a work-item scans a number of segments one after another, in registers, a run of 16 at a time.
//   Other devices: a run per work-item. A group of 256 takes as many segments as have 256 runs, or goes through one that
//   has more tile by tile. Elements are loaded and stored side by side and change hands in local memory.
// The others are the three of the usual textbook comparison, a group of GROUP work-items to a segment, which it goes
// through in steps, adding what came before:
// NAIVE  Every element adds its neighbour at distance 1, 2, 4, ..., between two copies in local memory (W. D. Hillis and
//   G. L. Steele, Data parallel algorithms, 1986). A step is GROUP elements.
// BLELLOCH  A tree of sums up, prefixes down, in place (G. E. Blelloch, Prefix sums and their applications, 1990), with a
//   gap after every 32 values, so that the strides of the tree do not end in one bank. A step is 2 * GROUP elements.
// COLLECTIVE  The built-in work-group function of OpenCL C 2.0. A step is GROUP elements.

#define RUNS 0
#define NAIVE 1
#define BLELLOCH 2
#define COLLECTIVE 3
#ifndef STYLE
#define STYLE RUNS // Style.java has the same numbers
#endif
#ifndef GROUP
#define GROUP 256 // work-items of a group; in the style RUNS always so many
#endif

#if STYLE == RUNS && FORM == 1

// The first count elements of a run; the others are the identity.
static inline values load_some(__global const element *in, uint count)
{
    if (count >= RUN) {
        return TO_VALUES(vload16(0, in));
    }
    value some[RUN];
    for (uint i = 0; i < RUN; i++) {
        some[i] = i < count ? TO_VALUE(in[i]) : (value)(IDENTITY);
    }
    return vload16(0, some);
}

static inline void store_some(elements run, __global element *out, uint count, int aligned)
{
    if (aligned) {
        STREAM(run, (__global elements *)out);
    } else if (count >= RUN) {
        vstore16(run, 0, out);
    } else {
        element some[RUN];
        vstore16(run, 0, some);
        for (uint i = 0; i < count; i++) {
            out[i] = some[i];
        }
    }
}

static inline void scan_short(__global const element *in, __global element *out, uint length)
{
    value sum = IDENTITY;
    for (uint i = 0; i < length; i++) {
        value before = sum;
        sum = COMBINE(sum, TO_VALUE(in[i]));
        out[i] = EXCLUSIVE ? before : sum;
    }
}

static inline void scan_segment(__global const element *in, __global element *out, uint length)
{
    int aligned = (length & (RUN - 1)) == 0;
    value rows = IDENTITY, tiles = IDENTITY, blocks = IDENTITY;
    for (uint block = 0; block < length; block += BLOCK) {
        if (block > 0 && (block & (TILE - 1)) == 0) {
            tiles = COMBINE(tiles, blocks);
            blocks = IDENTITY;
            if ((block & (ROW - 1)) == 0) {
                rows = COMBINE(rows, tiles);
                tiles = IDENTITY;
            }
        }
        value before = COMBINE(COMBINE(rows, tiles), blocks);
        value runs = IDENTITY;
        uint end = min(length - block, (uint)BLOCK);
        for (uint i = 0; i < end; i += RUN) {
            values own = load_some(in + block + i, end - i), v = prefixes(own);
            store_some(results(COMBINE(before, runs), own, v), out + block + i, end - i, aligned);
            runs = COMBINE(runs, v.sf);
        }
        blocks = COMBINE(blocks, runs);
    }
}

__kernel void segmented_scan(
        __global const element *in, __global element *out, uint length, uint per_group, uint segments)
{
    uint items = (uint)get_global_size(0);
    uint each = (segments + items - 1) / items;
    uint first = min(segments, (uint)get_global_id(0) * each);
    uint end = min(segments, first + each);
    for (uint segment = first; segment < end; segment++) {
        size_t at = (size_t)segment * length;
#if !FLOATING
        if (length < RUN) {
            scan_short(in + at, out + at, length);
            continue;
        }
#endif
        scan_segment(in + at, out + at, length);
    }
}

#elif STYLE == RUNS

// What precedes this work-item's run in its block, from the totals of all runs, of which this is number run of its part.
static inline value runs_before(uint run, __local const value *totals)
{
    uint me = (uint)get_local_id(0);
    value sum = IDENTITY;
    for (uint i = me - (run & 15); i < me; i++) {
        sum = COMBINE(sum, totals[i]);
    }
    return sum;
}

// What precedes this work-item's block, from the totals of blocks, which stand at the places of their last runs.
static inline value blocks_before(uint run, __local const value *totals)
{
    uint first = (uint)get_local_id(0) - run;
    value sum = IDENTITY;
    for (uint i = 0; i < run >> 4; i++) {
        sum = COMBINE(sum, totals[first + 16 * i + 15]);
    }
    return sum;
}

// Scans parts of length elements each, one behind the other, each of them in as many work-items as it has runs; of whole
// parts, as many as there are. Returns the total of the last of 256 runs' worth, for parts of a tile.
static inline value scan_parts(
        __global const element *in,
        __global element *out,
        uint length,
        uint parts,
        value carry,
        __local element *shared,
        __local value *totals,
        __local value *blocks)
{
    uint me = (uint)get_local_id(0);
    uint in_part = (length + RUN - 1) / RUN; // runs of a part, the last one perhaps short
    uint part = me / in_part, run = me - part * in_part;
    uint all = parts * length;
    for (uint i = me; i < all; i += GROUP) {
        uint p = i / length;
        shared[PLACE(p * in_part * RUN + (i - p * length))] = in[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    values own = (values)(IDENTITY), v = own;
    if (part < parts) {
        uint count = min(length - run * RUN, (uint)RUN);
        for (uint i = count; i < RUN; i++) {
            shared[me * (RUN + 1) + i] = TO_ELEMENT(IDENTITY);
        }
        own = TO_VALUES(vload16(0, shared + me * (RUN + 1)));
        v = prefixes(own);
    }
    totals[me] = v.sf;
    barrier(CLK_LOCAL_MEM_FENCE);
    value runs = runs_before(run, totals);
    blocks[me] = COMBINE(runs, v.sf);
    barrier(CLK_LOCAL_MEM_FENCE);
    value before = COMBINE(carry, blocks_before(run, blocks));
    vstore16(results(COMBINE(before, runs), own, v), 0, shared + me * (RUN + 1));
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = me; i < all; i += GROUP) {
        uint p = i / length;
        out[i] = shared[PLACE(p * in_part * RUN + (i - p * length))];
    }
    value total = IDENTITY;
    for (uint i = 15; i < GROUP; i += 16) {
        total = COMBINE(total, blocks[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE); // before the next part overwrites what others still read
    return total;
}

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
segmented_scan(__global const element *in, __global element *out, uint length, uint per_group, uint segments)
{
    __local element shared[PLACE(TILE)];
    __local value totals[GROUP];
    __local value blocks[GROUP];
    uint first = (uint)get_group_id(0) * per_group;
    in += (size_t)first * length;
    out += (size_t)first * length;
    value rows = IDENTITY, tiles = IDENTITY;
    uint parts = length <= TILE ? min(per_group, segments - first) : 1;
    for (uint at = 0; at < length; at += TILE) { // once, if whole segments fit a tile
        if (at > 0 && (at & (ROW - 1)) == 0) {
            rows = COMBINE(rows, tiles);
            tiles = IDENTITY;
        }
        uint count = min(length - at, (uint)TILE);
        value total = scan_parts(
                in + at, out + at, count, parts, COMBINE(rows, tiles), shared, totals, blocks);
        tiles = COMBINE(tiles, total);
    }
}

#else

#if STYLE == COLLECTIVE \
        && (__OPENCL_C_VERSION__ < 200 || (__OPENCL_C_VERSION__ >= 300 && !defined(__opencl_c_work_group_collective_functions)))
#error "this device has no work-group collectives (OpenCL C 2.0, or 3.0 with work-group collective functions)"
#endif

#if STYLE == BLELLOCH
#define STEP (2 * GROUP)
#define PAD(i) ((i) + ((i) >> 5))
#define SHARED PAD(STEP)
#elif STYLE == NAIVE
#define STEP GROUP
#define SHARED (2 * GROUP)
#else
#define STEP GROUP
#define SHARED 1
#endif

static inline element result(value carry, value before, value own)
{
    return TO_ELEMENT(COMBINE(carry, EXCLUSIVE ? before : COMBINE(before, own)));
}

static inline value at(__global const element *in, uint i, uint length)
{
    return i < length ? TO_VALUE(in[i]) : (value)(IDENTITY);
}

// Each of these scans a step from place i on and returns its total.

#if STYLE == NAIVE

static inline value step(
        __global const element *in, __global element *out, uint i, uint length, value carry, __local value *shared)
{
    uint me = (uint)get_local_id(0);
    __local value *from = shared, *to = shared + GROUP;
    from[me] = at(in, i + me, length);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        to[me] = me >= distance ? COMBINE(from[me], from[me - distance]) : from[me];
        barrier(CLK_LOCAL_MEM_FENCE);
        __local value *other = from;
        from = to;
        to = other;
    }
    if (i + me < length) {
#if EXCLUSIVE
        value prefix = IDENTITY;
        if (me > 0) {
            prefix = from[me - 1];
        }
#else
        value prefix = from[me];
#endif
        out[i + me] = TO_ELEMENT(COMBINE(carry, prefix));
    }
    return from[GROUP - 1];
}

#elif STYLE == BLELLOCH

static inline value step(
        __global const element *in, __global element *out, uint i, uint length, value carry, __local value *shared)
{
    uint me = (uint)get_local_id(0);
    value low = at(in, i + me, length), high = at(in, i + GROUP + me, length);
    shared[PAD(me)] = low;
    shared[PAD(GROUP + me)] = high;
    for (uint distance = 1; distance < STEP; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint right = (me + 1) * 2 * distance - 1;
        if (right < STEP) {
            shared[PAD(right)] = COMBINE(shared[PAD(right)], shared[PAD(right - distance)]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    value total = shared[PAD(STEP - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me == 0) {
        shared[PAD(STEP - 1)] = IDENTITY;
    }
    for (uint distance = GROUP; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint right = (me + 1) * 2 * distance - 1;
        if (right < STEP) {
            value left = shared[PAD(right - distance)];
            shared[PAD(right - distance)] = shared[PAD(right)];
            shared[PAD(right)] = COMBINE(shared[PAD(right)], left);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i + me < length) {
        out[i + me] = result(carry, shared[PAD(me)], low);
    }
    if (i + GROUP + me < length) {
        out[i + GROUP + me] = result(carry, shared[PAD(GROUP + me)], high);
    }
    return total;
}

#else

static inline value step(
        __global const element *in, __global element *out, uint i, uint length, value carry, __local value *shared)
{
    uint me = (uint)get_local_id(0);
    value own = at(in, i + me, length);
    value before = work_group_scan_exclusive_add(own);
    if (i + me < length) {
        out[i + me] = result(carry, before, own);
    }
    return work_group_broadcast(before + own, GROUP - 1);
}

#endif

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
segmented_scan(__global const element *in, __global element *out, uint length, uint per_group, uint segments)
{
    __local value shared[SHARED];
    size_t first = (size_t)get_group_id(0) * length;
    in += first;
    out += first;
    value carry = IDENTITY;
    for (uint i = 0; i < length; i += STEP) {
        value total = step(in, out, i, length, carry, shared);
        carry = COMBINE(carry, total);
        barrier(CLK_LOCAL_MEM_FENCE); // before the next step overwrites what others still read
    }
}

#endif
