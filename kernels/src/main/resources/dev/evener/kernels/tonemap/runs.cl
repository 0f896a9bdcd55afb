// Rows of a Radiance picture from its newer run-length code, which has each component of a row by itself: a byte above 128 says that the
// next one follows so often less 128, one up to 128 how many bytes follow as they are. Where rows begin and end is known, if none is
// damaged; those whose code takes more or fewer pixels or bytes are counted, and become any pixels. Whatever the bytes are, nothing is
// read or written beyond the buffers.
//
// CPU: a work-item has a row. Other devices: a group has a row. Its first work-item goes from code to code through a window in local
// memory and notes where each begins; then all of them fetch the bytes of as many neighbouring places as there are work-items, finding
// each place's code by bisection.

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share a row
#endif

#define HEAD 4

#if FORM == 1

__kernel void expand_runs(
        __global const uchar *coded, __global const uint *rows, __global uchar *frame, __global uint *damaged,
        uint size, uint width, uint stride)
{
    size_t row = get_global_id(0);
    uint at = rows[2 * row] + HEAD, last = rows[2 * row + 1], end = min(last, size);
    bool good = true;
    for (uint c = 0; c < 4; c++) {
        __global uchar *out = frame + (4 * row + c) * stride;
        uint done = 0;
        while (good && done < width) {
            uint code = at < end && end - at > 1 ? coded[at++] : 0;
            bool run = code > 128;
            uint count = run ? code - 128 : code;
            good = count > 0 && count <= width - done && (run || count <= end - at);
            uchar16 bytes = good ? coded[at] : 0;
            // Sixteen at once, some of them too many, as long as they are of this row and of the code.
            for (uint i = 0; good && i < count;) {
                if (done + i + 16 <= width && (run || at + i + 16 <= size)) {
                    vstore16(run ? bytes : vload16(0, coded + at + i), 0, out + done + i);
                    i += 16;
                } else {
                    out[done + i] = coded[run ? at : at + i];
                    i++;
                }
            }
            at += run ? 1 : count;
            done += count;
        }
        for (done = good ? width : 0; done < stride; done++) {
            out[done] = 0;
        }
    }
    if (!good || at != last) {
        atomic_inc(damaged);
    }
}

#else

#define GROUP 128 // work-items, as RunLengths.java has it
#define WINDOW 1024 // bytes of code at a time, more than the longest code has
#define CODES 512 // at a time, of which no more places come than an ushort counts
#define RUN 0x8000

__kernel void expand_runs(
        __global const uchar *coded, __global const uint *rows, __global uchar *frame, __global uint *damaged,
        uint size, uint width, uint stride)
{
    __local uchar window[WINDOW];
    __local ushort firsts[CODES], sources[CODES]; // places, from where the window's begin, and in the window
    __local uint codes, end, next;
    size_t row = get_group_id(0);
    uint item = get_local_id(0), all = 4 * width, done = 0;
    uint at = rows[2 * row] + HEAD, last = rows[2 * row + 1];
    __global uchar *out = frame + 4 * row * stride;
    bool good = true;
    while (good && done < all) {
        uint bytes = at < min(last, size) ? min((uint)WINDOW, min(last, size) - at) : 0;
        for (uint i = item; i < bytes; i += GROUP) {
            window[i] = coded[at + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0) {
            uint n = 0, i = 0, place = 0, left = width - done % width; // of a component
            while (n < CODES && i + 1 < bytes && done + place < all) {
                uint code = window[i];
                bool run = code > 128;
                uint count = run ? code - 128 : code;
                uint behind = i + (run ? 2 : 1 + count);
                if (count == 0 || count > left || behind > bytes) {
                    break;
                }
                firsts[n] = (ushort)place;
                sources[n++] = (ushort)(i + 1 | (run ? RUN : 0));
                place += count;
                left = count == left ? width : left - count;
                i = behind;
            }
            codes = n;
            end = done + place;
            next = at + i;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint n = codes, to = end;
        for (uint place = done + item; place < to; place += GROUP) {
            uint low = 0;
            for (uint high = n; high - low > 1;) {
                uint middle = (low + high) / 2;
                if (firsts[middle] <= place - done) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            uint source = sources[low];
            uint c = (place >= width) + (place >= 2 * width) + (place >= 3 * width);
            out[c * stride + place - c * width] =
                    window[source & RUN ? source & (RUN - 1) : source + (place - done) - firsts[low]];
        }
        good = n > 0;
        done = to;
        at = next;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0 && (!good || at != last)) {
        atomic_inc(damaged);
    }
    for (uint c = 0; c < 4; c++) {
        for (uint x = (good ? width : 0) + item; x < stride; x += GROUP) {
            out[c * stride + x] = 0;
        }
    }
}

#endif
