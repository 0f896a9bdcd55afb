package dev.evener.workloads.replay;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Report;
import dev.evener.RunEvent;
import dev.evener.frames.FrameException;
import dev.evener.kernels.tuning.Tuning;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
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
    /** Jobs that may be under way at once; whoever would be one more is late. */
    private static final int MOST_AT_ONCE = 1024;

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
     * @param speed how many times as fast as then requests arrive; infinite for each when the one before has ended
     * @param log where jobs of a task on a selector's devices are noted
     * @param progress told now and then what is being done
     */
    public record Options(
            Function<DeviceSelector, Evener> opener,
            Function<Evener, Tuning> tuning,
            @Nullable DeviceSelector devices,
            @Nullable String policy,
            double speed,
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
                    ReplayTask.check(request.task());
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
     * Runs everything.
     *
     * @throws IllegalArgumentException if a policy is not for these devices
     * @throws EvenerException if a device cannot be opened or there is no memory
     */
    public List<Replayed> run() {
        recording.requests().forEach(r -> firstArrival = Math.min(firstArrival, r.at()));
        for (int i = 0; i < recording.runs().size(); i++) {
            Recording.Run run = recording.runs().get(i);
            if (!run.requests().isEmpty()) {
                run(i, run);
            } else {
                devices.add(List.of());
            }
        }
        return List.copyOf(replayed);
    }

    private void run(int number, Recording.Run run) {
        DeviceSelector asked = options.devices();
        DeviceSelector selector = asked != null
                ? asked
                : DeviceSelector.parse(run.requests().get(0).task().devices());
        try (Evener evener = options.opener().apply(selector);
                TaskStock stock = new TaskStock(evener, options.tuning().apply(evener))) {
            devices.add(evener.devices());
            Map<String, Policy> policies = new HashMap<>();
            for (Recording.Request request : run.requests()) { // before any of them runs
                policies.computeIfAbsent(
                        policy(request),
                        text -> PolicyText.parse(text, evener.devices().size()));
            }
            RecordedRun then = new RecordedRun(run);
            Stage stage = new Stage(number, then, evener, selector, stock, policies);
            List<List<Recording.Request>> lists = Double.isInfinite(options.speed())
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

    private String policy(Recording.Request request) {
        String other = options.policy();
        return other != null ? other : request.policy();
    }

    /** One run's requests on an Evener. */
    private final class Stage {
        private final int number;
        private final RecordedRun then;
        private final Evener evener;
        private final String selector;
        private final TaskStock stock;
        private final Map<String, Policy> policies;
        private final Map<Recording.Task, Map<String, History>> histories = new HashMap<>();
        private final Map<Recording.Task, JobLog> logs = new HashMap<>();
        private final Set<Recording.Task> built = new HashSet<>();

        Stage(
                int number,
                RecordedRun then,
                Evener evener,
                DeviceSelector selector,
                TaskStock stock,
                Map<String, Policy> policies) {
            this.number = number;
            this.then = then;
            this.evener = evener;
            this.selector = selector.toString();
            this.stock = stock;
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
            List<Flight> flights = new ArrayList<>();
            for (Recording.Request request : requests) {
                options.progress().accept("request " + request.number());
                Flight flight = flights.size() < MOST_AT_ONCE ? prepare(request) : null;
                if (flight == null) {
                    break;
                }
                flights.add(flight);
            }
            standStill(start);
            try {
                flights.forEach(this::submit);
                flights.forEach(flight -> replayed.add(outcome(flight)));
            } finally {
                flights.forEach(Flight::await); // their data are closed next
            }
            stock.release();
            return flights.size();
        }

        private @Nullable Flight prepare(Recording.Request request) {
            try {
                TaskStock.Copy copy = stock.take(request);
                if (copy == null) {
                    return null;
                }
                if (built.add(request.task())) { // what does not build is for the job to say
                    evener.prepare(copy.data().job().get())
                            .handle((done, failure) -> true)
                            .join();
                }
                return new Flight(request, copy.data());
            } catch (FrameException e) {
                Flight failed = new Flight(request, null);
                failed.job = CompletableFuture.failedFuture(e);
                return failed;
            }
        }

        private void submit(Flight flight) {
            Recording.Request request = flight.request;
            if (flight.data == null) {
                return; // a frame that could not be read
            }
            awaitArrival(request);
            String text = policy(request);
            // Contenders of a case learn each for itself.
            History own = request.task().command().equals("bench")
                    ? histories
                            .computeIfAbsent(request.task(), t -> new HashMap<>())
                            .computeIfAbsent(text, t -> History.inMemory())
                    : evener.history();
            JobLog log = log(request.task());
            if (request.fresh()) {
                log.fresh();
            }
            flight.noted = log.asked(text);
            flight.submitted = System.nanoTime();
            flight.job = evener.submit(flight.data.job().get(), Objects.requireNonNull(policies.get(text)), own);
        }

        private JobLog log(Recording.Task task) {
            return logs.computeIfAbsent(task, t -> options.log().apply(t, selector));
        }

        private Replayed outcome(Flight flight) {
            Recording.Request request = flight.request;
            Replayed.Outcome now;
            Boolean same = null;
            try {
                Report report = flight.job.join();
                long response = report.queuedNanos() + report.buildNanos() + report.wallNanos();
                makespan = Math.max(makespan, flight.submitted + response - origin);
                Recording.Digest wanted = request.result();
                if (wanted != null && flight.data != null) {
                    Recording.Digest found = Digests.of(flight.data.output().get());
                    log(request.task()).done(flight.noted, () -> found);
                    same = found.equals(wanted);
                }
                now = new Replayed.Outcome(
                        report.wallNanos(),
                        response,
                        report.devices().stream().map(Report.DeviceUse::units).toList(),
                        null);
            } catch (CompletionException e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                now = new Replayed.Outcome(0, 0, List.of(), String.valueOf(cause.getMessage()));
            }
            return new Replayed(number, request, policy(request), then.of(request), now, same);
        }
    }

    /** A request with its data, and its job once that is submitted. */
    private static final class Flight {
        private final Recording.Request request;
        private final @Nullable ReplayTask data;
        private CompletableFuture<Report> job = new CompletableFuture<>();
        private long submitted;
        private long noted;

        Flight(Recording.Request request, @Nullable ReplayTask data) {
            this.request = request;
            this.data = data;
        }

        /** Waits for its end, if it was submitted. */
        void await() {
            if (submitted != 0) {
                job.handle((report, failure) -> true).join();
            }
        }
    }

    /**
     * Preparing does not count.
     *
     * @param start when it began
     */
    private void standStill(long start) {
        long now = System.nanoTime();
        if (begun) {
            origin += now - start;
        } else {
            begun = true;
            origin = now;
        }
    }

    private void awaitArrival(Recording.Request request) {
        long due = origin + (long) ((request.at() - firstArrival) / options.speed());
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new EvenerException("the replay was interrupted");
            }
        }
    }

    /** The devices of each run this time. */
    public List<List<DeviceInfo>> devices() {
        return List.copyOf(devices);
    }

    /** From the first arrival to the last end, then. */
    public Duration makespanThen() {
        return Duration.ofNanos(RecordedRun.makespan(recording.runs()));
    }

    /** From the first arrival to the last end, now. */
    public Duration makespanNow() {
        return Duration.ofNanos(makespan);
    }
}
