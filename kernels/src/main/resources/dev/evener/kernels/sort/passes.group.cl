// The passes by groups, one for each slice (passes.cl).

#if FORM != 1

// How often each slice has each digit: those of a digit side by side; behind all of them, once scanned, the digits' totals.
#define COUNT_OF(digit, slice) counts[(digit) * SLICES + (slice)]
#define TOTAL_OF(digit) counts[RADIX * SLICES + (digit)]

#define AT_ONCE 8 // keys that a work-item reads before it counts any

inline void clear_table(__local uint *table)
{
    for (uint d = (uint)get_local_id(0); d < RADIX; d += GROUP) {
        table[d] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Counts the digits of a slice's keys within a window, and tells which bits any of them has, which all have, and their number.
inline void count_digits(
        __global const KEY *keys, uint begin, uint end, bool raw, window chosen, uint shift, __local uint *table, KEY *any,
        KEY *all, uint *mine)
{
    for (uint i = begin + (uint)get_local_id(0); i < end; i += AT_ONCE * GROUP) {
        KEY some[AT_ONCE];
#pragma unroll
        for (uint k = 0; k < AT_ONCE; k++) {
            some[k] = i + k * GROUP >= end ? 0 : raw ? ordered(keys[i + k * GROUP]) : keys[i + k * GROUP];
        }
#pragma unroll
        for (uint k = 0; k < AT_ONCE; k++) {
            KEY key = some[k];
            if (i + k * GROUP < end && key - chosen.low <= chosen.span) {
                *any |= key;
                *all &= key;
                (*mine)++;
                atomic_inc(&table[digit_of(key, shift)]);
            }
        }
    }
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
    count_digits(keys, slice * each, min(n, (slice + 1) * each), true, chosen, 0, table, &my_any, &my_all, &mine);
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
    uint way = plan[PLAN_PASS + pass];
    uint keys = plan[PLAN_KEYS];
    if (way == 0 || slice >= slice_count(keys)) {
        return;
    }
    __global const KEY *from = way & FROM_A ? a : b;
    clear_table(table);
    uint each = slice_length(keys);
    window all = {0, LARGEST_KEY, 0};
    KEY any_bits = 0, all_bits = 0; // which nobody asks for
    uint mine = 0;
    count_digits(from, slice * each, min(keys, (slice + 1) * each), false, all, pass * DIGIT_BITS, table, &any_bits,
            &all_bits, &mine);
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
#if FORM == 3
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
#if FORM == 3
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
