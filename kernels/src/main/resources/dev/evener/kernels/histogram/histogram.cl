// How many elements fall into each bin.
//
// How an element finds its bin, and what decides that, is a build option; all of them are exact, so that every device
// counts alike:
//   RAW     the bin is the value itself; the host sums up values to bins afterwards (8-bit data, edges over 16-bit data);
//   SCALED  floor(x * bins / range) of integers as x * multiplier >> shift, where the host found a pair that is exact for
//           every x below the range; x is the distance from the lower bound;
//   DIVIDED where there is no such pair: with one that is at most one bin too low, put right by the remainder;
//   SEARCH  binary search in the bins' lower edges;
//   GUESS   over evenly spaced floats: an approximate bin by float arithmetic, then a step to the one whose edges hold the
//           element. Three roundings, each of 2^-23 at most, cannot put 65,536 bins off by more than one; the host asks for
//           this way only if the range is such that numbers too small or too large cannot either.
// Floats and edges are compared as integers that order as they do, so that nothing depends on denormal numbers, and NaN is
// outside every bin.
//
// CPU: one work-item per group takes a contiguous run of elements, long enough that the merge at its end costs little, and
// counts into TABLES private tables in turn, so that equal neighbours do not wait for each other's store; no barriers or
// local memory. Elements outside all bins are counted in one more entry, which is cheaper than a branch. No work-item's
// loops go round more than 65,535 times together, after which llvmpipe ends them.
// Other devices: groups loop over 16-byte pieces with the launch's size as the step and count into COPIES interleaved
// tables in local memory, neighbouring work-items in different copies and banks. If the bins exceed local memory, some
// groups count one range of them and some another; groups that read the same elements run next to each other, so that all
// but the first find them in the cache. (Gomez-Luna et al., An optimized approach to histogram computation on GPU, Machine
// Vision and Applications 24, 2013, compare such layouts.)
//
// Both combine into the counts, which start out as zeros, with 32-bit atomic additions. Counts of 64 bits are added to in
// their lower halves: a launch has fewer than 2^31 elements, and what launches counted is added up in 64 bits by the host.

#pragma OPENCL FP_CONTRACT OFF

#define RAW 0
#define SCALED 1
#define DIVIDED 2
#define SEARCH 3
#define GUESS 4

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share local memory
#endif
#ifndef WAY
#define WAY RAW // how an element finds its bin
#endif
#ifndef T
#define T uchar // an element
#endif
#ifndef BYTES
#define BYTES 1 // its size
#endif
#ifndef FLOATS
#define FLOATS 0 // 1: it is a float
#endif
#ifndef SIGNED
#define SIGNED 0 // 1: it is an int; distances from the lower bound wrap alike
#endif
#ifndef COUNT
#define COUNT uint // of the counts: uint or ulong
#endif
#ifndef CAPACITY
#define CAPACITY 256 // a power of two of at least the bins
#endif
#ifndef TABLES
#define TABLES 4 // form 1: of a work-item
#endif
#ifndef UNROLL
#define UNROLL 8 // form 1: elements in a row, 8 or 32
#endif
#ifndef GROUP
#define GROUP 256 // form 2: work-items of a group
#endif
#ifndef RANGE
#define RANGE CAPACITY // form 2: bins of one local table
#endif
#ifndef COPIES
#define COPIES 1 // form 2: of a table, a power of two
#endif
#ifndef AHEAD
#define AHEAD 1 // form 2: pieces that a work-item reads before it counts any
#endif

#if FORM == 1
#define OUTSIDE CAPACITY
#else
#define OUTSIDE 0xffffffffu
#endif

typedef struct {
    __global const int *edges; // SEARCH, GUESS: keys of the bins' lower edges, then INT_MAX up to CAPACITY
    uint edge_count;           // before those
    uint bins;
    uint low;                  // key or value of the first element inside
    uint last;                 // what it may exceed that by
    ulong range;
    ulong multiplier;
    uint shift;
    float origin;
    float scale;
} Bins;

#if FLOATS
inline uint key_of(uint bits)
{
    int key = (int)bits ^ (((int)bits >> 31) & 0x7fffffff);
    return (uint)key;
}
#elif WAY == SEARCH && !SIGNED
#define key_of(value) ((value) ^ 0x80000000u)
#else
#define key_of(value) (value)
#endif

// One step of the binary search: on if the edge so far ahead is not above the element. Without branches, which would be
// guessed wrong half of the time.
#define STEP(step)                                                                                                    \
    if (CAPACITY > step) {                                                                                            \
        at += (uint)(by->edges[at + step] <= (int)key) * step;                                                        \
    }

inline uint bin_of(uint element, const Bins *by)
{
#if WAY == RAW
    return element;
#else
    uint key = key_of(element);
    uint x = key - by->low; // wraps below the first
#if WAY == SCALED || WAY == DIVIDED
    uint bin = (uint)((x * by->multiplier) >> by->shift);
#if WAY == DIVIDED
    bin += (ulong)x * by->bins - bin * by->range >= by->range;
#endif
    return x <= by->last ? bin : OUTSIDE;
#elif WAY == SEARCH
    uint at = 0;
    STEP(32768) STEP(16384) STEP(8192) STEP(4096) STEP(2048) STEP(1024) STEP(512) STEP(256)
    STEP(128) STEP(64) STEP(32) STEP(16) STEP(8) STEP(4) STEP(2) STEP(1)
    at = min(at, by->edge_count - 1); // the greatest key of all is not below INT_MAX
    return x <= by->last ? at : OUTSIDE;
#else
    float guess = (as_float(element) - by->origin) * by->scale;
    uint at = x <= by->last ? (uint)clamp(guess, 0.0f, (float)(by->bins - 1)) : 0;
    at -= at > 0 && by->edges[at] > (int)key;
    uint next = min(at + 1, by->bins - 1);
    at = by->edges[next] <= (int)key ? next : at;
    return x <= by->last ? at : OUTSIDE;
#endif
#endif
}

#if FLOATS
#define ELEMENT(data, i) as_uint(data[i])
#else
#define ELEMENT(data, i) ((uint)data[i])
#endif

inline void add(__global COUNT *counts, uint bin, uint count)
{
    if (count != 0) {
        atomic_add((__global uint *)(counts + bin), count); // the lower half of a wide one
    }
}

#define PARAMETERS                                                                                                    \
    __global const T *data, __global COUNT *counts, __global const int *edges, uint edge_count, uint n, uint bins,    \
            uint low, uint last, ulong range, ulong multiplier, uint shift, float origin, float scale, uint each
#define BY {edges, edge_count, bins, low, last, range, multiplier, shift, origin, scale}

#if FORM == 1

#define SIZE (CAPACITY + 16) // one entry for what is outside, and the next table in other lines of the cache

#define COUNT_IN(k, element) tables[(k) % TABLES * SIZE + bin_of(element, &by)]++

#define COUNT_8(i)                                                                                                    \
    {                                                                                                                 \
        COUNT_IN(0, ELEMENT(data, i));                                                                                \
        COUNT_IN(1, ELEMENT(data, (i) + 1));                                                                          \
        COUNT_IN(2, ELEMENT(data, (i) + 2));                                                                          \
        COUNT_IN(3, ELEMENT(data, (i) + 3));                                                                          \
        COUNT_IN(4, ELEMENT(data, (i) + 4));                                                                          \
        COUNT_IN(5, ELEMENT(data, (i) + 5));                                                                          \
        COUNT_IN(6, ELEMENT(data, (i) + 6));                                                                          \
        COUNT_IN(7, ELEMENT(data, (i) + 7));                                                                          \
    }

// Words of 32 bits are taken apart faster than bytes are loaded, or words of 64 bits taken apart.
#if BYTES == 1
#define COUNT_WORD(word, k)                                                                                           \
    {                                                                                                                 \
        COUNT_IN(k, (word) & 255);                                                                                    \
        COUNT_IN(k + 1, ((word) >> 8) & 255);                                                                         \
        COUNT_IN(k + 2, ((word) >> 16) & 255);                                                                        \
        COUNT_IN(k + 3, (word) >> 24);                                                                                \
    }
#define COUNT_16(i)                                                                                                   \
    {                                                                                                                 \
        uint4 words = vload4(0, (__global const uint *)(data + (i)));                                                 \
        COUNT_WORD(words.x, 0)                                                                                        \
        COUNT_WORD(words.y, 4)                                                                                        \
        COUNT_WORD(words.z, 0)                                                                                        \
        COUNT_WORD(words.w, 4)                                                                                        \
    }
#endif

inline uint16 sum_of(const uint *tables, uint bin)
{
    uint16 sum = vload16(0, tables + bin);
    for (uint table = 1; table < TABLES; table++) {
        sum += vload16(0, tables + table * SIZE + bin);
    }
    return sum;
}

__kernel void histogram(PARAMETERS)
{
    const Bins by = BY;
    uint first = (uint)get_global_id(0) * each;
    if (first >= n) {
        return;
    }
    uint end = first + min(each, n - first);

    uint tables[TABLES * SIZE];
    for (uint i = 0; i < TABLES * SIZE; i += 16) {
        vstore16((uint16)(0), 0, tables + i);
    }
    uint i = first;
#if BYTES == 1
    for (; i + 16 <= end; i += 16) {
        COUNT_16(i)
    }
#elif UNROLL == 32
    for (; i + 32 <= end; i += 32) {
        COUNT_8(i)
        COUNT_8(i + 8)
        COUNT_8(i + 16)
        COUNT_8(i + 24)
    }
#endif
    for (; i + 8 <= end; i += 8) {
        COUNT_8(i)
    }
    for (; i < end; i++) {
        COUNT_IN(0, ELEMENT(data, i));
    }

    for (uint bin = 0; bin < bins; bin += 16) {
        uint16 sum = sum_of(tables, bin);
#define ADD(k, digit) if (bin + k < bins) add(counts, bin + k, sum.s##digit)
        ADD(0, 0); ADD(1, 1); ADD(2, 2); ADD(3, 3); ADD(4, 4); ADD(5, 5); ADD(6, 6); ADD(7, 7);
        ADD(8, 8); ADD(9, 9); ADD(10, a); ADD(11, b); ADD(12, c); ADD(13, d); ADD(14, e); ADD(15, f);
    }
}

#else

#define PIECE (16 / BYTES)

inline void count_in(__local uint *mine, uint bin)
{
    if (bin < RANGE) {
        atomic_inc(mine + bin * COPIES);
    }
}

inline void count_word(__local uint *mine, uint start, uint word, const Bins *by)
{
#if BYTES == 1 && RANGE == 256
    // No byte is out of range, and all bins are in one.
#define ROW(k) ((word >> (8 * (k)) & 255) * COPIES)
    atomic_inc(mine + ROW(0));
    atomic_inc(mine + ROW(1));
    atomic_inc(mine + ROW(2));
    atomic_inc(mine + ROW(3));
#elif BYTES == 1
    count_in(mine, bin_of(word & 255, by) - start);
    count_in(mine, bin_of((word >> 8) & 255, by) - start);
    count_in(mine, bin_of((word >> 16) & 255, by) - start);
    count_in(mine, bin_of(word >> 24, by) - start);
#elif BYTES == 2
    count_in(mine, bin_of(word & 65535, by) - start);
    count_in(mine, bin_of(word >> 16, by) - start);
#else
    count_in(mine, bin_of(word, by) - start);
#endif
}

inline void count_piece(__local uint *mine, uint start, uint4 words, const Bins *by)
{
    count_word(mine, start, words.x, by);
    count_word(mine, start, words.y, by);
    count_word(mine, start, words.z, by);
    count_word(mine, start, words.w, by);
}

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
histogram(PARAMETERS)
{
    __local uint tables[RANGE * COPIES];
    const Bins by = BY;
    uint item = (uint)get_local_id(0);
    uint size = (uint)get_local_size(0);
    uint groups = (uint)get_num_groups(0);
    uint ranges = (bins + RANGE - 1) / RANGE;
    uint parts = max(groups / ranges, 1u);
    __local uint *mine = tables + item % COPIES;
    uint pieces = n / PIECE;

    for (uint work = (uint)get_group_id(0); work < parts * ranges; work += groups) {
        uint start = work % ranges * RANGE;
        for (uint i = item; i < RANGE * COPIES; i += size) {
            tables[i] = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint i = work / ranges * size + item, step = parts * size;
#if AHEAD > 1
        for (; i < pieces && pieces - i > (AHEAD - 1) * step; i += AHEAD * step) {
            uint4 words[AHEAD];
#pragma unroll
            for (uint k = 0; k < AHEAD; k++) {
                words[k] = ((__global const uint4 *)data)[i + k * step];
            }
#pragma unroll
            for (uint k = 0; k < AHEAD; k++) {
                count_piece(mine, start, words[k], &by);
            }
        }
#endif
        for (; i < pieces; i += step) {
            count_piece(mine, start, ((__global const uint4 *)data)[i], &by);
        }
        if (work / ranges == 0 && item < n % PIECE) {
            count_in(mine, bin_of(ELEMENT(data, pieces * PIECE + item), &by) - start);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint bin = item; bin < RANGE && start + bin < bins; bin += size) {
            uint count = 0;
            for (uint copy = 0; copy < COPIES; copy++) {
                count += tables[bin * COPIES + copy];
            }
            add(counts, start + bin, count);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#endif
