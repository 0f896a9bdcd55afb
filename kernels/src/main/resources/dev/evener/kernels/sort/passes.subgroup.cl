// How a group sums and how it sorts a tile where lanes of a warp exchange values (passes.cl, warp.cl).

#if FORM == 3

// Sum of the values of the work-items in front of this one; all of the group's in *total. Work-items from `used` on have 0,
// and get nothing of use: few slices take few steps.
inline uint sum_before(__local uint *sums, uint value, uint used, uint *total, __local uint *exchange)
{
    uint upto = warp_sums(value, exchange);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane_of_warp() == WARP - 1) {
        sums[warp_of_group()] = upto;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0, all = 0;
#pragma unroll
    for (uint w = 0; w < GROUP / WARP; w++) {
        before += w < warp_of_group() ? sums[w] : 0;
        all += sums[w];
    }
    *total = all;
    return before + upto - value;
}

// A tile in local memory, and what sorting it takes.
typedef struct {
    union {
        KEY keys[TILE];
        IF_PAIRS(uint values[TILE];)
        uint counters[GROUP / WARP * RADIX];
    } at; // one after another
    uint sums[GROUP / WARP];
    uint next[RADIX]; // where in memory each digit's next key goes, less where in the sorted tile it begins
} tile;

// Sorts a tile's keys by their digit and appends each digit's run to what was written of it before. Each warp has neighbouring
// keys, a lane those that are a warp apart; bit i of valid tells whether key i is one. A key's place in the sorted tile is the
// number of keys with lesser digits, of keys with its digit in the warps in front of its own, in its own warp's rows in front of
// its own, and in the lanes below. (A. Adinets and D. Merrill, Onesweep, 2022, rank so; the places of tiles and slices come
// from counting here.) after: item d's next place of digit d.
inline void move_tile(
        __local tile *t, const KEY *keys, uint valid AND(__global const uint *values), uint shift, bool last,
        __global KEY *to AND(__global uint *to_values), uint skip, uint limit, uint *after, __local uint *exchange)
{
    uint id = (uint)get_local_id(0), lane = lane_of_warp();
    __local uint *mine = t->at.counters + warp_of_group() * RADIX;
    for (uint i = id; i < GROUP / WARP * RADIX; i += GROUP) {
        t->at.counters[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint places[PER_ITEM];
#if !WARPS_ALIKE // unrolled, emulation has more barriers than CPU drivers build in a minute
#pragma unroll
#endif
    for (uint i = 0; i < PER_ITEM; i++) {
        uint d = digit_of(keys[i], shift);
        uint in = valid >> i & 1;
        uint peers = warp_peers(d, in, exchange);
        uint before = mine[d];
        warp_barrier();
        if (in && peers >> lane == 1) { // the last of them
            mine[d] = before + popcount(peers);
        }
        warp_barrier();
        places[i] = before + popcount(peers & ((1u << lane) - 1));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    if (id < RADIX) {
        for (uint w = 0; w < GROUP / WARP; w++) {
            uint count = t->at.counters[w * RADIX + id];
            t->at.counters[w * RADIX + id] = sum;
            sum += count;
        }
    }
    uint count;
    uint begin = sum_before(t->sums, sum, RADIX, &count, exchange);
    if (id < RADIX) {
        for (uint w = 0; w < GROUP / WARP; w++) {
            t->at.counters[w * RADIX + id] += begin;
        }
        t->next[id] = *after - begin;
        *after += sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < PER_ITEM; i++) {
        places[i] += mine[digit_of(keys[i], shift)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < PER_ITEM; i++) {
        if (valid >> i & 1) {
            t->at.keys[places[i]] = keys[i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    IF_PAIRS(uint digits[(PER_ITEM + 3) / 4];) // four in each
#pragma unroll
    for (uint i = 0; i < PER_ITEM; i++) {
        uint from = i * GROUP + id;
        IF_PAIRS(digits[i / 4] = i % 4 == 0 ? 0 : digits[i / 4];)
        if (from < count) {
            KEY key = t->at.keys[from];
            uint d = digit_of(key, shift);
            uint place = t->next[d] + from - skip; // wraps around in front of the chunk
            if (place < limit) {
                to[place] = last ? original(key) : key;
            }
            IF_PAIRS(digits[i / 4] |= d << (i % 4 * 8);)
        }
    }
#if PAIRS
    barrier(CLK_LOCAL_MEM_FENCE);
    uint first = warp_of_group() * PER_ITEM * WARP + lane;
#pragma unroll
    for (uint i = 0; i < PER_ITEM; i++) {
        if (valid >> i & 1) {
            t->at.values[places[i]] = values[first + i * WARP];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < PER_ITEM; i++) {
        uint from = i * GROUP + id;
        if (from < count) {
            uint place = t->next[digits[i / 4] >> (i % 4 * 8) & 255] + from - skip;
            if (place < limit) {
                to_values[place] = t->at.values[from];
            }
        }
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
}

#endif
