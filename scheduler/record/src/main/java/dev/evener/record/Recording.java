package dev.evener.record;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Recorder} wrote and a {@link RecordReader} read: docs/records.md has the file's format. Immutable.
 *
 * @param header when and where it was made
 * @param runs one for each Evener that was opened, in order
 * @param complete whether the record was brought to its end; false only for what was read as {@linkplain
 *     RecordReader#readPartial partial}
 * @param skipped events of kinds that this version does not know, as a newer one may have written them: how many, by
 *     kind
 */
public record Recording(Header header, List<Run> runs, boolean complete, Map<String, Long> skipped) {
    public Recording {
        runs = List.copyOf(runs);
        skipped = Collections.unmodifiableMap(new TreeMap<>(skipped));
    }

    /** One of which every event is known. */
    public Recording(Header header, List<Run> runs, boolean complete) {
        this(header, runs, complete, Map.of());
    }

    /** What was passed over, in a line for each kind. */
    public List<String> notes() {
        return skipped.entrySet().stream()
                .map(e -> e.getValue() + " events of kind '" + Checked.plain(e.getKey(), 60)
                        + "' were passed over: a newer Evener knows them")
                .toList();
    }

    /** Requests of all runs, in order. */
    public List<Request> requests() {
        return runs.stream().flatMap(run -> run.requests().stream()).toList();
    }

    /** Events of all runs together. */
    public long events() {
        return runs.stream().mapToLong(run -> run.events().size()).sum();
    }

    /**
     * When and where a record was made.
     *
     * @param evener version of Evener; null if it did not know
     * @param date when it began; times in the record are nanoseconds since then
     * @param machine on what
     */
    public record Header(@Nullable String evener, Instant date, Machine machine) {}

    /**
     * A machine.
     *
     * @param os name, version and architecture of its operating system
     * @param cpu name of its processor
     * @param cores processors that the JVM could use
     * @param memoryBytes its memory, or the container's; 0 if unknown
     * @param jvm name and version of the JVM
     */
    public record Machine(String os, String cpu, int cores, long memoryBytes, String jvm) {}

    /**
     * What happened in one Evener.
     *
     * @param at when it was opened
     * @param devices those that events refer to by index
     * @param requests what was asked for, in order; none where an application recorded its jobs without saying what they are
     * @param events what happened, in the order of the record
     */
    public record Run(long at, List<DeviceInfo> devices, List<Request> requests, List<RunEvent> events) {
        public Run {
            devices = List.copyOf(devices);
            requests = List.copyOf(requests);
            events = List.copyOf(events);
        }
    }

    /**
     * A workload with its data, which requests run.
     *
     * @param command the command of the command line, such as {@code run} or {@code tonemap}
     * @param workload what it runs
     * @param devices the selector of devices that was asked for
     * @param items size in items of the workload
     * @param distribution how made-up data are spread; null for data from files, and for workloads that read none
     * @param seed what made-up data come from
     * @param parameters what is set, by name, as the command line takes it
     * @param files where other data come from, in the order in which the workload reads them
     */
    public record Task(
            String command,
            String workload,
            String devices,
            long items,
            @Nullable String distribution,
            long seed,
            Map<String, String> parameters,
            List<InputFile> files) {
        public Task {
            parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
            files = List.copyOf(files);
        }
    }

    /**
     * A file that was read.
     *
     * @param path absolute
     * @param bytes how long it was
     * @param sha256 SHA-256 of its content, 64 hexadecimal digits; null if it could not be read
     */
    public record InputFile(Path path, long bytes, @Nullable String sha256) {}

    /**
     * A job that was asked for.
     *
     * @param number from 1, in order, over the whole record
     * @param task what was to run
     * @param at its arrival
     * @param policy how it was to be cut: a name, {@code static:0.7,0.3} for fixed shares, or {@code single:1} for all on the
     *     device of that index
     * @param fresh whether the data were as at first, so that the result does not hang on the requests before it
     * @param job number of its job in the run; 0 if none was submitted before the record ended
     * @param result what came out; null if that was not noted
     */
    public record Request(
            long number,
            Task task,
            long at,
            String policy,
            boolean fresh,
            long job,
            @Nullable Digest result) {
        Request withJob(long submitted) {
            return new Request(number, task, at, policy, fresh, submitted, result);
        }

        Request withResult(Digest digest) {
            return new Request(number, task, at, policy, fresh, job, digest);
        }
    }

    /**
     * What tells a result from all others.
     *
     * @param bytes how long it is
     * @param sha256 SHA-256 of its bytes, 64 hexadecimal digits
     */
    public record Digest(long bytes, String sha256) {
        public Digest {
            Objects.requireNonNull(sha256, "sha256");
        }
    }
}
