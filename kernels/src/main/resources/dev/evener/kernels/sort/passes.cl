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
// CPU: one work-item per group and slice. Keys are moved through a cache line per digit (write-combining in software:
// Satish et al., "Fast Sort on CPUs and GPUs", 2010), which leaves in one piece and past the caches. What is to be
// passed over is not branched on but overwritten.
// Other devices: one work-group per slice, tile by tile. A tile is sorted by its digit in local memory, 4 bits at a time,
// with a counter for each work-item and value (Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for
// Manycore GPUs", 2009), and leaves in runs of equal digits. Where there are warps (warp.cl), keys stay in registers until their
// place in the sorted tile is known: lanes find out which of them have the same digit.
//
// Options: -D GROUP for the work-items of a group (RADIX at least), -D WARP_ITEMS for the keys of each, if there are warps.

#ifdef ONE_ITEM
#define SLICE_STEP 1024
#define SHORT_SLICE 12288 // where a driver ends loops early; a key takes up to four rounds of a kernel
#else
#ifndef WARPS
#define PER_ITEM (2048 / GROUP)
#elif defined(WIDE)
#define PER_ITEM (WARP_ITEMS / 2)
#else
#define PER_ITEM WARP_ITEMS
#endif
#define TILE (GROUP * PER_ITEM)
#define SLICE_STEP TILE
#endif

// What only pairs need: statements, and one more argument or parameter.
#ifdef PAIRS
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
#if defined(ONE_ITEM) && defined(EVENER_LOOP_ROUNDS)
    each = min(each, (uint)SHORT_SLICE); // there are groups enough
#endif
    return each;
}

inline uint slice_count(uint keys)
{
    uint each = slice_length(keys);
    return keys / each + (keys % each != 0);
}

#ifdef ONE_ITEM

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

#ifdef ONE_ITEM

#define BLOCK 512 // keys of the input that are looked at before any is moved

// The keys of a block that lie in the window, in order; returns how many.
inline uint choose(
        __global const KEY *keys, uint from, uint count, window chosen, KEY *kept AND(ushort *places))
{
    if (chosen.span == LARGEST_KEY) {
        for (uint i = 0; i < count; i++) {
            kept[i] = ordered(keys[from + i]);
            IF_PAIRS(places[i] = (ushort)i;)
        }
        return count;
    }
    uint n = 0;
    for (uint i = 0; i < count; i++) {
        KEY key = ordered(keys[from + i]);
        kept[n] = key;
        IF_PAIRS(places[n] = (ushort)i;)
        n += key - chosen.low <= chosen.span;
    }
    return n;
}

__kernel void sort_survey(
        __global const uchar *raw, __global const uint *splitters, __global uint *counts, __global KEY *seen, uint n,
        uint split, ulong first, uint units)
{
    uint slice = (uint)get_global_id(0);
    uint each = slice_length(n);
    if (slice >= slice_count(n)) {
        return;
    }
    window chosen = window_of(splitters, split, (uint)first, units);
    uint table[4 * RADIX]; // several, so that equal digits in a row do not wait for each other
    for (uint i = 0; i < 4 * RADIX; i++) {
        table[i] = 0;
    }
    KEY kept[BLOCK];
    IF_PAIRS(ushort places[BLOCK];)
    KEY any = 0, all = LARGEST_KEY;
    uint in_window = 0;
    uint end = min(n, (slice + 1) * each);
    for (uint at = slice * each; at < end; at += BLOCK) {
        uint count = choose((__global const KEY *)raw, at, min((uint)BLOCK, end - at), chosen, kept AND(places));
        in_window += count;
        for (uint i = 0; i < count; i++) {
            any |= kept[i];
            all &= kept[i];
        }
        for (uint i = 0; i < count; i++) {
            table[(i & 3) * RADIX + digit_of(kept[i], 0)]++;
        }
    }
    for (uint d = 0; d < RADIX; d++) {
        counts[slice * RADIX + d] = table[d] + table[RADIX + d] + table[2 * RADIX + d] + table[3 * RADIX + d];
    }
    seen[SEEN * slice] = any;
    seen[SEEN * slice + 1] = all;
    seen[SEEN * slice + 2] = in_window;
}

__kernel void sort_plan(
        __global const uint *splitters, __global const KEY *seen, __global uint *plan, uint n, uint split, ulong first,
        uint units)
{
    if (get_global_id(0) != 0) {
        return;
    }
    uint slices = slice_count(n);
    KEY any = 0, all = LARGEST_KEY;
    uint keys = 0;
    for (uint s = 0; s < slices; s++) {
        any |= seen[SEEN * s];
        all &= seen[SEEN * s + 1];
        keys += (uint)seen[SEEN * s + 2];
    }
    make_plan(plan, any ^ all, n, keys, window_of(splitters, split, (uint)first, units).skip);
}

__kernel void sort_count(
        __global const KEY *a, __global const KEY *b, __global uint *counts, __global const uint *plan, uint pass)
{
    uint slice = (uint)get_global_id(0);
    uint way = plan[PLAN_PASS + pass];
    uint keys = plan[PLAN_KEYS];
    if (way == 0 || slice >= slice_count(keys)) {
        return;
    }
    __global const KEY *from = way & FROM_A ? a : b;
    uint shift = pass * DIGIT_BITS;
    uint each = slice_length(keys);
    uint begin = slice * each;
    uint end = min(keys, begin + each);
    uint table[4 * RADIX];
    for (uint i = 0; i < 4 * RADIX; i++) {
        table[i] = 0;
    }
    uint i = begin;
    for (; i + 4 <= end; i += 4) {
        table[digit_of(from[i], shift)]++;
        table[RADIX + digit_of(from[i + 1], shift)]++;
        table[2 * RADIX + digit_of(from[i + 2], shift)]++;
        table[3 * RADIX + digit_of(from[i + 3], shift)]++;
    }
    for (; i < end; i++) {
        table[digit_of(from[i], shift)]++;
    }
    for (uint d = 0; d < RADIX; d++) {
        counts[slice * RADIX + d] = table[d] + table[RADIX + d] + table[2 * RADIX + d] + table[3 * RADIX + d];
    }
}

__kernel void sort_scan(__global uint *counts, __global const uint *plan, uint pass)
{
    if (get_global_id(0) == 0 && plan[PLAN_PASS + pass] != 0) {
        scan_counts(counts, slices_of(plan, pass));
    }
}

// Keys of a cache line.
#ifdef WIDE
#define LINE 8
#define load_line vload8
typedef ulong8 line_of_keys;
typedef uint8 line_of_values;
#else
#define LINE 16
#define load_line vload16
typedef uint16 line_of_keys;
typedef uint16 line_of_values;
#endif

#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(value, to) __builtin_nontemporal_store(value, to)
#endif
#endif
#ifndef STREAM
#define STREAM(value, to) *(to) = (value)
#endif

// Where a slice's keys go: for each digit the next place and the first one, and the line of which that place is part.
typedef struct {
    int next[RADIX];
    int begin[RADIX];
    KEY keys[RADIX * LINE];
    IF_PAIRS(uint values[RADIX * LINE];)
} lines;

// The places of a slice; in the last pass they count from the chunk's first position.
inline void open_lines(lines *open, __global const uint *places, uint skip)
{
    for (uint d = 0; d < RADIX; d++) {
        open->next[d] = open->begin[d] = (int)(places[d] - skip);
    }
}

// Writes what a line has, up to the place given, of what lies between 0 and the limit.
inline void write_line(
        lines *open, uint d, int end, __global KEY *to AND(__global uint *to_values), int limit, bool aligned)
{
    int line = (end - 1) & ~(LINE - 1);
    int low = max(max(line, open->begin[d]), 0);
    int high = min(end, limit);
    if (high - low == LINE && aligned) {
        STREAM(load_line(d, open->keys), (__global line_of_keys *)(to + line));
        IF_PAIRS(STREAM(load_line(d, open->values), (__global line_of_values *)(to_values + line));)
    } else {
        for (int i = low; i < high; i++) {
            to[i] = open->keys[d * LINE + (i - line)];
            IF_PAIRS(to_values[i] = open->values[d * LINE + (i - line)];)
        }
    }
}

inline void put(
        lines *open, KEY key AND(uint value), uint shift, bool last, __global KEY *to
 AND(__global uint *to_values), int limit, bool aligned)
{
    uint d = digit_of(key, shift);
    int place = open->next[d];
    uint slot = d * LINE + (place & (LINE - 1));
    open->keys[slot] = last ? original(key) : key;
    IF_PAIRS(open->values[slot] = value;)
    open->next[d] = place + 1;
    if ((place & (LINE - 1)) == LINE - 1) {
        write_line(open, d, place + 1, to AND(to_values), limit, aligned);
    }
}

inline void close_lines(
        lines *open, __global KEY *to AND(__global uint *to_values), int limit)
{
    for (uint d = 0; d < RADIX; d++) {
        if ((open->next[d] & (LINE - 1)) != 0 && open->next[d] != open->begin[d]) {
            write_line(open, d, open->next[d], to AND(to_values), limit, false);
        }
    }
}

// Whole lines can only be written past the caches where lines of memory begin.
inline bool lines_begin(__global const void *to)
{
    return ((size_t)to & 63) == 0;
}

inline void move_block(
        lines *open, const KEY *kept, uint count AND(const ushort *places) AND(__global const uint *values), bool last,
        __global KEY *to AND(__global uint *to_values), int limit, bool aligned)
{
    for (uint i = 0; i < count; i++) {
        put(open, kept[i] AND(values[places[i]]), 0, last, to AND(to_values), limit, aligned);
    }
}

__kernel void sort_first(
        __global const uchar *raw AND(__global const uchar *raw_values), __global const uint *splitters,
        __global const uint *counts, __global const uint *plan, __global KEY *a AND(__global uint *a_values),
        __global uchar *result AND(__global uchar *result_values), uint n, uint split, ulong first, uint units)
{
    uint slice = (uint)get_global_id(0);
    if (slice >= slice_count(n)) {
        return;
    }
    window chosen = window_of(splitters, split, (uint)first, units);
    bool last = plan[PLAN_PASS] == TO_RESULT;
    __global KEY *to = last ? (__global KEY *)result : a;
    IF_PAIRS(__global uint *to_values = last ? (__global uint *)result_values : a_values;)
    int limit = last ? (int)units : (int)plan[PLAN_KEYS];
    bool aligned = lines_begin(to) IF_PAIRS(&& lines_begin(to_values));
    lines open;
    open_lines(&open, counts + slice * RADIX, last ? plan[PLAN_SKIP] : 0);
    KEY kept[BLOCK];
    IF_PAIRS(ushort places[BLOCK];)
    uint each = slice_length(n);
    uint end = min(n, (slice + 1) * each);
    for (uint at = slice * each; at < end; at += BLOCK) {
        uint count = choose((__global const KEY *)raw, at, min((uint)BLOCK, end - at), chosen, kept AND(places));
        IF_PAIRS(__global const uint *values = (__global const uint *)raw_values + at;)
        move_block(
                &open, kept, count AND(places) AND(values), last, to AND(to_values), limit, aligned);
    }
    close_lines(&open, to AND(to_values), limit);
}

__kernel void sort_scatter(
        __global KEY *a AND(__global uint *a_values), __global KEY *b AND(__global uint *b_values),
        __global uchar *result AND(__global uchar *result_values), __global const uint *counts,
        __global const uint *plan, uint pass, uint units)
{
    uint slice = (uint)get_global_id(0);
    uint way = plan[PLAN_PASS + pass];
    uint keys = plan[PLAN_KEYS];
    if (way == 0 || slice >= slice_count(keys)) {
        return;
    }
    bool last = (way & TO_RESULT) != 0;
    __global const KEY *from = way & FROM_A ? a : b;
    __global KEY *to = last ? (__global KEY *)result : way & TO_A ? a : b;
    IF_PAIRS(__global const uint *from_values = way & FROM_A ? a_values : b_values;)
    IF_PAIRS(__global uint *to_values = last ? (__global uint *)result_values : way & TO_A ? a_values : b_values;)
    int limit = last ? (int)units : (int)keys;
    bool aligned = lines_begin(to) IF_PAIRS(&& lines_begin(to_values));
    uint shift = pass * DIGIT_BITS;
    lines open;
    open_lines(&open, counts + slice * RADIX, last ? plan[PLAN_SKIP] : 0);
    uint each = slice_length(keys);
    uint begin = slice * each;
    uint end = min(keys, begin + each);
    if (last) {
        for (uint i = begin; i < end; i++) {
            put(&open, from[i] AND(from_values[i]), shift, true, to AND(to_values), limit, aligned);
        }
    } else {
        for (uint i = begin; i < end; i++) {
            put(&open, from[i] AND(from_values[i]), shift, false, to AND(to_values), limit, aligned);
        }
    }
    close_lines(&open, to AND(to_values), limit);
}

#else

// How often each slice has each digit: those of a digit side by side; behind all of them, once scanned, the digits' totals.
#define COUNT_OF(digit, slice) counts[(digit) * SLICES + (slice)]
#define TOTAL_OF(digit) counts[RADIX * SLICES + (digit)]

#define AT_ONCE 8 // keys that a work-item reads before it counts any

#ifdef WARPS

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

#else

#define EXCHANGE(size) __local uint exchange[1]

inline uint sum_before(__local uint *sums, uint value, uint used, uint *total, __local uint *exchange)
{
    uint id = (uint)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[id] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < used; step *= 2) {
        uint before = id >= step ? sums[id - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[id] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *total = sums[used - 1];
    return sums[id] - value;
}

#endif

inline void clear_table(__local uint *table)
{
    for (uint d = (uint)get_local_id(0); d < RADIX; d += GROUP) {
        table[d] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

inline void tell_table(__local const uint *table, __global uint *counts, uint slice)
{
    for (uint d = (uint)get_local_id(0); d < RADIX; d += GROUP) {
        COUNT_OF(d, slice) = table[d];
    }
}

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
sort_survey(
        __global const uchar *raw, __global const uint *splitters, __global uint *counts, __global KEY *seen, uint n,
        uint split, ulong first, uint units)
{
    __local uint table[RADIX];
    __local KEY any[GROUP];
    __local KEY all[GROUP];
    __local uint kept[GROUP];
    __global const KEY *keys = (__global const KEY *)raw;
    uint slice = (uint)get_group_id(0);
    uint id = (uint)get_local_id(0);
    uint each = slice_length(n);
    if (slice >= slice_count(n)) {
        return;
    }
    window chosen = window_of(splitters, split, (uint)first, units);
    clear_table(table);
    KEY my_any = 0, my_all = LARGEST_KEY;
    uint mine = 0;
    uint end = min(n, (slice + 1) * each);
    for (uint i = slice * each + id; i < end; i += AT_ONCE * GROUP) {
        KEY some[AT_ONCE];
#pragma unroll
        for (uint k = 0; k < AT_ONCE; k++) {
            some[k] = i + k * GROUP < end ? ordered(keys[i + k * GROUP]) : 0;
        }
#pragma unroll
        for (uint k = 0; k < AT_ONCE; k++) {
            KEY key = some[k];
            if (i + k * GROUP < end && key - chosen.low <= chosen.span) {
                my_any |= key;
                my_all &= key;
                mine++;
                atomic_inc(&table[digit_of(key, 0)]);
            }
        }
    }
    any[id] = my_any;
    all[id] = my_all;
    kept[id] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint apart = GROUP / 2; apart > 0; apart /= 2) {
        if (id < apart) {
            any[id] |= any[id + apart];
            all[id] &= all[id + apart];
            kept[id] += kept[id + apart];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    tell_table(table, counts, slice);
    if (id == 0) {
        seen[SEEN * slice] = any[0];
        seen[SEEN * slice + 1] = all[0];
        seen[SEEN * slice + 2] = kept[0];
    }
}

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
sort_plan(
        __global const uint *splitters, __global const KEY *seen, __global uint *plan, uint n, uint split, ulong first,
        uint units)
{
    __local KEY any[GROUP];
    __local KEY all[GROUP];
    __local uint kept[GROUP];
    uint id = (uint)get_local_id(0);
    uint slices = slice_count(n);
    KEY my_any = 0, my_all = LARGEST_KEY;
    uint mine = 0;
    for (uint s = id; s < slices; s += GROUP) {
        my_any |= seen[SEEN * s];
        my_all &= seen[SEEN * s + 1];
        mine += (uint)seen[SEEN * s + 2];
    }
    any[id] = my_any;
    all[id] = my_all;
    kept[id] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        for (uint i = 1; i < GROUP; i++) {
            my_any |= any[i];
            my_all &= all[i];
            mine += kept[i];
        }
        make_plan(plan, my_any ^ my_all, n, mine, window_of(splitters, split, (uint)first, units).skip);
    }
}

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
sort_count(
        __global const KEY *a, __global const KEY *b, __global uint *counts, __global const uint *plan, uint pass)
{
    __local uint table[RADIX];
    uint slice = (uint)get_group_id(0);
    uint id = (uint)get_local_id(0);
    uint way = plan[PLAN_PASS + pass];
    uint keys = plan[PLAN_KEYS];
    if (way == 0 || slice >= slice_count(keys)) {
        return;
    }
    __global const KEY *from = way & FROM_A ? a : b;
    uint shift = pass * DIGIT_BITS;
    clear_table(table);
    uint each = slice_length(keys);
    uint end = min(keys, (slice + 1) * each);
    for (uint i = slice * each + id; i < end; i += AT_ONCE * GROUP) {
        KEY some[AT_ONCE];
#pragma unroll
        for (uint k = 0; k < AT_ONCE; k++) {
            some[k] = i + k * GROUP < end ? from[i + k * GROUP] : 0;
        }
#pragma unroll
        for (uint k = 0; k < AT_ONCE; k++) {
            if (i + k * GROUP < end) {
                atomic_inc(&table[digit_of(some[k], shift)]);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    tell_table(table, counts, slice);
}

// A group for each digit, or several digits one after another: turns its slices' counts into those of the slices before.
__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
sort_scan(__global uint *counts, __global const uint *plan, uint pass)
{
    __local uint sums[GROUP];
    EXCHANGE(GROUP);
    if (plan[PLAN_PASS + pass] == 0) {
        return;
    }
    uint slices = slices_of(plan, pass);
    for (uint d = (uint)get_group_id(0); d < RADIX; d += (uint)get_num_groups(0)) {
        uint before = 0;
        for (uint first = 0; first < slices; first += GROUP) {
            uint slice = first + (uint)get_local_id(0);
            uint count = slice < slices ? COUNT_OF(d, slice) : 0;
            uint all;
            uint place = before + sum_before(sums, count, min(slices - first, (uint)GROUP), &all, exchange);
            if (slice < slices) {
                COUNT_OF(d, slice) = place;
            }
            before += all;
        }
        if (get_local_id(0) == 0) {
            TOTAL_OF(d) = before;
        }
    }
}

// A tile in local memory, and what sorting it takes.
typedef struct {
#ifdef WARPS
    union {
        KEY keys[TILE];
        IF_PAIRS(uint values[TILE];)
        uint counters[GROUP / WARP * RADIX];
    } at; // one after another
    uint sums[GROUP / WARP];
#else
    KEY keys[TILE];
    IF_PAIRS(uint values[TILE];)
    uint count; // of keys
    uint sums[GROUP];
    ushort counters[16 * GROUP];
    ushort begin[RADIX]; // where in the sorted tile each digit begins and ends
    ushort end[RADIX];
#endif
    uint next[RADIX]; // where in memory each digit's next key goes; with warps, less where in the sorted tile it begins
} tile;

// Where in memory the slice's first key of each digit goes; call it from all work-items.
inline void find_places(
        __local tile *t, __global const uint *counts, uint slice, uint *after, __local uint *exchange)
{
    uint id = (uint)get_local_id(0);
    uint all;
    uint place = sum_before(t->sums, id < RADIX ? TOTAL_OF(id) : 0, RADIX, &all, exchange);
    if (id < RADIX) {
        *after = place + COUNT_OF(id, slice);
        t->next[id] = *after;
    }
}

#ifdef WARPS

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
#ifndef WARPS_ALIKE // unrolled, emulation has more barriers than CPU drivers build in a minute
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
#ifdef PAIRS
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

#else

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

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
sort_first(
        __global const uchar *raw AND(__global const uchar *raw_values), __global const uint *splitters,
        __global const uint *counts, __global const uint *plan, __global KEY *a AND(__global uint *a_values),
        __global uchar *result AND(__global uchar *result_values), uint n, uint split, ulong first, uint units)
{
    __local tile t;
    uint slice = (uint)get_group_id(0);
    uint id = (uint)get_local_id(0);
    if (slice >= slice_count(n)) {
        return;
    }
    __global const KEY *keys = (__global const KEY *)raw;
    window chosen = window_of(splitters, split, (uint)first, units);
    bool last = plan[PLAN_PASS] == TO_RESULT;
    __global KEY *to = last ? (__global KEY *)result : a;
    IF_PAIRS(__global uint *to_values = last ? (__global uint *)result_values : a_values;)
    uint limit = last ? units : plan[PLAN_KEYS];
    uint skip = last ? plan[PLAN_SKIP] : 0;
    EXCHANGE(GROUP);
    uint after;
    find_places(&t, counts, slice, &after, exchange);
    uint each = slice_length(n);
    uint end = min(n, (slice + 1) * each);
    for (uint at = slice * each; at < end; at += TILE) {
#ifdef WARPS
        uint from = at + warp_of_group() * PER_ITEM * WARP + lane_of_warp();
        KEY kept[PER_ITEM];
        uint valid = 0;
#pragma unroll
        for (uint i = 0; i < PER_ITEM; i++) {
            kept[i] = from + i * WARP < end ? ordered(keys[from + i * WARP]) : 0;
        }
#pragma unroll
        for (uint i = 0; i < PER_ITEM; i++) {
            valid |= (uint)(from + i * WARP < end && kept[i] - chosen.low <= chosen.span) << i;
        }
        move_tile(&t, kept, valid AND((__global const uint *)raw_values + at), 0, last, to AND(to_values), skip, limit,
                &after, exchange);
#else
        // Each work-item chooses among neighbouring keys, so that the tile keeps their order.
        uint from = at + id * PER_ITEM;
        uint mine = min((uint)PER_ITEM, end - min(end, from));
        KEY kept[PER_ITEM];
        IF_PAIRS(uint values[PER_ITEM];)
        uint n_kept = 0;
        for (uint i = 0; i < mine; i++) {
            KEY key = ordered(keys[from + i]);
            if (key - chosen.low <= chosen.span) {
                IF_PAIRS(values[n_kept] = ((__global const uint *)raw_values)[from + i];)
                kept[n_kept++] = key;
            }
        }
        uint count;
        uint place = sum_before(t.sums, n_kept, GROUP, &count, exchange);
        for (uint i = 0; i < n_kept; i++) {
            t.keys[place + i] = kept[i];
            IF_PAIRS(t.values[place + i] = values[i];)
        }
        move_tile(&t, count, 0, last, to AND(to_values), skip, limit, exchange);
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
sort_scatter(
        __global KEY *a AND(__global uint *a_values), __global KEY *b AND(__global uint *b_values),
        __global uchar *result AND(__global uchar *result_values), __global const uint *counts,
        __global const uint *plan, uint pass, uint units)
{
    __local tile t;
    uint slice = (uint)get_group_id(0);
    uint id = (uint)get_local_id(0);
    uint way = plan[PLAN_PASS + pass];
    uint keys = plan[PLAN_KEYS];
    if (way == 0 || slice >= slice_count(keys)) {
        return;
    }
    bool last = (way & TO_RESULT) != 0;
    __global const KEY *from = way & FROM_A ? a : b;
    __global KEY *to = last ? (__global KEY *)result : way & TO_A ? a : b;
    IF_PAIRS(__global const uint *from_values = way & FROM_A ? a_values : b_values;)
    IF_PAIRS(__global uint *to_values = last ? (__global uint *)result_values : way & TO_A ? a_values : b_values;)
    uint limit = last ? units : keys;
    uint skip = last ? plan[PLAN_SKIP] : 0;
    EXCHANGE(GROUP);
    uint after;
    find_places(&t, counts, slice, &after, exchange);
    uint each = slice_length(keys);
    uint end = min(keys, (slice + 1) * each);
    for (uint at = slice * each; at < end; at += TILE) {
#ifdef WARPS
        uint first = at + warp_of_group() * PER_ITEM * WARP + lane_of_warp();
        KEY mine[PER_ITEM];
        uint valid = 0;
#pragma unroll
        for (uint i = 0; i < PER_ITEM; i++) {
            mine[i] = first + i * WARP < end ? from[first + i * WARP] : 0;
            valid |= (uint)(first + i * WARP < end) << i;
        }
        move_tile(&t, mine, valid AND(from_values + at), pass * DIGIT_BITS, last, to AND(to_values), skip, limit, &after,
                exchange);
#else
        uint count = min((uint)TILE, end - at);
        for (uint i = id; i < count; i += GROUP) {
            t.keys[i] = from[at + i];
            IF_PAIRS(t.values[i] = from_values[at + i];)
        }
        move_tile(&t, count, pass * DIGIT_BITS, last, to AND(to_values), skip, limit, exchange);
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}

#endif
