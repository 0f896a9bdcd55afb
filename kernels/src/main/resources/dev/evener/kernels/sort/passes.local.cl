// How a group sums and how it sorts a tile through local memory (passes.cl).

#if FORM == 2

#define EXCHANGE(size) __local uint exchange[1]

inline uint sum_before(__local uint *sums, uint value, uint used, uint *total, __local uint *exchange)
{
    uint before = sum_before_uint(sums, value, used);
    *total = sums[used - 1];
    return before;
}

// A tile in local memory, and what sorting it takes.
typedef struct {
    KEY keys[TILE];
    IF_PAIRS(uint values[TILE];)
    uint count; // of keys
    uint sums[GROUP];
    ushort counters[16 * GROUP];
    ushort begin[RADIX]; // where in the sorted tile each digit begins and ends
    ushort end[RADIX];
    uint next[RADIX]; // where in memory each digit's next key goes
} tile;

// PoCL 3.1 takes a branch between two barriers for one that all work-items take alike if nothing but the branch follows the first
// of them (docs/known-issues.md). So how many keys there are is read anew behind each barrier, which compilers cannot do sooner.

// How many of a work-item's PER_ITEM neighbouring places in the tile have keys.
inline uint keys_of_item(__local const tile *t)
{
    uint first = (uint)get_local_id(0) * PER_ITEM;
    return min((uint)PER_ITEM, t->count - min(t->count, first));
}

// Sorts the tile's keys by four of their bits.
inline void sort_tile_by(__local tile *t, uint shift, __local uint *exchange)
{
    uint id = (uint)get_local_id(0);
    KEY keys[PER_ITEM];
    IF_PAIRS(uint values[PER_ITEM];)
    ushort ranks[PER_ITEM];
    for (uint v = 0; v < 16; v++) {
        t->counters[v * GROUP + id] = 0;
    }
    uint mine = keys_of_item(t);
    for (uint i = 0; i < mine; i++) {
        keys[i] = t->keys[id * PER_ITEM + i];
        IF_PAIRS(values[i] = t->values[id * PER_ITEM + i];)
        uint v = (uint)(keys[i] >> shift) & 15;
        ranks[i] = t->counters[v * GROUP + id]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < 16; i++) {
        sum += t->counters[id * 16 + i];
    }
    uint all;
    uint before = sum_before(t->sums, sum, GROUP, &all, exchange);
    for (uint i = 0; i < 16; i++) {
        uint counter = t->counters[id * 16 + i];
        t->counters[id * 16 + i] = (ushort)before;
        before += counter;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    mine = keys_of_item(t);
    for (uint i = 0; i < mine; i++) {
        uint v = (uint)(keys[i] >> shift) & 15;
        uint place = t->counters[v * GROUP + id] + ranks[i];
        t->keys[place] = keys[i];
        IF_PAIRS(t->values[place] = values[i];)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Sorts the tile's keys, once all work-items have put theirs there, by their digit and appends each digit's run to what was written
// of it before.
inline void move_tile(
        __local tile *t, uint keys, uint shift, bool last, __global KEY *to AND(__global uint *to_values),
        uint skip, uint limit, __local uint *exchange)
{
    uint id = (uint)get_local_id(0);
    for (uint d = id; d < RADIX; d += GROUP) {
        t->begin[d] = 0;
        t->end[d] = 0;
    }
    if (id == 0) {
        t->count = keys;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sort_tile_by(t, shift, exchange);
    sort_tile_by(t, shift + 4, exchange);
    uint count = t->count;
    for (uint i = id; i < count; i += GROUP) {
        uint d = digit_of(t->keys[i], shift);
        if (i == 0 || digit_of(t->keys[i - 1], shift) != d) {
            t->begin[d] = (ushort)i;
        }
        if (i + 1 == count || digit_of(t->keys[i + 1], shift) != d) {
            t->end[d] = (ushort)(i + 1);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    count = t->count;
    for (uint i = id; i < count; i += GROUP) {
        KEY key = t->keys[i];
        uint d = digit_of(key, shift);
        uint place = t->next[d] + (i - t->begin[d]) - skip; // wraps around in front of the chunk
        if (place < limit) {
            to[place] = last ? original(key) : key;
            IF_PAIRS(to_values[place] = t->values[i];)
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = id; d < RADIX; d += GROUP) {
        t->next[d] += t->end[d] - t->begin[d];
    }
}

#endif
