package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.image.Canny;
import dev.evener.kernels.image.CannyReference;
import dev.evener.kernels.image.ImageSize;
import java.util.List;

/** Canny's edges of a grey image. */
final class CannyEdges implements Workload {
    private static final Parameter<Integer> WIDTH = ImageShape.widthParameter();
    private static final Parameter<Integer> LOW =
            Parameter.integer("low", 50, 1, Canny.MOST, "least magnitude of a weak edge");
    private static final Parameter<Integer> HIGH =
            Parameter.integer("high", 100, 1, Canny.MOST, "least magnitude of a strong edge");

    @Override
    public About about() {
        return new About(
                "canny",
                "Canny's edges of a grey image, with hysteresis",
                "pixel",
                "image row",
                "ubyte: 255 for an edge and 0 elsewhere, row by row",
                List.of(64L << 10, 1L << 20, 4L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(WIDTH, LOW, HIGH);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("pixels", ElementType.UBYTE, "grey, row by row"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS / 2; // a row more than asked for must fit as well
    }

    @Override
    public void check(Request request) {
        ImageShape.of(request, WIDTH);
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        ImageShape shape = ImageShape.of(request, WIDTH);
        ImageSize size = new ImageSize(shape.width(), shape.height());
        int low = request.get(LOW);
        int high = request.get(HIGH);
        return HostBuffers.ownedBy(evener, buffers -> {
            HostBuffer grey = buffers.input(request, 0, shape.pixels());
            HostBuffer edges = buffers.allocate(ElementType.UBYTE, shape.pixels());
            Canny canny = new Canny(buffers::allocate);
            return new PreparedPrimitive(
                    buffers,
                    request,
                    canny.job(size, grey, edges, low, high),
                    // In and out once: the rest depends on what is found.
                    PreparedPrimitive.Cost.of(shape.pixels(), 2),
                    edges,
                    () -> CannyReference.edges(size, JavaArrays.bytes(grey), low, high));
        });
    }
}
