// The passes over one chunk: a least-significant-digit radix sort, 8 bits at a time, of the keys that can come to lie in
// it, of which those that do are kept. Each digit takes three kernels: the chunk's keys are cut into slices of which each
// counts how often it has each digit; a scan of these counts, digit by digit and slice by slice, gives every slice its own
// places for every digit; then each slice moves its keys there in order, which makes the pass stable.
//
// sort_survey, sort_plan, sort_scan, sort_first: the first digit, together with the choice of keys. Keys are read from the input, by
// all chunks alike, and those outside of the chunk's window are passed over. The survey also gathers in which bits the
// window's keys differ: digits without such a bit need no pass, and the plan says so.
// sort_count, sort_scan, sort_scatter: any other digit, from one temporary to the other. The last pass that is needed
// writes to the result, only what belongs in the chunk.
//
// CPU (passes.cpu.cl): one work-item per group and slice. Keys are moved through a cache line per digit (write-combining in software:
// Satish et al., "Fast Sort on CPUs and GPUs", 2010), which leaves in one piece and past the caches. What is to be
// passed over is not branched on but overwritten.
// Other devices (passes.group.cl): one work-group per slice, tile by tile. A tile is sorted by its digit in local memory, 4 bits at a time,
// with a counter for each work-item and value (Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for
// Manycore GPUs", 2009), and leaves in runs of equal digits. Where there are warps (warp.cl), keys stay in registers until their
// place in the sorted tile is known: lanes find out which of them have the same digit.

#ifndef GROUP
#define GROUP 256 // work-items of a group, form 2 and 3; RADIX at least
#endif
#ifndef WARP_ITEMS
#define WARP_ITEMS 16 // keys of each, form 3
#endif

#if FORM == 1
#define SLICE_STEP 1024
#define SHORT_SLICE 12288 // where a driver ends loops early; a key takes up to four rounds of a kernel
#else
#if FORM == 2
#define PER_ITEM (2048 / GROUP)
#elif WIDE
#define PER_ITEM (WARP_ITEMS / 2)
#else
#define PER_ITEM WARP_ITEMS
#endif
#define TILE (GROUP * PER_ITEM)
#define SLICE_STEP TILE
#endif

// What only pairs need: statements, and one more argument or parameter.
#if PAIRS
#define IF_PAIRS(statement) statement
#define AND(argument) , argument
#else
#define IF_PAIRS(statement)
#define AND(argument)
#endif

// Keys of each slice but perhaps the last: as many slices as there are groups, unless they would be very small.
inline uint slice_length(uint keys)
{
    uint each = keys / SLICES + (keys % SLICES != 0);
    each = max((each + SLICE_STEP - 1) / SLICE_STEP * SLICE_STEP, (uint)SLICE_STEP);
#if FORM == 1 && defined(EVENER_LOOP_ROUNDS)
    each = min(each, (uint)SHORT_SLICE); // there are groups enough
#endif
    return each;
}

inline uint slice_count(uint keys)
{
    uint each = slice_length(keys);
    return keys / each + (keys % each != 0);
}

#if FORM == 1

// Turns the slices' counts into places.
inline void scan_counts(__global uint *counts, uint slices)
{
    uint16 places[RADIX / 16];
    uint *place = (uint *)places;
    __global uint16 *rows = (__global uint16 *)counts;
    for (uint i = 0; i < RADIX / 16; i++) {
        places[i] = (uint16)(0);
    }
    for (uint i = 0; i < slices * (RADIX / 16); i++) {
        places[i % (RADIX / 16)] += rows[i];
    }
    uint total = 0;
    for (uint d = 0; d < RADIX; d++) {
        uint count = place[d];
        place[d] = total;
        total += count;
    }
    for (uint i = 0; i < slices * (RADIX / 16); i++) {
        uint16 count = rows[i];
        rows[i] = places[i % (RADIX / 16)];
        places[i % (RADIX / 16)] += count;
    }
}

#endif

// Slices that a pass takes keys from.
inline uint slices_of(__global const uint *plan, uint pass)
{
    return slice_count(plan[pass == 0 ? PLAN_INPUT : PLAN_KEYS]);
}

// What the survey notes of each slice: the bits that any of its keys in the window has, those that all have, their number.
#define SEEN 3

// Which passes there are, once it is known in which bits the keys differ. The first takes place in any case, because it
// chooses the keys; the last one needed goes to the result.
inline void make_plan(__global uint *plan, KEY differ, uint input, uint keys, uint skip)
{
    plan[PLAN_INPUT] = input;
    plan[PLAN_KEYS] = keys;
    plan[PLAN_SKIP] = skip;
    uint last = 0;
    for (uint pass = 1; pass * DIGIT_BITS < KEY_BITS; pass++) {
        last = digit_of(differ, pass * DIGIT_BITS) != 0 ? pass : last;
    }
    uint from = FROM_A;
    plan[PLAN_PASS] = last == 0 ? TO_RESULT : TO_A;
    for (uint pass = 1; pass * DIGIT_BITS < KEY_BITS; pass++) {
        if (digit_of(differ, pass * DIGIT_BITS) == 0) {
            plan[PLAN_PASS + pass] = 0;
        } else {
            uint to = pass == last ? TO_RESULT : from == FROM_A ? TO_B : TO_A;
            plan[PLAN_PASS + pass] = from | to;
            from = from == FROM_A ? FROM_B : FROM_A;
        }
    }
}
