package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.scan.ScanKind;
import dev.evener.kernels.scan.ScanReference;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
        return List.of(TYPE, KIND, OPERATION, HostBuffers.RESIDENT);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("elements", values.get(TYPE), "what is scanned"));
    }

    @Override
    public long mostItems(Values values) {
        ElementType type = values.get(TYPE);
        boolean inParts = type == ElementType.INT || type == ElementType.UINT; // can be checked so
        return inParts ? HostBuffers.mostSliced(type) : HostBuffers.most(type);
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> {
            ElementType type = request.get(TYPE);
            ScanKind kind = request.get(KIND);
            Operation operation = request.get(OPERATION);
            HostBuffer in = buffers.input(request, 0, request.items());
            HostBuffer out = buffers.allocate(type, in.elements());
            Scan scan = new Scan(buffers::allocate, request.tuning());
            return PreparedPrimitive.checked(
                    buffers,
                    request,
                    scan.job(kind, operation, in, out),
                    // Read for the tiles' totals and again for the scan; on one device at once.
                    PreparedPrimitive.Cost.of(in.elements(), 3.0 * type.bytes()).alone(2.0 * type.bytes()),
                    out,
                    () -> mismatch(type, kind, operation, in, out));
        });
    }

    private static @Nullable String mismatch(
            ElementType type, ScanKind kind, Operation operation, HostBuffer in, HostBuffer out) {
        return switch (type) {
            case LONG -> Differences.first("output", out, ScanReference.scan(kind, operation, JavaArrays.longs(in)));
            case FLOAT -> Differences.first("output", out, ScanReference.scan(kind, operation, JavaArrays.floats(in)));
            default -> segmentBySegment(type, kind, operation, in, out);
        };
    }

    /** Before the elements of each segment but the first stands what all those before it make together. */
    private static @Nullable String segmentBySegment(
            ElementType type, ScanKind kind, Operation operation, HostBuffer in, HostBuffer out) {
        List<ByteBuffer> unscanned = in.segments();
        List<ByteBuffer> scanned = out.segments();
        int before = 0;
        long first = 0;
        for (int segment = 0; segment < scanned.size(); segment++) {
            IntBuffer values = unscanned.get(segment).asIntBuffer();
            int lead = segment == 0 ? 0 : 1;
            int[] input = new int[lead + values.limit() + 1]; // the last one so that an exclusive scan tells the total
            input[0] = before;
            values.get(input, lead, values.limit());
            int[] expected = type == ElementType.UINT
                    ? ScanReference.scanUnsigned(kind, operation, input)
                    : ScanReference.scan(kind, operation, input);
            IntBuffer should = IntBuffer.wrap(expected, lead, values.limit()).slice();
            IntBuffer is = scanned.get(segment).asIntBuffer();
            int at = is.mismatch(should);
            if (at >= 0) {
                return Differences.sentence("output", type, first + at, is.get(at), should.get(at));
            }
            before = expected[kind == ScanKind.EXCLUSIVE ? lead + values.limit() : lead + values.limit() - 1];
            first += values.limit();
        }
        return null;
    }
}
