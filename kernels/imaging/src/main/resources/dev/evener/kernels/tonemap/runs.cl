// Rows of a Radiance picture from its newer run-length code, as the file has it: each scanline has a head of four bytes, two marks and the
// width, and then each component by itself: a byte above 128 says that the next one follows so often less 128, one up to 128 how many
// bytes follow as they are. Where a scanline begins nobody says, and its length depends on all of it. So all places that look like
// a head are followed at once, each by a work-item, to where the scanline would end. Those that end well are numbered by their place. A row is
// the scanline of its number if that begins where the row above it ends, down from the code's first byte: then no other can be meant. Else the row
// is lost. Whatever the bytes are, nothing is read or written beyond the buffers.
//
// clear_lines, find_lines, follow_lines, order_lines: make the table of scanlines, each chunk its own.
// expand_runs: CPU: a work-item has a row. Other devices: a group has a row, each quarter of its work-items a component. The first one of a
// quarter goes from code to code through a window in local memory and notes where each begins; then all of them fetch the bytes of as many
// neighbouring places as there are work-items, finding each place's code by bisection.

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share a row
#endif

#define NONE 0xffffffffu
#define HEAD 4 // bytes
#define MOST (2 * height + 64) // heads that have a place in the table; RunLengths.java has the same
// The table: the number of heads; of each where it is, NONE if it is none, where its scanline ends, and where the four components begin;
// which of them a row has.
#define COUNT lines[0]
#define HEADS (lines + 1)
#define ENDS (HEADS + MOST)
#define STARTS (ENDS + MOST)
#define ROWS (STARTS + 4 * MOST)

__kernel void clear_lines(__global uint *lines, uint height)
{
    for (uint row = (uint)get_global_id(0); row < height; row += (uint)get_global_size(0)) {
        ROWS[row] = NONE;
    }
    if (get_global_id(0) == 0) {
        COUNT = 0;
    }
}

// Whether a head's first bytes end words, and the others begin the words behind. (As one word, some simulators do not know the shift.)
#define ACROSS(bits)                                         \
    (((low >> bits) == (head & (0xffffffffu >> bits)))       \
     & ((high << (32 - bits)) == (head & (0xffffffffu << (32 - bits)))))

inline void found(__global uint *lines, uint height, uint at)
{
    uint number = atomic_inc(&COUNT);
    if (number < MOST) {
        HEADS[number] = at;
    }
}

__kernel void find_lines(__global const uchar *coded, __global uint *lines, uint size, uint width, uint height)
{
    uint head = 0x0202 | (width >> 8) << 16 | width << 24;
    uint blocks = (size + 15) / 16, item = (uint)get_global_id(0), items = (uint)get_global_size(0);
#if FORM == 1
    uint each = (blocks + items - 1) / items, from = min(blocks, item * each), end = min(blocks, from + each), step = 1;
#else
    uint from = item, end = blocks, step = items;
#endif
    for (uint block = from; block < end; block += step) {
        uint at = 16 * block;
        if (size - at >= 20) {
            uint4 low = vload4(block, (__global const uint *)coded);
            uint4 high = (uint4)(low.yzw, ((__global const uint *)coded)[4 * block + 4]);
            int4 is[4] = {low == head, ACROSS(8), ACROSS(16), ACROSS(24)};
            if (any(is[0] | is[1] | is[2] | is[3])) {
                for (uint i = 0; i < 4; i++) {
                    if (is[i].x) {
                        found(lines, height, at + i);
                    }
                    if (is[i].y) {
                        found(lines, height, at + 4 + i);
                    }
                    if (is[i].z) {
                        found(lines, height, at + 8 + i);
                    }
                    if (is[i].w) {
                        found(lines, height, at + 12 + i);
                    }
                }
            }
        } else {
            for (uint i = at; size - i >= HEAD && i < at + 16; i++) {
                if ((coded[i] | coded[i + 1] << 8 | coded[i + 2] << 16 | (uint)coded[i + 3] << 24) == head) {
                    found(lines, height, i);
                }
            }
        }
    }
}

__kernel void follow_lines(__global const uchar *coded, __global uint *lines, uint size, uint width, uint height)
{
    uint count = min(COUNT, (uint)MOST);
    for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0)) {
        uint at = HEADS[i] + HEAD;
        for (uint c = 0; c < 4; c++) {
            STARTS[4 * i + c] = at;
            for (uint left = width; left > 0 && at != NONE;) {
                uint code = at < size ? coded[at] : 0;
                bool run = code > 128;
                uint bytes = run ? code - 128 : code;
                uint next = at + (run ? 2 : 1 + bytes);
                bool well = bytes > 0 && bytes <= left && next <= size;
                left -= well ? bytes : 0;
                at = well ? next : NONE;
            }
        }
        ENDS[i] = at;
        if (at == NONE) {
            HEADS[i] = NONE;
        }
    }
}

__kernel void order_lines(__global uint *lines, uint height)
{
    uint count = min(COUNT, (uint)MOST);
    for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0)) {
        uint own = HEADS[i], row = 0;
        for (uint j = 0; j < count; j++) {
            row += HEADS[j] < own;
        }
        if (own != NONE && row < height) {
            ROWS[row] = i;
        }
    }
}

// Where a row's first component begins in the list of all; NONE if the row is lost.
inline uint line_of(__global const uint *lines, uint height, uint row)
{
    uint own = ROWS[row], above = row == 0 ? NONE : ROWS[row - 1];
    uint begins = row == 0 ? 0 : above == NONE ? NONE : ENDS[above];
    return own == NONE || HEADS[own] != begins ? NONE : own;
}

#define TO_EXPAND                                                                                                          \
    __global const uchar *coded, __global const uint *lines, __global uchar *frame, __global uint *lost, uint size, uint width, \
            uint stride, uint height, ulong first

#if FORM == 1

__kernel void expand_runs(TO_EXPAND)
{
    size_t row = get_global_id(0);
    uint line = line_of(lines, height, (uint)(first + row));
    lost[row] = line == NONE;
    for (uint c = 0; c < 4; c++) {
        __global uchar *out = frame + (4 * row + c) * stride;
        uint at = line == NONE ? size : STARTS[4 * line + c], done = 0;
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

__kernel void expand_runs(TO_EXPAND)
{
    __local uchar windows[4][WINDOW];
    __local ushort firsts[4][CODES], sources[4][CODES]; // places in the row, and in the window
    __local uint codes[4], ends[4], nexts[4];
    size_t row = get_group_id(0);
    uint c = (uint)get_local_id(0) / QUARTER, item = (uint)get_local_id(0) % QUARTER;
    __global uchar *out = frame + (4 * row + c) * stride;
    __local uchar *window = windows[c];
    uint line = line_of(lines, height, (uint)(first + row));
    if (get_local_id(0) == 0) {
        lost[row] = line == NONE;
    }
    uint at = line == NONE ? size : STARTS[4 * line + c], done = 0;
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
