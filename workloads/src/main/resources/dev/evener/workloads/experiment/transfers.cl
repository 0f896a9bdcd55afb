/*
 * Hardly anything to compute, so that a job's time is that of its transfers: data that is only read, only written, or
 * passed on. One work-item a unit of 4,096 words on CPUs, a group of 256 elsewhere.
 */
#define UNIT 4096

#ifdef EVENER_CPU
#define ITEMS 1
#define ITEM 0
#define PLACE get_global_id(0)
#else
#define ITEMS 256
#define ITEM get_local_id(0)
#define PLACE get_group_id(0)
#endif

kernel void take(global const uint *from, global uint *words) {
    global const uint4 *in = (global const uint4 *) (from + PLACE * UNIT);
    uint4 a = 0;
    for (int i = ITEM; i < UNIT / 4; i += ITEMS) {
        a |= in[i];
    }
    if (ITEM == 0 || (a.x & a.y & a.z & a.w) == 0xdeadbeef) { // a use of every item's word
        words[PLACE] = a.x | a.y | a.z | a.w;
    }
}

kernel void give(global uint *to) {
    global uint4 *out = (global uint4 *) (to + PLACE * UNIT);
    for (int i = ITEM; i < UNIT / 4; i += ITEMS) {
        out[i] = (uint4) (i);
    }
}

kernel void pass(global const uint *from, global uint *to) {
    global const uint4 *in = (global const uint4 *) (from + PLACE * UNIT);
    global uint4 *out = (global uint4 *) (to + PLACE * UNIT);
    for (int i = ITEM; i < UNIT / 4; i += ITEMS) {
        out[i] = in[i];
    }
}
