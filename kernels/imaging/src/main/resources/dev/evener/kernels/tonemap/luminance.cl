// Luminance statistics of a frame: a histogram of log2 luminance, and where in their bins pixels stand.
//
// Both are read off the bits of the luminance: a float's exponent and the top three bits of its mantissa number eight bins per
// octave, linear within the octave, and the next three bits the steps of a bin. Beside the number of a bin's pixels goes the sum
// of their steps, so that each bin stands at the average of its pixels and exposure does not jump when they pass into the next one.
// Adding integers is exact, so the result does not depend on how the rows were split. Bin 0 holds everything below 2^-22, black
// and padding included; bin 1 starts at 2^-22; sanitised pixels end in bin 498. A frame is below 2^29 pixels, so 32
// bits hold any
// sum of steps.
//
// CPU: one work-item per group takes a contiguous run of rows, as many groups as keep all cores busy, and counts steps in
// several private tables, so that runs of equal pixels do not wait for each other's store; no barriers or local memory.
// Other devices: groups of any power-of-two size loop over the frame's float4s with the launch's size as the step and
// count into COPIES interleaved tables in local memory, neighbouring work-items in different copies and banks. Count and sum
// share a word, so that a pixel is one addition, and tables are emptied before one can have seen more than MOST pixels.
//
// Several frames of one size may be rows of one job: each has a histogram, and a chunk's rows of one frame are counted before those of the next.
// Both combine into the histograms, BINS counts and then BINS sums each, which start out as zeros, with atomic additions.

#define BINS 512
#define STEPS 8

// STEPS times the bin of a luminance, plus its step; 0 to STEPS - 1 in bin 0.
inline uintv place_of(floatv y)
{
    // Bin 1 starts where the exponent field is 127 - 22 and the mantissa 0.
    intv place = (AS_INT(y) >> 17) - (((127 - 22) << 6) - STEPS);
    return AS_UINT(max(place, (intv)(0)));
}

inline void add(__global uint *histogram, uint bin, uint count, uint steps)
{
    if (count != 0) {
        atomic_add(&histogram[bin], count);
        atomic_add(&histogram[BINS + bin], steps);
    }
}

#if FORM == 1

#define TABLES 4 // side by side, as merging has them

inline uint sum_of(uint16 v)
{
    uint8 v8 = v.lo + v.hi;
    uint4 v4 = v8.lo + v8.hi;
    return (v4.x + v4.y) + (v4.z + v4.w);
}

__kernel void luminance_statistics(
        FRAME, __global uint *histograms, uint stride, uint height, ulong first_row, uint rows CODING)
{
    uint items = (uint)get_global_size(0);
    uint each = (rows + items - 1) / items;
    uint first = (uint)get_global_id(0) * each;
    uint end = min(rows, first + each);
    uint tables[TABLES * BINS * STEPS];
    while (first < end) {
        uint number = ((uint)first_row + first) / height;
        uint until = min(end, (number + 1) * height - (uint)first_row);
        __global uint *histogram = histograms + number * 2 * BINS;
        for (uint i = 0; i < TABLES * BINS * STEPS / 16; i++) {
            vstore16((uint16)(0), i, tables);
        }
        for (uint row = first; row < until; row++) {
            for (uint x = 0; x < stride; x += LANES) {
                uintv places = place_of(luminance_at(frame, stride, row, x CODED));
#define COUNT(lane, table) tables[TABLES * places.s##lane + (table)]++
                COUNT(0, 0); COUNT(1, 1); COUNT(2, 2); COUNT(3, 3);
                COUNT(4, 0); COUNT(5, 1); COUNT(6, 2); COUNT(7, 3);
                COUNT(8, 0); COUNT(9, 1); COUNT(a, 2); COUNT(b, 3);
                COUNT(c, 0); COUNT(d, 1); COUNT(e, 2); COUNT(f, 3);
#undef COUNT
            }
        }

        for (uint bin = 0; bin < BINS; bin++) {
            uint16 low = vload16(2 * bin, tables), high = vload16(2 * bin + 1, tables);
            uint16 step = (uint16)(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
            add(histogram, bin, sum_of(low + high), sum_of(low * step + high * (step + 4)));
        }
        first = until;
    }
}

#else

#define COPIES 8
#define SHIFT 18 // of the count, above the sum
#define MOST ((1u << (32 - SHIFT)) - 1)

__kernel void luminance_statistics(
        FRAME, __global uint *histograms, uint stride, uint height, ulong first_row, uint rows CODING)
{
    __local uint tables[BINS * COPIES];
    uint local_id = (uint)get_local_id(0);
    uint group = (uint)get_local_size(0);
    for (uint i = local_id; i < BINS * COPIES; i += group) {
        tables[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint quads = stride / LANES;
    uint size = (uint)get_global_size(0);
    uint span = size * (MOST / (LANES * ((group + COPIES - 1) / COPIES)));
    __local uint *mine = tables + local_id % COPIES;
    for (uint done = 0; done < rows;) {
        uint number = ((uint)first_row + done) / height;
        uint until = min(rows, (number + 1) * height - (uint)first_row);
        uint all = quads * until;
        __global uint *histogram = histograms + number * 2 * BINS;
        for (uint first = quads * done; first < all; first += span) {
            uint end = min(all, first + span);
            for (uint i = first + (uint)get_global_id(0); i < end; i += size) {
                uint row = i / quads;
                uintv places = place_of(luminance_at(frame, stride, row, (i - row * quads) * LANES CODED));
                uintv bins = places / STEPS * COPIES;
                uintv ones = (1u << SHIFT) + places % STEPS;
                atomic_add(&mine[bins.x], ones.x);
                atomic_add(&mine[bins.y], ones.y);
                atomic_add(&mine[bins.z], ones.z);
                atomic_add(&mine[bins.w], ones.w);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint bin = local_id; bin < BINS; bin += group) {
                uint count = 0;
                uint steps = 0;
                for (uint copy = 0; copy < COPIES; copy++) {
                    uint word = tables[bin * COPIES + copy];
                    tables[bin * COPIES + copy] = 0;
                    count += word >> SHIFT;
                    steps += word & ((1u << SHIFT) - 1);
                }
                add(histogram, bin, count, steps);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        done = until;
    }
}

#endif
