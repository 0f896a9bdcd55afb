// The gradient of a grey image: magnitude and, in the kernel of that name, sector (both in sobel.cl). Pixels beyond an edge
// are those at the edge. A unit is a row; the view has the rows above and below the chunk's, as far as there are any.
//
// CPU: a work-item, the only one of its group, takes `each` rows in vectors of 16 pixels; the last vector of a row overlaps
// the one before, so that only the first and the last pixel of a row go one by one. Other devices: 8 neighbouring pixels of a
// row for each work-item, whole groups of GROUP for a row, loaded at once where rows are aligned.

#define GROUP 64 // Gradient.java has it too

inline int pixel_magnitude(
        __global const uchar *above, __global const uchar *row, __global const uchar *below, uint x, uint width, int *sector)
{
    uint l = x > 0 ? x - 1 : x;
    uint r = x + 1 < width ? x + 1 : x;
    SOBEL_AT(int, ONE, above, row, below, l, x, r);
    *sector = sector_int(gx, gy);
    return size_int(gx) + size_int(gy);
}

#if FORM == 1

inline void gradient_rows(
        __global const uchar *view,
        ulong start,
        __global ushort *magnitudes,
        __global uchar *sectors,
        uint width,
        ulong height,
        uint each,
        ulong chunk,
        uint rows)
{
    uint first = (uint)get_group_id(0) * each;
    uint end = min(rows, first + each);
    for (uint y = first; y < end; y++) {
        __global const uchar *row = view + start + (size_t)y * width;
        __global const uchar *above = chunk + y > 0 ? row - width : row;
        __global const uchar *below = chunk + y + 1 < height ? row + width : row;
        __global ushort *out = magnitudes + (size_t)y * width;
        __global uchar *directions = sectors + (sectors ? (size_t)y * width : 0);
        uint x = 0;
        int sector;
        if (width >= 18) {
            out[0] = (ushort)pixel_magnitude(above, row, below, 0, width, &sector);
            if (sectors) {
                directions[0] = (uchar)sector;
            }
            for (x = 1; x + 1 < width; x += 16) {
                x = min(x, width - 17);
                SOBEL_AT(short16, BYTES_16, above, row, below, x - 1, x, x + 1);
                vstore16(as_ushort16(size_short16(gx) + size_short16(gy)), 0, out + x);
                if (sectors) {
                    vstore16(convert_uchar16(sector_short16(gx, gy)), 0, directions + x);
                }
            }
        }
        for (; x < width; x++) {
            out[x] = (ushort)pixel_magnitude(above, row, below, x, width, &sector);
            if (sectors) {
                directions[x] = (uchar)sector;
            }
        }
    }
}

#else

inline void gradient_rows(
        __global const uchar *view,
        ulong start,
        __global ushort *magnitudes,
        __global uchar *sectors,
        uint width,
        ulong height,
        uint each,
        ulong chunk,
        uint rows)
{
    uint items = (width + 8 * GROUP - 1) / (8 * GROUP) * GROUP;
    uint y = (uint)(get_global_id(0) / items);
    uint x = (uint)(get_global_id(0) % items) * 8;
    if (y >= rows || x >= width) {
        return;
    }
    __global const uchar *row = view + start + (size_t)y * width;
    __global const uchar *above = chunk + y > 0 ? row - width : row;
    __global const uchar *below = chunk + y + 1 < height ? row + width : row;
    __global ushort *out = magnitudes + (size_t)y * width;
    __global uchar *directions = sectors + (sectors ? (size_t)y * width : 0);
    if (width % 8 != 0) {
        uint end = min(width, x + 8);
        for (; x < end; x++) {
            int sector;
            out[x] = (ushort)pixel_magnitude(above, row, below, x, width, &sector);
            if (sectors) {
                directions[x] = (uchar)sector;
            }
        }
        return;
    }
    uint l = x > 0 ? x - 1 : x;
    uint r = min(x + 8, width - 1);
    int8 am = convert_int8(*(__global const uchar8 *)(above + x));
    int8 mm = convert_int8(*(__global const uchar8 *)(row + x));
    int8 bm = convert_int8(*(__global const uchar8 *)(below + x));
    int8 al = (int8)(above[l], am.s0123, am.s456), ar = (int8)(am.s123, am.s4567, above[r]);
    int8 ml = (int8)(row[l], mm.s0123, mm.s456), mr = (int8)(mm.s123, mm.s4567, row[r]);
    int8 bl = (int8)(below[l], bm.s0123, bm.s456), br = (int8)(bm.s123, bm.s4567, below[r]);
    int8 gx = gradient_x_int8(al, ar, ml, mr, bl, br);
    int8 gy = gradient_y_int8(al, am, ar, bl, bm, br);
    *(__global ushort8 *)(out + x) = convert_ushort8(size_int8(gx) + size_int8(gy));
    if (sectors) {
        *(__global uchar8 *)(directions + x) = convert_uchar8(sector_int8(gx, gy));
    }
}

#endif

__kernel void gradient(
        __global const uchar *view,
        ulong start,
        __global ushort *magnitudes,
        uint width,
        ulong height,
        uint each,
        ulong chunk,
        uint rows)
{
    gradient_rows(view, start, magnitudes, 0, width, height, each, chunk, rows);
}

__kernel void gradient_and_sector(
        __global const uchar *view,
        ulong start,
        __global ushort *magnitudes,
        __global uchar *sectors,
        uint width,
        ulong height,
        uint each,
        ulong chunk,
        uint rows)
{
    gradient_rows(view, start, magnitudes, sectors, width, height, each, chunk, rows);
}
