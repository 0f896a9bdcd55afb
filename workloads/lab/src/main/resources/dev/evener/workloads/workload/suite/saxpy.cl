// y = a x + y, one element for each work-item: the kernel that everybody writes first, left as it is, because it is
// bound by memory on every device. The launch may be rounded up to whole groups. Contraction is off, so that all devices
// round the product.

#pragma OPENCL FP_CONTRACT OFF

__kernel void saxpy(__global const float *x, __global float *y, float a, uint n)
{
    size_t i = get_global_id(0);
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}
