// What the image kernels share: Sobel's operator (Sobel and Feldman 1968) on three rows, in integers, for one pixel and for
// 16 at once.
//
//   gx = -1 0 1    gy = -1 -2 -1    magnitude |gx| + |gy|, at most 2040
//        -2 0 2          0  0  0
//        -1 0 1          1  2  1
//
// The sector is the direction of the gradient to the nearest eighth of a turn, opposite ones taken for the same: 0 along a
// row, 1 towards the lower (or from the upper) right, 2 along a column, 3 towards the upper right. Its boundaries are at
// tan(22.5 degrees) = 0.41421, for which stands 12/29 = 0.41379, whose products fit 16 bits. No gradient is sector 0.

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share local memory
#endif

#define SOBEL(TYPE, NAME) \
    inline TYPE gradient_x_##NAME(TYPE al, TYPE ar, TYPE ml, TYPE mr, TYPE bl, TYPE br) \
    { \
        return (ar - al) + (mr - ml) * (TYPE)(2) + (br - bl); \
    } \
    inline TYPE gradient_y_##NAME(TYPE al, TYPE am, TYPE ar, TYPE bl, TYPE bm, TYPE br) \
    { \
        return (bl - al) + (bm - am) * (TYPE)(2) + (br - ar); \
    } \
    inline TYPE size_##NAME(TYPE v) \
    { \
        return max(v, -v); \
    } \
    inline TYPE sector_##NAME(TYPE gx, TYPE gy) \
    { \
        TYPE x = size_##NAME(gx); \
        TYPE y = size_##NAME(gy); \
        TYPE slanting = (gx ^ gy) < (TYPE)(0) ? (TYPE)(3) : (TYPE)(1); \
        TYPE steep = y * (TYPE)(12) > x * (TYPE)(29) ? (TYPE)(2) : slanting; \
        return y * (TYPE)(29) <= x * (TYPE)(12) ? (TYPE)(0) : steep; \
    }

SOBEL(int, int)
SOBEL(int8, int8)
SOBEL(short16, short16)

// gx and gy at column M of a row, between columns L and R; LOAD(row, column) is what lies there.
#define SOBEL_AT(TYPE, LOAD, ABOVE, ROW, BELOW, L, M, R) \
    TYPE al = LOAD(ABOVE, L), ar = LOAD(ABOVE, R), bl = LOAD(BELOW, L), br = LOAD(BELOW, R); \
    TYPE gx = gradient_x_##TYPE(al, ar, LOAD(ROW, L), LOAD(ROW, R), bl, br); \
    TYPE gy = gradient_y_##TYPE(al, LOAD(ABOVE, M), ar, bl, LOAD(BELOW, M), br)
#define ONE(row, x) row[x]
#define BYTES_16(row, x) convert_short16(vload16(0, row + (x)))
#define SHORTS_16(row, x) vload16(0, row + (x))
