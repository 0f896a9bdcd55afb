package dev.evener.kernels.pipeline;

import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a {@link Pipeline} did so far. Times are nanoseconds.
 *
 * @param items items that went through all stages
 * @param failed items that did not: a stage failed, or they were cancelled
 * @param wallNanos from the first submission to the end of the last item that has ended; 0 if none has
 * @param meanLatencyNanos mean time from an item's submission until its last stage was done, of {@code items}; 0 if none
 * @param maxLatencyNanos the longest
 * @param stages what each stage did, in order
 */
public record PipelineReport(
        long items, long failed, long wallNanos, long meanLatencyNanos, long maxLatencyNanos, List<StageUse> stages) {
    public PipelineReport {
        stages = List.copyOf(stages);
    }

    /**
     * The work of one stage.
     *
     * @param name its name
     * @param threads of a host stage; 0 of one on devices
     * @param jobs jobs, or items of a host stage, that were done
     * @param queuedNanos time that jobs waited for their devices, all together
     * @param wallNanos time from when their devices were free until they were done, or that threads worked, all together
     * @param heldNanos time in which the stream waited for this stage: it had an item for each thread, or its devices a job, and
     *     one more waited for them, and no later stage was like that; or it was the first of those that worked when none was
     * @param busyNanos time in kernels and transfers by the id of the device, in the order of devices
     */
    public record StageUse(
            String name,
            int threads,
            long jobs,
            long queuedNanos,
            long wallNanos,
            long heldNanos,
            Map<String, Long> busyNanos) {}

    /** The stage that the stream waited for most. */
    public StageUse bottleneck() {
        return Collections.max(stages, Comparator.comparingLong(StageUse::heldNanos));
    }

    /** Items per second of {@code wallNanos}; 0 if there is none. */
    public double itemsPerSecond() {
        return wallNanos == 0 ? 0 : items * 1e9 / wallNanos;
    }

    /** The JSON object that docs/pipeline.md describes. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("items", items);
        map.put("failed", failed);
        map.put("wallSeconds", wallNanos / 1e9);
        map.put("itemsPerSecond", itemsPerSecond());
        map.put("meanLatencySeconds", meanLatencyNanos / 1e9);
        map.put("maxLatencySeconds", maxLatencyNanos / 1e9);
        map.put("stages", stages.stream().map(PipelineReport::toMap).toList());
        return map;
    }

    private static Map<String, Object> toMap(StageUse stage) {
        Map<String, Object> busy = new LinkedHashMap<>();
        stage.busyNanos().forEach((device, nanos) -> busy.put(device, nanos / 1e9));
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", stage.name());
        map.put("threads", stage.threads());
        map.put("jobs", stage.jobs());
        map.put("queuedSeconds", stage.queuedNanos() / 1e9);
        map.put("wallSeconds", stage.wallNanos() / 1e9);
        map.put("heldSeconds", stage.heldNanos() / 1e9);
        map.put("busySeconds", busy);
        return map;
    }
}
