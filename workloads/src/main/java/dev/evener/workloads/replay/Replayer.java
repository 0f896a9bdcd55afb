package dev.evener.workloads.replay;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.history.History;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import dev.evener.record.Recording;
import dev.evener.workloads.frame.FrameException;
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
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the requests of a record again, one after another as they were submitted: each when its time has come and the one
 * before has ended, as jobs that use all devices queue for them anyway. While data are prepared the clock of the replay
 * stands still, as they were ready then. Data stay prepared, within a limit on memory. One thread.
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
     * @param speed how many times as fast as then requests arrive; infinite for at once
     * @param progress told now and then what is being done
     */
    public record Options(
            Function<DeviceSelector, Evener> opener,
            Function<Evener, Tuning> tuning,
            @Nullable DeviceSelector devices,
            @Nullable String policy,
            double speed,
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
    public void check() {
        List<Recording.Request> requests = recording.requests();
        if (requests.isEmpty()) {
            throw new IllegalArgumentException(
                    "there are no requests in it that could be run again; records of the command line have some");
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
        Then then = new Then(run);
        try (Evener evener = options.opener().apply(selector);
                Prepared prepared = new Prepared(evener, options.tuning().apply(evener))) {
            devices.add(evener.devices());
            Map<String, Policy> policies = new HashMap<>();
            for (Recording.Request request : run.requests()) { // before any of them runs
                policies.computeIfAbsent(
                        policy(request),
                        text -> PolicyText.parse(text, evener.devices().size()));
            }
            Map<Recording.Task, Map<String, History>> histories = new HashMap<>();
            for (Recording.Request request : run.requests()) {
                String text = policy(request);
                options.progress().accept("request " + request.number());
                // Contenders of a comparison learn each for itself.
                History own = request.task().command().equals("compare")
                        ? histories
                                .computeIfAbsent(request.task(), t -> new HashMap<>())
                                .computeIfAbsent(text, t -> History.inMemory())
                        : evener.history();
                Policy policy = Objects.requireNonNull(policies.get(text));
                replayed.add(run(number, then, evener, prepared, request, policy, own));
            }
        }
    }

    private String policy(Recording.Request request) {
        String other = options.policy();
        return other != null ? other : request.policy();
    }

    private Replayed run(
            int number,
            Then then,
            Evener evener,
            Prepared prepared,
            Recording.Request request,
            Policy policy,
            History history) {
        long start = System.nanoTime();
        Replayed.Outcome before = then.of(request);
        Replayed.Outcome now;
        Boolean same = null;
        try {
            ReplayTask task = prepared.task(request);
            if (request.fresh()) {
                task.refresh();
            }
            awaitArrival(request, start);
            Report report = evener.submit(task.job(), policy, history).join();
            makespan = System.nanoTime() - origin;
            Recording.Digest wanted = request.result();
            if (wanted != null) {
                same = Digests.of(task.output()).equals(wanted);
            }
            now = new Replayed.Outcome(
                    report.wallNanos(),
                    report.devices().stream().map(Report.DeviceUse::units).toList(),
                    null);
        } catch (CompletionException e) {
            now = failed(e.getCause() == null ? e : e.getCause());
        } catch (FrameException e) {
            now = failed(e);
        }
        return new Replayed(number, request, policy(request), before, now, same);
    }

    private static Replayed.Outcome failed(Throwable cause) {
        return new Replayed.Outcome(0, List.of(), String.valueOf(cause.getMessage()));
    }

    /** @param start when its preparation began */
    private void awaitArrival(Recording.Request request, long start) {
        long now = System.nanoTime();
        if (!begun) {
            begun = true;
            origin = now;
        } else {
            origin += now - start; // preparing does not count
        }
        long due = origin + (long) ((request.at() - firstArrival) / options.speed());
        for (long left = due - now; left > 0; left = due - System.nanoTime()) {
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
        return Duration.ofNanos(Then.makespan(recording.runs()));
    }

    /** From the first arrival to the last end, now. */
    public Duration makespanNow() {
        return Duration.ofNanos(makespan);
    }

    /** Tasks with their data, those used longest ago dropped when there are too many. */
    private static final class Prepared implements AutoCloseable {
        private static final long MOST_BYTES =
                Math.min(1L << 30, Runtime.getRuntime().maxMemory() / 4);

        private final Evener evener;
        private final Tuning tuning;
        private final Map<Recording.Task, ReplayTask> tasks = new LinkedHashMap<>(16, 0.75f, true);
        private long bytes;

        Prepared(Evener evener, Tuning tuning) {
            this.evener = evener;
            this.tuning = tuning;
        }

        ReplayTask task(Recording.Request request) throws FrameException {
            ReplayTask known = tasks.get(request.task());
            if (known != null) {
                return known;
            }
            while (bytes > MOST_BYTES && !tasks.isEmpty()) {
                Recording.Task oldest = tasks.keySet().iterator().next();
                try (ReplayTask dropped = tasks.remove(oldest)) {
                    bytes -= dropped.bytes();
                }
            }
            ReplayTask made = ReplayTask.prepare(evener, tuning, request.task());
            tasks.put(request.task(), made);
            bytes += made.bytes();
            return made;
        }

        @Override
        public void close() {
            tasks.values().forEach(ReplayTask::close);
            tasks.clear();
        }
    }
}
