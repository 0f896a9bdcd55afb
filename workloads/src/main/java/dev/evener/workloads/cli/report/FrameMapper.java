package dev.evener.workloads.cli.report;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Report;
import dev.evener.frames.Frame;
import dev.evener.frames.FrameProcessor;
import dev.evener.frames.PixelImage;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.ToneMapReference;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.policy.Policy;
import dev.evener.workloads.replay.Digests;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.Output;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/** Maps the frames of a stream, one after another, and keeps what was measured of each. One thread. */
public final class FrameMapper implements FrameProcessor {
    private static final JobLog UNRECORDED = JobLog.none();

    private final Evener evener;
    private final ToneMapper mapper;
    private final ToneMapSettings settings;
    private final Policy policy;
    private final boolean verify;
    private final String policyText;
    private final Map<Path, JobLog> logs;
    private final Consumer<Runnable> warmUp;
    private boolean warm;
    private long warmUpFrames;
    private long buildNanos;
    private long warmUpNanos;
    private final List<Result> results = new ArrayList<>();
    private final List<String> mismatches = new ArrayList<>();
    private final Set<Path> verified = new HashSet<>();

    /**
     * One frame of one pass.
     *
     * @param source the file
     * @param layout its size
     * @param report what the devices did
     */
    public record Result(Path source, FrameLayout layout, Report report) {}

    /**
     * @param verify whether to check each file's first picture against the reference
     * @param warmUp does before anything counts what it is given, which maps the first frame, as often as it takes
     * @param policyText the policy as records name it
     * @param logs where jobs are noted, for each file; none where nothing is recorded
     */
    public FrameMapper(
            Evener evener,
            ToneMapper mapper,
            ToneMapSettings settings,
            Policy policy,
            boolean verify,
            Consumer<Runnable> warmUp,
            String policyText,
            Map<Path, JobLog> logs) {
        this.evener = evener;
        this.mapper = mapper;
        this.settings = settings;
        this.policy = policy;
        this.verify = verify;
        this.warmUp = warmUp;
        this.policyText = policyText;
        this.logs = logs;
    }

    @Override
    public void process(Frame in, PixelImage out) {
        FrameLayout layout = in.size();
        try {
            warmUp(in, out, layout);
            Report report = map(in, out, layout, evener.history());
            results.add(new Result(in.source(), layout, report));
        } catch (CompletionException e) {
            throw e.getCause() instanceof EvenerException cause
                    ? new EvenerException(in.source() + ": " + cause.getMessage(), cause)
                    : e;
        }
        if (verify && verified.add(in.source())) {
            verify(in, out, layout);
        }
    }

    private void warmUp(Frame in, PixelImage out, FrameLayout layout) {
        if (warm) {
            return;
        }
        long start = System.nanoTime();
        warm = true;
        warmUp.accept(() -> {
            // What the very first frame takes says nothing of later ones.
            map(in, out, layout, warmUpFrames == 0 ? History.inMemory() : evener.history());
            warmUpFrames++;
        });
        warmUpNanos += System.nanoTime() - start;
    }

    private Report map(Frame in, PixelImage out, FrameLayout layout, History history) {
        JobLog log = logs.getOrDefault(in.source(), UNRECORDED);
        long request = log.asked(policyText);
        Report report = evener.submit(mapper.job(layout, in.pixels(), out.pixels(), settings), policy, history)
                .join();
        buildNanos += report.buildNanos();
        log.done(request, () -> Digests.of(Output.pixels(out.pixels(), layout)));
        return report;
    }

    private void verify(Frame in, PixelImage out, FrameLayout layout) {
        byte[] expected = ToneMapReference.map(in.pixels().floats(), layout, settings);
        ToneMapReference.Difference difference =
                ToneMapReference.compare(expected, out.pixels().ints(), layout);
        if (difference.largest() > 1) {
            mismatches.add(in.source() + ": differs from the reference by up to " + difference.largest() + " codes, in "
                    + difference.differing() + " of " + expected.length + " values");
        }
    }

    /** Frames mapped before the first that counts. */
    public long warmUpFrames() {
        return warmUpFrames;
    }

    /** Time that took. */
    public long warmUpNanos() {
        return warmUpNanos;
    }

    /** Time in which programs were built, in frames that count and in others. */
    public long buildNanos() {
        return buildNanos;
    }

    public List<Result> results() {
        return results;
    }

    /** One line for each picture that is not what the reference says. */
    public List<String> mismatches() {
        return mismatches;
    }
}
