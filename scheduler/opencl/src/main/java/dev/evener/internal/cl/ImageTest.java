package dev.evener.internal.cl;

import dev.evener.EvenerException;
import dev.evener.KernelSource;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Has a kernel copy a small image, which must come back as it was, before a device is given images of a format: PoCL
 * 3.1 says that it has
 * images of a single half, and writes nothing to them. Once in a process for each device and format. Thread-safe.
 */
final class ImageTest {
    private static final Map<List<Object>, String> PROBLEMS = new ConcurrentHashMap<>();

    private static final int WIDTH = 5;
    private static final int HEIGHT = 3;

    private static final String SOURCE = """
            kernel void evener_copy_image(read_only image2d_t from, write_only image2d_t to) {
                const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
                int2 at = (int2)(get_global_id(0), get_global_id(1));
                WRITE(to, at, READ(from, nearest, at));
            }
            """;

    private ImageTest() {}

    /** What is wrong with such images; empty if nothing is. */
    static String problem(ClContext context, ClDevice device, ImageFormat format) {
        return PROBLEMS.computeIfAbsent(
                List.of(device.info().id(), device.info().identity(), format), key -> {
                    try {
                        return copies(context, device, format) ? "" : "kernels do not copy them right";
                    } catch (EvenerException e) {
                        return "its test of them failed: " + e.getMessage();
                    }
                });
    }

    private static boolean copies(ClContext context, ClDevice device, ImageFormat format) {
        String suffix = switch (format.type()) {
            case SIGNED_INT8, SIGNED_INT16, SIGNED_INT32 -> "i";
            case UNSIGNED_INT8, UNSIGNED_INT16, UNSIGNED_INT32 -> "ui";
            default -> "f";
        };
        KernelSource source = KernelSource.of("image test", SOURCE)
                .withOptions("-D READ=read_image" + suffix + " -D WRITE=write_image" + suffix);
        Image.Shape shape = Image.Shape.plane(format, WIDTH, HEIGHT);
        ByteBuffer pixels = pixels(shape);
        ByteBuffer found = ByteBuffer.allocateDirect(pixels.capacity()).order(ByteOrder.nativeOrder());
        ClQueue queue = context.queue(device);
        List<DeviceBuffer> made = new ArrayList<>();
        ClKernel kernel = null;
        try {
            kernel = context.kernel(source, source.options(), device.info(), "evener_copy_image");
            made.add(context.allocate(pixels.capacity()));
            made.add(context.image(shape, true, false));
            made.add(context.image(shape, false, true));
            kernel.set(0, made.get(1));
            kernel.set(1, made.get(2));
            ClKernel copy = kernel;
            queue.run(commands -> {
                DeviceBuffer buffer = made.get(0);
                commands.send(buffer, 0, pixels.capacity(), pixels, 0);
                commands.toImage(buffer, 0, made.get(1), shape, 0, HEIGHT);
                commands.kernel(copy, null, new long[] {WIDTH, HEIGHT}, null);
                commands.fromImage(made.get(2), shape, 0, HEIGHT, buffer, 0);
                commands.fetch(buffer, 0, found.capacity(), found, 0);
            });
        } finally {
            made.forEach(DeviceBuffer::release);
            if (kernel != null) {
                kernel.release();
            }
            queue.release();
        }
        return pixels.equals(found);
    }

    /** Numbers that every type has, and no two alike that are next to each other. */
    private static ByteBuffer pixels(Image.Shape shape) {
        int bytes = Math.toIntExact(shape.bytes());
        int size = shape.format().type().element().bytes();
        ByteBuffer all = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
        for (int i = 0; i < bytes; i++) { // the upper byte makes normal floats and halves
            all.put(i, (byte) (i % size == size - 1 ? 0x3C + i / size % 3 : i * 8 % 96));
        }
        return all;
    }
}
