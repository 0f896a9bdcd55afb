// Stream compaction: the elements that satisfy a condition, in order, without gaps.
//
// compact_tiles: split over devices. Each tile of TILE elements is compacted to the front of slots of its own and counted;
// the runtime moves what the tiles kept together.
// compact_count, compact_scan, compact_scatter: one device. It has all elements, cut into as many slices as there are groups;
// their counts are scanned, and each slice writes to its final place.
//
// CPU: one work-item per group. Elements are written before it is known whether they are kept, at the place of the next
// kept one, so that there is no branch to mispredict. A slice ends with its last kept element, so that it never writes
// to a place of the slice behind it.
// Other devices: each work-item of a group takes PER_ITEM neighbouring elements of a tile, remembers in the bits of a word
// which are kept, and finds its place from a scan over the group (Billeter, Olsson and Assarsson, "Efficient Stream
// Compaction on Wide SIMD Many-Core Architectures", 2009).

#define LESS <
#define LESS_OR_EQUAL <=
#define EQUAL ==
#define NOT_EQUAL !=
#define GREATER_OR_EQUAL >=
#define GREATER >

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share local memory
#endif
#ifndef TYPE
#define TYPE int // of the elements
#endif
#ifndef FLAGS
#define FLAGS 0 // 1: elements are kept by an array of flags, 0: by a comparison with a constant
#endif
#ifndef OP
#define OP LESS // that comparison
#endif
#ifndef INDICES
#define INDICES 0 // 1: the kept elements' indices are written, 0: they themselves
#endif
#ifndef WIDE_COUNT
#define WIDE_COUNT 0 // 1: the count has 64 bits, 0: 32
#endif
#ifndef SLICES
#define SLICES 64 // groups that a pass over one device is launched with
#endif

#define TILE 4096
#define GROUP 256
#define PER_ITEM (TILE / GROUP)
#define EACH ((SLICES + GROUP - 1) / GROUP) // slices' counts that a work-item scans

#if FLAGS && INDICES
#define INPUT __global const uchar *flags
#elif FLAGS
#define INPUT __global const TYPE *in, __global const uchar *flags
#else
#define INPUT __global const TYPE *in
#endif

#if FLAGS
#define KEPT(i) (flags[i] != 0)
#else
#define KEPT(i) (in[i] OP than)
#endif

#if INDICES
#define RESULT uint
#define VALUE(i, origin) ((uint)(origin) + (uint)(i))
#else
#define RESULT TYPE
#define VALUE(i, origin) in[i]
#endif

// Elements of each slice but perhaps the last.
inline ulong slice_length(ulong n)
{
    ulong each = (n + SLICES - 1) / SLICES;
    return (each + TILE - 1) / TILE * TILE;
}

inline void put_count(__global void *count, ulong value)
{
#if WIDE_COUNT
    *(__global ulong *)count = value;
#else
    *(__global uint *)count = (uint)value;
#endif
}

#if FORM == 1

__kernel void compact_tiles(INPUT, __global RESULT *slots, __global uint *counts, ulong first, TYPE than, uint units)
{
    for (uint unit = (uint)get_global_id(0); unit < units; unit += (uint)get_global_size(0)) {
        size_t from = (size_t)unit * TILE;
        __global RESULT *to = slots + from;
        uint kept = 0;
        for (uint i = 0; i < TILE; i++) {
            to[kept] = VALUE(from + i, first * TILE);
            kept += KEPT(from + i);
        }
        counts[unit] = kept;
    }
}

__kernel void compact_count(INPUT, __global ulong *places, TYPE than, ulong n)
{
    uint slice = (uint)get_global_id(0);
    ulong begin = min(n, slice * slice_length(n));
    ulong end = min(n, begin + slice_length(n));
    ulong kept = 0;
    while (begin < end) {
        // A short count in a narrow type, which becomes vectors.
        uint length = (uint)min(end - begin, (ulong)TILE);
        uint some = 0;
        for (uint i = 0; i < length; i++) {
            some += KEPT(begin + i);
        }
        kept += some;
        begin += length;
    }
    places[slice] = kept;
}

__kernel void compact_scan(__global ulong *places, __global void *count)
{
    if (get_global_id(0) != 0) {
        return;
    }
    ulong total = 0;
    for (uint s = 0; s < SLICES; s++) {
        ulong kept = places[s];
        places[s] = total;
        total += kept;
    }
    places[SLICES] = total;
    put_count(count, total);
}

__kernel void compact_scatter(INPUT, __global const ulong *places, __global RESULT *out, TYPE than, ulong n)
{
    uint slice = (uint)get_global_id(0);
    ulong i = min(n, slice * slice_length(n));
    ulong to = places[slice];
    ulong end = places[slice + 1];
    for (; to < end; i++) {
        out[to] = VALUE(i, 0);
        to += KEPT(i);
    }
}

#else

// Writes those kept of a work-item's elements.
#define WRITE(mask, from, to, origin)          \
    for (uint i = 0; i < PER_ITEM; i++) {      \
        if ((mask) & (1u << i)) {              \
            *(to)++ = VALUE((from) + i, origin); \
        }                                      \
    }

__kernel void compact_tiles(INPUT, __global RESULT *slots, __global uint *counts, ulong first, TYPE than, uint units)
{
    __local uint sums[GROUP];
    uint unit = (uint)get_group_id(0);
    uint id = (uint)get_local_id(0);
    if (unit >= units) {
        return;
    }
    size_t from = (size_t)unit * TILE + id * PER_ITEM;
    uint mask = 0;
    for (uint i = 0; i < PER_ITEM; i++) {
        mask |= (KEPT(from + i) ? 1u : 0u) << i;
    }
    uint place = sum_before_uint(sums, popcount(mask), GROUP);
    __global RESULT *to = slots + (size_t)unit * TILE + place;
    WRITE(mask, from, to, first * TILE)
    if (id == GROUP - 1) {
        counts[unit] = sums[GROUP - 1];
    }
}

__kernel void compact_count(INPUT, __global ulong *places, TYPE than, ulong n)
{
    __local uint sums[GROUP];
    uint slice = (uint)get_group_id(0);
    uint id = (uint)get_local_id(0);
    ulong begin = min(n, slice * slice_length(n));
    ulong end = min(n, begin + slice_length(n));
    uint kept = 0; // of a slice, at most 2^32 - 1: there are hundreds
    for (ulong i = begin + id; i < end; i += GROUP) {
        kept += KEPT(i) ? 1 : 0;
    }
    sum_before_uint(sums, kept, GROUP);
    if (id == 0) {
        places[slice] = sums[GROUP - 1];
    }
}

__kernel void compact_scan(__global ulong *places, __global void *count)
{
    __local ulong sums[GROUP];
    uint id = (uint)get_local_id(0);
    ulong mine = 0;
    for (uint s = id * EACH; s < min((id + 1) * EACH, (uint)SLICES); s++) {
        mine += places[s];
    }
    ulong place = sum_before_ulong(sums, mine, GROUP);
    for (uint s = id * EACH; s < min((id + 1) * EACH, (uint)SLICES); s++) {
        ulong kept = places[s];
        places[s] = place;
        place += kept;
    }
    if (id == GROUP - 1) {
        places[SLICES] = place;
        put_count(count, place);
    }
}

__kernel void compact_scatter(INPUT, __global const ulong *places, __global RESULT *out, TYPE than, ulong n)
{
    __local uint sums[GROUP];
    uint slice = (uint)get_group_id(0);
    uint id = (uint)get_local_id(0);
    ulong begin = min(n, slice * slice_length(n));
    ulong end = min(n, begin + slice_length(n));
    __global RESULT *next = out + places[slice];
    for (; begin < end; begin += TILE) {
        ulong from = begin + id * PER_ITEM;
        uint mask = 0;
        for (uint i = 0; i < PER_ITEM && from + i < end; i++) {
            mask |= (KEPT(from + i) ? 1u : 0u) << i;
        }
        uint place = sum_before_uint(sums, popcount(mask), GROUP);
        __global RESULT *to = next + place;
        WRITE(mask, from, to, 0)
        next += sums[GROUP - 1];
    }
}

#endif
