package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.scan.ScanKind;
import dev.evener.kernels.scan.SegmentedScan;
import dev.evener.kernels.scan.SegmentedScanReference;
import dev.evener.kernels.scan.SegmentedScanSettings;
import dev.evener.kernels.scan.Style;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;

/** Prefix sums of equal parts, in any of the styles there are. */
final class SegmentScan extends Workload {
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
    public void prepare(Setup setup) {
        ElementType type = setup.get(TYPE);
        ScanKind kind = setup.get(KIND);
        int segment = setup.get(SEGMENT);
        SegmentedScanSettings settings = new SegmentedScanSettings(setup.get(STYLE), setup.get(GROUP));
        if (type == ElementType.FLOAT && settings.style() != Style.RUNS) {
            throw new IllegalArgumentException("floats can be checked in the style runs only, not " + settings.style());
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
