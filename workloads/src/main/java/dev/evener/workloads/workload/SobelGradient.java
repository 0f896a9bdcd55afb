package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.image.Gradient;
import dev.evener.kernels.image.GradientReference;
import dev.evener.kernels.image.ImageSize;
import java.util.List;

/** The magnitude of a grey image's gradient. */
final class SobelGradient implements Workload {
    private static final Parameter<Integer> WIDTH = ImageShape.widthParameter();

    @Override
    public About about() {
        return new About(
                "gradient",
                "magnitude of a grey image's gradient by Sobel's operator",
                "pixel",
                "image row",
                "ushort: the magnitude of each pixel, row by row",
                List.of(64L << 10, 1L << 20, 16L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(WIDTH);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("pixels", ElementType.UBYTE, "grey, row by row"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS;
    }

    @Override
    public void check(Request request) {
        ImageShape.of(request, WIDTH);
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        ImageShape shape = ImageShape.of(request, WIDTH);
        ImageSize size = new ImageSize(shape.width(), shape.height());
        return HostBuffers.ownedBy(evener, buffers -> {
            HostBuffer grey = buffers.input(request, 0, shape.pixels());
            HostBuffer magnitudes = buffers.allocate(ElementType.USHORT, shape.pixels());
            return new PreparedPrimitive(
                    buffers,
                    request,
                    Gradient.job(size, grey, magnitudes, null),
                    PreparedPrimitive.Cost.of(shape.pixels(), 1.0 + Short.BYTES),
                    magnitudes,
                    () -> GradientReference.magnitudes(size, JavaArrays.bytes(grey)));
        });
    }
}
