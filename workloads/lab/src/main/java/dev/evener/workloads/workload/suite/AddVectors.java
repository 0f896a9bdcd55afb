package dev.evener.workloads.workload.suite;

import static dev.evener.workloads.workload.JavaArrays.floats;
import static dev.evener.workloads.workload.JavaArrays.ints;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.map.VectorAdd;
import dev.evener.kernels.reference.MapReference;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Workload;

/** {@code c = a + b}. */
final class AddVectors extends Workload {
    private static final Parameter<ElementType> TYPE =
            Parameter.type(ElementType.FLOAT, ElementType.INT, ElementType.UINT);

    AddVectors() {
        super("vector-add", "c = a + b");
        items("element", "element", 64L << 10, 1L << 20, 16L << 20);
        parameters(TYPE);
        reads("a", TYPE, "one summand");
        reads("b", TYPE, "the other");
        writes("c, one for each element, of its type");
        tunes("map", items -> items, Distribution.UNIFORM);
    }

    @Override
    public void prepare(PreparedWorkload setup) {
        ElementType type = setup.get(TYPE);
        HostBuffer a = setup.input(0);
        HostBuffer b = setup.input(1);
        HostBuffer c = setup.output(type, setup.items());
        setup.job(VectorAdd.job(setup.items(), a, b, c, setup.tuning()))
                .bytesPerItem(3.0 * type.bytes())
                .flopsPerItem(type.isFloating() ? 1 : 0)
                .expect(() -> type == ElementType.FLOAT
                        ? MapReference.add(floats(a), floats(b))
                        : MapReference.add(ints(a), ints(b)));
    }
}
