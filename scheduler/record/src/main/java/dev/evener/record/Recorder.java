package dev.evener.record;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.evener.DeviceInfo;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.internal.HostMemory;
import dev.evener.internal.files.AtomicFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPOutputStream;
import org.jctools.queues.atomic.MpscAtomicArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes all that happens to jobs to a file, one JSON object a line; docs/records.md describes the format, and {@link
 * RecordReader} reads it. Give it to {@link EvenerBuilder#listener}, and close it after the Evener. Several Eveners may use
 * it, one after another.
 *
 * <pre>{@code
 * try (Recorder recorder = Recorder.to(Path.of("jobs.record.gz"));
 *         Evener evener = Evener.builder().listener(recorder).open()) {
 *     evener.submit(job).join();
 * }
 * }</pre>
 *
 * <p><b>The file.</b> Compressed if its name ends in {@code .gz}. Until {@link #close} it has {@code .partial} added to its
 * name, and replaces an older one of that name; a process that is killed leaves it so, with all but the last half second in
 * it. What is no plain file, such as a pipe, is written to directly.
 *
 * <p><b>Threads.</b> All methods may be called by any thread. What is heard goes through a bounded lock-free queue (multi-
 * producer, single-consumer) of {@value #CAPACITY} entries to a thread of the recorder's own, which looks at it every few
 * milliseconds: nobody pays for waking it. If it cannot keep up, as when a disk hangs, whoever has something to record waits
 * until there is room: nothing is lost, memory does not grow, and the record's last line says how long was waited. Once the
 * file cannot be written, as when a disk is full, nothing is recorded any more, jobs go on, and {@code close} says so.
 */
public final class Recorder implements RunListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);

    /** Entries that may wait to be written. */
    private static final int CAPACITY = 1 << 16;

    private static final long REST_NANOS = Duration.ofMillis(2).toNanos();
    private static final long LONGEST_REST_NANOS = Duration.ofMillis(20).toNanos();
    private static final long FLUSH_NANOS = Duration.ofMillis(500).toNanos();
    private static final long WAIT_NANOS = Duration.ofNanos(50_000).toNanos();

    private final Path target;
    private final Path written; // where lines go meanwhile
    private final long origin = System.nanoTime();
    private final JsonGenerator json;
    private final MpscAtomicArrayQueue<Line> queue = new MpscAtomicArrayQueue<>(CAPACITY);
    private final Thread thread;
    private final LongAdder waited = new LongAdder();
    private final AtomicLong runs = new AtomicLong();
    private final AtomicLong tasks = new AtomicLong();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();
    private long lines = 1; // written; the recorder's thread's until that has ended
    private long events; // among them
    private volatile boolean closing;
    private volatile @Nullable Throwable failure;

    private Recorder(Path target, Path written, OutputStream out) throws IOException {
        this.target = target;
        this.written = written;
        this.json = LineFormat.writer(out);
        LineFormat.write(json, header());
        json.flush();
        this.thread = new Thread(this::write, "evener-recorder");
        thread.setDaemon(true); // an application that forgets to close must still be able to end
        thread.start();
    }

    /**
     * Begins a record.
     *
     * @throws RecordException if the file cannot be written
     */
    public static Recorder to(Path file) {
        OutputStream out = null;
        try {
            Path target = AtomicFiles.followed(file); // what a link points to is replaced, not the link
            if (Files.isDirectory(target)) {
                throw RecordException.of(file, "the record cannot be written there: it is a folder");
            }
            boolean direct = Files.exists(target) && !Files.isRegularFile(target);
            Path written = direct ? target : target.resolveSibling(target.getFileName() + ".partial");
            Path folder = written.getParent();
            if (folder != null && !Files.isDirectory(folder)) {
                Files.createDirectories(folder);
            }
            out = new BufferedOutputStream(direct ? Files.newOutputStream(written) : created(written), 64 << 10);
            if (target.toString().endsWith(".gz")) {
                out = new GZIPOutputStream(out, 64 << 10, true);
            }
            return new Recorder(target, written, out);
        } catch (IOException e) {
            RecordException problem = RecordException.of(file, "the record cannot be written: " + reason(e), e);
            if (out != null) {
                try {
                    out.close();
                } catch (IOException again) {
                    problem.addSuppressed(again);
                }
            }
            throw problem;
        }
    }

    /** A new file, whatever had its name: what is written must not go to where a link, planted by others perhaps, leads. */
    private static OutputStream created(Path file) throws IOException {
        if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            Files.deleteIfExists(file);
        }
        return Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private static String reason(Throwable e) {
        return e instanceof AccessDeniedException ? "permission denied" : e.toString();
    }

    private static Recording.Header header() {
        long memory = HostMemory.physical();
        return new Recording.Header(
                Evener.class.getPackage().getImplementationVersion(),
                Instant.now().truncatedTo(ChronoUnit.MILLIS),
                new Recording.Machine(
                        property("os.name") + " " + property("os.version") + " " + property("os.arch"),
                        cpu(),
                        Runtime.getRuntime().availableProcessors(),
                        memory == Long.MAX_VALUE ? 0 : memory,
                        property("java.vm.name") + " " + property("java.vm.version")));
    }

    private static String property(String name) {
        return System.getProperty(name, "unknown");
    }

    /** What Linux calls the processor; elsewhere its architecture. */
    private static String cpu() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.toLowerCase(Locale.ROOT).startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(property("os.arch"));
        } catch (IOException | RuntimeException e) { // there is no such file, or not one of text
            return property("os.arch");
        }
    }

    /** Where the record will be when it is complete. */
    public Path file() {
        return target;
    }

    @Override
    public void opened(List<DeviceInfo> devices) {
        put(new Line.Opened(runs.incrementAndGet(), System.nanoTime(), List.copyOf(devices)));
    }

    @Override
    public void heard(RunEvent event) {
        put(new Line.Event(event));
    }

    /**
     * Notes a workload with its data. Not from several threads at once.
     *
     * @return its number, for requests
     */
    public long task(Recording.Task task) {
        long number = tasks.incrementAndGet();
        put(new Line.Task(number, task));
        return number;
    }

    /**
     * Notes that a job is asked for now. The next job submitted is it, so only one thread may submit meanwhile.
     *
     * @param task number of what is to run
     * @param policy as {@link Recording.Request#policy}
     * @param fresh whether the data are as at first
     * @return its number, for the result
     */
    public long request(long task, String policy, boolean fresh) {
        long number = requests.incrementAndGet();
        put(new Line.Request(number, task, System.nanoTime(), policy, fresh));
        return number;
    }

    /** Notes what came out of a request. */
    public void result(long request, Recording.Digest digest) {
        put(new Line.Result(request, digest));
    }

    private void put(Line line) {
        if (closing || failure != null) {
            return;
        }
        if (!queue.offer(line)) {
            long start = System.nanoTime();
            do {
                LockSupport.unpark(thread);
                LockSupport.parkNanos(this, WAIT_NANOS);
            } while (failure == null && thread.isAlive() && !queue.offer(line));
            waited.add(System.nanoTime() - start);
        }
    }

    /** On the recorder's thread. */
    private void write() {
        long rest = REST_NANOS;
        long flushed = System.nanoTime();
        boolean dirty = false;
        while (true) {
            boolean last = closing; // read before the queue: what was put before close() is still written
            Line line = queue.poll();
            if (line != null) {
                write(line);
                dirty = true;
                rest = REST_NANOS;
                continue;
            }
            if (last) {
                return;
            }
            long now = System.nanoTime();
            if (dirty && now - flushed >= FLUSH_NANOS) {
                flush();
                flushed = now;
                dirty = false;
            }
            LockSupport.parkNanos(this, rest);
            rest = Math.min(2 * rest, LONGEST_REST_NANOS);
        }
    }

    private void write(Line line) {
        if (failure == null) {
            try {
                LineFormat.write(json, line, origin);
                lines++;
                events += line instanceof Line.Event ? 1 : 0;
            } catch (IOException | RuntimeException e) {
                failed(e);
            }
        }
    }

    /** Lets the file have all lines so far. */
    private void flush() {
        if (failure == null) {
            try {
                json.flush();
            } catch (IOException e) {
                failed(e);
            }
        }
    }

    private void failed(Throwable e) {
        failure = e;
        LOG.warn("the record {} cannot be written, nothing is recorded from now on: {}", written, reason(e));
    }

    /**
     * Writes what is left, and gives the file its name. Idempotent; waits for the writing. What is heard from now on is
     * ignored.
     *
     * @throws RecordException if the record could not be written; what there is of it is left under its partial name
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        closing = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        try (json) {
            Throwable earlier = failure;
            if (earlier != null) {
                throw new IOException(reason(earlier), earlier);
            }
            LineFormat.write(json, new Line.End(System.nanoTime(), lines, events, waited.sum()), origin);
        } catch (IOException e) {
            throw RecordException.of(
                    target,
                    "the record could not be written: " + e.getMessage() + "; what there is of it is in " + written,
                    e);
        }
        try {
            if (!written.equals(target)) {
                AtomicFiles.replace(written, target);
            }
        } catch (IOException e) {
            throw RecordException.of(target, "the record could not be given its name: " + e + "; it is " + written, e);
        }
    }
}
