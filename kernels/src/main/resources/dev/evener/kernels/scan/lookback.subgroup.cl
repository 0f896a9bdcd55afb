// The scan with look-back where lanes of a warp exchange values (lookback.cl, warp.cl).

#if FORM == 3 && !FLOATING

// A group's portion is EACH tiles. Each warp of the group has its own part of every tile, 512 elements, and each lane of it
// pieces of 16 bytes that are a warp apart, so that loads and stores are as wide as can be and side by side; what lanes have is
// combined in registers.
#ifndef EACH
#define EACH 1 // tiles of a portion
#endif
#define GROUP_WARPS (GROUP / WARP)
#define PART (TILE / GROUP_WARPS)
#define PIECES (PART / WARP / ACROSS)
#define NONE 0xffffffffu

#if WARPS_ALIKE
#define PATIENCE 4 // looking takes long there
#define LOOKS_BACK 1 // all warps do, at what the first one saw
#define UNROLL_WARPS 0 // emulated exchanges are full of barriers, of which many copies take CPU drivers minutes to build
#else
#define PATIENCE 1024
#define LOOKS_BACK (warp_of_group() == 0)
#define UNROLL_WARPS 1
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
#if UNROLL_WARPS
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
#if UNROLL_WARPS
#pragma unroll
#endif
        for (uint p = 0; p < PIECES; p++) {
            pieces[p] = from[p * WARP];
        }
#if UNROLL_WARPS
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
#if UNROLL_WARPS
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
#if UNROLL_WARPS
#pragma unroll
#endif
    for (uint p = 0; p < PIECES; p++) {
        value total = v[p * ACROSS];
#if UNROLL_WARPS
#pragma unroll
#endif
        for (uint i = 1; i < ACROSS; i++) {
            total = COMBINE(total, v[p * ACROSS + i]);
        }
        value upto = value_prefix(total, exchange);
#if OPERATION == SUM
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
#if UNROLL_WARPS
#pragma unroll
#endif
    for (uint p = 0; p < PIECES; p++) {
        value upto = COMBINE(carry, before[p]);
        element results[ACROSS];
#if UNROLL_WARPS
#pragma unroll
#endif
        for (uint i = 0; i < ACROSS; i++) {
#if EXCLUSIVE
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
#if ACROSS == 4 && !ATOMIC_WORDS
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
#if WARPS_ALIKE
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
#if UNROLL_WARPS
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
#if UNROLL_WARPS
#pragma unroll
#endif
        for (uint i = 0; i < EACH; i++) {
            load_part(in, portion * EACH + i, tiles, v[i]);
        }
        value total = IDENTITY;
#if UNROLL_WARPS
#pragma unroll
#endif
        for (uint i = 0; i < EACH; i++) {
            value part = prefix_part(v[i], before[i], exchange);
            if (lane == 0) {
                totals[warp] = part;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            warps[i] = total;
#if UNROLL_WARPS
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
#if UNROLL_WARPS
#pragma unroll
#endif
        for (uint i = 0; i < EACH; i++) {
            store_part(out, portion * EACH + i, tiles, COMBINE(carry, warps[i]), v[i], before[i]);
        }
    }
}

#endif
