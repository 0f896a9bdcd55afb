/*
 * What DeviceMeasurement measures a device with: next to nothing, a copy, and a read.
 *
 * A unit is 64 bytes. On a CPU each work-item is a group of its own and takes one contiguous block, so that its core
 * streams; elsewhere neighbouring work-items take neighbouring vectors of 16 bytes, four in flight, and stride on by the
 * number of work-items.
 */

#ifdef EVENER_CPU
typedef uint16 vector;
#define N ((ulong)units)
#define BLOCK ((N + (ulong)get_global_size(0) - 1) / (ulong)get_global_size(0))
#define FIRST ((ulong)get_global_id(0) * BLOCK)
#define END min(N, FIRST + BLOCK)
#define STEP 1
#else
typedef uint4 vector;
#define FIRST ((ulong)get_global_id(0))
#define END (4 * (ulong)units)
#define STEP ((ulong)get_global_size(0))
#endif

/* Next to nothing: what does nothing at all might be left out. */
kernel void evener_probe_nothing(global const uint *in, global uint *out) {
    if (get_global_id(0) == 0) {
        out[0] = 1;
    }
}

kernel void evener_probe_copy(global const vector *restrict in, global vector *restrict out, uint units) {
    const ulong end = END;
    const ulong step = STEP;
    ulong i = FIRST;
    for (; i + 3 * step < end; i += 4 * step) {
        const vector a = in[i];
        const vector b = in[i + step];
        const vector c = in[i + 2 * step];
        const vector d = in[i + 3 * step];
        out[i] = a;
        out[i + step] = b;
        out[i + 2 * step] = c;
        out[i + 3 * step] = d;
    }
    for (; i < end; i += step) {
        out[i] = in[i];
    }
}

/* Each work-item leaves the exclusive or of what it read, so that nothing it read can be left out. */
kernel void evener_probe_read(global const vector *restrict in, global vector *restrict out, uint units) {
    const ulong end = END;
    const ulong step = STEP;
    ulong i = FIRST;
    vector a = (vector)(0);
    vector b = a;
    vector c = a;
    vector d = a;
    for (; i + 3 * step < end; i += 4 * step) {
        a ^= in[i];
        b ^= in[i + step];
        c ^= in[i + 2 * step];
        d ^= in[i + 3 * step];
    }
    for (; i < end; i += step) {
        a ^= in[i];
    }
    out[get_global_id(0)] = (a ^ b) ^ (c ^ d);
}
