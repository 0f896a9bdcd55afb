// Three histograms of packed 8-bit colours from one load: bits 0 to 7 of a word are red, 8 to 15 green, 16 to 23 blue, and
// the rest is not looked at. Value v is counted in bin v * bins >> 8.
//
// Two styles, to be compared:
//   ATOMICS  work-items share a table and count into it with atomic additions: in global memory on a CPU, whose local memory
//            is no faster; in COPIES interleaved tables in local memory on other devices.
//   PRIVATE  every work-item has tables of its own and counts without atomics. On a CPU four for each colour, in turn, so
//            that equal neighbours do not wait for each other's store; they hold all 256 values, which are summed up to
//            bins in the end. On other devices one table of bytes for each of a group's 32 work-items, side by side in
//            local memory, which are added up before any of them can overflow, after 255 pixels.
// In either style each group adds to the counts, which start out as zeros, with 32-bit atomic additions in the end; to the
// lower half of counts of 64 bits, which the host adds up (see histogram.cl).

#define ATOMICS 0
#define PRIVATE 1

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share local memory
#endif
#ifndef STYLE
#define STYLE PRIVATE
#endif
#ifndef COUNT
#define COUNT uint // of the counts: uint or ulong
#endif

inline void add(__global COUNT *counts, uint bin, uint count)
{
    if (count != 0) {
        atomic_add((__global uint *)(counts + bin), count);
    }
}

#define BIN(word, colour) ((colour) * bins + ((((word) >> 8 * (colour)) & 255) * bins >> 8))
#define MOST 256

#if FORM == 1

__kernel void rgb_histogram(__global const uint *pixels, __global COUNT *counts, uint n, uint bins, uint each)
{
    uint first = (uint)get_global_id(0) * each;
    if (first >= n) {
        return;
    }
    uint end = first + min(each, n - first);
#if STYLE == ATOMICS
    for (uint i = first; i < end; i++) {
        uint word = pixels[i];
        atomic_inc((__global uint *)(counts + BIN(word, 0)));
        atomic_inc((__global uint *)(counts + BIN(word, 1)));
        atomic_inc((__global uint *)(counts + BIN(word, 2)));
    }
#else
#define TABLES 4
#define COUNT_IN(k, word)                                                                                             \
    tables[(k) * MOST + ((word) & 255)]++;                                                                            \
    tables[(k + TABLES) * MOST + (((word) >> 8) & 255)]++;                                                            \
    tables[(k + 2 * TABLES) * MOST + (((word) >> 16) & 255)]++;

    uint tables[3 * TABLES * MOST];
    for (uint i = 0; i < 3 * TABLES * MOST; i += 16) {
        vstore16((uint16)(0), 0, tables + i);
    }
    uint i = first;
    for (; i + TABLES <= end; i += TABLES) {
        ulong low = ((__global const ulong *)(pixels + i))[0];
        ulong high = ((__global const ulong *)(pixels + i))[1];
        COUNT_IN(0, low)
        COUNT_IN(1, low >> 32)
        COUNT_IN(2, high)
        COUNT_IN(3, high >> 32)
    }
    for (; i < end; i++) {
        COUNT_IN(0, pixels[i])
    }
    for (uint colour = 0; colour < 3; colour++) {
        uint sum = 0;
        for (uint value = 0; value < MOST; value++) {
            for (uint table = 0; table < TABLES; table++) {
                sum += tables[(colour * TABLES + table) * MOST + value];
            }
            uint bin = value * bins >> 8;
            if (bin != (value + 1) * bins >> 8) { // the bin's last value
                add(counts, colour * bins + bin, sum);
                sum = 0;
            }
        }
    }
#endif
}

#else
#if STYLE == ATOMICS

#define COPIES 4

inline void count_in(__local uint *mine, uint word, uint bins)
{
    atomic_inc(mine + BIN(word, 0) * COPIES);
    atomic_inc(mine + BIN(word, 1) * COPIES);
    atomic_inc(mine + BIN(word, 2) * COPIES);
}

__kernel void rgb_histogram(__global const uint *pixels, __global COUNT *counts, uint n, uint bins, uint each)
{
    __local uint tables[3 * MOST * COPIES];
    uint item = (uint)get_local_id(0);
    uint size = (uint)get_local_size(0);
    __local uint *mine = tables + item % COPIES;
    for (uint i = item; i < 3 * bins * COPIES; i += size) {
        tables[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = (uint)get_global_id(0); i < n / 4; i += (uint)get_global_size(0)) {
        uint4 words = ((__global const uint4 *)pixels)[i];
        count_in(mine, words.x, bins);
        count_in(mine, words.y, bins);
        count_in(mine, words.z, bins);
        count_in(mine, words.w, bins);
    }
    if (get_global_id(0) < n % 4) {
        count_in(mine, pixels[n / 4 * 4 + item], bins);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = item; bin < 3 * bins; bin += size) {
        uint sum = 0;
        for (uint copy = 0; copy < COPIES; copy++) {
            sum += tables[bin * COPIES + copy];
        }
        add(counts, bin, sum);
    }
}

#else

#define ITEMS 32
#define ROUND 255
#define OWN (3 * MOST / ITEMS)

__kernel void rgb_histogram(__global const uint *pixels, __global COUNT *counts, uint n, uint bins, uint each)
{
    __local uchar tables[3 * MOST * ITEMS]; // bin by bin, those of the group's work-items side by side
    uint item = (uint)get_local_id(0);
    uint sums[OWN]; // of the bins that this work-item adds up
    for (uint k = 0; k < OWN; k++) {
        sums[k] = 0;
    }
    for (uint from = (uint)get_group_id(0) * ROUND * ITEMS; from < n; from += (uint)get_num_groups(0) * ROUND * ITEMS) {
        for (uint i = item; i < 3 * bins * ITEMS / 4; i += ITEMS) {
            ((__local uint *)tables)[i] = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint end = from + min((uint)(ROUND * ITEMS), n - from);
        for (uint i = from + item; i < end; i += ITEMS) {
            uint word = pixels[i];
            tables[BIN(word, 0) * ITEMS + item]++;
            tables[BIN(word, 1) * ITEMS + item]++;
            tables[BIN(word, 2) * ITEMS + item]++;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < OWN; k++) {
            uint bin = k * ITEMS + item;
            if (bin < 3 * bins) {
                for (uint i = 0; i < ITEMS; i++) {
                    sums[k] += tables[bin * ITEMS + (i + item) % ITEMS]; // neighbours in different banks
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint k = 0; k < OWN; k++) {
        uint bin = k * ITEMS + item;
        if (bin < 3 * bins) {
            add(counts, bin, sums[k]);
        }
    }
}

#endif
#endif
