// What the elements of each tile have in common: their sum, least or greatest.
//
// A tile is 16,384 elements. Its result, widened to 64 bits, goes to the first of the tile's eight words; the others are
// left as they are and keep the places at which a job may be cut close together. The host combines the tiles' results in
// the order of the tiles, and looks for the place of a least or greatest element in the one tile that has it.
//
// Sums of floats are rounded in one order everywhere. A tile is eight blocks of 2,048; lane l of a block adds up its
// elements l, l + 64, l + 128, ... one after another, starting from 0; then lane l takes in lane l + 32, then l + 16 and so
// on; then block b takes in block b + 4, b + 2, b + 1.
//
// Floats are compared as integers that order as they do, so that -0 is less than +0, nothing depends on denormal numbers,
// and NaN can be given the extreme place.
//
// CPU: a work-item for each tile, which reads it front to back into a few vectors; no local memory, no barriers.
// Other devices: a group of 128 for each tile. Sixteen work-items with four lanes each share a block, so that a load is 16
// bytes wide and neighbours read neighbouring bytes; then a tree over local memory.

#pragma OPENCL FP_CONTRACT OFF

#ifndef FORM
#define FORM 1 // 1: a group is one work-item (CPUs), 2: groups share local memory
#endif
#ifndef OPERATION
#define OPERATION 0 // 0: sum, 1: least, 2: greatest
#endif
#ifndef T
#define T int // an element
#endif
#ifndef A
#define A int // what it is accumulated in
#endif
#ifndef FLOAT_SUM
#define FLOAT_SUM 0 // 1: floats are added up
#endif
#ifndef FLOAT_KEYS
#define FLOAT_KEYS 0 // 1: floats are compared
#endif

#define TILE 16384
#define BLOCK 2048
#define BLOCKS (TILE / BLOCK)
#define LANES 64
#define STRIDE 8

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#if OPERATION == 0
#define OP(a, b) ((a) + (b))
#define START 0
#elif OPERATION == 1
#define OP(a, b) min(a, b)
#else
#define OP(a, b) max(a, b)
#endif

#if FLOAT_KEYS
#define MAP_(v, n) keys##n(PASTE(as_int, n)(v))
// NaN, whatever its sign, is beyond every number on the side that is looked for.
#define NOT_A_NUMBER (OPERATION == 1 ? INT_MIN : INT_MAX)
#define KEYS(n)                                                                                                       \
    inline PASTE(int, n) keys##n(PASTE(int, n) bits)                                                                  \
    {                                                                                                                 \
        PASTE(int, n) key = bits ^ ((bits >> 31) & 0x7fffffff);                                                       \
        return (bits & 0x7fffffff) > 0x7f800000 ? (PASTE(int, n))(NOT_A_NUMBER) : key;                                \
    }
#else
#define MAP_(v, n) PASTE(PASTE(convert_, A), n)(v)
#define KEYS(n)
#endif
#define MAP(v, n) MAP_(v, n)

#if FLOAT_SUM
#define WIDEN(a) ((long)as_int(a))
#else
#define WIDEN(a) ((long)(a))
#endif

#if FORM == 1

typedef PASTE(T, 16) elements;
typedef PASTE(A, 16) lanes;
typedef PASTE(A, 8) lanes8;
typedef PASTE(A, 4) lanes4;
typedef PASTE(A, 2) lanes2;

KEYS(16)

inline A across(lanes all)
{
    lanes8 l8 = OP(all.lo, all.hi);
    lanes4 l4 = OP(l8.lo, l8.hi);
    lanes2 l2 = OP(l4.lo, l4.hi);
    return OP(l2.x, l2.y);
}

__kernel void reduce_tiles(__global const T *data, __global long *results)
{
    size_t tile = get_global_id(0);
    __global const elements *in = (__global const elements *)(data + tile * TILE);
#if FLOAT_SUM
    A sums[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
        lanes a = (lanes)(0);
        lanes b = a;
        lanes c = a;
        lanes d = a;
        for (int i = 0; i < BLOCK / LANES; i++, in += 4) {
            a += in[0];
            b += in[1];
            c += in[2];
            d += in[3];
        }
        sums[block] = across((a + c) + (b + d));
    }
    for (int step = BLOCKS / 2; step > 0; step /= 2) {
        for (int i = 0; i < step; i++) {
            sums[i] += sums[i + step];
        }
    }
    results[tile * STRIDE] = WIDEN(sums[0]);
#else
    lanes a = MAP(in[0], 16);
    lanes b = MAP(in[1], 16);
    for (int i = 2; i < TILE / 16; i += 2) {
        a = OP(a, MAP(in[i], 16));
        b = OP(b, MAP(in[i + 1], 16));
    }
    results[tile * STRIDE] = WIDEN(across(OP(a, b)));
#endif
}

#else

#define GROUP 128
#define ITEMS (LANES / 4)

typedef PASTE(T, 4) elements;
typedef PASTE(A, 4) lanes;

KEYS(4)

__kernel void reduce_tiles(__global const T *data, __global long *results)
{
    __local lanes tree[GROUP];
    uint item = (uint)get_local_id(0);
    uint block = item / ITEMS;
    size_t tile = get_group_id(0);
    __global const elements *in = (__global const elements *)(data + tile * TILE + block * BLOCK) + item % ITEMS;
#if FLOAT_SUM
    lanes mine = (lanes)(0);
    for (int i = 0; i < BLOCK / LANES; i++) {
        mine += in[i * ITEMS];
    }
#else
    lanes mine = MAP(in[0], 4);
    for (int i = 1; i < BLOCK / LANES; i++) {
        mine = OP(mine, MAP(in[i * ITEMS], 4));
    }
#endif
    tree[item] = mine;
    for (uint step = ITEMS / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item % ITEMS < step) {
            tree[item] = OP(tree[item], tree[item + step]);
        }
    }
    // Each block's first item has its four lanes in four numbers.
    if (item % ITEMS == 0) {
        lanes all = tree[item];
        tree[item].x = OP(OP(all.x, all.z), OP(all.y, all.w));
    }
    for (uint step = BLOCKS / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item % ITEMS == 0 && block < step) {
            tree[item].x = OP(tree[item].x, tree[item + step * ITEMS].x);
        }
    }
    if (item == 0) {
        results[tile * STRIDE] = WIDEN(tree[0].x);
    }
}

#endif
