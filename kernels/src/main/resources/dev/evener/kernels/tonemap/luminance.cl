// Luminance statistics of a frame: a histogram of log2 luminance and the largest luminance.
//
// The histogram is read off the bits of the luminance: a float's exponent and the top three bits of its mantissa number
// eight bins per octave, linear within the octave. Counting integers in bins chosen by integer operations is exact, so
// the result does not depend on how the rows were split, and neither does the exposure computed from it. Bin 0 holds
// everything below 2^-24, black included; bin 1 starts at 2^-24; the last, 511, starts at 1.75 * 2^39 and has no upper
// end. The padding pixels of a row are black and counted in bin 0: the host, which knows their number, subtracts them.
// The largest luminance is compared as an unsigned integer, which orders non-negative floats as their values do.
//
// CPU: one work-item per group takes a contiguous run of rows, as many groups as keep all cores busy, and counts into
// several private tables, so that runs of equal pixels do not wait for each other's store; no barriers or local memory.
// Other devices: groups of any power-of-two size loop over the frame's float4s with the launch's size as the step and
// count into COPIES interleaved tables in local memory, neighbouring work-items in different copies and banks.
//
// Both combine into the histogram, which starts out as zeros, with atomic additions.

#define BINS 512

inline intv bin_of(floatv y)
{
    // Bin 1 starts where the exponent field is 127 - 24 and the mantissa 0.
    intv bin = (AS_INT(y) >> 20) - (((127 - 24) << 3) - 1);
    return min(max(bin, (intv)(0)), (intv)(BINS - 1));
}

#if FORM == 1

#define TABLES 4

__kernel void luminance_statistics(
        FRAME, __global uint *histogram, __global uint *maximum, uint stride, uint rows CODING)
{
    uint items = (uint)get_global_size(0);
    uint each = (rows + items - 1) / items;
    uint first = (uint)get_global_id(0) * each;
    uint end = min(rows, first + each);
    if (first >= end) {
        return;
    }

    uint tables[TABLES * BINS];
    for (int i = 0; i < TABLES * BINS; i++) {
        tables[i] = 0;
    }
    floatv largest = (floatv)(0.0f);
    for (uint row = first; row < end; row++) {
        for (uint x = 0; x < stride; x += LANES) {
            floatv y = luminance_at(frame, stride, row, x CODED);
            largest = largest < y ? y : largest;
            intv bins = bin_of(y);
#define COUNT(lane, table) tables[(table) * BINS + bins.s##lane]++
            COUNT(0, 0); COUNT(1, 1); COUNT(2, 2); COUNT(3, 3);
            COUNT(4, 0); COUNT(5, 1); COUNT(6, 2); COUNT(7, 3);
            COUNT(8, 0); COUNT(9, 1); COUNT(a, 2); COUNT(b, 3);
            COUNT(c, 0); COUNT(d, 1); COUNT(e, 2); COUNT(f, 3);
#undef COUNT
        }
    }

    for (int bin = 0; bin < BINS; bin++) {
        uint count = 0;
        for (int table = 0; table < TABLES; table++) {
            count += tables[table * BINS + bin];
        }
        if (count != 0) {
            atomic_add(&histogram[bin], count);
        }
    }
    uintv bits = AS_UINT(largest);
    uint8 m8 = max(bits.lo, bits.hi);
    uint4 m4 = max(m8.lo, m8.hi);
    uint2 m2 = max(m4.lo, m4.hi);
    atomic_max(maximum, max(m2.x, m2.y));
}

#else

#define COPIES 8

__kernel void luminance_statistics(
        FRAME, __global uint *histogram, __global uint *maximum, uint stride, uint rows CODING)
{
    __local uint tables[BINS * COPIES];
    __local uint largest;
    uint local_id = (uint)get_local_id(0);
    uint group = (uint)get_local_size(0);
    for (uint i = local_id; i < BINS * COPIES; i += group) {
        tables[i] = 0;
    }
    if (local_id == 0) {
        largest = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint quads = stride / LANES;
    uint all = quads * rows;
    __local uint *mine = tables + local_id % COPIES;
    uintv seen = (uintv)(0);
    for (uint i = (uint)get_global_id(0); i < all; i += (uint)get_global_size(0)) {
        uint row = i / quads;
        floatv y = luminance_at(frame, stride, row, (i - row * quads) * LANES CODED);
        intv bins = bin_of(y);
        atomic_inc(&mine[bins.x * COPIES]);
        atomic_inc(&mine[bins.y * COPIES]);
        atomic_inc(&mine[bins.z * COPIES]);
        atomic_inc(&mine[bins.w * COPIES]);
        seen = max(seen, AS_UINT(y));
    }
    atomic_max(&largest, max(max(seen.x, seen.y), max(seen.z, seen.w)));
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint bin = local_id; bin < BINS; bin += group) {
        uint count = 0;
        for (uint copy = 0; copy < COPIES; copy++) {
            count += tables[bin * COPIES + copy];
        }
        if (count != 0) {
            atomic_add(&histogram[bin], count);
        }
    }
    if (local_id == 0) {
        atomic_max(maximum, largest);
    }
}

#endif
