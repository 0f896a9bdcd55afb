package dev.evener.workloads.experiment;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.kernels.pipeline.ItemReport;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.kernels.pipeline.Placement;
import dev.evener.workloads.workload.FrameWork;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The same stream of frames with the work placed in different ways: each device alone, every frame split over all, the two
 * stages on different devices, and each stage split over all. All of them go through a pipeline over the same slots, with the
 * same number of frames under way. After two streams of each that do not count, in which all results are checked, the ways are
 * measured in rounds, each once a round, in an order drawn anew. One thread.
 */
public final class PipelineRace {
    static final String ALONE = "alone ";

    private static final int WARM_UPS = 2;

    private PipelineRace() {}

    /** Every way on these devices, by name, in the order of the report. */
    public static Map<String, Placement> ways(Evener evener) {
        List<String> ids = evener.devices().stream().map(d -> d.id()).toList();
        Map<String, Placement> ways = new LinkedHashMap<>();
        for (String id : ids) {
            ways.put(ALONE + id, Placement.whole(DeviceSelector.parse(id)));
        }
        if (ids.size() > 1) {
            ways.put("frames split", Placement.whole(DeviceSelector.all()));
        }
        for (String first : ids) {
            for (String second : ids) {
                if (!first.equals(second)) {
                    Placement placement = Placement.stages(DeviceSelector.parse(first), DeviceSelector.parse(second));
                    ways.put("stages " + placement, placement);
                }
            }
        }
        if (ids.size() > 1) {
            ways.put("stages split", Placement.split(2));
        }
        return ways;
    }

    /**
     * Measures all ways.
     *
     * @param frames how many the stream has
     * @param rounds how often each way is measured
     * @param seed of the order
     * @param progress told now and then in a few words what is being done
     * @throws EvenerException if a frame fails
     */
    public static <S> List<PipelineFinding> run(
            Evener evener, FrameWork.Prepared<S> work, int frames, int rounds, long seed, Consumer<String> progress) {
        Map<String, Placement> ways = ways(evener);
        List<String> names = List.copyOf(ways.keySet());
        Map<String, String> problems = new LinkedHashMap<>();
        List<Long> expected = new ArrayList<>();
        ways.forEach((name, placement) -> {
            progress.accept("trying " + name);
            for (int i = 0; i < WARM_UPS; i++) {
                work.slots().forEach(work::clear);
                stream(work, placement, Math.max(frames, work.slots().size()));
                String problem = check(work, expected);
                if (problem != null) {
                    problems.put(name, problem);
                }
            }
        });
        List<List<PipelineReport>> reports = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            reports.add(new ArrayList<>());
            order.add(i);
        }
        Random random = new Random(seed);
        for (int round = 0; round < rounds; round++) {
            progress.accept("round " + (round + 1) + " of " + rounds);
            Collections.shuffle(order, random);
            for (int i : order) {
                reports.get(i).add(stream(work, placement(ways, names.get(i)), frames));
            }
        }
        List<PipelineFinding> findings = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            findings.add(new PipelineFinding(name, placement(ways, name), reports.get(i), problems.get(name)));
        }
        return findings;
    }

    private static Placement placement(Map<String, Placement> ways, String name) {
        Placement placement = ways.get(name);
        if (placement == null) {
            throw new IllegalStateException("there is no way " + name);
        }
        return placement;
    }

    /** The first way's first result is compared with the reference, every later one with the first way's. */
    private static <S> @Nullable String check(FrameWork.Prepared<S> work, List<Long> expected) {
        if (expected.isEmpty()) {
            work.slots().forEach(slot -> expected.add(work.digest(slot)));
            return work.mismatch(work.slots().get(0));
        }
        for (int i = 0; i < expected.size(); i++) {
            if (work.digest(work.slots().get(i)) != expected.get(i)) {
                return "the result of frame " + i + " is not that of the first way";
            }
        }
        return null;
    }

    private static <S> PipelineReport stream(FrameWork.Prepared<S> work, Placement placement, int frames) {
        List<CompletableFuture<ItemReport>> all = new ArrayList<>(frames);
        try (Pipeline<S> pipeline = work.open(placement)) {
            for (int i = 0; i < frames; i++) {
                all.add(pipeline.submit(pipeline.acquire(), report -> {}));
            }
            for (CompletableFuture<ItemReport> each : all) {
                each.join();
            }
            return pipeline.report();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EvenerException("interrupted", e);
        } catch (CompletionException e) {
            throw e.getCause() instanceof EvenerException cause ? cause : e;
        }
    }
}
