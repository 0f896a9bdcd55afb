// Four ways to add up integers, from the obvious one to a good one, in the order in which courses on OpenCL teach them (the
// one of the Juelich Supercomputing Centre among them); kept to be measured beside reduce.cl. In each a group of GROUP
// work-items adds up its part of the data and leaves one sum; a second pass adds those, here or on the host.
//
//   STEP 1  one work-item of the group reads all of its part from global memory, the others wait;
//   STEP 2  all copy the part to local memory, and one reads it from there;
//   STEP 3  all copy it, then half of them add the other half's elements, a quarter ... : log2(GROUP) rounds;
//   STEP 4  as step 3, but each work-item first adds up PER_ITEM elements, so that there are fewer groups, and rounds, for
//           the same data.
//
// In steps 1 to 3 a group's part is GROUP elements, in step 4 GROUP * PER_ITEM.

#ifndef STEP
#define STEP 4 // one of these
#endif
#ifndef GROUP
#define GROUP 256 // work-items of a group
#endif
#ifndef PER_ITEM
#define PER_ITEM 16 // elements that each adds up in step 4
#endif

__kernel void add_parts(__global const int *data, __global int *sums)
{
    uint item = (uint)get_local_id(0);
    size_t group = get_group_id(0);
#if STEP == 1
    __global const int *part = data + group * GROUP;
    if (item == 0) {
        int sum = 0;
        for (uint i = 0; i < GROUP; i++) {
            sum += part[i];
        }
        sums[group] = sum;
    }
#else
    __local int copy[GROUP];
#if STEP == 4
    __global const int *part = data + group * GROUP * PER_ITEM;
    int mine = 0;
    for (uint i = 0; i < PER_ITEM; i++) {
        mine += part[i * GROUP + item];
    }
    copy[item] = mine;
#else
    copy[item] = data[group * GROUP + item];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#if STEP == 2
    if (item == 0) {
        int sum = 0;
        for (uint i = 0; i < GROUP; i++) {
            sum += copy[i];
        }
        sums[group] = sum;
    }
#else
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) {
            copy[item] += copy[item + half_size];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        sums[group] = copy[0];
    }
#endif
#endif
}

// The second pass on the device: one group for all sums.
__kernel void add_sums(__global const int *sums, __global int *total, uint n)
{
    __local int copy[GROUP];
    uint item = (uint)get_local_id(0);
    int mine = 0;
    for (uint i = item; i < n; i += GROUP) {
        mine += sums[i];
    }
    copy[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) {
            copy[item] += copy[item + half_size];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        atomic_add(total, copy[0]);
    }
}
