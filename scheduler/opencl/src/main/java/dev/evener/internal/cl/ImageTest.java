package dev.evener.internal.cl;

import dev.evener.EvenerException;
import dev.evener.KernelSource;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import java.nio.ByteBuffer;
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
        return PROBLEMS.computeIfAbsent(List.of(device.id(), device.info().identity(), format), key -> {
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
        ByteBuffer found = Cl.answer(pixels.capacity());
        try (ClQueue queue = context.queue(device);
                ClKernel kernel = context.kernel(source, source.options(), device.info(), "evener_copy_image");
                DeviceBuffer buffer = context.allocate(pixels.capacity());
                DeviceBuffer from = context.image(shape, true, false);
                DeviceBuffer to = context.image(shape, false, true)) {
            kernel.set(0, from);
            kernel.set(1, to);
            queue.run(commands -> {
                commands.send(buffer, 0, pixels.capacity(), pixels, 0);
                commands.copyImage(true, buffer, 0, from, shape, 0, HEIGHT);
                commands.kernel(kernel, null, new long[] {WIDTH, HEIGHT}, null);
                commands.copyImage(false, buffer, 0, to, shape, 0, HEIGHT);
                commands.fetch(buffer, 0, found.capacity(), found, 0);
            });
        }
        return pixels.equals(found);
    }

    /** Numbers that every type has, and no two alike that are next to each other. */
    private static ByteBuffer pixels(Image.Shape shape) {
        int bytes = Math.toIntExact(shape.bytes());
        int size = shape.format().type().element().bytes();
        ByteBuffer all = Cl.answer(bytes);
        for (int i = 0; i < bytes; i++) { // the upper byte makes normal floats and halves
            all.put(i, (byte) (i % size == size - 1 ? 0x3C + i / size % 3 : i * 8 % 96));
        }
        return all;
    }
}
