package dev.evener;

import dev.evener.event.RunListener;
import dev.evener.policy.Decision;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What happened to a job. Times are nanoseconds; those of devices come from the devices' own profiling events, laid on this
 * process's clock.
 *
 * @param workload the job's name
 * @param policy the policy that cut it
 * @param units size of the index space
 * @param granule units at whose multiples alone it could be cut, for its kernels, its devices and their memory
 * @param queuedNanos from submission until a device came to it: after earlier jobs that share its data, and when one of its devices had
 *     nothing else to do. Building is not in it
 * @param dataNanos of that, until all earlier jobs and scopes with its data were over that it had to wait for, or the last of them had
 *     nothing left but what this job was enqueued behind; 0 if there were none. The rest is the wait for devices, and for the futures
 *     that it was {@linkplain Evener#submitAfter to come after}
 * @param waitedFor the last of them: a job's name, or {@code a scope}; null if there were none
 * @param buildNanos how long it waited for its programs to be built, beyond the time in which it was planned; 0 if a device was ready
 * @param planNanos of the wall time, until it was decided which device gets what
 * @param wallNanos from the start of its work until the result was complete, waiting for devices that were still at work for other jobs included; while the host
 *     puts the result together, the next job may have begun
 * @param deviceNanos from the first start on any device to the last end on any device; 0 if nothing ran
 * @param verified whether the result was checked and right; null where nobody asked
 * @param failures what went wrong on the way, and which devices came back that had failed, in one line each; the result is right all
 *     the same
 * @param decision what the policy considered and chose, or null if it had nothing to decide
 * @param devices the part of each device, in lane order
 */
public record Report(
        String workload,
        String policy,
        long units,
        long granule,
        long queuedNanos,
        long dataNanos,
        @Nullable String waitedFor,
        long buildNanos,
        long planNanos,
        long wallNanos,
        long deviceNanos,
        @Nullable Boolean verified,
        List<String> failures,
        @Nullable Decision decision,
        List<DeviceUse> devices) {

    /** Planning that takes less is not worth a word to people. */
    private static final long NOTABLE_PLAN = 1_000_000;

    public Report {
        failures = List.copyOf(failures);
        devices = List.copyOf(devices);
    }

    /**
     * Why bytes were sent to a device or fetched from it. What a {@link DataBuffer#range range} has in device memory of its own counts
     * as another device's.
     */
    public enum Cause {
        /** Sent: the device had never held them. */
        FIRST_USE,
        /** Sent: the host wrote them, or was free to, since the device held them. Fetched: a host step read them. */
        HOST,
        /** Another device had written what lies around the units of a chunk; fetched from that one, sent to the chunk's. */
        HALO,
        /** Another device had written the units' own part, as when shares change or chunks are stolen; so fetched, and sent. */
        SHARE,
        /** Another device had written them, and every chunk sees the whole buffer; so fetched, and sent. */
        WHOLE,
        /** Fetched: the device gave up its copy to make room. Sent: it had done so, or has no room to keep one. */
        EVICTION,
        /** Fetched: a chunk wrote them to a buffer that the host always holds. */
        RESULT,
        /** A chunk's partial result of a reduction: sent to be added to, and fetched. */
        REDUCTION;

        /** Its name in JSON, such as {@code firstUse}. */
        public String id() {
            return this == FIRST_USE ? "firstUse" : name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The part of one device.
     *
     * @param id the device's id
     * @param name its name
     * @param kind its class
     * @param units units it was given
     * @param share that as a fraction of the job, 0 to 1
     * @param busyNanos time at work, by the device's clock; where kernels and transfers went on at once, less than the sum of the next two. Of
     *     chunks on a GPU that are expected to take less than 0.5 ms it is the host's clock, unless a {@link RunListener} hears of them, and all of it counts
     *     as kernels
     * @param kernelNanos time in kernels
     * @param transferNanos time in transfers
     * @param chunks chunks it ran, over all phases
     * @param stolenChunks how many of them it took from others
     * @param bytesIn bytes sent to it; of one that works on the host's memory, bytes fetched from others for its chunks
     * @param bytesOut bytes fetched from it, by host steps and for other devices' chunks too
     * @param sent bytes sent to it, by cause, where there were any; nothing of one that works on the host's memory, or is simulated
     * @param fetched bytes fetched from it, in the same way
     * @param moved the bytes of both by the {@linkplain DataBuffer#named name} of the buffer, in the order of names; those without one are not in it
     * @param aloneNanos wall time predicted for the whole job on this device alone; 0 if it never ran one like it
     */
    public record DeviceUse(
            String id,
            String name,
            DeviceKind kind,
            long units,
            double share,
            long busyNanos,
            long kernelNanos,
            long transferNanos,
            int chunks,
            int stolenChunks,
            long bytesIn,
            long bytesOut,
            Map<Cause, Long> sent,
            Map<Cause, Long> fetched,
            Map<String, Long> moved,
            long aloneNanos) {

        public DeviceUse {
            sent = sent.isEmpty() ? Map.of() : Collections.unmodifiableMap(sent);
            fetched = fetched.isEmpty() ? Map.of() : Collections.unmodifiableMap(fetched);
            moved = moved.isEmpty() ? Map.of() : Collections.unmodifiableMap(moved);
        }

        /** The JSON object of this device. */
        public Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("id", id);
            map.put("name", name);
            map.put("type", kind.name().toLowerCase(Locale.ROOT));
            map.put("units", units);
            map.put("share", share);
            map.put("busySeconds", busyNanos / 1e9);
            map.put("kernelSeconds", kernelNanos / 1e9);
            map.put("transferSeconds", transferNanos / 1e9);
            map.put("chunks", chunks);
            map.put("stolenChunks", stolenChunks);
            map.put("bytesIn", bytesIn);
            map.put("bytesOut", bytesOut);
            map.put("sent", byId(sent));
            map.put("fetched", byId(fetched));
            map.put("moved", moved);
            return map;
        }

        private static Map<String, Long> byId(Map<Cause, Long> bytes) {
            Map<String, Long> map = new LinkedHashMap<>();
            bytes.forEach((cause, count) -> map.put(cause.id(), count));
            return map;
        }
    }

    /** Wall time during which the busiest device was not at work: launches, wake-ups, host steps, waiting for the others. */
    public long overheadNanos() {
        long busiest = devices.stream().mapToLong(DeviceUse::busyNanos).max().orElse(0);
        return Math.max(0, wallNanos - busiest);
    }

    /** The report as the JSON object that docs/report.md describes. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("workload", workload);
        map.put("policy", policy);
        map.put("units", units);
        map.put("granule", granule);
        map.put("queuedSeconds", queuedNanos / 1e9);
        map.put("dataSeconds", dataNanos / 1e9);
        map.put("waitedFor", waitedFor);
        map.put("buildSeconds", buildNanos / 1e9);
        map.put("planSeconds", planNanos / 1e9);
        map.put("wallSeconds", wallNanos / 1e9);
        map.put("deviceSeconds", deviceNanos / 1e9);
        map.put("overheadSeconds", overheadNanos() / 1e9);
        map.put("verified", verified);
        map.put("failures", failures);
        map.put("decision", decision == null ? null : decisionMap(decision));
        List<Map<String, Object>> list = new ArrayList<>();
        devices.forEach(d -> list.add(d.toMap()));
        map.put("devices", list);
        return map;
    }

    private Map<String, Object> decisionMap(Decision of) {
        List<Map<String, Object>> considered = new ArrayList<>();
        for (Decision.Candidate candidate : of.considered()) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("devices", candidate.devices());
            map.put("predictedSeconds", candidate.predictedNanos() > 0 ? candidate.predictedNanos() / 1e9 : null);
            map.put("doubt", candidate.doubt());
            map.put("contention", candidate.contention());
            map.put("jobs", candidate.jobs());
            considered.add(map);
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("reason", of.reason());
        map.put("chosen", of.chosen());
        map.put("predictionError", predictionError());
        map.put("considered", considered);
        map.put("exploredSeconds", of.exploredNanos() / 1e9);
        map.put("totalSeconds", of.totalNanos() / 1e9);
        List<Map<String, Object>> lanes = new ArrayList<>();
        for (Decision.Lane lane : of.lanes()) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("device", lane.device());
            each.put("fixedSeconds", lane.fixedNanos() / 1e9);
            each.put("secondsPerUnit", lane.nanosPerUnit() > 0 ? lane.nanosPerUnit() / 1e9 : null);
            each.put("doubt", lane.doubt());
            each.put("chunks", lane.chunks());
            each.put("leftOut", lane.leftOut().isEmpty() ? null : lane.leftOut());
            lanes.add(each);
        }
        map.put("lanes", lanes);
        return map;
    }

    /** How far the wall time was from what was predicted, as a fraction of the prediction; null if nothing was predicted. */
    public @Nullable Double predictionError() {
        Decision of = decision;
        if (of == null || of.considered().get(of.chosen()).predictedNanos() <= 0) {
            return null;
        }
        return wallNanos / (double) of.considered().get(of.chosen()).predictedNanos() - 1;
    }

    /**
     * Why the work was shared out as it was, in a few lines for people, with what was moved of buffers that have a name, and devices that
     * failed or were left out; empty if nothing was decided, nor stood in the way of shares, nor any of that happened.
     */
    public String explain() {
        StringBuilder text = new StringBuilder();
        if (decision != null) {
            text.append(Explanation.of(this, decision));
        } else if (isCoarse()) {
            Explanation.line(
                    text, "%s, %d units, policy %s: it may be cut every %d units", workload, units, policy, granule);
        }
        for (DeviceUse each : devices) {
            each.moved()
                    .forEach((buffer, bytes) -> Explanation.line(
                            text,
                            "    device %s: %d bytes of buffer '%s' were sent to it or fetched",
                            each.id(),
                            bytes,
                            buffer));
        }
        failures.forEach(each -> Explanation.line(text, "    %s", each));
        return text.toString();
    }

    /** Whether shares cannot be what was asked for. */
    private boolean isCoarse() {
        return granule > units / 20 && Math.min(granule, units) > 1;
    }

    /**
     * Whether more than half of its time was the way to the devices and back. Such jobs go several at a time: by {@link Evener#batch} or
     * an {@link dev.evener.iteration.Iteration}, or submitted without waiting for each.
     */
    public boolean isShort() {
        long overhead = overheadNanos();
        return overhead < wallNanos && 2 * overhead > wallNanos; // a device was at work
    }

    /** One line for people. */
    public String summary() {
        StringBuilder line = new StringBuilder(
                String.format(Locale.ROOT, "%s: %d units in %.3f ms (%s)", workload, units, wallNanos / 1e6, policy));
        if (buildNanos > 0) {
            line.append(String.format(Locale.ROOT, ", after %.3f ms of building", buildNanos / 1e6));
        }
        if (planNanos > NOTABLE_PLAN && planNanos > wallNanos / 20) {
            line.append(String.format(Locale.ROOT, ", planned in %.3f ms", planNanos / 1e6));
        }
        if (isCoarse() && devices.size() > 1) {
            line.append(", cut every ").append(granule).append(" units");
        }
        for (DeviceUse device : devices) {
            line.append(String.format(
                    Locale.ROOT,
                    "; %s %.1f%% busy %.3f ms",
                    device.id(),
                    100 * device.share(),
                    device.busyNanos() / 1e6));
        }
        if (isShort()) {
            line.append("; shorter than its way");
        }
        return line.toString();
    }

    /** A decision in words: the model in use, the sets considered, and what became of it. Stateless. */
    private static final class Explanation {
        private Explanation() {}

        static String of(Report report, Decision decision) {
            StringBuilder text = new StringBuilder();
            line(
                    text,
                    "%s, %d units, policy %s: %s",
                    report.workload(),
                    report.units(),
                    report.policy(),
                    decision.reason());
            for (Decision.Lane lane : decision.lanes()) {
                String leftOut = lane.leftOut().isEmpty() ? "" : "; left out: " + lane.leftOut();
                if (lane.nanosPerUnit() > 0) {
                    line(
                            text,
                            "    device %s: %s a chunk + %s a unit ± %.1f%%, from %d %s%s",
                            lane.device(),
                            time(lane.fixedNanos()),
                            time(lane.nanosPerUnit()),
                            100 * lane.doubt(),
                            lane.chunks(),
                            lane.chunks() == 1 ? "chunk" : "chunks",
                            leftOut);
                } else {
                    line(text, "    device %s: nothing is known%s", lane.device(), leftOut);
                }
            }
            for (int i = 0; i < decision.considered().size(); i++) {
                Decision.Candidate candidate = decision.considered().get(i);
                line(
                        text,
                        "  %s %s: %s",
                        i == decision.chosen() ? ">" : " ",
                        String.join(" + ", candidate.devices()),
                        predicted(candidate));
            }
            if (decision.totalNanos() > 0) {
                line(
                        text,
                        "    looks at other devices have cost %.2f%% of the time so far",
                        100 * decision.exploredNanos() / decision.totalNanos());
            }
            if (report.granule() > 1) {
                line(text, "    it may be cut every %d units", report.granule());
            }
            end(text, report);
            return text.toString();
        }

        private static void end(StringBuilder text, Report report) {
            Double error = report.predictionError();
            line(
                    text,
                    "  it took %s%s",
                    time((double) report.wallNanos()),
                    error == null
                            ? ""
                            : String.format(
                                    Locale.ROOT,
                                    ", %.1f%% %s than predicted",
                                    Math.abs(100 * error),
                                    error < 0 ? "less" : "more"));
            if (report.isShort()) {
                line(
                        text,
                        "  this job is shorter than its way to the devices and back, %s: submit several by batch(...), or as an"
                                + " Iteration",
                        time((double) report.overheadNanos()));
            }
        }

        private static String predicted(Decision.Candidate candidate) {
            if (candidate.predictedNanos() <= 0) {
                return "nothing is known";
            }
            String contention = candidate.devices().size() == 1
                    ? ""
                    : String.format(Locale.ROOT, ", %.2f x the time for a unit alone", candidate.contention());
            return String.format(
                    Locale.ROOT,
                    "%s ± %.1f%%%s, %s",
                    time((double) candidate.predictedNanos()),
                    100 * candidate.doubt(),
                    contention,
                    candidate.jobs() == 0
                            ? "not run yet"
                            : candidate.jobs() + (candidate.jobs() == 1 ? " job" : " jobs"));
        }

        private static String time(double nanos) {
            return nanos < 1e3
                    ? String.format(Locale.ROOT, "%.3g ns", nanos)
                    : nanos < 1e6
                            ? String.format(Locale.ROOT, "%.1f µs", nanos / 1e3)
                            : String.format(Locale.ROOT, "%.3f ms", nanos / 1e6);
        }

        private static void line(StringBuilder text, String format, Object... values) {
            text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
        }
    }
}
