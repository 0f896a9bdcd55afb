// Grey of RGBA words: (77 red + 150 green + 29 blue + 128) / 256, the weights of Rec. 601 in 256ths, which add up to 256, so
// that white stays white. Red is the lowest byte of a word; alpha is not looked at.
//
// CPU: a work-item, the only one of its group, takes ITEM words, 16 at once. Other devices: 4 words for each work-item.

#ifndef ITEM
#define ITEM 16384 // words that a work-item takes, form 1
#endif

#define GREY(TYPE, w) \
    (((w) & (TYPE)(255)) * (TYPE)(77) + ((w) >> 8 & (TYPE)(255)) * (TYPE)(150) + ((w) >> 16 & (TYPE)(255)) * (TYPE)(29) \
            + (TYPE)(128)) >> 8

__kernel void grey(__global const uint *words, __global uchar *bytes, uint n)
{
#if FORM == 1
    uint i = (uint)get_group_id(0) * ITEM;
    uint end = min(n, i + ITEM);
    for (; i + 16 <= end; i += 16) {
        uint16 w = *(__global const uint16 *)(words + i);
        *(__global uchar16 *)(bytes + i) = convert_uchar16(GREY(uint16, w));
    }
#else
    uint i = (uint)get_global_id(0) * 4;
    uint end = min(n, i + 4);
    if (i + 4 <= n) {
        uint4 w = *(__global const uint4 *)(words + i);
        *(__global uchar4 *)(bytes + i) = convert_uchar4(GREY(uint4, w));
        return;
    }
#endif
    for (; i < end; i++) {
        bytes[i] = (uchar)(GREY(uint, words[i]));
    }
}
