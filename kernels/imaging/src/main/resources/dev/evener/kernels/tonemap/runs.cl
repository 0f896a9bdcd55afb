// Rows of a Radiance picture from its newer run-length code, which has each component of a row by itself: a byte above 128 says that the
// next one follows so often less 128, one up to 128 how many bytes follow as they are. The host has looked through it: the starts of
// components are known, and each ends with its row. Whatever the bytes are, nothing is read or written beyond the buffers.
//
// CPU: a work-item has a row. Other devices: a group has a row, each quarter of its work-items a component. The first one of a quarter
// goes from code to code through a window in local memory and notes where each begins; then all of them fetch the bytes of as many
// neighbouring places as there are work-items, finding each place's code by bisection.

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share a row
#endif

#if FORM == 1

__kernel void expand_runs(
        __global const uchar *coded, __global const uint *starts, __global uchar *frame, uint size, uint width, uint stride)
{
    size_t row = get_global_id(0);
    for (uint c = 0; c < 4; c++) {
        __global uchar *out = frame + (4 * row + c) * stride;
        uint at = starts[4 * row + c], done = 0;
        while (done < width && at < size && size - at > 1) {
            uint code = coded[at++];
            bool run = code > 128;
            uint count = min(width - done, run ? code - 128 : max(code, 1u));
            count = run ? count : min(count, size - at);
            uchar16 bytes = coded[at];
            // Sixteen at once, some of them too many, as long as they are of this row and of the code.
            for (uint i = 0; i < count;) {
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
        for (; done < stride; done++) {
            out[done] = 0;
        }
    }
}

#else

#define QUARTER 32 // work-items; RunLengths.java has four times that
#define WINDOW 1024 // bytes of code at a time, more than the longest code has
#define CODES 192 // at a time
#define RUN 0x8000

__kernel void expand_runs(
        __global const uchar *coded, __global const uint *starts, __global uchar *frame, uint size, uint width, uint stride)
{
    __local uchar windows[4][WINDOW];
    __local ushort firsts[4][CODES], sources[4][CODES]; // places in the row, and in the window
    __local uint codes[4], ends[4], nexts[4];
    size_t row = get_group_id(0);
    uint c = (uint)get_local_id(0) / QUARTER, item = (uint)get_local_id(0) % QUARTER;
    __global uchar *out = frame + (4 * row + c) * stride;
    __local uchar *window = windows[c];
    uint at = starts[4 * row + c], done = 0;
    bool more = true;
    while (more) {
        uint bytes = done < width && at < size ? min((uint)WINDOW, size - at) : 0;
        for (uint i = item; i < bytes; i += QUARTER) {
            window[i] = coded[at + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0) {
            uint n = 0, i = 0, place = done;
            while (n < CODES && place < width && i + 1 < bytes) {
                uint code = window[i];
                bool run = code > 128;
                uint count = run ? code - 128 : max(code, 1u);
                uint next = i + (run ? 2 : 1 + count);
                if (next > bytes) {
                    break;
                }
                firsts[c][n] = (ushort)place;
                sources[c][n++] = (ushort)(i + 1 | (run ? RUN : 0));
                place = min(width, place + count);
                i = next;
            }
            codes[c] = n;
            ends[c] = place;
            nexts[c] = at + i;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint end = ends[c], n = codes[c];
        for (uint x = done + item; x < end; x += QUARTER) {
            uint low = 0;
            for (uint high = n; high - low > 1;) {
                uint middle = (low + high) / 2;
                if (firsts[c][middle] <= x) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            uint source = sources[c][low];
            out[x] = window[source & RUN ? source & (RUN - 1) : source + x - firsts[c][low]];
        }
        // Of what no code leads on from, the rest is zero.
        done = n == 0 ? width : end;
        if (n == 0 && end < width) {
            for (uint x = end + item; x < width; x += QUARTER) {
                out[x] = 0;
            }
        }
        at = nexts[c];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0) {
            ends[c] = done;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        more = ends[0] < width || ends[1] < width || ends[2] < width || ends[3] < width;
    }
    for (uint x = width + item; x < stride; x += QUARTER) {
        out[x] = 0;
    }
}

#endif
