package dev.evener.workloads.workload.suite;

import dev.evener.workloads.document.Suggestion;
import dev.evener.workloads.workload.KernelFile;
import dev.evener.workloads.workload.Workload;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The workloads there are. */
public final class Workloads {
    private static final List<Workload> ALL = List.of(
            new ToneMapping(),
            new Reductions.Sum(),
            new Mandelbrot(),
            new Maps.MultiplyAdd(),
            new Maps.Saxpy(),
            new NBody(),
            new Scans.PrefixScan(),
            new Scans.SegmentScan(),
            new Reductions.ReduceElements(),
            new Reductions.AddInSteps(),
            new Reductions.CountBins(),
            new Reductions.CountColours(),
            new Ordering.CompactElements(),
            new Ordering.SortKeys(),
            new AddVectors(),
            new Maps.InvertColours(),
            new Images.SobelGradient(),
            new Images.CannyEdges(),
            new Images.Corners(),
            new MultiplyMatrices(),
            new MoveWords());

    /** What is a stream of frames, and no single job. */
    private static final List<Workload> STREAMS =
            List.of(new FrameStreams.CannyStream(), new FrameStreams.ToneMapStream());

    private Workloads() {}

    /** All of them, in the order in which they are listed. */
    public static List<Workload> all() {
        return ALL;
    }

    /** Streams of frames, which can be measured but are no single job. */
    public static List<Workload> streams() {
        return STREAMS;
    }

    /** The names of all but streams, separated by commas. */
    public static String names() {
        return ALL.stream().map(Workload::name).collect(Collectors.joining(", "));
    }

    /**
     * The workload of that name, in any case, or of that file of kernels.
     *
     * @throws IllegalArgumentException if there is none, naming those there are
     */
    public static Workload named(String name) {
        if (name.endsWith(".json")) {
            return KernelFile.read(Path.of(name));
        }
        String wanted = name.toLowerCase(Locale.ROOT);
        return ALL.stream()
                .filter(w -> w.name().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown workload '" + name + "': expected one of "
                        + names() + ", or a FILE.json of kernels"
                        + Suggestion.of(name, ALL.stream().map(Workload::name).toList())));
    }
}
