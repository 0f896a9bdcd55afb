// What a simulator has to find, so that finding nothing elsewhere means something. One work-item per element, groups of 4.

// Neighbours in a group swap values through local memory, and nobody waits for anybody.
__kernel void race(__global const int *in, __global int *out)
{
    __local int values[4];
    uint id = (uint)get_local_id(0);
    values[id] = in[get_global_id(0)];
    out[get_global_id(0)] = values[id ^ 1];
}

// All groups write one element.
__kernel void race_of_groups(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i];
    out[0] = (int)i;
}

// One element too far.
__kernel void reads_beyond(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i + 1];
}

__kernel void writes_beyond(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i + 1] = in[i];
}
