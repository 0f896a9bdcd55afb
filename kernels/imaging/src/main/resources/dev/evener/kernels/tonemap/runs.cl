// Rows of a Radiance picture from its newer run-length code, as the file has it: each scanline has a head of four bytes, two marks and the
// width, and then each component by itself: a byte above 128 says that the next one follows so often less 128, one up to 128 how many
// bytes follow as they are. Where a scanline begins nobody says, and its length depends on all of it. So all places that look like
// a head are followed at once to where the scanline would end, each by the work-item that finds it. Those that end well are numbered by their
// place. A row is the scanline of its number if that begins where the row above it ends, down from the code's first byte: then no other can be
// meant. Else the row is lost. Whatever the bytes are, nothing is read or written beyond the buffers.
//
// There may be several frames of one size, of height rows each, whose codes lie behind each other. Then a word for each stands behind the last
// one, which says where its code ends; rows come from their own frame's code alone.
//
// clear_lines, find_lines, order_lines: make the table of scanlines, each chunk its own. CPU: a work-item has a section of the code, and goes on
// behind each scanline that ends at the head of another. Other devices: neighbouring work-items look at neighbouring words.
// expand_runs: CPU: a work-item has a row. Other devices: a group has a row, each quarter of its work-items a component. The first one of a
// quarter goes from code to code through a window in local memory and notes where each begins; then all of them fetch the bytes of as many
// neighbouring places as there are work-items, finding each place's code by bisection.

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share a row
#endif

#define NONE 0xffffffffu
#define HEAD 4 // bytes
#define MOST (2 * frames * height + 64) // heads that are followed; RunLengths.java has the same
// The table: the number of heads; of each where it is, NONE if what begins there ends badly, where its scanline ends, and where the four
// components begin; which of them a row has.
#define COUNT lines[0]
#define HEADS (lines + 1)
#define ENDS (HEADS + MOST)
#define STARTS (ENDS + MOST)
#define ROWS (STARTS + 4 * MOST)

#define TO_FIND __global const uchar *coded, __global uint *lines, uint size, uint width, uint height, uint frames

// Where a frame's code begins and ends.
inline uint2 code_of(__global const uchar *coded, uint size, uint frames, uint frame)
{
    __global const uint *all = (__global const uint *)coded + (size + 3) / 4;
    return (uint2)(frame == 0 ? 0 : min(all[frame - 1], size), frames == 1 ? size : min(all[frame], size));
}

// The frame in whose code a place is.
inline uint frame_at(__global const uchar *coded, uint size, uint frames, uint at)
{
    uint frame = 0;
    while (frame + 1 < frames && at >= code_of(coded, size, frames, frame).y) {
        frame++;
    }
    return frame;
}

__kernel void clear_lines(__global uint *lines, uint height, uint frames)
{
    for (uint row = (uint)get_global_id(0); row < frames * height; row += (uint)get_global_size(0)) {
        ROWS[row] = NONE;
    }
    if (get_global_id(0) == 0) {
        COUNT = 0;
    }
}

inline bool is_head(__global const uchar *coded, uint width, uint at)
{
    return coded[at] == 2 && coded[at + 1] == 2 && coded[at + 2] == width >> 8 && coded[at + 3] == (width & 0xff);
}

// Where a component ends that begins here; NONE if it is damaged, or nothing begins.
inline uint end_of(__global const uchar *coded, uint size, uint width, uint at)
{
    for (uint left = width; left > 0 && at != NONE;) {
        uint code = at < size ? coded[at] : 0;
        bool run = code > 128;
        uint bytes = run ? code - 128 : code;
        uint next = at + (run ? 2 : 1 + bytes);
        bool well = bytes > 0 && bytes <= left && next <= size;
        left -= well ? bytes : 0;
        at = well ? next : NONE;
    }
    return at;
}

// Notes the scanline of a head, and returns where it ends; NONE if it ends badly, or there are too many heads.
inline uint follow(TO_FIND, uint at)
{
    uint number = atomic_inc(&COUNT);
    if (number >= MOST) {
        return NONE;
    }
    uint2 code = code_of(coded, size, frames, frame_at(coded, size, frames, at));
    uint4 starts;
    starts.x = at + HEAD;
    starts.y = end_of(coded, code.y, width, starts.x);
    starts.z = end_of(coded, code.y, width, starts.y);
    starts.w = end_of(coded, code.y, width, starts.z);
    uint end = end_of(coded, code.y, width, starts.w);
    HEADS[number] = end == NONE ? NONE : at;
    ENDS[number] = end;
    vstore4(starts, number, STARTS);
    return end;
}

#if FORM == 1

__kernel void find_lines(TO_FIND)
{
    uint items = (uint)get_global_size(0), places = max(size, (uint)HEAD) - (HEAD - 1);
    uint each = (places + items - 1) / items, from = min(places, (uint)get_global_id(0) * each);
    uint end = size < HEAD ? from : min(places, from + each);
    for (uint at = from; at < end;) {
        if (places - at >= 16) { // none of which begins a head?
            uchar16 others = (vload16(0, coded + at) ^ (uchar)2) | (vload16(0, coded + at + 1) ^ (uchar)2)
                    | (vload16(0, coded + at + 2) ^ (uchar)(width >> 8)) | (vload16(0, coded + at + 3) ^ (uchar)width);
            ulong2 heads = as_ulong2(others == (uchar)0);
            if ((heads.x | heads.y) == 0) {
                at += 16;
                continue;
            }
        }
        uint next = is_head(coded, width, at) ? follow(coded, lines, size, width, height, frames, at) : NONE;
        at = next < end && is_head(coded, width, next) ? next : at + 1;
    }
}

#else

// Whether a head's first bytes end words, and the others begin the words behind. (As one word, some simulators do not know the shift.)
#define ACROSS(bits)                                         \
    (((low >> bits) == (head & (0xffffffffu >> bits)))       \
     & ((high << (32 - bits)) == (head & (0xffffffffu << (32 - bits)))))

__kernel void find_lines(TO_FIND)
{
    uint head = 0x0202 | (width >> 8) << 16 | width << 24;
    uint blocks = (size + 15) / 16;
    for (uint block = (uint)get_global_id(0); block < blocks; block += (uint)get_global_size(0)) {
        uint at = 16 * block, heads = 0; // a bit for each place
        if (size - at >= 20) {
            uint4 low = vload4(block, (__global const uint *)coded);
            uint4 high = (uint4)(low.yzw, ((__global const uint *)coded)[4 * block + 4]);
            int4 is = ((low == head) & 0x1111) | (ACROSS(8) & 0x2222) | (ACROSS(16) & 0x4444) | (ACROSS(24) & 0x8888);
            heads = (uint)((is.x & 0xf) | (is.y & 0xf0) | (is.z & 0xf00) | (is.w & 0xf000));
        } else {
            for (uint i = 0; i + HEAD <= size - at && i < 16; i++) {
                heads |= (uint)is_head(coded, width, at + i) << i;
            }
        }
        for (; heads != 0; heads >>= 1, at++) {
            if (heads & 1) {
                follow(coded, lines, size, width, height, frames, at);
            }
        }
    }
}

#endif

__kernel void order_lines(TO_FIND)
{
    uint count = min(COUNT, (uint)MOST);
    for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0)) {
        uint own = HEADS[i], row = 0;
        uint frame = frame_at(coded, size, frames, own), begin = code_of(coded, size, frames, frame).x;
        for (uint j = 0; j < count; j++) {
            row += HEADS[j] >= begin && HEADS[j] < own;
        }
        if (own != NONE && row < height) {
            ROWS[frame * height + row] = i;
        }
    }
}

// Where a row's first component begins in the list of all; NONE if the row is lost.
inline uint line_of(
        __global const uchar *coded, __global const uint *lines, uint size, uint height, uint frames, uint row)
{
    uint own = ROWS[row], above = row % height == 0 ? NONE : ROWS[row - 1];
    uint begins = row % height == 0 ? code_of(coded, size, frames, row / height).x : above == NONE ? NONE : ENDS[above];
    return own == NONE || HEADS[own] != begins ? NONE : own;
}

#define TO_EXPAND                                                                                                          \
    __global const uchar *coded, __global const uint *lines, __global uchar *frame, __global uint *lost, uint size, uint width, \
            uint stride, uint height, uint frames, ulong first

#if FORM == 1

__kernel void expand_runs(TO_EXPAND)
{
    size_t row = get_global_id(0);
    uint line = line_of(coded, lines, size, height, frames, (uint)(first + row));
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
    uint line = line_of(coded, lines, size, height, frames, (uint)(first + row));
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
