/*
 * The heat diffusion of dev.evener.bench.Heat in StarPU: a square of floats cut into blocks of rows, a task for each block and step.
 *
 *   heat SQUARE STEPS WARM-UP BLOCKS FILE
 *
 * Prints microseconds a step and how many tasks each device ran, and leaves the values after all steps in FILE. Environment variables of
 * StarPU choose its scheduler and devices; HEAT_FIXED=1 gives each worker the same adjacent blocks in every step, whatever the scheduler.
 *
 * A block is a data handle, and so are the copies of its first and last row: a task reads its block and one row of each neighbour, so
 * that only rows move between devices. The task that makes a block makes those copies too: there are no tasks that only copy.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <starpu.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The cells' arithmetic is Heat's. The pointers make it as fast: a choice of the two values would take PoCL 1.6 times as long. */
static const char *source =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "kernel void heat(global const float *in, global const float *above, global const float *below, global float *out,\n"
    "                 global float *top, global float *bottom, int first, int rows, int n) {\n"
    "    size_t x = get_global_id(0), row = get_global_id(1);\n"
    "    size_t y = first + row, at = row * n + x;\n"
    "    global const float *before = row > 0 ? in + (row - 1) * n : above, *after = row + 1 < rows ? in + (row + 1) * n : below;\n"
    "    float here = in[at];\n"
    "    float up = y > 0 ? before[x] : here, down = y + 1 < n ? after[x] : here;\n"
    "    float left = x > 0 ? in[at - 1] : here, right = x + 1 < n ? in[at + 1] : here;\n"
    "    float value = here + 0.2f * (((up + down) + (left + right)) - 4.0f * here);\n"
    "    out[at] = value;\n"
    "    if (row == 0) top[x] = value;\n"
    "    if (row + 1 == rows) bottom[x] = value;\n"
    "}\n";

enum { IN, ABOVE, BELOW, OUT, TOP, BOTTOM, BUFFERS };

struct block {
    int first, rows, n;
    float *values[2], *top[2], *bottom[2];
    starpu_data_handle_t value_handles[2], top_handles[2], bottom_handles[2];
};

static struct starpu_opencl_program program;
static cl_kernel kernels[STARPU_NMAXWORKERS];
static cl_command_queue queues[STARPU_NMAXWORKERS];
static long tasks[STARPU_NMAXWORKERS];

static void fail(const char *what) {
    fprintf(stderr, "heat: %s\n", what);
    exit(1);
}

static void check(int result, const char *what) {
    if (result != 0) {
        fprintf(stderr, "heat: %s: %d\n", what, result);
        exit(1);
    }
}

static void load_kernel(void *unused) {
    (void) unused;
    int worker = starpu_worker_get_id();
    check(starpu_opencl_load_kernel(&kernels[worker], &queues[worker], &program, "heat", starpu_worker_get_devid(worker)), "kernel");
}

/* Only enqueues: StarPU waits for it. */
static void run_block(void *buffers[], void *argument) {
    const struct block *block = argument;
    int worker = starpu_worker_get_id();
    cl_kernel kernel = kernels[worker];
    for (int i = 0; i < BUFFERS; i++) {
        cl_mem memory = (cl_mem) STARPU_VECTOR_GET_DEV_HANDLE(buffers[i]);
        check(clSetKernelArg(kernel, i, sizeof memory, &memory), "buffer argument");
    }
    check(clSetKernelArg(kernel, BUFFERS, sizeof(int), &block->first), "argument");
    check(clSetKernelArg(kernel, BUFFERS + 1, sizeof(int), &block->rows), "argument");
    check(clSetKernelArg(kernel, BUFFERS + 2, sizeof(int), &block->n), "argument");
    size_t range[] = {block->n, block->rows};
    check(clEnqueueNDRangeKernel(queues[worker], kernel, 2, NULL, range, NULL, 0, NULL, NULL), "launch");
    tasks[worker]++;
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED};

static struct starpu_codelet codelet = {
    .opencl_funcs = {run_block},
    .opencl_flags = {STARPU_OPENCL_ASYNC},
    .nbuffers = BUFFERS,
    .modes = {STARPU_R, STARPU_R, STARPU_R, STARPU_W, STARPU_W, STARPU_W},
    .model = &model,
    .name = "heat",
};

static void submit(struct block *blocks, int count, int steps, int *done, int fixed) {
    for (int step = 0; step < steps; step++, (*done)++) {
        int now = *done % 2, next = 1 - now;
        for (int b = 0; b < count; b++) {
            struct block *block = &blocks[b];
            struct starpu_task *task = starpu_task_create();
            task->cl = &codelet;
            task->cl_arg = block;
            task->handles[IN] = block->value_handles[now];
            /* The outermost rows have no neighbours: any row stands for them. */
            task->handles[ABOVE] = b > 0 ? blocks[b - 1].bottom_handles[now] : block->top_handles[now];
            task->handles[BELOW] = b + 1 < count ? blocks[b + 1].top_handles[now] : block->bottom_handles[now];
            task->handles[OUT] = block->value_handles[next];
            task->handles[TOP] = block->top_handles[next];
            task->handles[BOTTOM] = block->bottom_handles[next];
            if (fixed) {
                task->execute_on_a_specific_worker = 1;
                task->workerid = b * starpu_worker_get_count() / count;
            }
            check(starpu_task_submit(task), "submit");
        }
    }
}

static void open_blocks(struct block *blocks, int count, int n) {
    for (int b = 0; b < count; b++) {
        struct block *block = &blocks[b];
        block->first = (int) ((long) n * b / count);
        block->rows = (int) ((long) n * (b + 1) / count) - block->first;
        block->n = n;
        size_t size = (size_t) block->rows * n;
        for (int i = 0; i < 2; i++) {
            if (starpu_malloc((void **) &block->values[i], size * sizeof(float)) != 0
                || starpu_malloc((void **) &block->top[i], n * sizeof(float)) != 0
                || starpu_malloc((void **) &block->bottom[i], n * sizeof(float)) != 0) {
                fail("no memory");
            }
            starpu_vector_data_register(
                &block->value_handles[i], STARPU_MAIN_RAM, (uintptr_t) block->values[i], size, sizeof(float));
            starpu_vector_data_register(&block->top_handles[i], STARPU_MAIN_RAM, (uintptr_t) block->top[i], n, sizeof(float));
            starpu_vector_data_register(
                &block->bottom_handles[i], STARPU_MAIN_RAM, (uintptr_t) block->bottom[i], n, sizeof(float));
        }
        for (size_t i = 0; i < size; i++) {
            uint32_t at = (uint32_t) ((size_t) block->first * n + i);
            block->values[0][i] = ((((int64_t) (int32_t) at * 2654435761LL) >> 12) & 0xfff) / 4096.0f;
        }
        memcpy(block->top[0], block->values[0], n * sizeof(float));
        memcpy(block->bottom[0], block->values[0] + size - n, n * sizeof(float));
    }
}

/* Ends all use of the blocks; StarPU brings their values back. */
static void close_blocks(struct block *blocks, int count, int now, const char *path) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        fail("the file cannot be written");
    }
    for (int b = 0; b < count; b++) {
        struct block *block = &blocks[b];
        for (int i = 0; i < 2; i++) {
            starpu_data_unregister(block->value_handles[i]);
            starpu_data_unregister(block->top_handles[i]);
            starpu_data_unregister(block->bottom_handles[i]);
        }
        size_t size = (size_t) block->rows * block->n;
        if (fwrite(block->values[now], sizeof(float), size, file) != size) {
            fail("the file cannot be written");
        }
        for (int i = 0; i < 2; i++) {
            starpu_free(block->values[i]);
            starpu_free(block->top[i]);
            starpu_free(block->bottom[i]);
        }
    }
    check(fclose(file), "the file cannot be written");
}

int main(int count, char **arguments) {
    if (count != 6) {
        fail("SQUARE STEPS WARM-UP BLOCKS FILE");
    }
    int n = atoi(arguments[1]), steps = atoi(arguments[2]), warm_up = atoi(arguments[3]), block_count = atoi(arguments[4]);
    int fixed = getenv("HEAT_FIXED") != NULL, done = 0;
    if (n < 1 || steps < 1 || warm_up < 0 || block_count < 1 || block_count > n) {
        fail("a square has at least one row for each block, and at least one step is run");
    }
    model.symbol = "heat";
    check(starpu_init(NULL), "StarPU does not start");
    if (starpu_opencl_worker_get_count() == 0) {
        fail("no OpenCL device");
    }
    check(starpu_opencl_load_opencl_from_string(source, &program, "-cl-std=CL1.2"), "build");
    starpu_execute_on_each_worker(load_kernel, NULL, STARPU_OPENCL);
    struct block *blocks = calloc(block_count, sizeof *blocks);
    if (blocks == NULL) {
        fail("no memory");
    }
    open_blocks(blocks, block_count, n);

    submit(blocks, block_count, warm_up, &done, fixed);
    starpu_task_wait_for_all();
    memset(tasks, 0, sizeof tasks);
    double start = starpu_timing_now();
    submit(blocks, block_count, steps, &done, fixed);
    starpu_task_wait_for_all();
    printf("%.1f", (starpu_timing_now() - start) / steps);
    for (unsigned worker = 0; worker < starpu_worker_get_count(); worker++) {
        printf(" %ld", tasks[worker]);
    }
    printf("\n");

    close_blocks(blocks, block_count, done % 2, arguments[5]);
    free(blocks);
    starpu_opencl_unload_opencl(&program);
    starpu_shutdown();
    return 0;
}
