package dev.evener;

import dev.evener.event.RunListener;
import dev.evener.internal.PageLocked;
import dev.evener.internal.device.BackEnd;
import dev.evener.internal.device.DeviceChoice;
import dev.evener.internal.device.Devices;
import dev.evener.internal.run.Lane;
import dev.evener.model.StoredHistory;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Options of an {@link Evener}. Not thread-safe. */
public final class EvenerBuilder {
    DeviceSelector selector = DeviceSelector.all();
    Policy policy = Policies.adaptive();

    @Nullable
    History history;

    boolean requireOpenCl;
    boolean allowSharing = true;
    Contexts contexts = Contexts.MEASURED;
    private boolean requireSignals;

    boolean checked;
    boolean firstRunChecked = true;

    @Nullable
    Duration chunkDeadline;

    int queueLimit = Integer.MAX_VALUE;
    Duration longWait = Duration.ofSeconds(10);
    final List<Lane.Wrapper> wrappers = new ArrayList<>();
    final List<RunListener> listeners = new ArrayList<>();
    long segmentBytes = Long.MAX_VALUE;
    long mirrorBytes = Long.MAX_VALUE;
    long pieceBytes;
    long pinnedFrom = PageLocked.LEAST;

    EvenerBuilder() {}

    /** Which devices to use; {@code all} by default. */
    public EvenerBuilder devices(DeviceSelector which) {
        this.selector = Objects.requireNonNull(which, "devices");
        return this;
    }

    /**
     * Has {@link #open()} throw, with the reason, where it would otherwise log a warning and work on JVM threads: because there is no OpenCL
     * device, none can be used, or the selector names none.
     */
    public EvenerBuilder requireOpenCl() {
        this.requireOpenCl = true;
        return this;
    }

    /**
     * Has {@link #open()} throw where a driver has taken signal handlers of this JVM, or is known to: Java's division by zero may then be a
     * number, in all code of the process. By default that is logged as an error and stands in {@link Evener#notes}. docs/deploying.md says how
     * to start Java.
     */
    public EvenerBuilder requireSignals() {
        this.requireSignals = true;
        return this;
    }

    /** How jobs are cut that do not say so themselves; {@code adaptive} by default. */
    public EvenerBuilder policy(Policy which) {
        this.policy = Objects.requireNonNull(which, "policy");
        return this;
    }

    /** The history to learn in; by default the one in this user's cache folder. It is saved on close. */
    public EvenerBuilder history(History which) {
        this.history = StoredHistory.of(which);
        return this;
    }

    /** Whether devices may work on host memory in place (the default); false moves everything through transfers. */
    public EvenerBuilder sharedMemory(boolean allowed) {
        this.allowSharing = allowed;
        return this;
    }

    /** Which devices of a platform share an OpenCL context; {@link Contexts#MEASURED} by default. */
    public EvenerBuilder contexts(Contexts which) {
        this.contexts = Objects.requireNonNull(which, "contexts");
        return this;
    }

    /**
     * Whether {@link Evener#allocate} gives page-locked memory, from and to which a device with memory of its own
     * transfers several times as fast (the default where there is such a device); false leaves all memory to the
     * operating system to move about. What is locked is bounded: at most half of the machine's memory and a quarter of
     * the device's; beyond that, ordinary memory is given.
     */
    public EvenerBuilder pinnedMemory(boolean allowed) {
        this.pinnedFrom = allowed ? PageLocked.LEAST : Long.MAX_VALUE;
        return this;
    }

    /** For tests: the fewest bytes of a piece of memory that is page-locked. */
    EvenerBuilder pinnedFrom(long bytes) {
        this.pinnedFrom = bytes;
        return this;
    }

    /**
     * The checking mode, for the first test of every kernel: jobs run many times slower, and one whose kernel does not do what was declared
     * fails with an {@link EvenerException} that names job, kernel, argument and the first unit concerned. Check with 1,009 units: a
     * prime also shows mistakes at the end of odd chunks. The package {@code dev.evener.testing} lists what is found, and what is not. OpenCL devices only; all of them get equal shares, whatever the policy, and nothing is
     * learnt. It is in a module of its own, {@code dev.evener:evener-testing}.
     *
     * @throws EvenerException if that is not there
     */
    public EvenerBuilder checked() {
        if (!Devices.BACK_END.canCheck()) {
            throw new EvenerException("the checking mode is in a module of its own: add"
                    + " dev.evener:evener-testing to the class path or module path");
        }
        this.checked = true;
        return this;
    }

    /**
     * Whether a kernel that was never seen with its declaration runs, before it runs on the application's memory, on
     * a few units in memory of its own (the default). A job whose kernel then writes or, as its results show, reads
     * outside of its units' parts, or changes what is declared to be read, fails with an {@link EvenerException} that
     * names kernel, argument and unit. It takes some milliseconds, once; the {@linkplain #history history} remembers
     * it. Devices that work on the host's memory do so; others send and fetch what is declared alone. Not run so are
     * undivided jobs, jobs whose few units have more than 8 MiB between them, and sources with {@link
     * KernelSource#withTrialLaunch}. The {@linkplain #checked checking mode} finds more.
     */
    public EvenerBuilder firstRunChecked(boolean wanted) {
        this.firstRunChecked = wanted;
        return this;
    }

    /** For tests: the most bytes of a device's memory in which it keeps copies of buffers between chunks. */
    EvenerBuilder mirrorBytes(long most) {
        this.mirrorBytes = most;
        return this;
    }

    /** For tests: bytes that each piece of a chunk moves, however few. */
    EvenerBuilder pieceBytes(long bytes) {
        this.pieceBytes = bytes;
        return this;
    }

    /** For tests: the most bytes of one segment of a buffer. */
    EvenerBuilder segmentBytes(long most) {
        this.segmentBytes = most;
        return this;
    }

    /**
     * Who is told of all that happens to jobs, such as a {@code Recorder} of a record. May be given more than once;
     * without a listener, nothing of it costs anything. With one, GPUs are asked for the times of short chunks too, which takes some 20 µs each.
     */
    public EvenerBuilder listener(RunListener which) {
        if (Objects.requireNonNull(which, "listener") instanceof Lane.Wrapper wrapper) {
            wrappers.add(wrapper);
        } else {
            listeners.add(which);
        }
        return this;
    }

    /**
     * The {@link JobBuilder#chunkDeadline} of jobs that set none themselves; by default there is none.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public EvenerBuilder chunkDeadline(Duration limit) {
        if (Objects.requireNonNull(limit, "chunkDeadline").isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("chunkDeadline must be positive, not " + limit);
        }
        this.chunkDeadline = limit;
        return this;
    }

    /**
     * How long a thread, job or scope may wait before it is told, once, who waits for whom: as a warning in the log, to {@linkplain
     * RunListener#waitsLong listeners}, and in the name of the thread while it waits. By default 10 s. A job that gets on with its work is
     * no reason.
     *
     * @param limit zero if nobody is to be told
     * @throws IllegalArgumentException if it is negative
     */
    public EvenerBuilder longWait(Duration limit) {
        if (Objects.requireNonNull(limit, "longWait").isNegative()) {
            throw new IllegalArgumentException("longWait must not be negative: " + limit);
        }
        this.longWait = limit;
        return this;
    }

    /**
     * The most jobs that may wait for devices; those that have begun do not count. Beyond it {@link Evener#submit} throws
     * and {@link Evener#trySubmit} returns nothing; neither ever blocks. By default there is no limit.
     *
     * @param jobs at least 1
     * @throws IllegalArgumentException if it is less
     */
    public EvenerBuilder queueLimit(int jobs) {
        if (jobs < 1) {
            throw new IllegalArgumentException("queueLimit must be at least 1, not " + jobs);
        }
        this.queueLimit = jobs;
        return this;
    }

    /** Refuses a choice of devices that options forbid. */
    void check(DeviceChoice choice) {
        if ((!checked && !requireOpenCl) || choice.devices().stream().noneMatch(d -> d.kind() == DeviceKind.JVM)) {
            return;
        }
        if (checked) {
            throw new EvenerException(
                    "the checking mode looks for mistakes of OpenCL kernels, and the JVM lane runs none;"
                            + " choose OpenCL devices, such as cpu (with none there, install PoCL)");
        }
        if (requireOpenCl && choice.devices().size() == 1) {
            String none = "devices '" + selector + "' have none";
            throw new EvenerException(
                    "OpenCL is required, but " + Objects.requireNonNullElse(choice.withoutOpenCl(), none));
        }
    }

    /** What an Evener with these lanes has to say of its devices; closes them if it must not be. */
    List<String> notes(DeviceChoice choice, BackEnd.Opened opened) {
        List<String> notes = new ArrayList<>(choice.notes());
        notes.addAll(opened.notes());
        String problem = Devices.BACK_END.signalProblem(choice.devices());
        if (problem != null) {
            notes.add(problem);
        }
        if (problem != null && requireSignals) {
            opened.lanes().forEach(Lane::close);
            throw new EvenerException(problem);
        }
        return List.copyOf(notes);
    }

    History history() {
        if (checked) {
            return History.inMemory();
        }
        return history != null ? history : History.at(Evener.defaultHistoryFile());
    }

    /**
     * Opens the devices.
     *
     * @throws EvenerException if a device that was asked for, or required, is not there or cannot be opened
     */
    public Evener open() {
        return new Evener(this);
    }
}
