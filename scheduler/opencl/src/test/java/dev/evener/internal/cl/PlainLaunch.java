package dev.evener.internal.cl;

import dev.evener.image.Image;
import dev.evener.image.Sampler;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.Sizeof;
import org.jocl.cl_command_queue;
import org.jocl.cl_context;
import org.jocl.cl_device_id;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jocl.cl_program;

/** A kernel launched once, over all of its range and on one device, by OpenCL's own calls: what a split job must equal. */
@SuppressWarnings("deprecation") // a queue as OpenCL 1.x makes it
public final class PlainLaunch {
    /** Memory that the kernel is given, and that has what it wrote afterwards. */
    public record Memory(ByteBuffer bytes, Image.Shape shape) {}

    private PlainLaunch() {}

    /**
     * Runs it.
     *
     * @param arguments {@link Memory}, with a shape if it is an image, a {@link Sampler}, a number, or of local memory its bytes as a {@code long[]}
     * @param local sizes of groups, or null
     */
    public static void run(
            String device, String source, String kernel, long[] global, long[] local, List<Object> arguments) {
        ClDevice its = ClDevice.find(device).orElseThrow();
        try (ClContext context = new ClContext(List.of(its))) {
            cl_context handle = context.handle;
            cl_device_id[] devices = {its.handle()};
            int[] status = new int[1];
            cl_command_queue queue = Cl.make("queue", s -> CL.clCreateCommandQueue(handle, its.handle(), 0, s));
            cl_program program = CL.clCreateProgramWithSource(handle, 1, new String[] {source}, null, status);
            // Evener's chunks divide exactly where a device can.
            String options = its.exactDivision() ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
            Cl.check("building", () -> CL.clBuildProgram(program, 1, devices, options, null, null));
            cl_kernel of = Cl.make("kernel", s -> CL.clCreateKernel(program, kernel, s));
            List<cl_mem> made = new ArrayList<>();
            for (int i = 0; i < arguments.size(); i++) {
                int number = i;
                Object each = arguments.get(i);
                if (each instanceof Memory m) {
                    cl_mem memory = memory(context, queue, m);
                    made.add(memory);
                    Cl.check("argument " + i, () -> CL.clSetKernelArg(of, number, Sizeof.cl_mem, Pointer.to(memory)));
                } else if (each instanceof Sampler s) {
                    ClSampler sampler = context.sampler(s);
                    Cl.check("sampler", () -> CL.clSetKernelArg(of, number, Sizeof.cl_sampler, sampler.pointer));
                } else if (each instanceof long[] bytes) {
                    Cl.check("local", () -> CL.clSetKernelArg(of, number, bytes[0], null));
                } else {
                    Pointer value = each instanceof Float f
                            ? Pointer.to(new float[] {f})
                            : Pointer.to(new int[] {(Integer) each});
                    Cl.check("scalar", () -> CL.clSetKernelArg(of, number, Integer.BYTES, value));
                }
            }
            Cl.check(
                    "launch",
                    () -> CL.clEnqueueNDRangeKernel(queue, of, global.length, null, global, local, 0, null, null));
            int next = 0;
            for (Object each : arguments) {
                if (each instanceof Memory m) {
                    cl_mem memory = made.get(next++);
                    Pointer host = Pointer.to(m.bytes());
                    Cl.check(
                            "reading",
                            () -> m.shape() == null
                                    ? CL.clEnqueueReadBuffer(
                                            queue, memory, true, 0, m.bytes().capacity(), host, 0, null, null)
                                    : CL.clEnqueueReadImage(
                                            queue,
                                            memory,
                                            true,
                                            new long[3],
                                            ClImages.region(m.shape(), m.shape().parts()),
                                            0,
                                            0,
                                            host,
                                            0,
                                            null,
                                            null));
                }
            }
            made.forEach(CL::clReleaseMemObject);
            CL.clReleaseKernel(of);
            CL.clReleaseProgram(program);
            CL.clReleaseCommandQueue(queue);
        }
    }

    private static cl_mem memory(ClContext context, cl_command_queue queue, Memory m) {
        Pointer host = Pointer.to(m.bytes());
        if (m.shape() == null) {
            return Cl.make(
                    "buffer",
                    s -> CL.clCreateBuffer(
                            context.handle,
                            CL.CL_MEM_READ_WRITE | CL.CL_MEM_COPY_HOST_PTR,
                            m.bytes().capacity(),
                            host,
                            s));
        }
        DeviceBuffer image = context.image(m.shape(), true, true);
        Cl.check("retaining", () -> CL.clRetainMemObject(image.handle));
        Cl.check(
                "writing",
                () -> CL.clEnqueueWriteImage(
                        queue,
                        image.handle,
                        true,
                        new long[3],
                        ClImages.region(m.shape(), m.shape().parts()),
                        0,
                        0,
                        host,
                        0,
                        null,
                        null));
        image.close();
        return image.handle;
    }
}
