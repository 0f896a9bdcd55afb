package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.scan.ScanKind;
import dev.evener.kernels.scan.SegmentedScan;
import dev.evener.kernels.scan.SegmentedScanReference;
import dev.evener.kernels.scan.SegmentedScanSettings;
import dev.evener.kernels.scan.Style;
import java.util.List;

/** Prefix sums of equal parts, in any of the styles there are. */
final class SegmentScan implements Workload {
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
            ElementTypes.parameter(ElementType.UINT, ElementType.INT, ElementType.FLOAT);

    @Override
    public About about() {
        return new About(
                "segmented-scan",
                "prefix sums of equal segments",
                "element",
                "segment",
                "the prefix sums, one for each element, of its type",
                List.of(64L << 10, 1L << 20, 16L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(TYPE, KIND, SEGMENT, STYLE, GROUP);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("elements", values.get(TYPE), "what is scanned, segment by segment"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS - values.get(SEGMENT);
    }

    @Override
    public void check(Request request) {
        long items = request.items();
        int segment = request.get(SEGMENT);
        if (request.fromFiles() && items % segment != 0) {
            throw new InputException(
                    request.files().get(0).path(),
                    "its " + items + " elements are not a whole number of segments of " + segment
                            + "; set segment to another length");
        }
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        check(request);
        ElementType type = request.get(TYPE);
        ScanKind kind = request.get(KIND);
        int segment = request.get(SEGMENT);
        SegmentedScanSettings settings = new SegmentedScanSettings(request.get(STYLE), request.get(GROUP));
        if (type == ElementType.FLOAT && settings.style() != Style.RUNS) {
            throw new IllegalArgumentException("floats can be checked in the style runs only, not " + settings.style());
        }
        return HostBuffers.ownedBy(evener, buffers -> {
            long elements = (request.items() + segment - 1) / segment * segment;
            HostBuffer in = buffers.input(request, 0, elements);
            HostBuffer out = buffers.allocate(type, elements);
            return new PreparedPrimitive(
                    buffers,
                    request,
                    SegmentedScan.job(kind, in, out, segment, settings),
                    PreparedPrimitive.Cost.of(elements, 2.0 * type.bytes()),
                    out,
                    () -> type == ElementType.FLOAT
                            ? SegmentedScanReference.scan(kind, JavaArrays.floats(in), segment)
                            : SegmentedScanReference.scan(kind, JavaArrays.ints(in), segment));
        });
    }
}
