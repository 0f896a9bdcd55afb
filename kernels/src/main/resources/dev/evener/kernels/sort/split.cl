// Where the parts of a sort begin: the range of the keys, then a histogram of the 65,536 parts that it is cut into.
//
// The most significant 16 bits of (key - least key), counted from the highest bit in which any differ, are a key's prefix.
// From the number of keys with each prefix follows at which position, when sorted, each prefix starts; so a device that
// is to fill some positions of the result knows which keys it needs, whatever the others do.
//
// sort_range: 64-bit keys would need 64-bit atomics, which not every device has, so extremes are those of the upper words;
// those of the lower words hold where the upper are all equal. Signed 64-bit keys tell their largest magnitude as well,
// since small ones of both signs are common and differ in all upper bits.
//
// CPU: one work-item per group takes a contiguous run of keys and counts in a table of its own, in a temporary.
// Other devices: neighbouring work-items read neighbouring keys. Prefixes are counted with global atomics, one for a run of
// equal prefixes among the keys of a work-item, so that constant keys do not queue up for one address.

#define TABLES 64                 // and so work-items of a CPU that count
#define KEYS_PER_TABLE (1 << 20) // at least, since a table takes a third of a millisecond to clear and merge

inline uint upper(KEY key)
{
#if WIDE
    return (uint)(key >> 32);
#else
    return key;
#endif
}

inline uint lower(KEY key)
{
    return (uint)key;
}

__kernel void sort_range(
        __global const uchar *raw, __global uint *least, __global uint *largest, uint units)
{
    __global const KEY *keys = (__global const KEY *)raw;
#if FORM == 1
    uint each = (units + (uint)get_global_size(0) - 1) / (uint)get_global_size(0);
    uint begin = (uint)get_global_id(0) * each;
    uint end = min(units, begin + each);
    uint step = 1;
#else
    uint begin = (uint)get_global_id(0);
    uint end = units;
    uint step = (uint)get_global_size(0);
#endif
    if (begin >= end) {
        return;
    }
    uint low = 0xFFFFFFFFU, high = 0, lower_low = 0xFFFFFFFFU, lower_high = 0;
    ulong magnitude = 0;
    for (uint i = begin; i < end; i += step) {
        KEY key = ordered(keys[i]);
        low = min(low, upper(key));
        high = max(high, upper(key));
#if WIDE
        lower_low = min(lower_low, lower(key));
        lower_high = max(lower_high, lower(key));
#if SIGNED
        long number = (long)(key ^ SIGN);
        magnitude |= (ulong)(number ^ (number >> 63)); // as large as the magnitude, to the bit
#endif
#endif
    }
    atomic_min(&least[0], low);
    atomic_min(&least[1], lower_low);
    atomic_max(&largest[0], high);
    atomic_max(&largest[1], lower_high);
    atomic_max(&largest[2], (uint)(magnitude >> 32));
    atomic_max(&largest[3], (uint)magnitude);
}

// Within the tables even where the splitters are zeros, as when a kernel is tried out.
inline uint prefix_of(KEY key, KEY base, uint shift)
{
    return (uint)((key - base) >> shift) & (PREFIXES - 1);
}

__kernel void sort_prefixes(
        __global const uchar *raw, __global const uint *splitters, __global uint *histogram, __global uint *tables,
        uint units)
{
    __global const KEY *keys = (__global const KEY *)raw;
    uint shift = splitters[PREFIXES + 1];
    KEY base = splitters[PREFIXES + 2];
#if WIDE
    base |= (ulong)splitters[PREFIXES + 3] << 32;
#endif
#if FORM == 1
#ifdef EVENER_LOOP_ROUNDS
    uint items = TABLES; // the driver ends loops early
#else
    uint items = min(units / KEYS_PER_TABLE + 1, (uint)TABLES);
#endif
    uint each = (units + items - 1) / items;
    uint begin = (uint)get_global_id(0) * each;
    uint end = min(units, begin + each);
    if ((uint)get_global_id(0) >= items || begin >= end) {
        return;
    }
    __global uint *table = tables + (size_t)get_global_id(0) * PREFIXES;
    __global uint16 *rows = (__global uint16 *)table;
    for (uint i = 0; i < PREFIXES / 16; i++) {
        rows[i] = (uint16)(0);
    }
    for (uint i = begin; i < end; i++) {
        table[prefix_of(ordered(keys[i]), base, shift)]++;
    }
    for (uint i = 0; i < PREFIXES / 16; i++) {
        uint16 row = rows[i];
        if (any(row != (uint16)(0))) {
#define ADD(lane, digit) if (row.s##digit != 0) { atomic_add(&histogram[i * 16 + lane], row.s##digit); }
            ADD(0, 0) ADD(1, 1) ADD(2, 2) ADD(3, 3) ADD(4, 4) ADD(5, 5) ADD(6, 6) ADD(7, 7)
            ADD(8, 8) ADD(9, 9) ADD(10, a) ADD(11, b) ADD(12, c) ADD(13, d) ADD(14, e) ADD(15, f)
#undef ADD
        }
    }
#else
    uint step = (uint)get_global_size(0);
    uint last = 0, run = 0;
    for (uint i = (uint)get_global_id(0); i < units; i += step) {
        uint prefix = prefix_of(ordered(keys[i]), base, shift);
        if (prefix != last && run != 0) {
            atomic_add(&histogram[last], run);
            run = 0;
        }
        last = prefix;
        run++;
    }
    if (run != 0) {
        atomic_add(&histogram[last], run);
    }
#endif
}
