package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.scan.ScanKind;
import dev.evener.kernels.scan.ScanReference;
import java.util.List;

/** Prefix sums, minima or maxima. */
final class PrefixScan implements Workload {
    private static final Parameter<ScanKind> KIND =
            Parameter.choice("kind", "whether an element counts for its own place", ScanKind.EXCLUSIVE);
    private static final Parameter<Operation> OPERATION =
            Parameter.choice("operation", "what elements are combined with", Operation.ADD);
    private static final Parameter<ElementType> TYPE =
            ElementTypes.parameter(ElementType.UINT, ElementType.INT, ElementType.LONG, ElementType.FLOAT);

    @Override
    public About about() {
        return new About(
                "scan",
                "prefix sums, minima or maxima",
                "element",
                "tile of " + Scan.TILE + " element",
                "the prefixes, one for each element, of its type",
                List.of(64L << 10, 1L << 20, 16L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(TYPE, KIND, OPERATION);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("elements", values.get(TYPE), "what is scanned"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.most(values.get(TYPE));
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> {
            ElementType type = request.get(TYPE);
            ScanKind kind = request.get(KIND);
            Operation operation = request.get(OPERATION);
            HostBuffer in = buffers.input(request, 0, request.items());
            HostBuffer out = buffers.allocate(type, in.elements());
            Scan scan = new Scan(buffers::allocate);
            return new PreparedPrimitive(
                    buffers,
                    request,
                    scan.job(kind, operation, in, out),
                    // Read for the tiles' totals and again for the scan.
                    PreparedPrimitive.Cost.of(in.elements(), 3.0 * type.bytes()),
                    out,
                    () -> reference(type, kind, operation, in));
        });
    }

    private static Object reference(ElementType type, ScanKind kind, Operation operation, HostBuffer in) {
        return switch (type) {
            case UINT -> ScanReference.scanUnsigned(kind, operation, JavaArrays.ints(in));
            case INT -> ScanReference.scan(kind, operation, JavaArrays.ints(in));
            case LONG -> ScanReference.scan(kind, operation, JavaArrays.longs(in));
            default -> ScanReference.scan(kind, operation, JavaArrays.floats(in));
        };
    }
}
