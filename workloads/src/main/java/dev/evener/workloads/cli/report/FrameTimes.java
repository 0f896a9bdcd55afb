package dev.evener.workloads.cli.report;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.frames.StreamReport;
import dev.evener.frames.StreamReport.MappedFrame;
import dev.evener.frames.StreamReport.Step;
import dev.evener.frames.StreamReport.Times;
import dev.evener.kernels.pipeline.PipelineReport.StageUse;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Where the time of a stream's frames went, step by step; what of the run was busy for the largest part of it; and the host's memory.
 *
 * @param totals of the stream's frames
 */
record FrameTimes(StreamReport stream, DeviceTotals totals) {
    /**
     * A step of a frame.
     *
     * @param stage that it is of; of waits, the one that is waited for
     */
    private record Part(String name, String stage, boolean waits, ToLongFunction<MappedFrame> nanos) {}

    /** What had something to do for this part of the run, 0 to 1, and what that was. */
    private record Busy(String name, String workers, double part, String mostly) {}

    private static final List<Part> PARTS = parts();

    private static List<Part> parts() {
        List<Part> parts = new ArrayList<>();
        for (Step step : Step.values()) {
            if (step == Step.FETCHING) { // the first after the job
                parts.add(new Part("waiting for a device", "devices", true, f -> {
                    Times times = f.times();
                    return times.submitted() - times.readTo() + waited(f.report());
                }));
                parts.add(new Part("transfers", "devices", false, f -> sum(f, DeviceUse::transferNanos)));
                parts.add(new Part("kernels", "devices", false, f -> sum(f, DeviceUse::kernelNanos)));
                parts.add(new Part(
                        "launches and host steps",
                        "devices",
                        true,
                        f -> f.report().overheadNanos() / f.together()));
                parts.add(new Part("waiting for a writer", "write", true, f -> {
                    Times times = f.times();
                    long inJob = waited(f.report()) + f.report().wallNanos();
                    return Math.max(0, times.writeFrom() - times.submitted() - inJob);
                }));
            }
            String name = step.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            String stage = step.compareTo(Step.FETCHING) < 0 ? "read" : "write";
            parts.add(new Part(
                    name,
                    stage,
                    step == Step.WAITING_FOR_ROOM,
                    f -> f.times().steps().getOrDefault(step, 0L)));
        }
        return List.copyOf(parts);
    }

    private static long waited(Report job) {
        return job.queuedNanos() + job.buildNanos();
    }

    private static long sum(MappedFrame frame, ToLongFunction<DeviceUse> figure) {
        return frame.report().devices().stream().mapToLong(figure).sum() / frame.together();
    }

    private long total(Part part) {
        return stream.frames().stream().mapToLong(part.nanos()).sum();
    }

    private double median(Part part) {
        List<MappedFrame> all = stream.frames();
        return Statistics.median(all.subList(all.size() / 2, all.size()), part.nanos()::applyAsLong);
    }

    /** A line each: the steps of a frame that took any time, what was busy most, memory. */
    String text() {
        String steps = PARTS.stream()
                .filter(part -> total(part) > 0)
                .map(part -> format("%s %.3f", part.name(), median(part) / 1e6))
                .collect(Collectors.joining(", "));
        StreamReport.Memory memory = stream.memory();
        return format("a frame, ms: %s%n", steps)
                + (expanded() == 0
                        ? ""
                        : format(
                                "run-length code: expanded by devices in %s%n", TextTable.counted(expanded(), "frame")))
                + format(
                        "busiest: %s%n",
                        busiest()
                                .map(b -> format(
                                        "%s, %s busy %.0f%% of the time, mostly %s",
                                        b.name(), b.workers(), 100 * b.part(), b.mostly()))
                                .orElse("nothing"))
                + format(
                        "memory: buffers of %s at most, budget %s; allocated %d times, %s in %.3f s; page-locked %d times, %s in %.3f s%n",
                        mebibytes(memory.most()),
                        mebibytes(memory.budget()),
                        memory.allocations(),
                        mebibytes(memory.allocatedBytes()),
                        memory.allocationNanos() / 1e9,
                        memory.locks(),
                        mebibytes(memory.lockedBytes()),
                        memory.lockNanos() / 1e9);
    }

    private long expanded() {
        return stream.frames().stream().filter(MappedFrame::expanded).count();
    }

    private static String mebibytes(long bytes) {
        return format("%.1f MiB", bytes / (double) (1 << 20));
    }

    /** Adds the same to the object of docs/report.md. */
    void addTo(Map<String, Object> map) {
        List<Map<String, Object>> steps = new ArrayList<>();
        for (Part part : stream.frames().isEmpty() ? List.<Part>of() : PARTS) {
            Map<String, Object> step = new LinkedHashMap<>();
            step.put("step", part.name());
            step.put("stage", part.stage());
            step.put("medianSeconds", median(part) / 1e9);
            step.put("totalSeconds", total(part) / 1e9);
            steps.add(step);
        }
        map.put("steps", steps);
        map.put("expandedFrames", expanded());
        map.put("busiest", busiest().map(FrameTimes::toMap).orElse(null));
        StreamReport.Memory memory = stream.memory();
        Map<String, Object> host = new LinkedHashMap<>();
        host.put("budgetBytes", memory.budget());
        host.put("mostBytes", memory.most());
        host.put("allocations", memory.allocations());
        host.put("allocatedBytes", memory.allocatedBytes());
        host.put("allocationSeconds", memory.allocationNanos() / 1e9);
        host.put("locks", memory.locks());
        host.put("lockedBytes", memory.lockedBytes());
        host.put("lockSeconds", memory.lockNanos() / 1e9);
        map.put("memory", host);
    }

    private static Map<String, Object> toMap(Busy busy) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", busy.name());
        map.put("busy", busy.part());
        map.put("step", busy.mostly());
        return map;
    }

    /** A part of the run that a device was at work. */
    double busy(int lane) {
        return totals.sum(lane, DeviceUse::busyNanos)
                / Math.max(1, stream.pipeline().wallNanos());
    }

    /** Of the threads of each stage, and of each device, those that were at work for the largest part of the run. */
    private Optional<Busy> busiest() {
        List<Busy> all = new ArrayList<>();
        for (StageUse stage : stream.pipeline().stages()) {
            int threads = stage.threads();
            if (threads > 0) {
                double part = (stage.wallNanos() - waits(stage.name()))
                        / (double) (threads * Math.max(1, stream.pipeline().wallNanos()));
                all.add(new Busy(stage.name(), TextTable.counted(threads, "thread"), part, mostly(stage.name())));
            }
        }
        for (int lane : totals.lanes()) {
            boolean kernels = totals.sum(lane, DeviceUse::kernelNanos) >= totals.sum(lane, DeviceUse::transferNanos);
            all.add(new Busy(
                    totals.devices().get(lane).id(), "a device", busy(lane), kernels ? "in kernels" : "in transfers"));
        }
        return all.stream().filter(busy -> busy.part() > 0).max(Comparator.comparingDouble(Busy::part));
    }

    /** Of the time that a stage's threads had items, how long they waited for others. */
    private long waits(String stage) {
        return stage.equals("read")
                ? stream.frames().stream()
                        .mapToLong(f -> f.times().steps().getOrDefault(Step.WAITING_FOR_ROOM, 0L))
                        .sum()
                : 0;
    }

    private String mostly(String stage) {
        return PARTS.stream()
                .filter(part -> part.stage().equals(stage) && !part.waits())
                .max(Comparator.comparingLong(this::total))
                .map(Part::name)
                .orElse("");
    }
}
