// What NVIDIA's CUB reaches for the cases of `evener bench resident`: a line of JSON for each, as its `--against` takes them, with median
// seconds and quartiles. Data lies on the device; times are between two events around a call, temporary memory being there already.
//
//   nvcc -O3 -std=c++17 -arch=native cub.cu -o cub && ./cub 15 > cub.json
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <functional>
#include <vector>

#define CHECK(call)                                                                                                   \
    do {                                                                                                              \
        cudaError_t error = (call);                                                                                   \
        if (error != cudaSuccess) {                                                                                   \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                       \
            std::exit(1);                                                                                             \
        }                                                                                                             \
    } while (0)

static int rounds = 15;

// The case is given as members of a JSON object.
static void measure(const char *what, const std::function<void()> &work)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<double> seconds;
    for (int round = -3; round < rounds; round++) {
        CHECK(cudaEventRecord(begin));
        work();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaGetLastError());
        float milliseconds;
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        if (round >= 0) {
            seconds.push_back(milliseconds * 1e-3);
        }
    }
    std::sort(seconds.begin(), seconds.end());
    size_t n = seconds.size();
    std::printf("{%s, \"seconds\": %.9f, \"low\": %.9f, \"high\": %.9f}\n", what, seconds[n / 2],
            seconds[n / 4], seconds[n * 3 / 4]);
    std::fflush(stdout);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

// Calls a CUB algorithm, which is given temporary memory and its size, first to ask for the size.
template <class Algorithm> static void measure_cub(const char *what, Algorithm algorithm)
{
    size_t bytes = 0;
    CHECK(algorithm(nullptr, bytes));
    void *memory;
    CHECK(cudaMalloc(&memory, bytes));
    measure(what, [&] { CHECK(algorithm(memory, bytes)); });
    CHECK(cudaFree(memory));
}

__device__ static uint32_t random_bits(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (uint32_t)(z ^ z >> 31);
}

__global__ static void fill_words(uint32_t *words, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x) {
        words[i] = random_bits(i);
    }
}

__global__ static void fill_bytes(uint8_t *bytes, size_t n, int common_of_ten)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x) {
        uint32_t bits = random_bits(i);
        bytes[i] = (int)((bits >> 8) % 10) < common_of_ten ? 7 : (uint8_t)bits;
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        rounds = std::max(1, std::atoi(argv[1]));
    }
    const size_t words = size_t(1) << 28, keys = size_t(1) << 26, bytes = size_t(1) << 30;
    uint32_t *in, *out, *counts;
    uint64_t *sum;
    CHECK(cudaMalloc(&in, words * 4));
    CHECK(cudaMalloc(&out, words * 4));
    CHECK(cudaMalloc(&counts, 65536 * 4));
    CHECK(cudaMalloc(&sum, 8));
    fill_words<<<4096, 256>>>(in, words);
    CHECK(cudaMemset(out, 1, words * 4));

    measure(R"("library": "cudaMemcpy", "workload": "memory", "parameters": {"way": "copy"}, "items": 268435456)", [&] { CHECK(cudaMemcpyAsync(out, in, words * 4, cudaMemcpyDeviceToDevice)); });
    measure_cub(R"("library": "CUB", "workload": "scan", "parameters": {"type": "uint"}, "items": 268435456)", [&](void *memory, size_t &size) {
        return cub::DeviceScan::ExclusiveSum(memory, size, in, out, (int)words);
    });
    measure_cub(R"("library": "CUB", "workload": "reduce", "parameters": {"type": "uint"}, "items": 268435456)", [&](void *memory, size_t &size) {
        return cub::DeviceReduce::Sum(memory, size, in, (uint32_t *)sum, (int)words);
    });
    for (int bins : {256, 4096, 65536}) {
        char what[200];
        const char *form = R"("library": "%s", "workload": "histogram", "parameters": {"type": "uint", "bins": %d}, "items": 268435456)";
        std::snprintf(what, sizeof what, form, "CUB", bins);
        // Bounds of 32 bits cannot say 2^32: these bins are wider by next to nothing, and CUB is faster with them.
        measure_cub(what, [&](void *memory, size_t &size) {
            return cub::DeviceHistogram::HistogramEven(
                    memory, size, in, counts, bins + 1, 0u, 0xffffffffu, (int)words);
        });
        std::snprintf(what, sizeof what, form, "CUB with wide bounds", bins);
        measure_cub(what, [&](void *memory, size_t &size) {
            return cub::DeviceHistogram::HistogramEven(
                    memory, size, in, counts, bins + 1, (uint64_t)0, (uint64_t)1 << 32, (int)words);
        });
    }
    measure_cub(R"("library": "CUB", "workload": "sort", "parameters": {"type": "uint"}, "items": 67108864)", [&](void *memory, size_t &size) {
        return cub::DeviceRadixSort::SortKeys(memory, size, in, out, (int)keys);
    });
    const char *distributions[] = {"uniform", "skewed", "constant"};
    const int common[] = {0, 9, 10};
    for (int i = 0; i < 3; i++) {
        fill_bytes<<<4096, 256>>>((uint8_t *)in, bytes, common[i]);
        char what[200];
        std::snprintf(what, sizeof what, R"("library": "CUB", "workload": "histogram", "parameters": {"type": "uchar"}, )"
                                         R"("items": 1073741824, "distribution": "%s")", distributions[i]);
        measure_cub(what, [&](void *memory, size_t &size) {
            return cub::DeviceHistogram::HistogramEven(
                    memory, size, (const uint8_t *)in, counts, 257, 0, 256, (int)bytes);
        });
    }
    int runtime = 0;
    CHECK(cudaRuntimeGetVersion(&runtime));
    std::fprintf(stderr, "CUB %d, CUDA %d, %d rounds\n", CUB_VERSION, runtime, rounds);
    return 0;
}
