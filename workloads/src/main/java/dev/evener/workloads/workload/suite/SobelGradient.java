package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.image.Gradient;
import dev.evener.kernels.image.GradientReference;
import dev.evener.kernels.image.ImageSize;
import dev.evener.workloads.workload.ImageShape;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Workload;

/** The magnitude of a grey image's gradient. */
final class SobelGradient extends Workload {
    SobelGradient() {
        super("gradient", "magnitude of a grey image's gradient by Sobel's operator");
        items("pixel", "image row", 64L << 10, 1L << 20, 16L << 20);
        parameters(ImageShape.WIDTH);
        reads("pixels", ElementType.UBYTE, "grey, row by row");
        writes("ushort: the magnitude of each pixel, row by row");
        atMost(MOST_WORDS);
    }

    @Override
    public void prepare(Setup setup) {
        ImageSize size = ImageShape.of(setup.request()).size();
        HostBuffer grey = setup.input(0, size.pixels());
        HostBuffer magnitudes = setup.output(ElementType.USHORT, size.pixels());
        setup.job(Gradient.job(size, grey, magnitudes, null))
                .items(size.pixels())
                .bytesPerItem(1.0 + Short.BYTES)
                .expect(() -> GradientReference.magnitudes(size, JavaArrays.bytes(grey)));
    }
}
