package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.image.Canny;
import dev.evener.kernels.image.CannyReference;
import dev.evener.kernels.image.ImageSize;
import dev.evener.workloads.workload.ImageShape;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Workload;

/** Canny's edges of a grey image. */
final class CannyEdges extends Workload {
    private static final Parameter<Integer> LOW =
            Parameter.integer("low", 50, 1, Canny.MOST, "least magnitude of a weak edge");
    private static final Parameter<Integer> HIGH =
            Parameter.integer("high", 100, 1, Canny.MOST, "least magnitude of a strong edge");

    CannyEdges() {
        super("canny", "Canny's edges of a grey image, with hysteresis");
        items("pixel", "image row", 64L << 10, 1L << 20, 4L << 20);
        parameters(ImageShape.WIDTH, LOW, HIGH);
        reads("pixels", ElementType.UBYTE, "grey, row by row");
        writes("ubyte: 255 for an edge and 0 elsewhere, row by row");
        atMost(MOST_WORDS / 2); // a row more than asked for must fit as well
    }

    @Override
    public void prepare(Setup setup) {
        ImageSize size = ImageShape.of(setup.request()).size();
        int low = setup.get(LOW);
        int high = setup.get(HIGH);
        HostBuffer grey = setup.input(0, size.pixels());
        HostBuffer edges = setup.output(ElementType.UBYTE, size.pixels());
        setup.job(new Canny(setup::allocate).job(size, grey, edges, low, high))
                .items(size.pixels())
                .bytesPerItem(2) // in and out once: the rest depends on what is found
                .expect(() -> CannyReference.edges(size, JavaArrays.bytes(grey), low, high));
    }
}
