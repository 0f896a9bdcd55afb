// Gravitational accelerations of bodies by the sum over all of them (L. Nyland, M. Harris and J. Prins, Fast N-body
// simulation with CUDA, GPU Gems 3, 2007): a_i = sum over j of m_j r_ij / (|r_ij|^2 + softening^2)^(3/2).
//
// A body is x, y, z and mass. A kernel sees its chunk's bodies in `own` and all `count` of them in `all`, and writes an
// acceleration and a 0 for each of its own. Whatever the device, each body's sum runs over the bodies in their order, so
// that it has the same bits everywhere. The inverse square root, too, is made of exactly rounded operations alone: an
// estimate from the exponent's bits, and three steps of Newton's method.
//
// CPU: 16 bodies side by side for each work-item, one per group. Other devices: a body for each work-item; a group takes
// the others through local memory, GROUP at a time.

#pragma OPENCL FP_CONTRACT OFF

#ifdef EVENER_CPU
typedef float16 floats;
#define AS_INTS as_int16
#define AS_FLOATS as_float16
#else
typedef float floats;
#define AS_INTS as_int
#define AS_FLOATS as_float
#endif

inline floats inverse_root(floats v)
{
    floats h = 0.5f * v;
    floats y = AS_FLOATS(0x5f3759df - (AS_INTS(v) >> 1));
    y = y * (1.5f - (h * y) * y);
    y = y * (1.5f - (h * y) * y);
    return y * (1.5f - (h * y) * y);
}

#define ADD_PULL(other)                                                                                               \
    {                                                                                                                 \
        floats dx = (other).x - x, dy = (other).y - y, dz = (other).z - z;                                            \
        floats y1 = inverse_root(((dx * dx + dy * dy) + dz * dz) + softening);                                        \
        floats pull = (((other).w * y1) * y1) * y1;                                                                   \
        ax = ax + pull * dx;                                                                                          \
        ay = ay + pull * dy;                                                                                          \
        az = az + pull * dz;                                                                                          \
    }

#ifdef EVENER_CPU

#define SIDE_BY_SIDE 16

__kernel void nbody(__global const float4 *own, __global const float4 *all, __global float4 *out, uint units, uint count,
        float softening)
{
    uint first = (uint)get_global_id(0) * SIDE_BY_SIDE;
    if (first >= units) {
        return;
    }
    float xs[SIDE_BY_SIDE], ys[SIDE_BY_SIDE], zs[SIDE_BY_SIDE];
    for (uint i = 0; i < SIDE_BY_SIDE; i++) {
        float4 body = own[min(first + i, units - 1)];
        xs[i] = body.x;
        ys[i] = body.y;
        zs[i] = body.z;
    }
    floats x = vload16(0, xs), y = vload16(0, ys), z = vload16(0, zs);
    floats ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (uint j = 0; j < count; j++) {
        float4 other = all[j];
        ADD_PULL(other)
    }
    vstore16(ax, 0, xs);
    vstore16(ay, 0, ys);
    vstore16(az, 0, zs);
    for (uint i = 0; i < min(units - first, (uint)SIDE_BY_SIDE); i++) {
        out[first + i] = (float4)(xs[i], ys[i], zs[i], 0.0f);
    }
}

#else

__kernel void __attribute__((reqd_work_group_size(GROUP, 1, 1)))
nbody(__global const float4 *own, __global const float4 *all, __global float4 *out, uint units, uint count,
        float softening)
{
    __local float4 others[GROUP];
    uint i = (uint)get_global_id(0);
    uint item = (uint)get_local_id(0);
    float4 body = own[min(i, units - 1)];
    float x = body.x, y = body.y, z = body.z;
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (uint first = 0; first < count; first += GROUP) {
        if (first + item < count) {
            others[item] = all[first + item];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint here = min(count - first, (uint)GROUP);
        for (uint j = 0; j < here; j++) {
            ADD_PULL(others[j])
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < units) {
        out[i] = (float4)(ax, ay, az, 0.0f);
    }
}

#endif
