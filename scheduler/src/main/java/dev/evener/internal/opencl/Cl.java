package dev.evener.internal.opencl;

import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;
import org.jocl.CL;
import org.jocl.CLException;
import org.jocl.Pointer;
import org.jocl.cl_buffer_region;
import org.jocl.cl_command_queue;
import org.jocl.cl_context;
import org.jocl.cl_context_properties;
import org.jocl.cl_device_id;
import org.jocl.cl_event;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jocl.cl_platform_id;
import org.jocl.cl_program;
import org.jspecify.annotations.Nullable;

/**
 * OpenCL calls that throw {@link ClFailure} when they fail, whether or not the application switched JOCL's own exceptions
 * on (that switch is one for the whole process and belongs to the application), and that keep the {@link NativeLedger}.
 * Thread rules are OpenCL's: everything may be called by any thread, except that a kernel object belongs to one lane.
 */
final class Cl {
    /**
     * Held while JOCL makes or frees a context: it keeps a map of them that two threads corrupt, as when the lanes of two
     * platforms close at once, and then crashes the process at its exit.
     */
    private static final Object JOCL_CONTEXTS = new Object();

    private Cl() {}

    // ---- contexts and queues ----

    static cl_context createContext(cl_platform_id platform, cl_device_id[] devices) {
        cl_context_properties properties = new cl_context_properties();
        properties.addProperty(CL.CL_CONTEXT_PLATFORM, platform);
        int[] status = new int[1];
        cl_context context = null;
        try {
            synchronized (JOCL_CONTEXTS) {
                context = CL.clCreateContext(properties, devices.length, devices, null, null, status);
            }
        } catch (CLException e) {
            status[0] = e.getStatus();
        }
        return made(Kind.CONTEXT, context, status[0], "creating a context");
    }

    @SuppressWarnings("deprecation") // the call that every platform from 1.1 on has
    static cl_command_queue createQueue(cl_context context, cl_device_id device) {
        int[] status = new int[1];
        cl_command_queue queue = null;
        try {
            queue = CL.clCreateCommandQueue(context, device, CL.CL_QUEUE_PROFILING_ENABLE, status);
        } catch (CLException e) {
            status[0] = e.getStatus();
        }
        return made(Kind.QUEUE, queue, status[0], "creating a command queue");
    }

    // ---- buffers ----

    static cl_mem createBuffer(cl_context context, long flags, long bytes, @Nullable Pointer host) {
        int[] status = new int[1];
        cl_mem mem = null;
        try {
            mem = CL.clCreateBuffer(context, flags, bytes, host, status);
        } catch (CLException e) {
            status[0] = e.getStatus();
        }
        if (status[0] != CL.CL_SUCCESS || mem == null) { // spares the message's string where nothing failed
            throw new ClFailure("creating a buffer of " + bytes + " bytes", status[0]);
        }
        NativeLedger.made(Kind.BUFFER);
        return mem;
    }

    static cl_mem createSubBuffer(cl_mem parent, long origin, long bytes, int[] status) {
        cl_mem mem = null;
        status[0] = CL.CL_SUCCESS;
        try {
            mem = CL.clCreateSubBuffer(
                    parent,
                    CL.CL_MEM_READ_WRITE,
                    CL.CL_BUFFER_CREATE_TYPE_REGION,
                    new cl_buffer_region(origin, bytes),
                    status);
        } catch (CLException e) {
            status[0] = e.getStatus();
        }
        if (status[0] != CL.CL_SUCCESS || mem == null) {
            throw new ClFailure("creating a sub-buffer of " + bytes + " bytes at " + origin, status[0]);
        }
        NativeLedger.made(Kind.BUFFER);
        return mem;
    }

    // ---- page-locked memory, on books of its own ----

    /** Makes host memory that the device transfers at its full speed; of use only while it is mapped. */
    static cl_mem createPinned(cl_context context, long bytes) {
        int[] status = new int[1];
        cl_mem mem = null;
        try {
            mem = CL.clCreateBuffer(context, CL.CL_MEM_READ_WRITE | CL.CL_MEM_ALLOC_HOST_PTR, bytes, null, status);
        } catch (CLException e) {
            status[0] = e.getStatus();
        }
        if (status[0] != CL.CL_SUCCESS || mem == null) {
            throw new ClFailure("locking " + bytes + " bytes of host memory", status[0]);
        }
        NativeLedger.pageLocked(1);
        return mem;
    }

    @SuppressWarnings("deprecation") // as for any other queue
    static cl_command_queue createPinnedQueue(cl_context context, cl_device_id device) {
        int[] status = new int[1];
        cl_command_queue queue = null;
        try {
            queue = CL.clCreateCommandQueue(context, device, 0, status);
        } catch (CLException e) {
            status[0] = e.getStatus();
        }
        if (status[0] != CL.CL_SUCCESS || queue == null) {
            throw new ClFailure("creating a command queue", status[0]);
        }
        NativeLedger.pageLocked(1);
        return queue;
    }

    /** Maps all of a buffer, and waits for that. */
    static ByteBuffer map(cl_command_queue queue, cl_mem mem, long flags, long bytes) {
        int[] status = new int[1];
        ByteBuffer mapped = null;
        try {
            mapped = CL.clEnqueueMapBuffer(queue, mem, true, flags, 0, bytes, 0, null, null, status);
        } catch (CLException e) {
            status[0] = e.getStatus();
        }
        if (status[0] != CL.CL_SUCCESS || mapped == null) {
            throw new ClFailure("mapping " + bytes + " bytes", status[0]);
        }
        return mapped.order(ByteOrder.nativeOrder());
    }

    static void unmap(cl_command_queue queue, cl_mem mem, ByteBuffer mapped) {
        succeeds(() -> CL.clEnqueueUnmapMemObject(queue, mem, mapped, 0, null, null));
    }

    static void releasePinned(cl_mem mem) {
        NativeLedger.pageLocked(-1);
        succeeds(() -> CL.clReleaseMemObject(mem));
    }

    static void releasePinned(cl_command_queue queue) {
        NativeLedger.pageLocked(-1);
        succeeds(() -> CL.clReleaseCommandQueue(queue));
    }

    // ---- the calls of a chunk: no lambdas, no strings unless something fails ----

    static void setArg(cl_kernel kernel, int index, long bytes, Pointer value) {
        int status;
        try {
            status = CL.clSetKernelArg(kernel, index, bytes, value);
        } catch (CLException e) {
            status = e.getStatus();
        }
        if (status != CL.CL_SUCCESS) {
            throw new ClFailure("setting argument " + index, status);
        }
    }

    /** Launches over as many dimensions as the arrays are long. */
    static void enqueueKernel(
            cl_command_queue queue,
            cl_kernel kernel,
            long @Nullable [] offset,
            long[] global,
            long @Nullable [] local,
            cl_event @Nullable [] after,
            cl_event event) {
        int status;
        try {
            status = CL.clEnqueueNDRangeKernel(
                    queue, kernel, global.length, offset, global, local, count(after), after, event);
        } catch (CLException e) {
            status = e.getStatus();
        }
        if (status != CL.CL_SUCCESS) {
            throw new ClFailure(
                    "launching " + global[0] + (global.length > 1 ? " x " + global[1] : "") + " work-items"
                            + (local == null ? "" : " in groups of " + local[0]),
                    status);
        }
        NativeLedger.made(Kind.EVENT);
    }

    /** The source must be kept reachable until the command has ended. */
    static void enqueueWrite(
            cl_command_queue queue,
            cl_mem mem,
            boolean blocking,
            long offset,
            long bytes,
            Pointer source,
            cl_event @Nullable [] after,
            cl_event event) {
        int status;
        TransferThreads.Call call = TransferThreads.spare();
        try {
            status = CL.clEnqueueWriteBuffer(queue, mem, blocking, offset, bytes, source, count(after), after, event);
        } catch (CLException e) {
            status = e.getStatus();
        } finally {
            call.end(event);
        }
        if (status != CL.CL_SUCCESS) {
            throw new ClFailure("sending " + bytes + " bytes", status);
        }
        NativeLedger.made(Kind.EVENT);
    }

    /** The target must be kept reachable until the command has ended. */
    static void enqueueRead(
            cl_command_queue queue,
            cl_mem mem,
            boolean blocking,
            long offset,
            long bytes,
            Pointer target,
            cl_event @Nullable [] after,
            cl_event event) {
        int status;
        TransferThreads.Call call = TransferThreads.spare();
        try {
            status = CL.clEnqueueReadBuffer(queue, mem, blocking, offset, bytes, target, count(after), after, event);
        } catch (CLException e) {
            status = e.getStatus();
        } finally {
            call.end(event);
        }
        if (status != CL.CL_SUCCESS) {
            throw new ClFailure("fetching " + bytes + " bytes", status);
        }
        NativeLedger.made(Kind.EVENT);
    }

    private static int count(cl_event @Nullable [] events) {
        return events == null ? 0 : events.length;
    }

    static void flush(cl_command_queue queue) {
        int status;
        try {
            status = CL.clFlush(queue);
        } catch (CLException e) {
            status = e.getStatus();
        }
        if (status != CL.CL_SUCCESS) {
            throw new ClFailure("flushing a queue", status);
        }
    }

    static void waitFor(cl_event[] events) {
        int status;
        try {
            status = CL.clWaitForEvents(events.length, events);
        } catch (CLException e) {
            status = e.getStatus();
        }
        if (status != CL.CL_SUCCESS) {
            throw new ClFailure("waiting for the device", status);
        }
    }

    /**
     * Whether a command has ended, well or not; also if the driver cannot tell, as whoever waits for it will see.
     *
     * @param target leads to {@code status}
     */
    static boolean hasEnded(cl_event event, Pointer target, int[] status) {
        int told;
        try {
            told = CL.clGetEventInfo(event, CL.CL_EVENT_COMMAND_EXECUTION_STATUS, Integer.BYTES, target, null);
        } catch (CLException e) {
            told = e.getStatus();
        }
        return told != CL.CL_SUCCESS || status[0] <= CL.CL_COMPLETE;
    }

    /** Writes the queried time to the array behind {@code target}. */
    static void profile(cl_event event, int what, Pointer target) {
        int status;
        try {
            status = CL.clGetEventProfilingInfo(event, what, Long.BYTES, target, null);
        } catch (CLException e) {
            status = e.getStatus();
        }
        if (status != CL.CL_SUCCESS) {
            throw new ClFailure("reading a profiling time", status);
        }
    }

    // ---- set-up calls ----

    /** Runs a call that returns a status. */
    static void check(String what, IntSupplier call) {
        int status;
        try {
            status = call.getAsInt();
        } catch (CLException e) {
            status = e.getStatus();
        }
        if (status != CL.CL_SUCCESS) {
            throw new ClFailure(what, status);
        }
    }

    static cl_kernel createKernel(cl_program program, String name) {
        int[] status = new int[1];
        cl_kernel kernel = null;
        try {
            kernel = CL.clCreateKernel(program, name, status);
        } catch (CLException e) {
            status[0] = e.getStatus();
        }
        return made(Kind.KERNEL, kernel, status[0], "creating kernel " + name);
    }

    /** The parameters of a kernel. */
    static List<ClParameter> parameters(cl_kernel kernel) {
        int[] count = new int[1];
        check(
                "asking for a kernel's arguments",
                () -> CL.clGetKernelInfo(kernel, CL.CL_KERNEL_NUM_ARGS, Integer.BYTES, Pointer.to(count), null));
        List<ClParameter> parameters = new ArrayList<>();
        int[] space = new int[1];
        long[] qualifiers = new long[1];
        for (int i = 0; i < count[0]; i++) {
            int index = i;
            boolean known = succeeds(() -> CL.clGetKernelArgInfo(
                    kernel, index, CL.CL_KERNEL_ARG_ADDRESS_QUALIFIER, Integer.BYTES, Pointer.to(space), null));
            boolean qualified = succeeds(() -> CL.clGetKernelArgInfo(
                    kernel, index, CL.CL_KERNEL_ARG_TYPE_QUALIFIER, Long.BYTES, Pointer.to(qualifiers), null));
            parameters.add(new ClParameter(
                    known ? space[0] : 0,
                    typeName(kernel, i),
                    qualified ? (qualifiers[0] & CL.CL_KERNEL_ARG_TYPE_CONST) != 0 : null));
        }
        return parameters;
    }

    /** The names of a program's kernels, in order; empty where the driver does not say. */
    static List<String> kernelNames(cl_program program) {
        long[] size = new long[1];
        if (!succeeds(() -> CL.clGetProgramInfo(program, CL.CL_PROGRAM_KERNEL_NAMES, 0, null, size))
                || size[0] <= 1
                || size[0] > 1 << 20) {
            return List.of();
        }
        byte[] names = new byte[(int) size[0]];
        return succeeds(() ->
                        CL.clGetProgramInfo(program, CL.CL_PROGRAM_KERNEL_NAMES, names.length, Pointer.to(names), null))
                ? Arrays.stream(text(names).split(";")).sorted().toList()
                : List.of();
    }

    private static @Nullable String typeName(cl_kernel kernel, int index) {
        long[] size = new long[1];
        if (!succeeds(() -> CL.clGetKernelArgInfo(kernel, index, CL.CL_KERNEL_ARG_TYPE_NAME, 0, null, size))
                || size[0] <= 1
                || size[0] > 1 << 16) {
            return null;
        }
        byte[] name = new byte[(int) size[0]];
        return succeeds(() -> CL.clGetKernelArgInfo(
                        kernel, index, CL.CL_KERNEL_ARG_TYPE_NAME, name.length, Pointer.to(name), null))
                ? text(name)
                : null;
    }

    /** A text a device reports, or null where it does not answer. */
    static @Nullable String deviceText(cl_device_id device, int what) {
        long[] size = new long[1];
        if (!succeeds(() -> CL.clGetDeviceInfo(device, what, 0, null, size)) || size[0] <= 0 || size[0] > 1 << 20) {
            return null;
        }
        byte[] text = new byte[(int) size[0]];
        return succeeds(() -> CL.clGetDeviceInfo(device, what, text.length, Pointer.to(text), null))
                ? text(text)
                : null;
    }

    /** A number a device reports, or {@code otherwise}. */
    static long deviceNumber(cl_device_id device, int what, long otherwise) {
        long[] size = new long[1];
        if (!succeeds(() -> CL.clGetDeviceInfo(device, what, 0, null, size))
                || (size[0] != Integer.BYTES && size[0] != Long.BYTES)) {
            return otherwise;
        }
        if (size[0] == Integer.BYTES) {
            int[] value = new int[1];
            return succeeds(() -> CL.clGetDeviceInfo(device, what, Integer.BYTES, Pointer.to(value), null))
                    ? Integer.toUnsignedLong(value[0])
                    : otherwise;
        }
        long[] value = new long[1];
        return succeeds(() -> CL.clGetDeviceInfo(device, what, Long.BYTES, Pointer.to(value), null))
                ? value[0]
                : otherwise;
    }

    static @Nullable String platformText(cl_platform_id platform, int what) {
        long[] size = new long[1];
        if (!succeeds(() -> CL.clGetPlatformInfo(platform, what, 0, null, size)) || size[0] <= 0 || size[0] > 1 << 20) {
            return null;
        }
        byte[] text = new byte[(int) size[0]];
        return succeeds(() -> CL.clGetPlatformInfo(platform, what, text.length, Pointer.to(text), null))
                ? text(text)
                : null;
    }

    static boolean succeeds(IntSupplier call) {
        try {
            return call.getAsInt() == CL.CL_SUCCESS;
        } catch (CLException | UnsupportedOperationException e) {
            return false;
        }
    }

    // ---- release: failures are reported by the caller's checks on what went before, never thrown from here ----

    static void release(cl_event event) {
        NativeLedger.freed(Kind.EVENT);
        try {
            CL.clReleaseEvent(event);
        } catch (CLException e) {
            quietly(e.getStatus());
        }
    }

    static void release(cl_mem mem) {
        NativeLedger.freed(Kind.BUFFER);
        try {
            CL.clReleaseMemObject(mem);
        } catch (CLException e) {
            quietly(e.getStatus());
        }
    }

    static void release(cl_kernel kernel) {
        NativeLedger.freed(Kind.KERNEL);
        succeeds(() -> CL.clReleaseKernel(kernel));
    }

    static void release(cl_program program) {
        NativeLedger.freed(Kind.PROGRAM);
        succeeds(() -> CL.clReleaseProgram(program));
    }

    static void release(cl_command_queue queue) {
        NativeLedger.freed(Kind.QUEUE);
        succeeds(() -> CL.clReleaseCommandQueue(queue));
    }

    static void release(cl_context context) {
        NativeLedger.freed(Kind.CONTEXT);
        synchronized (JOCL_CONTEXTS) {
            succeeds(() -> CL.clReleaseContext(context));
        }
    }

    /** Waits until a queue is empty, whatever state its commands end in. */
    static void drain(cl_command_queue queue) {
        succeeds(() -> CL.clFinish(queue));
    }

    static <T> T made(Kind kind, @Nullable T object, int status, String what) {
        if (status != CL.CL_SUCCESS || object == null) {
            throw new ClFailure(what, status);
        }
        NativeLedger.made(kind);
        return object;
    }

    private static void quietly(int status) {
        assert status == CL.CL_SUCCESS : "release failed with " + status;
    }

    private static String text(byte[] zeroTerminated) {
        int length = 0;
        while (length < zeroTerminated.length && zeroTerminated[length] != 0) {
            length++;
        }
        return new String(zeroTerminated, 0, length, StandardCharsets.UTF_8).trim();
    }
}
