// The sum of n integers modulo 2^32. Addition modulo 2^32 is exact in any order, so the result does not depend on the
// split, and partial sums may meet in one atomic addition for each work-item (CPU) or group (others).
//
// CPU: one work-item per group, a few of them for each core, each over a contiguous run of whole blocks of 64 integers,
// four vectors at a time so that loads need not wait for additions; the last takes what is left over.
// Other devices: groups of a power-of-two size loop with the launch's size as the step, four integers at a time, then add
// up through local memory.

#define BLOCK 64

#ifdef EVENER_CPU

__kernel void sum(__global const uint *in, __global uint *total, uint n)
{
    uint items = (uint)get_global_size(0);
    uint item = (uint)get_global_id(0);
    uint blocks = n / BLOCK;
    uint each = (blocks + items - 1) / items;
    uint first = min(item * each, blocks);
    uint end = min(first + each, blocks);

    uint16 a = (uint16)(0);
    uint16 b = (uint16)(0);
    uint16 c = (uint16)(0);
    uint16 d = (uint16)(0);
    __global const uint16 *v = (__global const uint16 *)in + (size_t)first * 4;
    for (uint block = first; block < end; block++, v += 4) {
        a += v[0];
        b += v[1];
        c += v[2];
        d += v[3];
    }
    a = (a + b) + (c + d);
    uint8 e = a.lo + a.hi;
    uint4 f = e.lo + e.hi;
    uint2 g = f.lo + f.hi;
    uint mine = g.x + g.y;
    if (item == items - 1) {
        for (uint i = blocks * BLOCK; i < n; i++) {
            mine += in[i];
        }
    }
    atomic_add(total, mine);
}

#else

#define GROUP 256

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sum(__global const uint *in, __global uint *total, uint n)
{
    __local uint partial[GROUP];
    uint local_id = (uint)get_local_id(0);
    uint quads = n / 4;
    uint4 v = (uint4)(0);
    for (size_t i = get_global_id(0); i < quads; i += get_global_size(0)) {
        v += ((__global const uint4 *)in)[i];
    }
    uint mine = (v.x + v.y) + (v.z + v.w);
    for (size_t i = (size_t)quads * 4 + get_global_id(0); i < n; i += get_global_size(0)) {
        mine += in[i];
    }
    partial[local_id] = mine;
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (local_id < half_size) {
            partial[local_id] += partial[local_id + half_size];
        }
    }
    if (local_id == 0) {
        atomic_add(total, partial[0]);
    }
}

#endif
