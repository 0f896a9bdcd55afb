// The passes on CPUs (passes.cl): a work-item for each slice.

#if FORM == 1

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
#if WIDE
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

#endif
