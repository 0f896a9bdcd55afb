package dev.evener.bench;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JobFuture;
import dev.evener.ManagedBuffer;
import dev.evener.iteration.Iteration;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.Sizeof;
import org.jocl.cl_command_queue;
import org.jocl.cl_context;
import org.jocl.cl_context_properties;
import org.jocl.cl_device_id;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jocl.cl_platform_id;
import org.jocl.cl_program;

/**
 * What a step of an iteration on a device costs: heat diffusion on a square of floats, a job for each step, beside a plain loop of
 * enqueued kernels through JOCL. Prints microseconds a step, the ratio to the plain loop, bytes moved by a settled step, and whether
 * all ways end with the same bits.
 */
public final class Heat {
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void heat(global const float *in, ulong start, global float *out, ulong first, int n) {
                size_t x = get_global_id(0), row = get_global_id(1);
                size_t y = first + row, at = start + row * n + x;
                float here = in[at];
                float up = y > 0 ? in[at - n] : here, down = y + 1 < n ? in[at + n] : here;
                float left = x > 0 ? in[at - 1] : here, right = x + 1 < n ? in[at + 1] : here;
                out[row * n + x] = here + 0.2f * (((up + down) + (left + right)) - 4.0f * here);
            }
            """;

    /** Phases of the job that has several. */
    private static final int PHASES = 100;

    private Heat() {}

    /**
     * Runs the steps in each way.
     *
     * @param args rows of the square, steps, the device as platform.device, and a selector of the devices to use together, the same
     *     device by default
     */
    public static void main(String[] args) {
        int n = args.length > 0 ? Integer.parseInt(args[0]) : 1024;
        int steps = args.length > 1 ? Integer.parseInt(args[1]) : 200;
        String device = args.length > 2 ? args[2] : "0.0";
        String together = args.length > 3 ? args[3] : device;
        float[] values = values(n);
        Plain plain = new Plain(device, n, values);
        double ahead = plain.run(steps, false);
        ahead = Math.min(ahead, plain.run(steps, false));
        double waited = plain.run(steps, true);
        float[] expected = plain.result();
        System.out.printf(
                Locale.ROOT, "%d^2, %d steps, plain loop: %.1f us ahead, %.1f waited for%n", n, steps, ahead, waited);
        for (String devices : together.equals(device) ? List.of(device) : List.of(device, together)) {
            for (Policy policy : devices.equals(device) ? List.of(Policies.single()) : List.of(Policies.adaptive())) {
                measure(devices, policy, n, steps, values, expected, ahead, waited, true);
                if (devices.equals(device)) {
                    measure(devices, policy, n, steps, values, expected, ahead, waited, false);
                }
            }
        }
    }

    private static void measure(
            String devices,
            Policy policy,
            int n,
            int steps,
            float[] values,
            float[] expected,
            double ahead,
            double waited,
            boolean managed) {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .history(History.inMemory())
                .policy(policy)
                .open()) {
            DataBuffer[] buffers = {buffer(evener, values.length, managed), buffer(evener, values.length, managed)};
            fill(buffers[0], values);
            Job step = step(buffers[0], buffers[1], n);
            Job[] jobs = {step, step.swap(buffers[0], buffers[1])};
            double together = run(evener, jobs, steps, false);
            together = Math.min(together, run(evener, jobs, steps, false));
            double joined = run(evener, jobs, steps, true);
            Iteration iteration = Iteration.of(step).rotating(buffers[0], buffers[1]);
            double iterated = Math.min(run(evener, iteration, steps), run(evener, iteration, steps));
            long moved = evener.submit(jobs[0]).join().devices().stream()
                    .mapToLong(use -> use.bytesIn() + use.bytesOut())
                    .sum();
            Job[] phases = {phases(buffers[0], buffers[1], n)};
            int whole = Math.max(1, steps / PHASES);
            double phased = Math.min(run(evener, phases, whole, true), run(evener, phases, whole, true)) / PHASES;
            fill(buffers[0], values);
            iteration.run(evener, 3L * steps).join();
            boolean same = Arrays.equals(expected, content(buffers[3 * steps % 2]));
            if (3 * steps % PHASES == 0) {
                fill(buffers[0], values);
                run(evener, phases, 3 * steps / PHASES, false);
                same &= Arrays.equals(expected, content(buffers[0]));
            }
            System.out.printf(
                    Locale.ROOT,
                    "%s %s %s: %.1f us submitted at once (%.2f x), %.1f as an iteration (%.2f x), %.1f joined each (%.2f x),"
                            + " %.1f as phases (%.2f x), %d bytes moved a step, %s%n",
                    devices,
                    policy.name(),
                    managed ? "managed" : "host",
                    together,
                    together / ahead,
                    iterated,
                    iterated / ahead,
                    joined,
                    joined / waited,
                    phased,
                    phased / ahead,
                    moved,
                    same ? "same bits" : "WRONG");
        }
    }

    private static double run(Evener evener, Job[] jobs, int steps, boolean join) {
        List<JobFuture> futures = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < steps; i++) {
            JobFuture future = evener.submit(jobs[i % jobs.length]);
            if (join) {
                future.join();
            } else {
                futures.add(future);
            }
        }
        futures.forEach(JobFuture::join);
        return (System.nanoTime() - start) / 1e3 / steps;
    }

    /** Values for the first step. */
    static float[] values(int n) {
        float[] values = new float[n * n];
        for (int i = 0; i < values.length; i++) {
            values[i] = (((i * 2_654_435_761L) >>> 12) & 0xfff) / 4096f;
        }
        return values;
    }

    static double run(Evener evener, Iteration iteration, int steps) {
        long start = System.nanoTime();
        iteration.run(evener, steps).join();
        return (System.nanoTime() - start) / 1e3 / steps;
    }

    static Job step(DataBuffer in, DataBuffer out, int n) {
        return phase(Job.named("heat").source(SOURCE).range(n, n), in, out, n).build();
    }

    /** Steps there and back, a phase each; the content ends where it began. */
    private static Job phases(DataBuffer in, DataBuffer out, int n) {
        JobBuilder job = Job.named("heat in phases").source(SOURCE).range(n, n);
        for (int i = 0; i < PHASES; i += 2) {
            phase(phase(job, in, out, n), out, in, n);
        }
        return job.build();
    }

    private static JobBuilder phase(JobBuilder job, DataBuffer in, DataBuffer out, int n) {
        return job.kernel("heat")
                .reads(in, slice().halo(1, 1))
                .viewStart(in)
                .writes(out, slice())
                .chunkStart()
                .scalar(n);
    }

    private static DataBuffer buffer(Evener evener, int elements, boolean managed) {
        return managed
                ? evener.allocateManaged(ElementType.FLOAT, elements)
                : evener.allocate(ElementType.FLOAT, elements);
    }

    static void fill(DataBuffer buffer, float[] values) {
        if (buffer instanceof ManagedBuffer managed) {
            try (ManagedBuffer.Scope scope = managed.overwrite()) {
                scope.floats().put(values);
            }
        } else {
            ((HostBuffer) buffer).put(0, FloatBuffer.wrap(values));
        }
    }

    static float[] content(DataBuffer buffer) {
        float[] all = new float[(int) buffer.elements()];
        if (buffer instanceof ManagedBuffer managed) {
            try (ManagedBuffer.Scope scope = managed.read()) {
                scope.floats().get(all);
            }
        } else {
            ((HostBuffer) buffer).get(0, FloatBuffer.wrap(all));
        }
        return all;
    }

    /** The same kernel without Evener: two buffers on the device, enqueued in turn. */
    private static final class Plain {
        private final int n;
        private final cl_command_queue queue;
        private final cl_kernel kernel;
        private final cl_mem[] buffers = new cl_mem[2];
        private int done;

        @SuppressWarnings("deprecation") // the call that every platform has
        Plain(String id, int n, float[] values) {
            this.n = n;
            CL.setExceptionsEnabled(true);
            cl_platform_id[] platforms = new cl_platform_id[8];
            CL.clGetPlatformIDs(platforms.length, platforms, null);
            cl_platform_id platform = platforms[Integer.parseInt(id.substring(0, id.indexOf('.')))];
            cl_device_id[] devices = new cl_device_id[16];
            CL.clGetDeviceIDs(platform, 0xFFFFFFFFL, devices.length, devices, null);
            cl_device_id[] device = {devices[Integer.parseInt(id.substring(id.indexOf('.') + 1))]};
            cl_context_properties properties = new cl_context_properties();
            properties.addProperty(CL.CL_CONTEXT_PLATFORM, platform);
            cl_context context = CL.clCreateContext(properties, 1, device, null, null, null);
            this.queue = CL.clCreateCommandQueue(context, device[0], 0, null);
            cl_program program = CL.clCreateProgramWithSource(context, 1, new String[] {SOURCE}, null, null);
            CL.clBuildProgram(program, 0, null, "-cl-std=CL1.2", null, null);
            this.kernel = CL.clCreateKernel(program, "heat", null);
            long bytes = (long) Sizeof.cl_float * values.length;
            buffers[0] = CL.clCreateBuffer(
                    context, CL.CL_MEM_READ_WRITE | CL.CL_MEM_COPY_HOST_PTR, bytes, Pointer.to(values), null);
            buffers[1] = CL.clCreateBuffer(context, CL.CL_MEM_READ_WRITE, bytes, null, null);
        }

        double run(int steps, boolean wait) {
            long start = System.nanoTime();
            for (int i = 0; i < steps; i++, done++) {
                CL.clSetKernelArg(kernel, 0, Sizeof.cl_mem, Pointer.to(buffers[done % 2]));
                CL.clSetKernelArg(kernel, 1, Sizeof.cl_ulong, Pointer.to(new long[] {0}));
                CL.clSetKernelArg(kernel, 2, Sizeof.cl_mem, Pointer.to(buffers[1 - done % 2]));
                CL.clSetKernelArg(kernel, 3, Sizeof.cl_ulong, Pointer.to(new long[] {0}));
                CL.clSetKernelArg(kernel, 4, Sizeof.cl_int, Pointer.to(new int[] {n}));
                CL.clEnqueueNDRangeKernel(queue, kernel, 2, null, new long[] {n, n}, null, 0, null, null);
                if (wait) {
                    CL.clFinish(queue);
                }
            }
            CL.clFinish(queue);
            return (System.nanoTime() - start) / 1e3 / steps;
        }

        float[] result() {
            float[] all = new float[n * n];
            CL.clEnqueueReadBuffer(
                    queue,
                    buffers[done % 2],
                    true,
                    0,
                    (long) Sizeof.cl_float * all.length,
                    Pointer.to(all),
                    0,
                    null,
                    null);
            return all;
        }
    }
}
