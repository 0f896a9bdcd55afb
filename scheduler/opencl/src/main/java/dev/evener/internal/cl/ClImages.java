package dev.evener.internal.cl;

import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.image.Sampler;
import dev.evener.internal.NativeLedger.Kind;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jocl.CL;
import org.jocl.cl_context;
import org.jocl.cl_image_desc;
import org.jocl.cl_image_format;
import org.jocl.cl_sampler;
import org.jspecify.annotations.Nullable;

/**
 * Images and samplers of a context: which its devices have, how they are made, and where in them a job's rows are.
 * Thread-safe.
 */
final class ClImages implements AutoCloseable {
    private final cl_context context;
    private final Map<Sampler, ClSampler> samplers = new ConcurrentHashMap<>(); // of which there are few kinds
    private final Map<Kinds, cl_image_format[]> formats = new ConcurrentHashMap<>();

    /** What formats there are depends on. */
    private record Kinds(int type, long flags) {}

    ClImages(cl_context context) {
        this.context = context;
    }

    /** Why a device has no such image; null if it does. */
    @Nullable
    String problem(ClDevice device, Image.Shape shape, boolean read, boolean written) {
        if (number(device, CL.CL_DEVICE_IMAGE_SUPPORT) == 0) {
            return "it has no images";
        }
        cl_image_format[] all = formats.computeIfAbsent(new Kinds(type(shape.kind()), flags(read, written)), this::ask);
        if (Arrays.stream(all).noneMatch(each -> isLike(each, format(shape.format())))) {
            return "it has no images of this format that kernels " + (written ? "write" : "read");
        }
        boolean volume = shape.kind() == Image.Kind.VOLUME;
        long width = number(device, volume ? CL.CL_DEVICE_IMAGE3D_MAX_WIDTH : CL.CL_DEVICE_IMAGE2D_MAX_WIDTH);
        long height = number(device, volume ? CL.CL_DEVICE_IMAGE3D_MAX_HEIGHT : CL.CL_DEVICE_IMAGE2D_MAX_HEIGHT);
        long depth = number(device, volume ? CL.CL_DEVICE_IMAGE3D_MAX_DEPTH : CL.CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
        return shape.width() > width || shape.height() > height || shape.depth() > Math.max(1, depth)
                ? "it takes at most " + width + " x " + height + (shape.kind() == Image.Kind.PLANE ? "" : " x " + depth)
                : null;
    }

    private static long number(ClDevice device, int what) {
        return Cl.deviceNumber(device.handle(), what, 0);
    }

    private cl_image_format[] ask(Kinds of) {
        int[] count = new int[1];
        cl_image_format[] all = {};
        if (Cl.succeeds(() -> CL.clGetSupportedImageFormats(context, of.flags, of.type, 0, null, count))) {
            all = new cl_image_format[Math.max(0, count[0])];
            Arrays.setAll(all, i -> new cl_image_format());
            cl_image_format[] answers = all;
            Cl.check(
                    "asking for formats of images",
                    () -> CL.clGetSupportedImageFormats(context, of.flags, of.type, answers.length, answers, null));
        }
        return all;
    }

    private static boolean isLike(cl_image_format one, cl_image_format other) {
        return one.image_channel_order == other.image_channel_order
                && one.image_channel_data_type == other.image_channel_data_type;
    }

    /** One with memory of a device's own. */
    DeviceBuffer make(Image.Shape shape, boolean read, boolean written) {
        cl_image_desc its = new cl_image_desc();
        its.image_type = type(shape.kind());
        its.image_width = shape.width();
        its.image_height = shape.height();
        its.image_depth = shape.kind() == Image.Kind.VOLUME ? shape.depth() : 0;
        its.image_array_size = shape.kind() == Image.Kind.LAYERS ? shape.depth() : 0;
        return new DeviceBuffer(
                Cl.make(
                        "creating an " + shape,
                        status -> CL.clCreateImage(
                                context, flags(read, written), format(shape.format()), its, null, status)),
                shape.bytes(),
                Kind.IMAGE);
    }

    ClSampler sampler(Sampler sampler) {
        return samplers.computeIfAbsent(
                sampler, its -> new ClSampler(Cl.make("creating a sampler", status -> make(its, status))));
    }

    @SuppressWarnings("deprecation") // the one call that OpenCL 1.x has
    private cl_sampler make(Sampler sampler, int[] status) {
        int address = switch (sampler.address()) {
            case NONE -> CL.CL_ADDRESS_NONE;
            case CLAMP_TO_EDGE -> CL.CL_ADDRESS_CLAMP_TO_EDGE;
            case CLAMP -> CL.CL_ADDRESS_CLAMP;
            case REPEAT -> CL.CL_ADDRESS_REPEAT;
            case MIRRORED_REPEAT -> CL.CL_ADDRESS_MIRRORED_REPEAT;
        };
        int filter = sampler.filter() == Sampler.Filter.NEAREST ? CL.CL_FILTER_NEAREST : CL.CL_FILTER_LINEAR;
        return CL.clCreateSampler(context, sampler.normalized(), address, filter, status);
    }

    /** What kernels do with it. */
    private static long flags(boolean read, boolean written) {
        return !written ? CL.CL_MEM_READ_ONLY : read ? CL.CL_MEM_READ_WRITE : CL.CL_MEM_WRITE_ONLY;
    }

    private static int type(Image.Kind kind) {
        return switch (kind) {
            case PLANE -> CL.CL_MEM_OBJECT_IMAGE2D;
            case LAYERS -> CL.CL_MEM_OBJECT_IMAGE2D_ARRAY;
            case VOLUME -> CL.CL_MEM_OBJECT_IMAGE3D;
        };
    }

    private static cl_image_format format(ImageFormat of) {
        cl_image_format made = new cl_image_format();
        made.image_channel_order = switch (of.channels()) {
            case R -> CL.CL_R;
            case A -> CL.CL_A;
            case INTENSITY -> CL.CL_INTENSITY;
            case LUMINANCE -> CL.CL_LUMINANCE;
            case RG -> CL.CL_RG;
            case RA -> CL.CL_RA;
            case RGBA -> CL.CL_RGBA;
            case BGRA -> CL.CL_BGRA;
            case ARGB -> CL.CL_ARGB;
        };
        made.image_channel_data_type = switch (of.type()) {
            case SNORM_INT8 -> CL.CL_SNORM_INT8;
            case SNORM_INT16 -> CL.CL_SNORM_INT16;
            case UNORM_INT8 -> CL.CL_UNORM_INT8;
            case UNORM_INT16 -> CL.CL_UNORM_INT16;
            case SIGNED_INT8 -> CL.CL_SIGNED_INT8;
            case SIGNED_INT16 -> CL.CL_SIGNED_INT16;
            case SIGNED_INT32 -> CL.CL_SIGNED_INT32;
            case UNSIGNED_INT8 -> CL.CL_UNSIGNED_INT8;
            case UNSIGNED_INT16 -> CL.CL_UNSIGNED_INT16;
            case UNSIGNED_INT32 -> CL.CL_UNSIGNED_INT32;
            case HALF_FLOAT -> CL.CL_HALF_FLOAT;
            case FLOAT -> CL.CL_FLOAT;
        };
        return made;
    }

    /** Where rows, layers or planes from one on begin in an image. */
    static long[] origin(Image.Shape shape, long first) {
        return shape.kind() == Image.Kind.PLANE ? new long[] {0, first, 0} : new long[] {0, 0, first};
    }

    /** How far so many of them go. */
    static long[] region(Image.Shape shape, long count) {
        return shape.kind() == Image.Kind.PLANE
                ? new long[] {shape.width(), count, 1}
                : new long[] {shape.width(), shape.height(), count};
    }

    @Override
    public void close() {
        samplers.values().forEach(ClSampler::release);
        samplers.clear();
    }
}
