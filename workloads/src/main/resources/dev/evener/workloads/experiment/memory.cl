/*
 * What memory can do: a copy that stores past the cache where the compiler can, and a read of which nothing is kept but
 * one word for each unit of 4,096 words. One work-item a unit on CPUs, a group of 256 elsewhere.
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
    global const uint4 *in = (global const uint4 *) (from + get_group_id(0) * UNIT);
    uint4 a = 0;
    for (int i = get_local_id(0); i < UNIT / 4; i += 256) {
        a |= in[i];
    }
    if (get_local_id(0) == 0 || (a.x & a.y & a.z & a.w) == 0xdeadbeef) { // a use of every item's word
        words[get_group_id(0)] = a.x | a.y | a.z | a.w;
    }
#endif
}
