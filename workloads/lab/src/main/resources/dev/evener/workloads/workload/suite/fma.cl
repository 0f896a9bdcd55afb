// A chain of multiply-adds for each element, one element for each work-item. Nothing is done to make it fast: it stands
// for kernels that compute long, and how well a device's compiler copes is that device's own speed. Contraction is off,
// so that product and sum are both rounded, and every device gives the same bits. The launch may be rounded up to whole
// groups.

#pragma OPENCL FP_CONTRACT OFF

__kernel void fma_chain(__global const float *x, __global float *y, float a, float b, int steps, uint n)
{
    size_t i = get_global_id(0);
    if (i >= n) {
        return;
    }
    float v = x[i];
    for (int step = 0; step < steps; step++) {
        v = v * a + b;
    }
    y[i] = v;
}
