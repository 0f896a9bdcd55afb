// What the 32 work-items of a warp tell each other without memory in between: form 3. OpenCL C 1.2 has nothing for it; NVIDIA's
// compiler takes its GPUs' own instructions, and is known by an extension that it alone has. There form 3 takes the place of
// form 2.
//
// Tests ask any device for form 3: what is exchanged goes through local memory, between barriers. Then all work-items of a group
// must call each of these functions together, which WARPS_ALIKE says; each gets what its own warp's have.
//
// Groups are of one dimension and have whole warps. EXCHANGE declares the local memory that emulation needs, in a kernel;
// functions are handed it.

#ifdef cl_nv_pragma_unroll
#define WARPS_ALIKE 0
#if FORM == 2
#undef FORM
#define FORM 3
#endif
#else
#define WARPS_ALIKE 1
#endif

#if FORM == 3

#define WARP 32

inline uint lane_of_warp(void)
{
    return (uint)get_local_id(0) % WARP;
}

inline uint warp_of_group(void)
{
    return (uint)get_local_id(0) / WARP;
}

#if !WARPS_ALIKE

#define EXCHANGE(size) __local uint exchange[1]

// What one work-item of the warp wrote to local memory, the others may read after it.
inline void warp_barrier(void)
{
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

// The value of the lane that is so many below this one; its own if there is none.
inline uint warp_up(uint value, uint by, __local uint *exchange)
{
    uint result;
    asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(result) : "r"(value), "r"(by));
    return result;
}

// The value of another lane.
inline uint warp_from(uint value, uint lane, __local uint *exchange)
{
    uint result;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result) : "r"(value), "r"(lane));
    return result;
}

// Bit i is set where lane i says yes.
inline uint warp_ballot(uint yes, __local uint *exchange)
{
    uint result;
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\tvote.sync.ballot.b32 %0, p, 0xffffffff;\n\t}"
                 : "=r"(result)
                 : "r"(yes));
    return result;
}

// The lanes for which valid is 1 and whose values have the same lowest 8 bits as this one's, which is one of them if valid.
inline uint warp_peers(uint value, uint valid, __local uint *exchange)
{
    uint peers = warp_ballot(valid, exchange);
#pragma unroll
    for (uint bit = 0; bit < 8; bit++) {
        uint same;
        asm volatile(
                "{\n\t.reg .pred p;\n\t.reg .b32 t;\n\tand.b32 t, %1, %2;\n\tsetp.ne.u32 p, t, 0;\n\t"
                "vote.sync.ballot.b32 %0, p, 0xffffffff;\n\t@!p not.b32 %0, %0;\n\t}"
                : "=r"(same)
                : "r"(value), "r"(1u << bit));
        peers &= same;
    }
    return peers;
}

#else

#define EXCHANGE(size) __local uint exchange[size]

inline void warp_barrier(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}

inline uint warp_from(uint value, uint lane, __local uint *exchange)
{
    uint me = (uint)get_local_id(0);
    exchange[me] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint result = exchange[me / WARP * WARP + lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

inline uint warp_up(uint value, uint by, __local uint *exchange)
{
    uint lane = lane_of_warp();
    return warp_from(value, lane >= by ? lane - by : lane, exchange);
}

inline uint warp_ballot(uint yes, __local uint *exchange)
{
    uint me = (uint)get_local_id(0);
    exchange[me] = yes != 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint result = 0;
    for (uint i = 0; i < WARP; i++) {
        result |= exchange[me / WARP * WARP + i] << i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

inline uint warp_peers(uint value, uint valid, __local uint *exchange)
{
    uint me = (uint)get_local_id(0);
    exchange[me] = valid ? value & 255 : 256;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint result = 0;
    for (uint i = 0; i < WARP; i++) {
        result |= (uint)(exchange[me / WARP * WARP + i] == (value & 255)) << i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

#endif

// Sum of the values of this lane and those below it.
inline uint warp_sums(uint value, __local uint *exchange)
{
    uint lane = lane_of_warp();
#if !WARPS_ALIKE
#pragma unroll
#endif
    for (uint by = 1; by < WARP; by *= 2) {
        uint below = warp_up(value, by, exchange);
        value += lane >= by ? below : 0;
    }
    return value;
}

#endif
