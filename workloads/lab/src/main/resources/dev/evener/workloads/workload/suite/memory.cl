/*
 * What memory can do: a copy that stores past the cache where the compiler can, a read of which nothing is kept but the
 * or of each unit of 4,096 words, and a write of each word's place in its unit. One work-item a unit on CPUs, a group of 256 elsewhere.
 */
#ifndef __has_builtin
#define __has_builtin(x) 0
#endif

#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(value, place) __builtin_nontemporal_store(value, place)
#else
#define STREAM(value, place) (*(place) = (value))
#endif

#define UNIT 4096

kernel void copy(global const uint *from, global uint *to) {
#ifdef EVENER_CPU
    global const uint16 *in = (global const uint16 *) (from + get_global_id(0) * UNIT);
    global uint16 *out = (global uint16 *) (to + get_global_id(0) * UNIT);
    for (int i = 0; i < UNIT / 16; i++) {
        STREAM(in[i], out + i);
    }
#else
    global const uint4 *in = (global const uint4 *) (from + get_group_id(0) * UNIT);
    global uint4 *out = (global uint4 *) (to + get_group_id(0) * UNIT);
    for (int i = get_local_id(0); i < UNIT / 4; i += 256) {
        out[i] = in[i];
    }
#endif
}

kernel void read_all(global const uint *from, global uint *words) {
#ifdef EVENER_CPU
    global const uint16 *in = (global const uint16 *) (from + get_global_id(0) * UNIT);
    uint16 a = 0;
    uint16 b = 0;
    for (int i = 0; i < UNIT / 16; i += 2) {
        a |= in[i];
        b |= in[i + 1];
    }
    a |= b;
    uint8 c = a.lo | a.hi;
    uint4 d = c.lo | c.hi;
    words[get_global_id(0)] = d.x | d.y | d.z | d.w;
#else
    local uint parts[256];
    global const uint4 *in = (global const uint4 *) (from + get_group_id(0) * UNIT);
    uint4 a = 0;
    for (int i = get_local_id(0); i < UNIT / 4; i += 256) {
        a |= in[i];
    }
    parts[get_local_id(0)] = a.x | a.y | a.z | a.w;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint some = 0;
    if (get_local_id(0) < 16) {
        for (int i = get_local_id(0); i < 256; i += 16) {
            some |= parts[i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 16) {
        parts[get_local_id(0)] = some;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        for (int i = 0; i < 16; i++) {
            some |= parts[i];
        }
        words[get_group_id(0)] = some;
    }
#endif
}

kernel void write_all(global uint *to) {
#ifdef EVENER_CPU
    global uint16 *out = (global uint16 *) (to + get_global_id(0) * UNIT);
    const uint16 first = (uint16) (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int i = 0; i < UNIT / 16; i++) {
        STREAM(first + (uint) (16 * i), out + i);
    }
#else
    global uint4 *out = (global uint4 *) (to + get_group_id(0) * UNIT);
    for (int i = get_local_id(0); i < UNIT / 4; i += 256) {
        out[i] = (uint4) (0, 1, 2, 3) + (uint) (4 * i);
    }
#endif
}
