// What workloads/src/bench/cub/cub.cu uses of CUDA and of CUB, so that clang can check the program on a machine without CUDA
// (CudaSourceTest). Functions take what they are given: whether CUB does, nvcc says.
#pragma once

// Clang 18 has no __float128 on GPUs; glibc 2.41 has headers spare Intel's compiler that type, by these names.
#if defined __CUDA_ARCH__ && __clang_major__ < 19
#define __INTEL_LLVM_COMPILER 1
#define SYCL_LANGUAGE_VERSION 1
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x) : x(x), y(1), z(1) {}
};
extern const __device__ dim3 blockIdx, blockDim, threadIdx, gridDim;

enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice };
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUstream_st *cudaStream_t;
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaGetLastError();
cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
template <class T> cudaError_t cudaMalloc(T **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = nullptr); // a kernel's <<<...>>>, as clang has it
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = nullptr);

#define CUB_VERSION 0
namespace cub {
struct DeviceScan {
    template <class... T> static cudaError_t ExclusiveSum(void *, size_t &, T...);
};
struct DeviceReduce {
    template <class... T> static cudaError_t Sum(void *, size_t &, T...);
};
struct DeviceHistogram {
    template <class... T> static cudaError_t HistogramEven(void *, size_t &, T...);
};
struct DeviceRadixSort {
    template <class... T> static cudaError_t SortKeys(void *, size_t &, T...);
};
}
