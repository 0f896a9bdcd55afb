package dev.evener;

import dev.evener.DeviceInfo.Partitioning;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.internal.HostMemory;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.ManagedData;
import dev.evener.internal.OpenBuffers;
import dev.evener.internal.Prefetch;
import dev.evener.internal.Segments;
import dev.evener.internal.device.BackEnd;
import dev.evener.internal.device.DeviceChoice;
import dev.evener.internal.device.Devices;
import dev.evener.internal.files.UserFolders;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.Chain;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.run.Dispatcher;
import dev.evener.internal.run.Lane;
import dev.evener.internal.run.Shutdown;
import dev.evener.model.StoredHistory;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The devices of a machine, opened to work as one: a shared context for each OpenCL platform, a lane (a thread and an
 * in-order queue) for each device, and a history of what each device achieved.
 *
 * <pre>{@code
 * try (Evener evener = Evener.open()) {
 *     HostBuffer x = evener.allocate(ElementType.FLOAT, n);
 *     HostBuffer y = evener.allocate(ElementType.FLOAT, n);
 *     Job saxpy = Job.named("saxpy").source(text).units(n)
 *             .kernel("saxpy").reads(x, Access.slice()).updates(y, Access.slice()).scalar(2.5f)
 *             .build();
 *     System.out.println(evener.submit(saxpy).join().summary());
 * }
 * }</pre>
 *
 * <p>Close it: one that nothing refers to any more, nor to its buffers, is closed once the garbage collector finds it, with a warning.
 *
 * <p>All methods may be called by any thread. Jobs that share data which one of them writes run in the order of their
 * submission, whatever their devices. Futures are completed on a thread of the runtime's own that runs one callback after
 * another: keep callbacks short, or use the {@code Async} methods. Waiting there for another job throws ({@link JobFuture}).
 */
public final class Evener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Evener.class);

    private final Dispatcher dispatcher;
    private final ManagedData.Turns turns;
    private final Policy policy;
    private final boolean checked;
    private final History history;
    private final @Nullable Duration chunkDeadline;
    private final List<DeviceInfo> devices;
    private final List<String> notes;
    private final List<List<String>> contexts;
    private final boolean lacksDevices;
    private final OpenBuffers buffers;
    private final Shutdown shutdown;
    private final Cleaner.Cleanable cleanable;

    Evener(EvenerBuilder builder) {
        CompletableFuture<History> known = // read while drivers open devices
                CompletableFuture.supplyAsync(builder::history, task -> new Thread(task, "evener-history").start());
        DeviceChoice choice = choose(builder.selector, known::join);
        builder.check(choice);
        choice.warn(LOG);
        this.lacksDevices = choice.lacks();
        this.policy = builder.policy;
        this.checked = builder.checked;
        this.chunkDeadline = builder.chunkDeadline;
        BackEnd.Options options = new BackEnd.Options(
                builder.allowSharing,
                builder.mirrorBytes,
                builder.pieceBytes,
                builder.pinnedFrom,
                builder.contexts,
                builder.checked,
                builder.firstRunChecked);
        BackEnd.Opened opened = Devices.open(choice.devices(), options);
        this.notes = builder.notes(choice, opened);
        this.contexts = opened.contexts();
        List<Lane> lanes = opened.lanes();
        for (Lane.Wrapper wrapper : builder.wrappers) {
            lanes = wrapper.around(lanes);
        }
        this.history = known.join();
        this.devices = lanes.stream().map(Lane::device).toList();
        OpenBuffers all = new OpenBuffers(
                devices, Segments.Limits.of(devices).atMost(builder.segmentBytes), opened.pageLocked(), checked);
        ScratchPool.Source scratch = (type, n, unit) -> all.add(all.allocate(type, n, unit), null);
        this.dispatcher = new Dispatcher(lanes, history, scratch, builder.listeners, builder.longWait);
        this.buffers = all;
        this.turns = dispatcher.turns();
        dispatcher.limitQueue(builder.queueLimit);
        this.shutdown = new Shutdown(dispatcher, turns, buffers);
        this.cleanable = HostMemory.CLEANER.register(this, shutdown);
        LOG.debug("opened {}", devices);
    }

    /** Every physical device once, with all defaults. */
    public static Evener open() {
        return builder().open();
    }

    /** Options first. */
    public static EvenerBuilder builder() {
        return new EvenerBuilder();
    }

    /** Every device of the machine, those that {@link DeviceSelector#all} would leave out and the JVM lane included. */
    public static List<DeviceInfo> discover() {
        return Devices.all();
    }

    /**
     * The devices a selector means on this machine, without opening them. What is missing of them, and that the JVM lane would stand in
     * for them, is logged as a warning, with the reason.
     *
     * @throws EvenerException if it names what is not there
     */
    public static List<DeviceInfo> select(DeviceSelector selector) {
        AtomicReference<@Nullable History> read = new AtomicReference<>(); // once, however many devices are compared
        DeviceChoice choice = choose(
                Objects.requireNonNull(selector, "selector"),
                () -> Objects.requireNonNull(
                        read.updateAndGet(present -> present == null ? builder().history() : present)));
        choice.warn(LOG);
        return choice.devices();
    }

    private static DeviceChoice choose(DeviceSelector selector, Supplier<History> history) {
        return Devices.choose(
                selector, (one, other) -> StoredHistory.of(history.get()).over(one, other));
    }

    /** How a device of {@link #discover} can be opened in parts, by a {@link DeviceSelector}. */
    public static Partitioning partitioning(DeviceInfo device) {
        return Devices.BACK_END.partitioning(Objects.requireNonNull(device, "device"));
    }

    /** Where this user's history is kept unless {@link EvenerBuilder#history} says otherwise. */
    public static Path defaultHistoryFile() {
        return StoredHistory.fileOf(UserFolders.cache().resolve("history.json"));
    }

    /** The devices in use, in lane order. */
    public List<DeviceInfo> devices() {
        return devices;
    }

    /** Ids of the OpenCL devices in use that share a context, for each context. */
    public List<List<String>> contexts() {
        return contexts;
    }

    /** What the choice of devices left out, and why, and why discrete devices share no context, in one line each. */
    public List<String> notes() {
        return notes;
    }

    /** How the devices are now: which work, which do not and why. Cheap; for a health check of an application. */
    public DeviceInfo.Health health() {
        return dispatcher.health(notes, lacksDevices);
    }

    /** What is known of the devices' speeds. */
    public History history() {
        return history;
    }

    /**
     * Host memory that all devices can work on. It is closed with this Evener if not before, and freed when nothing refers to it. A buffer beyond what one
     * allocation may hold (about 2 GiB, or less where a device that works on host memory in place takes less) lies in several
     * {@linkplain HostBuffer#segments segments}, whose boundaries suit units of 1, 2, 4, 8, ... elements. Where there is a
     * device with memory of its own it is {@linkplain HostBuffer#isPageLocked page-locked}, which takes time when it is
     * made for the first time: keep buffers, or close them, so that later ones take their memory over.
     *
     * @param elements number of elements; 0 is legal
     * @throws EvenerException if there is no memory for it
     */
    public HostBuffer allocate(ElementType type, long elements) {
        return allocate(type, elements, 1);
    }

    /**
     * {@link #allocate(ElementType, long)}, with segments that hold whole units of another size.
     *
     * @param elementsPerUnit elements that no boundary between segments may separate, at least 1
     * @throws EvenerException if there is no memory for it, or if one unit does not fit a segment
     */
    public HostBuffer allocate(ElementType type, long elements, long elementsPerUnit) {
        requireOpen();
        Objects.requireNonNull(type, "type");
        return owned(buffers.allocate(type, elements, elementsPerUnit));
    }

    /**
     * {@link #allocate(ElementType, long)}, of memory that is never page-locked: for what only the host works on, such as the results
     * that a job appends.
     *
     * @throws EvenerException if there is no memory for it
     */
    public HostBuffer allocateUnlocked(ElementType type, long elements) {
        requireOpen();
        Objects.requireNonNull(type, "type");
        return owned(buffers.allocateUnlocked(type, elements));
    }

    /**
     * An array whose content stays where it was written, on devices too, and that the host reads and writes in scopes. It takes memory
     * where it is used, when it is, is closed with this Evener if not before, and freed when nothing refers to it.
     *
     * @param elements number of elements; more than one piece of memory holds lie in several {@linkplain DataBuffer#segmentCount segments}
     * @throws EvenerException if the host and all devices together have not that much memory
     */
    public ManagedBuffer allocateManaged(ElementType type, long elements) {
        return allocateManaged(type, elements, 1);
    }

    /**
     * {@link #allocateManaged(ElementType, long)}, with segments that hold whole units of another size.
     *
     * @param elementsPerUnit elements that no boundary between segments may separate, at least 1
     * @throws EvenerException as above, or if one unit does not fit a segment
     */
    public ManagedBuffer allocateManaged(ElementType type, long elements, long elementsPerUnit) {
        requireOpen();
        Objects.requireNonNull(type, "type");
        return owned(buffers.allocateManaged(type, elements, elementsPerUnit, turns));
    }

    /**
     * An image, whose pixels are a {@linkplain #allocateManaged managed} buffer of as many elements as there are
     * channels.
     *
     * @param width pixels of a row
     * @param height rows
     * @throws EvenerException if the host and all devices together have not that much memory
     */
    public Image<ManagedBuffer> image(ImageFormat format, int width, int height) {
        return image(Image.Shape.plane(format, width, height));
    }

    /** {@link #image(ImageFormat, int, int)} of any shape: an array of images, or one of three dimensions. */
    public Image<ManagedBuffer> image(Image.Shape shape) {
        ElementType element =
                Objects.requireNonNull(shape, "shape").format().type().element();
        return new Image<>(allocateManaged(element, shape.bytes() / element.bytes()), shape);
    }

    /**
     * Brings a buffer's content to where devices will need it, in their memory or the host's: a reader in the order of jobs, which
     * waits for nothing and teaches the history nothing; listeners hear of a job {@code prefetch}. A hint: if the buffer lies in several
     * segments, some is lost, a device has no room or fails, as many jobs wait as may, or jobs are checked, no more comes of it.
     *
     * @param where which of {@link #devices} are meant; those that are not there are left out
     * @return completed, never exceptionally, when it has ended, on the threads that complete futures of jobs or scopes
     * @throws IllegalStateException if the buffer or this Evener is closed
     */
    public CompletableFuture<@Nullable Void> prefetch(ManagedBuffer buffer, DeviceSelector where) {
        requireOpen();
        ((ManagedData) Objects.requireNonNull(buffer, "buffer")).requireOf(turns, "prefetch");
        LogicalBuffer.of(buffer).checkOpen();
        Objects.requireNonNull(where, "where");
        List<DeviceInfo> meant =
                checked ? List.of() : devices.stream().filter(where::matches).toList();
        return Prefetch.start(
                buffer, meant, job -> dispatcher.trySubmit(job, Policies.single(), History.inMemory(), chunkDeadline));
    }

    /**
     * The caller's own memory as a buffer, in place: what devices compute stands in it, and nothing is copied that would not
     * be copied for a buffer of {@link #allocate}. Its elements are the bytes between the buffer's position and limit.
     *
     * <p>The memory must be direct, in native byte order, begin at a multiple of 4,096 bytes, and hold whole elements; {@code ByteBuffer.allocateDirect(bytes + 8192).alignedSlice(4096).limit(bytes).order(nativeOrder())} does, and
     * so does a mapped file. If it is read-only, jobs can read the buffer, and one that would write it is refused when it is
     * built. A {@code MemorySegment} of newer JDKs goes as {@code segment.asByteBuffer().order(nativeOrder())}, in place too;
     * its arena must let all threads use it. It stays the caller's: {@link HostBuffer#close} only lets go of it. Until then, or until
     * this Evener is closed, it must stay valid.
     *
     * <p>A job that writes memory which another of its buffers sees too is refused when it is built. That goes by addresses: two
     * mappings of one file count as different memory.
     *
     * @throws IllegalArgumentException if devices could not work on it; the message says why and what could be done
     */
    public HostBuffer wrap(ElementType type, ByteBuffer memory) {
        requireOpen();
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(memory, "memory");
        return owned(buffers.wrap(type, memory));
    }

    private <B extends LogicalBuffer> B owned(B buffer) {
        buffers.add(buffer, this); // an application that has a buffer may go on with it
        if (shutdown.isBegun()) { // closed since the check above: close() may have missed this buffer
            buffer.close();
            requireOpen();
        }
        return buffer;
    }

    /**
     * Queues a job, and returns at once. The future ends with its report, or exceptionally with an {@link EvenerException} that
     * names job, device and reason; cancelling the future stops the job at the next chunk.
     *
     * @throws EvenerException.JobRejectedException if it uses a managed buffer of another Evener, or none of its devices is open
     * @throws RejectedExecutionException if as many jobs wait as the {@link EvenerBuilder#queueLimit}; see {@link #trySubmit}
     * @throws IllegalStateException if this Evener is closed
     */
    public JobFuture submit(Job job) {
        return submit(job, policyOf(job));
    }

    /** {@link #submit(Job)}, but nothing if as many jobs wait as {@link EvenerBuilder#queueLimit} allows. */
    public Optional<JobFuture> trySubmit(Job job) {
        requireOpen();
        return dispatcher.trySubmit(job, cutBy(policyOf(job), job), history, chunkDeadline);
    }

    /**
     * {@link #submit(Job)}, which waits for room if as many jobs wait as {@link EvenerBuilder#queueLimit} allows.
     *
     * @param patience how long at most; {@code Duration.ofSeconds(Long.MAX_VALUE)} is for ever
     * @throws RejectedExecutionException if there was none in time
     * @throws IllegalStateException if this Evener is closed, or in a callback, host step or Java kernel, which may keep jobs from ending
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public JobFuture submit(Job job, Duration patience) throws InterruptedException {
        Objects.requireNonNull(patience, "patience");
        return dispatcher.submitInTime(job, cutBy(policyOf(job), job), chunkDeadline, patience);
    }

    /**
     * {@link #submit(Job)} of a job that also waits for something else than its data: other jobs, of another Evener perhaps, or work of
     * your own. It has its place in the order of its data from now on: later jobs on the same data wait for it. If one of these fails or
     * is cancelled, so does the job, at once. None of these may wait for the job, or for one behind it: a future that a callback is to
     * complete by such a job fails, as far as that is seen ({@code thenCompose}), and the job with it.
     */
    public JobFuture submitAfter(Job job, CompletionStage<?>... after) {
        List<CompletionStage<?>> all = List.of(Objects.requireNonNull(after, "after"));
        return dispatcher.submit(job, cutBy(policyOf(job), job), history, chunkDeadline, all);
    }

    /**
     * Submits jobs one behind the other, and tells when all have ended: for jobs that are {@linkplain Report#isShort shorter than their
     * way}. Those that follow each other and can be are run as one, as {@link Job#then} says, up to sixteen.
     *
     * @param jobs in the order in which they take effect
     * @return the reports of what was run, in that order, of jobs that were run as one a single one. Ends exceptionally with what the
     *     first of them does that fails, when all have ended; cancelling it cancels those that have not
     * @throws RejectedExecutionException as {@link #submit(Job)}; those before are cancelled
     */
    public CompletableFuture<List<Report>> batch(List<? extends Job> jobs) {
        requireOpen();
        List<JobFuture> under = new ArrayList<>();
        try {
            for (Job job : Chain.joined(List.copyOf(Objects.requireNonNull(jobs, "jobs")))) {
                under.add(submit(job));
            }
        } catch (Throwable e) {
            under.forEach(each -> each.cancel(true));
            throw e;
        }
        if (under.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        // Made by the jobs' futures, which know where they are completed, and must not be waited for.
        CompletableFuture<@Nullable Object> ended = under.get(0).handle((report, e) -> null);
        for (JobFuture each : under.subList(1, under.size())) {
            ended = ended.thenCombine(each.handle((report, e) -> null), (one, other) -> null);
        }
        CompletableFuture<List<Report>> reports = ended.thenApply(
                none -> under.stream().map(CompletableFuture::join).toList());
        CompletableFuture<?> ignored = reports.whenComplete((all, e) -> {
            if (e instanceof CancellationException) {
                under.forEach(each -> each.cancel(true));
            }
        });
        return reports;
    }

    /** The jobs that wait for devices at present. */
    public JobQueue queue() {
        return dispatcher.queue();
    }

    private Policy policyOf(Job job) {
        Policy own = JobSpec.of(Objects.requireNonNull(job, "job")).options().policy();
        return own != null ? own : policy;
    }

    /** The policy for a job. In the checking mode every device is to be checked, and times are no evidence. */
    private Policy cutBy(Policy chosen, Job job) {
        JobSpec.of(job).buffers().requireOf(turns, job.name());
        return checked ? Policies.fixed() : chosen;
    }

    /** {@link #submit(Job)}, cut by this policy whatever the job or this Evener say. */
    public JobFuture submit(Job job, Policy chosen) {
        return submit(job, chosen, history);
    }

    /**
     * {@link #submit(Job, Policy)}, decided by this history and learnt in it instead of this Evener's own: for experiments in which
     * one policy must not learn from another's runs. It is not saved on close.
     */
    public JobFuture submit(Job job, Policy chosen, History own) {
        requireOpen();
        Objects.requireNonNull(job, "job");
        Objects.requireNonNull(chosen, "policy");
        History learnt = StoredHistory.of(own);
        return dispatcher.submit(job, cutBy(chosen, job), checked ? history : learnt, chunkDeadline);
    }

    /**
     * Builds all that a job will need, on all devices that it may use and in both of its forms, so that the first job of its kind
     * does not wait for compilers. Queued as a job is; runs none of its kernels and touches none of its buffers. A later job of the
     * same sources, options and kernels finds all of it built, whatever its size.
     *
     * <p>What a driver compiles only when it first sees a launch is not in it: docs/embedding.md says what that is on PoCL.
     *
     * @return completed, like the future of a job, when all is built that can be; exceptionally with what {@link #submit} would
     *     fail with if no device can build the job, or if its declaration does not fit its kernels
     * @throws IllegalStateException if this Evener is closed
     */
    public CompletableFuture<@Nullable Void> prepare(Job job) {
        requireOpen();
        return dispatcher.build(Objects.requireNonNull(job, "job"), policy).thenApply(report -> null);
    }

    /**
     * Refuses further jobs, lets those that were submitted end, and then does what {@link #close()} does. The callbacks of their
     * futures have run by then, and buffers are open until then. A callback that submits another job is refused it.
     *
     * @param limit how long to wait for them, if not interrupted; jobs left then are ended as by {@link #close()}
     * @return whether all of them ended in time
     * @throws IllegalStateException if called from a callback, host step or Java kernel of this Evener's own jobs
     */
    public boolean close(Duration limit) {
        boolean drained = shutdown.isBegun() || dispatcher.drain(Objects.requireNonNull(limit, "limit"));
        close();
        return drained;
    }

    /**
     * Refuses further jobs, ends those that wait or run with an exception, frees everything native in order, and saves the
     * history. Waits for chunks, host steps and callbacks under way, for 30 seconds each; a device that does not answer by then
     * is left to itself with a warning. May be called in a callback. Idempotent.
     *
     * @throws IllegalStateException if called from a host step or Java kernel of this Evener's own jobs
     */
    @Override
    public void close() {
        dispatcher.requireNotOnLane();
        shutdown.begin();
        cleanable.clean();
    }

    private void requireOpen() {
        if (shutdown.isBegun()) {
            throw new IllegalStateException("this Evener is closed");
        }
    }
}
