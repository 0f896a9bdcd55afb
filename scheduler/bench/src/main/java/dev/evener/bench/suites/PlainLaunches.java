package dev.evener.bench.suites;

import dev.evener.KernelSource;
import dev.evener.image.Image;
import dev.evener.image.Sampler;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.Sizeof;
import org.jocl.cl_command_queue;
import org.jocl.cl_context;
import org.jocl.cl_context_properties;
import org.jocl.cl_device_id;
import org.jocl.cl_image_desc;
import org.jocl.cl_image_format;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jocl.cl_platform_id;
import org.jocl.cl_program;
import org.jocl.cl_sampler;
import org.jspecify.annotations.Nullable;

/**
 * Launches by OpenCL's own calls on one device, without Evener: each kernel over its whole range at once, with all of its memory. What every
 * split run must equal, bit for bit. Built with the options that Evener gives all kernels, which say how divisions are rounded. One thread.
 */
final class PlainLaunches implements AutoCloseable {
    private static final int CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7;

    /** What a kernel is given. */
    sealed interface Argument {
        /** All of a buffer or range, as an image if it has a shape. */
        record Memory(ByteBuffer bytes, Image.@Nullable Shape shape) implements Argument {}

        /** A scalar, a vector or a struct. */
        record Value(ByteBuffer bytes) implements Argument {}

        /** Bytes of local memory for a group of so many work-items. */
        record Local(LongUnaryOperator bytes) implements Argument {}

        /** What images are read through. */
        record Through(Sampler sampler) implements Argument {}
    }

    private final cl_device_id[] device = new cl_device_id[1];
    private final cl_context context;
    private final cl_command_queue queue;
    private final Map<String, cl_program> programs = new HashMap<>();
    private final String options;

    /** On a device by its platform's and its own number, such as {@code 0.1}. */
    @SuppressWarnings("deprecation") // the call that every platform has
    PlainLaunches(String id) {
        CL.setExceptionsEnabled(true);
        int[] count = new int[1];
        CL.clGetPlatformIDs(0, null, count);
        cl_platform_id[] platforms = new cl_platform_id[count[0]];
        CL.clGetPlatformIDs(platforms.length, platforms, null);
        cl_platform_id platform = platforms[Integer.parseInt(id.substring(0, id.indexOf('.')))];
        CL.clGetDeviceIDs(platform, 0xFFFFFFFFL, 0, null, count);
        cl_device_id[] devices = new cl_device_id[count[0]];
        CL.clGetDeviceIDs(platform, 0xFFFFFFFFL, devices.length, devices, null);
        device[0] = devices[Integer.parseInt(id.substring(id.indexOf('.') + 1))];
        cl_context_properties properties = new cl_context_properties();
        properties.addProperty(CL.CL_CONTEXT_PLATFORM, platform);
        context = CL.clCreateContext(properties, 1, device, null, null, null);
        queue = CL.clCreateCommandQueue(context, device[0], 0, null);
        long[] floats = new long[1];
        CL.clGetDeviceInfo(device[0], CL.CL_DEVICE_SINGLE_FP_CONFIG, Sizeof.cl_ulong, Pointer.to(floats), null);
        options = "-w -cl-std=CL1.2"
                + ((floats[0] & CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0 ? " -cl-fp32-correctly-rounded-divide-sqrt " : " ");
    }

    /**
     * Runs a kernel to its end.
     *
     * @param group sizes of groups, or null where the device chooses
     */
    void run(KernelSource source, String kernel, long[] range, long @Nullable [] group, List<Argument> arguments) {
        cl_program program = programs.computeIfAbsent(source.digest(), digest -> {
            cl_program made = CL.clCreateProgramWithSource(context, 1, new String[] {source.text()}, null, null);
            CL.clBuildProgram(made, 1, device, options + source.options(), null, null);
            return made;
        });
        cl_kernel of = CL.clCreateKernel(program, kernel, null);
        long items = group == null ? 0 : LongStream.of(group).reduce(1, (a, b) -> a * b);
        List<Runnable> back = new ArrayList<>(); // reads and releases what it was given
        for (int i = 0; i < arguments.size(); i++) {
            Argument each = arguments.get(i);
            if (each instanceof Argument.Memory m) {
                cl_mem memory = m.shape == null ? buffer(m.bytes, back) : image(m.bytes, m.shape, back);
                CL.clSetKernelArg(of, i, Sizeof.cl_mem, Pointer.to(memory));
            } else if (each instanceof Argument.Value v) {
                CL.clSetKernelArg(of, i, v.bytes.capacity(), Pointer.to(v.bytes));
            } else if (each instanceof Argument.Local l) {
                CL.clSetKernelArg(of, i, l.bytes.applyAsLong(items), null);
            } else if (each instanceof Argument.Through t) {
                cl_sampler sampler = sampler(t.sampler);
                back.add(() -> CL.clReleaseSampler(sampler));
                CL.clSetKernelArg(of, i, Sizeof.cl_sampler, Pointer.to(sampler));
            }
        }
        CL.clEnqueueNDRangeKernel(queue, of, range.length, null, range, group, 0, null, null);
        CL.clFinish(queue);
        back.forEach(Runnable::run);
        CL.clReleaseKernel(of);
    }

    private cl_mem buffer(ByteBuffer bytes, List<Runnable> back) {
        Pointer host = Pointer.to(bytes);
        cl_mem memory = CL.clCreateBuffer(
                context, CL.CL_MEM_READ_WRITE | CL.CL_MEM_COPY_HOST_PTR, bytes.capacity(), host, null);
        back.add(() -> {
            CL.clEnqueueReadBuffer(queue, memory, true, 0, bytes.capacity(), host, 0, null, null);
            CL.clReleaseMemObject(memory);
        });
        return memory;
    }

    private cl_mem image(ByteBuffer bytes, Image.Shape shape, List<Runnable> back) {
        cl_image_format format = new cl_image_format();
        format.image_channel_order = number(shape.format().channels());
        format.image_channel_data_type = number(shape.format().type());
        cl_image_desc as = new cl_image_desc();
        as.image_type = switch (shape.kind()) {
            case PLANE -> CL.CL_MEM_OBJECT_IMAGE2D;
            case LAYERS -> CL.CL_MEM_OBJECT_IMAGE2D_ARRAY;
            case VOLUME -> CL.CL_MEM_OBJECT_IMAGE3D;
        };
        as.image_width = shape.width();
        as.image_height = shape.height();
        as.image_depth = shape.kind() == Image.Kind.VOLUME ? shape.depth() : 1;
        as.image_array_size = shape.kind() == Image.Kind.LAYERS ? shape.depth() : 1;
        Pointer host = Pointer.to(bytes);
        cl_mem image = CL.clCreateImage(context, CL.CL_MEM_READ_WRITE, format, as, null, null);
        long[] all = {shape.width(), shape.height(), shape.depth()};
        CL.clEnqueueWriteImage(queue, image, true, new long[3], all, 0, 0, host, 0, null, null);
        back.add(() -> {
            CL.clEnqueueReadImage(queue, image, true, new long[3], all, 0, 0, host, 0, null, null);
            CL.clReleaseMemObject(image);
        });
        return image;
    }

    /** OpenCL's number for one of its names. */
    private static int number(Enum<?> name) {
        try {
            return CL.class.getField("CL_" + name.name()).getInt(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(name.name(), e);
        }
    }

    @SuppressWarnings("deprecation") // the call that every platform has
    private cl_sampler sampler(Sampler sampler) {
        int outside = switch (sampler.address()) {
            case NONE -> CL.CL_ADDRESS_NONE;
            case CLAMP_TO_EDGE -> CL.CL_ADDRESS_CLAMP_TO_EDGE;
            case CLAMP -> CL.CL_ADDRESS_CLAMP;
            case REPEAT -> CL.CL_ADDRESS_REPEAT;
            case MIRRORED_REPEAT -> CL.CL_ADDRESS_MIRRORED_REPEAT;
        };
        int filter = sampler.filter() == Sampler.Filter.LINEAR ? CL.CL_FILTER_LINEAR : CL.CL_FILTER_NEAREST;
        return CL.clCreateSampler(context, sampler.normalized(), outside, filter, null);
    }

    /** The bytes of a number as kernels take it. */
    static Argument.Value value(Number number) {
        int size = number instanceof Byte
                ? Byte.BYTES
                : number instanceof Short
                        ? Short.BYTES
                        : number instanceof Integer || number instanceof Float ? Integer.BYTES : Long.BYTES;
        ByteBuffer bytes = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
        if (number instanceof Float f) {
            bytes.putFloat(0, f);
        } else if (number instanceof Double d) {
            bytes.putDouble(0, d);
        } else if (size == Byte.BYTES) {
            bytes.put(0, number.byteValue());
        } else if (size == Short.BYTES) {
            bytes.putShort(0, number.shortValue());
        } else if (size == Integer.BYTES) {
            bytes.putInt(0, number.intValue());
        } else {
            bytes.putLong(0, number.longValue());
        }
        return new Argument.Value(bytes);
    }

    @Override
    public void close() {
        programs.values().forEach(CL::clReleaseProgram);
        CL.clReleaseCommandQueue(queue);
        CL.clReleaseContext(context);
    }
}
