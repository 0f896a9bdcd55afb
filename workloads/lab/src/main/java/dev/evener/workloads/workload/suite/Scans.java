package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Report;
import dev.evener.kernels.reference.ScanReference;
import dev.evener.kernels.reference.SegmentedScanReference;
import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.scan.ScanKind;
import dev.evener.kernels.scan.SegmentedScan;
import dev.evener.kernels.scan.SegmentedScanSettings;
import dev.evener.kernels.scan.Style;
import dev.evener.workloads.workload.Differences;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prefix sums. */
final class Scans {
    private Scans() {}

    /** Prefix sums, minima or maxima. */
    static final class PrefixScan extends Workload {
        private static final Parameter<ScanKind> KIND =
                Parameter.choice("kind", "whether an element counts for its own place", ScanKind.EXCLUSIVE);
        private static final Parameter<Operation> OPERATION =
                Parameter.choice("operation", "what elements are combined with", Operation.ADD);
        private static final Parameter<ElementType> TYPE =
                Parameter.type(ElementType.UINT, ElementType.INT, ElementType.LONG, ElementType.FLOAT);

        PrefixScan() {
            super("scan", "prefix sums, minima or maxima");
            items("element", "tile of " + Scan.TILE + " element", 64L << 10, 1L << 20, 16L << 20);
            parameters(TYPE, KIND, OPERATION, RESIDENT);
            reads("elements", TYPE, "what is scanned");
            writes("the prefixes, one for each element, of its type");
            tunes("scan", items -> items, Distribution.UNIFORM);
        }

        @Override
        public long mostItems(Values values) {
            ElementType type = values.get(TYPE);
            boolean inParts = type == ElementType.INT || type == ElementType.UINT; // can be checked so
            return inParts ? mostSliced(type) : most(type);
        }

        @Override
        public void prepare(PreparedWorkload setup) {
            ScanKind kind = setup.get(KIND);
            Operation operation = setup.get(OPERATION);
            HostBuffer in = setup.input(0);
            HostBuffer out = setup.output(in.type(), setup.items());
            int bytes = in.type().bytes();
            setup.job(new Scan(setup::allocate, setup.tuning()).job(kind, operation, setup.seenByJobs(in), out))
                    .bytesPerItem(
                            3.0 * bytes) // read for the tiles' totals and again for the scan; on one device at once
                    .bytesPerItemOf(run -> (chunks(run) == 1 ? 2.0 : 3.0) * bytes)
                    .check(() -> mismatch(kind, operation, in, out));
        }

        /** The form for one device has one phase and is not cut; otherwise each of two phases has one at least. */
        private static int chunks(Report run) {
            return run.devices().stream().mapToInt(Report.DeviceUse::chunks).sum();
        }

        private static @Nullable String mismatch(ScanKind kind, Operation operation, HostBuffer in, HostBuffer out) {
            return switch (in.type()) {
                case LONG ->
                    Differences.first("output", out, ScanReference.scan(kind, operation, JavaArrays.longs(in)));
                case FLOAT ->
                    Differences.first("output", out, ScanReference.scan(kind, operation, JavaArrays.floats(in)));
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
                int[] input =
                        new int[lead + values.limit() + 1]; // the last one so that an exclusive scan tells the total
                input[0] = before;
                values.get(input, lead, values.limit());
                int[] expected = in.type() == ElementType.UINT
                        ? ScanReference.scanUnsigned(kind, operation, input)
                        : ScanReference.scan(kind, operation, input);
                IntBuffer should =
                        IntBuffer.wrap(expected, lead, values.limit()).slice();
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

    /** Prefix sums of equal parts, in any of the styles there are. */
    static final class SegmentScan extends Workload {
        private static final Parameter<ScanKind> KIND =
                Parameter.choice("kind", "whether an element counts for its own place", ScanKind.INCLUSIVE);
        private static final Parameter<Integer> SEGMENT =
                Parameter.integer("segment", 256, 1, 1 << 24, "elements in a segment");
        private static final Parameter<Style> STYLE = Parameter.choice("style", "how a segment is scanned", Style.RUNS);
        private static final Parameter<Integer> GROUP = Parameter.integer(
                "group",
                SegmentedScanSettings.LARGEST,
                SegmentedScanSettings.SMALLEST,
                SegmentedScanSettings.LARGEST,
                "work-items in a group, a power of two; does not matter to runs");
        private static final Parameter<ElementType> TYPE =
                Parameter.type(ElementType.UINT, ElementType.INT, ElementType.FLOAT);

        SegmentScan() {
            super("segmented-scan", "prefix sums of equal segments");
            items("element", "segment", 64L << 10, 1L << 20, 16L << 20);
            parameters(TYPE, KIND, SEGMENT, STYLE, GROUP);
            reads("elements", TYPE, "what is scanned, segment by segment");
            writes("the prefix sums, one for each element, of its type");
        }

        @Override
        public long mostItems(Values values) {
            return MOST_WORDS - values.get(SEGMENT);
        }

        @Override
        public void check(Request request) {
            long items = request.items();
            int segment = request.values().get(SEGMENT);
            if (request.fromFiles() && items % segment != 0) {
                throw request.bad(
                        0,
                        "its " + items + " elements are not a whole number of segments of " + segment
                                + "; set segment to another length");
            }
        }

        @Override
        public void prepare(PreparedWorkload setup) {
            ElementType type = setup.get(TYPE);
            ScanKind kind = setup.get(KIND);
            int segment = setup.get(SEGMENT);
            SegmentedScanSettings settings = new SegmentedScanSettings(setup.get(STYLE), setup.get(GROUP));
            if (type == ElementType.FLOAT && settings.style() != Style.RUNS) {
                throw new IllegalArgumentException(
                        "floats can be checked in the style runs only, not " + settings.style());
            }
            long elements = (setup.items() + segment - 1) / segment * segment;
            HostBuffer in = setup.input(0, elements);
            HostBuffer out = setup.output(type, elements);
            setup.job(SegmentedScan.job(kind, in, out, segment, settings))
                    .items(elements)
                    .bytesPerItem(2.0 * type.bytes())
                    .expect(() -> type == ElementType.FLOAT
                            ? SegmentedScanReference.scan(kind, JavaArrays.floats(in), segment)
                            : SegmentedScanReference.scan(kind, JavaArrays.ints(in), segment));
        }
    }
}
