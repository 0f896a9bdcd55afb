// What a device must compute right before it is given work: known patterns, a few milliseconds in all. Every kernel but the
// last is run by one group; SelfTest.java has the same in Java.

// A loop of many rounds. Some drivers end loops early: llvmpipe of Mesa 22 has 65,535 rounds for all loops of a work-item
// together with those that run beside it in a SIMD register; that of Mesa 25 has no limit.
__kernel void loops(__global ulong *out, uint rounds)
{
    size_t i = get_global_id(0);
    uint done = 0;
    uint v = (uint)i + 1;
    for (uint r = 0; r < rounds; r++) {
        v = v * 1664525u + 1013904223u;
        done++;
    }
    out[i] = (ulong)done << 32 | v;
}

// 64-bit arithmetic: the mixing function of SplitMix64 (Steele, Lea and Flood, 2014), the upper half of a product, a rotation.
__kernel void wide(__global ulong *out, uint rounds)
{
    size_t i = get_global_id(0);
    ulong x = (ulong)i * 0x9e3779b97f4a7c15UL + 1;
    for (uint r = 0; r < rounds; r++) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;
        x += mul_hi(x ^ (x >> 27), 0x94d049bb133111ebUL);
        x = rotate(x, (ulong)(r & 63));
    }
    out[i] = x;
}

// Quotients and remainders of both signs and widths.
__kernel void division(__global ulong *out, uint rounds)
{
    size_t i = get_global_id(0);
    uint v = (uint)i + 1;
    ulong sum = 0;
    for (uint r = 0; r < rounds; r++) {
        v = v * 1664525u + 1013904223u;
        int a = (int)v;
        int b = (int)(v >> 16) + 2;
        b = (v & 4) != 0 ? -b : b;
        long c = (long)((ulong)v << 31 ^ (ulong)v * v);
        sum = sum * 31 + (ulong)(long)(a / b) + (ulong)(long)(a % b);
        sum = sum * 31 + v / (uint)(r + 3) + v % (uint)(r + 3);
        sum = sum * 31 + (ulong)(c / b) + (ulong)(c % b);
        sum = sum * 31 + (ulong)c / (v | 1) + (ulong)c % (v | 1);
    }
    out[i] = sum;
}

// Atomic operations in global and local memory, in whatever order.
__kernel void atomics(__global ulong *out, uint rounds)
{
    __local uint tickets;
    __global uint *totals = (__global uint *)out;
    uint i = (uint)get_local_id(0);
    if (i == 0) {
        tickets = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = 0; r < rounds; r++) {
        uint ticket = atomic_inc(&tickets);
        atomic_add(&totals[0], ticket * ticket);
        atomic_max(&totals[1], ticket);
        atomic_xor(&totals[2], ticket * 0x9e3779b9u);
        atomic_sub(&totals[3], i);
    }
}

// Work-items of a group that hand values on through local memory.
__kernel void exchange(__global ulong *out, uint rounds)
{
    __local uint shared[ITEMS];
    uint i = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    shared[i] = i * 7 + 1;
    for (uint r = 0; r < rounds; r++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint v = shared[(i + 1) % items] * 3 + shared[(i + r) % items];
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[i] = v ^ r;
    }
    out[i] = shared[i];
}

// Arithmetic alone: four operations of an item in each round, and next to no memory. Timed, not looked at.
__kernel void speed(__global ulong *out, uint rounds)
{
    #pragma OPENCL FP_CONTRACT OFF
    size_t i = get_global_id(0);
    float a = (float)i;
    float b = 1.0f;
    for (uint r = 0; r < rounds; r++) {
        a = a * 0.75f + b;
        b = b * 0.5f + a;
    }
    out[i] = (ulong)as_uint(b);
}
