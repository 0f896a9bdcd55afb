package dev.evener.workloads.replay;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.frames.FrameException;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import dev.evener.record.Recording;
import dev.evener.workloads.workload.Output;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of tasks on an Evener: their data are prepared, and each is submitted when it is due. Data
 * are kept for further jobs alike within a limit on memory, which one task may exceed: those used longest ago go first. Jobs
 * that are under way at once and begin with fresh data have each a copy of their own. One thread.
 */
final class TaskRunner implements AutoCloseable {
    /** Jobs that may be under way at once; whoever would be one more is late. */
    static final int MOST_AT_ONCE = 1024;

    /** Bytes of data that are kept unless something else is said. */
    static final long MOST_BYTES = Math.min(1L << 30, Runtime.getRuntime().maxMemory() / 4);

    /** The operating system may wake a thread this much late; the rest of a wait is spent spinning. */
    static final long TIMER_SLACK_NANOS = 100_000;

    private final Evener evener;
    private final Tuning tuning;
    private final long most;
    private final Function<Recording.Task, JobLog> log;
    private final Map<Recording.Task, JobLog> logs = new HashMap<>();
    private final Set<Copy> copies = new LinkedHashSet<>(); // in the order of their use
    private final Map<Recording.Task, Copy> latest = new HashMap<>();
    private final Set<Flight> flights = new LinkedHashSet<>(); // those submitted that have not ended
    private long bytes;

    /** The data of a task. */
    private static final class Copy {
        private final Recording.Task task;
        private final TaskData data;
        private boolean used; // by a job that was submitted
        private int users; // jobs that have them at present
        private boolean checked; // whether the last one's result is to be compared

        Copy(Recording.Task task, TaskData data) {
            this.task = task;
            this.data = data;
        }
    }

    /** A job with its data, from when it is prepared until it has ended. */
    static final class Flight {
        private final Copy copy;
        private final boolean fresh;
        private CompletableFuture<Report> job = new CompletableFuture<>();
        private long submitted;
        private long noted;

        private Flight(Copy copy, boolean fresh) {
            this.copy = copy;
            this.fresh = fresh;
        }

        /** When it was submitted, as {@link System#nanoTime} counts. */
        long submitted() {
            return submitted;
        }

        /** Has somebody be told when it has ended, by whichever thread ends it. */
        void whenEnded(Runnable told) {
            CompletableFuture<?> unused = job.whenComplete((report, failure) -> told.run());
        }

        /** What it computed. */
        Output output() {
            return copy.data.output().get();
        }

        /** Whether both have the same data. */
        boolean shares(Flight other) {
            return copy.equals(other.copy);
        }
    }

    /**
     * @param most bytes of data that are kept; further ones are made all the same for a job while no other has any
     * @param log where the jobs of a task are noted
     */
    TaskRunner(Evener evener, Tuning tuning, long most, Function<Recording.Task, JobLog> log) {
        this.evener = evener;
        this.tuning = tuning;
        this.most = most;
        this.log = log;
    }

    /**
     * Has the data of a job ready, beside those that others have already.
     *
     * @param fresh whether it begins with data as they were at first
     * @param checked whether its result is to be compared, so that no other job may work on its data until it has ended
     * @return null if there are none now, but will be when others have {@linkplain #end ended}: there is no room, or they hold a
     *     result that is still to be checked
     * @throws FrameException if a frame cannot be read
     * @throws EvenerException if there is no memory, even with nothing else held
     * @throws IllegalArgumentException if size and parameters do not go together
     */
    @Nullable
    Flight prepare(Recording.Task task, boolean fresh, boolean checked) throws FrameException {
        Copy copy = latest.get(task);
        if (copy != null && copy.users > 0 && !fresh && copy.checked) {
            return null;
        }
        if (copy == null || (copy.users > 0 && fresh)) {
            copy = copies.stream()
                    .filter(c -> c.users == 0 && c.task.equals(task))
                    .findFirst()
                    .orElse(null);
        }
        if (copy == null) {
            drop(most);
            if (bytes > most && !copies.isEmpty()) {
                return null;
            }
            copy = made(task);
            if (copy == null) {
                return null;
            }
        }
        if (fresh) {
            copy.data.refresh().run();
        }
        copy.users++;
        copy.checked = checked;
        copies.remove(copy); // it goes to the end
        copies.add(copy);
        latest.put(task, copy);
        return new Flight(copy, fresh);
    }

    private @Nullable Copy made(Recording.Task task) throws FrameException {
        TaskData data;
        try {
            data = TaskData.prepare(evener, tuning, task);
        } catch (EvenerException e) { // no memory, perhaps because of what others hold
            boolean alone = copies.isEmpty();
            drop(Long.MIN_VALUE);
            if (alone) {
                throw e;
            }
            if (!copies.isEmpty()) {
                return null;
            }
            data = TaskData.prepare(evener, tuning, task);
        }
        bytes += data.bytes();
        return new Copy(task, data);
    }

    /** Lets go of data that no job has, the eldest first, until so much is left. */
    private void drop(long limit) {
        for (Iterator<Copy> all = copies.iterator(); bytes > limit && all.hasNext(); ) {
            Copy eldest = all.next();
            if (eldest.users == 0) {
                all.remove();
                latest.remove(eldest.task, eldest);
                bytes -= eldest.data.bytes();
                eldest.data.close();
            }
        }
    }

    /** Bytes of the data that are held. */
    long bytes() {
        return bytes;
    }

    /** Builds a job's programs; what does not build is for the job to say. */
    void build(Flight flight) {
        evener.prepare(flight.copy.data.job().get())
                .handle((done, failure) -> true)
                .join();
    }

    /**
     * Submits a job when it is due.
     *
     * @param due as {@link System#nanoTime} counts
     * @param text the policy, as records name it
     * @param priority the higher, the sooner devices serve it; 0 is usual
     * @throws CancellationException if the thread was interrupted
     */
    void submit(Flight flight, long due, String text, Policy policy, History history, int priority) {
        sleepUntil(due);
        JobLog tasks = log(flight);
        if (flight.fresh || !flight.copy.used) {
            tasks.fresh();
        }
        flight.copy.used = true;
        flight.noted = tasks.asked(text);
        Job job = flight.copy.data.job().get().withPriority(priority);
        flight.submitted = System.nanoTime();
        flight.job = evener.submit(job, policy, history);
        flights.add(flight);
    }

    private static void sleepUntil(long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw new CancellationException("interrupted");
            }
            if (left > TIMER_SLACK_NANOS) {
                LockSupport.parkNanos(left - TIMER_SLACK_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private JobLog log(Flight flight) {
        return logs.computeIfAbsent(flight.copy.task, log);
    }

    /**
     * Waits for a job.
     *
     * @throws java.util.concurrent.CompletionException if it failed
     */
    Report join(Flight flight) {
        return flight.job.join();
    }

    /** Notes what a job computed, which is asked for only if it is to be noted. */
    void note(Flight flight, Recording.Digest result) {
        log(flight).done(flight.noted, () -> result);
    }

    /** A job needs its data no longer: it has ended, or will not be submitted. */
    void end(Flight flight) {
        flight.copy.users--;
        flights.remove(flight);
    }

    /** Lets go of all data, when all jobs have ended. */
    @Override
    public void close() {
        flights.forEach(flight -> flight.job.handle((report, failure) -> true).join());
        copies.forEach(copy -> copy.data.close());
        copies.clear();
        latest.clear();
    }
}
