package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.map.MapReference;
import dev.evener.kernels.map.VectorAdd;
import java.util.List;

/** {@code c = a + b}. */
final class AddVectors implements Workload {
    private static final Parameter<ElementType> TYPE =
            ElementTypes.parameter(ElementType.FLOAT, ElementType.INT, ElementType.UINT);

    @Override
    public About about() {
        return new About(
                "vector-add",
                "c = a + b",
                "element",
                "element",
                "c, one for each element, of its type",
                List.of(64L << 10, 1L << 20, 16L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(TYPE);
    }

    @Override
    public List<Input> inputs(Values values) {
        ElementType type = values.get(TYPE);
        return List.of(Input.of("a", type, "one summand"), Input.of("b", type, "the other"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> {
            ElementType type = request.get(TYPE);
            long items = request.items();
            HostBuffer a = buffers.input(request, 0, items);
            HostBuffer b = buffers.input(request, 1, items);
            HostBuffer c = buffers.allocate(type, items);
            return new PreparedPrimitive(
                    buffers,
                    request,
                    VectorAdd.job(items, a, b, c, request.tuning()),
                    new PreparedPrimitive.Cost(items, 3.0 * type.bytes(), type.isFloating() ? 1 : 0),
                    c,
                    () -> type == ElementType.FLOAT
                            ? MapReference.add(JavaArrays.floats(a), JavaArrays.floats(b))
                            : MapReference.add(JavaArrays.ints(a), JavaArrays.ints(b)));
        });
    }
}
