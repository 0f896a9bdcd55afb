// Sums over a group through local memory (Hillis and Steele, Data parallel algorithms, 1986): sum_before_uint and
// sum_before_ulong give the sum of the values of the work-items in front of this one, and leave in sums[used - 1] that of all.
// Work-items from `used` on have 0, and get nothing of use: few take few steps. All work-items call them together.

#define SUM_BEFORE(TYPE) \
    inline TYPE sum_before_##TYPE(__local TYPE *sums, TYPE value, uint used) \
    { \
        uint id = (uint)get_local_id(0); \
        barrier(CLK_LOCAL_MEM_FENCE); \
        sums[id] = value; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        for (uint step = 1; step < used; step *= 2) { \
            TYPE before = id >= step ? sums[id - step] : 0; \
            barrier(CLK_LOCAL_MEM_FENCE); \
            sums[id] += before; \
            barrier(CLK_LOCAL_MEM_FENCE); \
        } \
        return sums[id] - value; \
    }

SUM_BEFORE(uint)
SUM_BEFORE(ulong)
