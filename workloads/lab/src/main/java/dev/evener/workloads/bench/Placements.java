package dev.evener.workloads.bench;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.kernels.pipeline.ItemReport;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.workloads.bench.Contender.Sample;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.workload.Placement;
import dev.evener.workloads.workload.StreamWorkload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The same stream of frames with the work placed in different ways: each device alone, every frame split over all, the two
 * stages on different devices, and each stage split over all. All of them go through a pipeline over the same slots, with the
 * same number of frames under way. One thread.
 *
 * @param <S> a slot
 */
final class Placements<S extends AutoCloseable> {
    private final Evener evener;
    private final StreamWorkload<S> work;
    private final List<S> slots;
    private final Case what;
    private final List<Long> expected = new ArrayList<>();

    Placements(Evener evener, StreamWorkload<S> work, List<S> slots, Case what) {
        this.evener = evener;
        this.work = work;
        this.slots = slots;
        this.what = what;
    }

    /** Every way; only one may run at a time. */
    List<Contender> contenders() {
        List<Contender> all = new ArrayList<>();
        ways().forEach((name, placement) -> all.add(new Contender(
                name,
                name.startsWith("single ") ? Role.SINGLE : Role.PLACEMENT,
                what.timing(),
                () -> sample(stream(placement, (int) what.request().items())),
                () -> mismatch(placement))));
        return all;
    }

    /** Every way on these devices, by name, in the order of the report. */
    private Map<String, Placement> ways() {
        List<String> ids = evener.devices().stream().map(d -> d.id()).toList();
        Map<String, Placement> ways = new LinkedHashMap<>();
        for (String id : ids) {
            ways.put("single " + id, Placement.whole(DeviceSelector.parse(id)));
        }
        if (ids.size() > 1) {
            ways.put("frames split", Placement.whole(DeviceSelector.all()));
            for (String first : ids) {
                for (String second : ids) {
                    if (!first.equals(second)) {
                        Placement placement =
                                Placement.stages(DeviceSelector.parse(first), DeviceSelector.parse(second));
                        ways.put("stages " + placement, placement);
                    }
                }
            }
            ways.put("stages split", Placement.split(2));
        }
        return ways;
    }

    /** The first way's first result is compared with the reference, every later one with the first way's. */
    private @Nullable String mismatch(Placement placement) {
        slots.forEach(work::clear);
        stream(placement, (int) Math.max(what.request().items(), slots.size()));
        if (expected.isEmpty()) {
            slots.forEach(slot -> expected.add(work.digest(slot)));
            return work.mismatch(slots.get(0));
        }
        for (int i = 0; i < expected.size(); i++) {
            if (work.digest(slots.get(i)) != expected.get(i)) {
                return "the result of frame " + i + " is not that of the first way";
            }
        }
        return null;
    }

    private PipelineReport stream(Placement placement, int count) {
        List<CompletableFuture<ItemReport>> all = new ArrayList<>(count);
        try (Pipeline<S> pipeline = work.open(evener, slots, placement)) {
            for (int i = 0; i < count; i++) {
                all.add(pipeline.submit(pipeline.acquire()));
            }
            all.forEach(CompletableFuture::join);
            return pipeline.report();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EvenerException("interrupted", e);
        } catch (CompletionException e) {
            throw e.getCause() instanceof EvenerException cause ? cause : e;
        }
    }

    /** A stream as a sample; its note is how long each device was busy for a frame in each stage. */
    static Sample sample(PipelineReport report) {
        StringBuilder busy = new StringBuilder();
        for (PipelineReport.StageUse stage : report.stages()) {
            busy.append(busy.length() == 0 ? "busy for a frame: " : "; ").append(stage.name());
            stage.busyNanos()
                    .forEach((device, nanos) ->
                            busy.append(format(" %s %.2f ms", device, nanos / 1e6 / Math.max(1, stage.jobs()))));
        }
        return new Sample(report.wallNanos(), report.wallNanos(), 0, null, report.meanLatencyNanos(), busy.toString());
    }
}
