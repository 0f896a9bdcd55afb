package dev.evener.workloads.replay;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.frames.FrameException;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.record.Recording;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs the requests of a record again: each is submitted when its time has come, those that were under way at once without
 * waiting for one another, others when the ones before have ended. While data are prepared and programs built, which is done
 * before the first of those that belong together, the clock of the replay stands still, as they were ready then. Where data of so many do not fit a
 * limit on memory, or a job's data hold a result that is still to be checked, the rest waits until those before have ended. One
 * run of the record after another. One thread.
 */
public final class Replayer {
    private final Recording recording;
    private final Options options;
    private final List<Replayed> replayed = new ArrayList<>();
    private final List<List<DeviceInfo>> devices = new ArrayList<>();
    private long firstArrival = Long.MAX_VALUE;
    private long origin; // when the first request was due
    private boolean begun;
    private long makespan;

    /**
     * How to run it.
     *
     * @param opener opens an Evener on devices, with a history or, if that is null, with the user's
     * @param tuning how primitives are tuned on it
     * @param devices instead of those of the record; null for these
     * @param policy instead of that of the record, as records name it; null for this
     * @param rate how fast requests arrive; all at once is each when the one before has ended
     * @param log where jobs of a task on a selector's devices are noted
     * @param progress told now and then what is being done
     */
    public record Options(
            Function<DeviceSelector, Evener> opener,
            Function<Evener, Tuning> tuning,
            @Nullable DeviceSelector devices,
            @Nullable String policy,
            ArrivalRate rate,
            BiFunction<Recording.Task, String, JobLog> log,
            Consumer<String> progress) {}

    public Replayer(Recording recording, Options options) {
        this.recording = recording;
        this.options = options;
    }

    /**
     * Finds what prevents the replay, before any device is opened: workloads there are not, files that are gone or have
     * changed.
     *
     * @throws IllegalArgumentException in one sentence
     */
    public static void check(Recording recording) {
        List<Recording.Request> requests = recording.requests();
        if (requests.isEmpty()) {
            throw new IllegalArgumentException(
                    leftOut(recording).isEmpty()
                            ? "there are no jobs in it"
                            : "none of its jobs can be run again, as it does not say how to make their data: "
                                    + left(leftOut(recording)) + "; evener simulate works from what happened to them");
        }
        Set<Recording.Task> seen = new HashSet<>();
        Set<Recording.InputFile> files = new HashSet<>();
        for (Recording.Request request : requests) {
            if (seen.add(request.task())) {
                try {
                    Tasks.check(request.task());
                    DeviceSelector.parse(request.task().devices());
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException("request " + request.number() + ": " + e.getMessage(), e);
                }
                files.addAll(request.task().files());
            }
        }
        files.forEach(Replayer::check);
    }

    /** How many jobs of each name cannot be run again, as the record does not say how to make their data. */
    public static Map<String, Long> leftOut(Recording recording) {
        Map<String, Long> names = new LinkedHashMap<>();
        for (Recording.Run run : recording.runs()) {
            Set<Long> asked = new HashSet<>();
            run.requests().forEach(request -> asked.add(request.job()));
            for (RunEvent event : run.events()) {
                if (event instanceof RunEvent.Submitted job && !asked.contains(job.job())) {
                    names.merge(job.name(), 1L, Long::sum);
                }
            }
        }
        return names;
    }

    /** What is left out, in words, such as {@code 5 of copy, 3 of scan}. */
    public static String left(Map<String, Long> leftOut) {
        return leftOut.entrySet().stream()
                .map(each -> each.getValue() + " of " + each.getKey())
                .collect(Collectors.joining(", "));
    }

    private static void check(Recording.InputFile file) {
        if (file.sha256() == null) {
            return; // it could not be read then
        }
        Recording.InputFile now = Digests.file(file.path());
        if (now.sha256() == null) {
            throw new IllegalArgumentException(file.path() + ": this file of the record cannot be read any more");
        }
        if (!now.sha256().equals(file.sha256())) {
            throw new IllegalArgumentException(file.path() + ": this file is not what it was when it was recorded ("
                    + file.bytes() + " bytes, SHA-256 " + file.sha256() + ")");
        }
    }

    /**
     * What became of a record.
     *
     * @param jobs its requests, in order
     * @param makespanThen from the first arrival to the last result
     * @param makespanNow the same this time
     * @param devices of each run of the record, this time
     */
    public record Result(
            List<Replayed> jobs, Duration makespanThen, Duration makespanNow, List<List<DeviceInfo>> devices) {}

    /**
     * Runs everything.
     *
     * @throws IllegalArgumentException if a policy is not for these devices
     * @throws EvenerException if a device cannot be opened or there is no memory
     */
    public Result run() {
        recording.requests().forEach(r -> firstArrival = Math.min(firstArrival, r.at()));
        for (int i = 0; i < recording.runs().size(); i++) {
            Recording.Run run = recording.runs().get(i);
            if (!run.requests().isEmpty()) {
                run(i, run);
            } else {
                devices.add(List.of());
            }
        }
        Duration then = Duration.ofNanos(RecordedRun.makespan(recording.runs()));
        return new Result(List.copyOf(replayed), then, Duration.ofNanos(makespan), List.copyOf(devices));
    }

    private void run(int number, Recording.Run run) {
        DeviceSelector asked = options.devices();
        DeviceSelector selector = asked != null
                ? asked
                : DeviceSelector.parse(run.requests().get(0).task().devices());
        try (Evener evener = options.opener().apply(selector);
                TaskRunner runner = new TaskRunner(
                        evener,
                        options.tuning().apply(evener),
                        TaskRunner.MOST_BYTES,
                        task -> options.log().apply(task, selector.toString()))) {
            devices.add(evener.devices());
            Map<String, Policy> policies = new HashMap<>();
            for (Recording.Request request : run.requests()) { // before any of them runs
                policies.computeIfAbsent(
                        policy(request), text -> named(text, evener.devices().size()));
            }
            RecordedRun then = new RecordedRun(run);
            Stage stage = new Stage(number, then, evener, runner, policies);
            List<List<Recording.Request>> lists =
                    Double.isInfinite(options.rate().speed())
                            ? run.requests().stream().map(List::of).toList()
                            : then.together(run.requests());
            for (List<Recording.Request> list : lists) {
                List<Recording.Request> rest = list;
                while (!rest.isEmpty()) {
                    rest = rest.subList(stage.play(rest), rest.size());
                }
            }
        }
    }

    private static Policy named(String text, int devices) {
        try {
            return Policies.named(text, devices);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + "; or choose one with --policy or --split", e);
        }
    }

    private String policy(Recording.Request request) {
        String other = options.policy();
        return other != null ? other : request.policy();
    }

    /** A request with its data, or why a frame could not be read. */
    private record Attempt(
            Recording.Request request,
            TaskRunner.@Nullable Flight flight,
            @Nullable FrameException failure) {}

    /** One run's requests on an Evener. */
    private final class Stage {
        private final int number;
        private final RecordedRun then;
        private final Evener evener;
        private final TaskRunner runner;
        private final Map<String, Policy> policies;
        private final Map<List<Object>, History> histories = new HashMap<>(); // of a task by a policy
        private final Set<Recording.Task> built = new HashSet<>();

        Stage(int number, RecordedRun then, Evener evener, TaskRunner runner, Map<String, Policy> policies) {
            this.number = number;
            this.then = then;
            this.evener = evener;
            this.runner = runner;
            this.policies = policies;
        }

        /**
         * Prepares as many as there is room for, submits each at its time, and waits for all.
         *
         * @param requests at least one
         * @return how many of them, at least 1
         */
        int play(List<Recording.Request> requests) {
            long start = System.nanoTime();
            List<Attempt> attempts = new ArrayList<>();
            for (Recording.Request request : requests) {
                options.progress().accept("request " + request.number());
                Attempt attempt = attempts.size() < TaskRunner.MOST_AT_ONCE ? prepare(request) : null;
                if (attempt == null) {
                    break;
                }
                attempts.add(attempt);
            }
            long now = System.nanoTime();
            origin = begun ? origin + now - start : now; // preparing does not count
            begun = true;
            attempts.forEach(this::submit);
            attempts.forEach(this::end);
            attempts.forEach(each -> {
                if (each.flight() != null) {
                    runner.end(each.flight());
                }
            });
            return attempts.size();
        }

        private @Nullable Attempt prepare(Recording.Request request) {
            try {
                TaskRunner.Flight flight = runner.prepare(request.task(), request.fresh(), request.result() != null);
                if (flight != null && built.add(request.task())) {
                    runner.build(flight);
                }
                return flight == null ? null : new Attempt(request, flight, null);
            } catch (FrameException e) {
                return new Attempt(request, null, e);
            }
        }

        private void submit(Attempt attempt) {
            Recording.Request request = attempt.request();
            if (attempt.flight() != null) {
                String text = policy(request);
                // Contenders of a case learn each for itself.
                History own = request.task().command().equals("bench")
                        ? histories.computeIfAbsent(List.of(request.task(), text), key -> History.inMemory())
                        : evener.history();
                long due = origin + options.rate().due(request.at() - firstArrival);
                runner.submit(attempt.flight(), due, text, Objects.requireNonNull(policies.get(text)), own, 0);
            }
        }

        private void end(Attempt attempt) {
            Recording.Request request = attempt.request();
            TaskRunner.Flight flight = attempt.flight();
            Throwable failure = attempt.failure();
            Replayed.Outcome now = null;
            Boolean same = null;
            try {
                if (flight != null) {
                    Report report = runner.join(flight);
                    long response = report.queuedNanos() + report.buildNanos() + report.wallNanos();
                    makespan = Math.max(makespan, flight.submitted() + response - origin);
                    Recording.Digest wanted = request.result();
                    if (wanted != null) {
                        Recording.Digest found = Digests.of(flight.output());
                        runner.note(flight, found);
                        same = found.equals(wanted);
                    }
                    List<Long> units = report.devices().stream()
                            .map(Report.DeviceUse::units)
                            .toList();
                    now = new Replayed.Outcome(report.wallNanos(), response, units, null);
                }
            } catch (CompletionException e) {
                failure = e.getCause() == null ? e : e.getCause();
            }
            if (now == null) {
                String message = failure == null ? "" : String.valueOf(failure.getMessage());
                now = new Replayed.Outcome(0, 0, List.of(), message);
            }
            replayed.add(new Replayed(number, request, policy(request), then.of(request), now, same));
        }
    }
}
