package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Report;
import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.scan.ScanKind;
import dev.evener.kernels.scan.ScanReference;
import dev.evener.workloads.workload.Differences;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prefix sums, minima or maxima. */
final class PrefixScan extends Workload {
    private static final Parameter<ScanKind> KIND =
            Parameter.choice("kind", "whether an element counts for its own place", ScanKind.EXCLUSIVE);
    private static final Parameter<Operation> OPERATION =
            Parameter.choice("operation", "what elements are combined with", Operation.ADD);
    private static final Parameter<ElementType> TYPE =
            Parameter.type(ElementType.UINT, ElementType.INT, ElementType.LONG, ElementType.FLOAT);

    PrefixScan() {
        super("scan", "prefix sums, minima or maxima");
        items("element", "tile of " + Scan.TILE + " element", 64L << 10, 1L << 20, 16L << 20);
        parameters(TYPE, KIND, OPERATION, Setup.RESIDENT);
        reads("elements", TYPE, "what is scanned");
        writes("the prefixes, one for each element, of its type");
    }

    @Override
    public long mostItems(Values values) {
        ElementType type = values.get(TYPE);
        boolean inParts = type == ElementType.INT || type == ElementType.UINT; // can be checked so
        return inParts ? mostSliced(type) : most(type);
    }

    @Override
    public void prepare(Setup setup) {
        ScanKind kind = setup.get(KIND);
        Operation operation = setup.get(OPERATION);
        HostBuffer in = setup.input(0);
        HostBuffer out = setup.output(in.type(), setup.items());
        int bytes = in.type().bytes();
        setup.job(new Scan(setup::allocate, setup.tuning()).job(kind, operation, in, out))
                .bytesPerItem(3.0 * bytes) // read for the tiles' totals and again for the scan; on one device at once
                .bytesPerItemOf(run -> (chunks(run) == 1 ? 2.0 : 3.0) * bytes)
                .check(() -> mismatch(kind, operation, in, out));
    }

    /** The form for one device has one phase and is not cut; otherwise each of two phases has one at least. */
    private static int chunks(Report run) {
        return run.devices().stream().mapToInt(Report.DeviceUse::chunks).sum();
    }

    private static @Nullable String mismatch(ScanKind kind, Operation operation, HostBuffer in, HostBuffer out) {
        return switch (in.type()) {
            case LONG -> Differences.first("output", out, ScanReference.scan(kind, operation, JavaArrays.longs(in)));
            case FLOAT -> Differences.first("output", out, ScanReference.scan(kind, operation, JavaArrays.floats(in)));
            default -> segmentBySegment(kind, operation, in, out);
        };
    }

    /** Before the elements of each segment but the first stands what all those before it make together. */
    private static @Nullable String segmentBySegment(
            ScanKind kind, Operation operation, HostBuffer in, HostBuffer out) {
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
            int[] expected = in.type() == ElementType.UINT
                    ? ScanReference.scanUnsigned(kind, operation, input)
                    : ScanReference.scan(kind, operation, input);
            IntBuffer should = IntBuffer.wrap(expected, lead, values.limit()).slice();
            IntBuffer is = scanned.get(segment).asIntBuffer();
            int at = is.mismatch(should);
            if (at >= 0) {
                return Differences.sentence("output", in.type(), first + at, is.get(at), should.get(at));
            }
            before = expected[kind == ScanKind.EXCLUSIVE ? lead + values.limit() : lead + values.limit() - 1];
            first += values.limit();
        }
        return null;
    }
}
