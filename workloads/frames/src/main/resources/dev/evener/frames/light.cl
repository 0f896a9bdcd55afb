// How bright a picture is: of the pixels of a row that each of ITEMS work-items has, the light of the brightest and the sum of all. Pixels are
// red, green and blue of 16 bits in two words, as tonemap.cl has them; a pixel's light is that of its largest component, looked up.

#ifndef ITEMS
#define ITEMS 32 // of a row, neighbouring pixels one each
#endif

__kernel void light_level(
        __global const uint2 *pixels,
        __global const uint *light,
        __global ulong *levels,
        uint width,
        uint stride,
        uint rows)
{
    uint i = (uint)get_global_id(0);
    uint row = i / ITEMS;
    if (row >= rows) { // the launch may be rounded up
        return;
    }
    uint most = 0;
    ulong sum = 0;
    for (uint x = i % ITEMS; x < width; x += ITEMS) {
        uint2 w = pixels[(size_t)row * stride + x];
        uint red = (w.x & 0xff) << 8 | (w.x >> 8 & 0xff);
        uint green = (w.x >> 8 & 0xff00) | (w.y & 0xff);
        uint blue = (w.y & 0xff00) | (w.y >> 16 & 0xff);
        uint code = max(max(red, green), blue);
        most = max(most, code);
        sum += light[code];
    }
    levels[2 * i] = light[most];
    levels[2 * i + 1] = sum;
}
