package dev.evener.model;

import dev.evener.DeviceInfo;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.internal.job.JobSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What a {@link History} is to the runtime: the kinds of jobs that were seen, and the models of those at hand. Thread-safe. */
public final class StoredHistory implements History {
    /** Kinds of jobs, on different devices, that are kept at hand. */
    private static final int AT_HAND = 256;
    /** What was learnt is saved after so long, at the latest with the next job. */
    private static final long SAVE_EVERY_MILLIS = 30_000;

    private final Map<List<JobKey.Phase>, KernelHistory> kinds = new LinkedHashMap<>();
    private final ConcurrentHashMap<JobKey, JobHistory> atHand = new ConcurrentHashMap<>();
    private final @Nullable Path file;
    private final LongSupplier millis;
    private final AtomicBoolean saving = new AtomicBoolean();
    private volatile long savedChanges;
    private long clearedMillis = Long.MIN_VALUE;
    private volatile long savedMillis;

    /** @param millis the time since 1970 */
    StoredHistory(@Nullable Path file, LongSupplier millis) {
        this.file = file;
        this.millis = millis;
        this.savedMillis = millis.getAsLong();
    }

    public static StoredHistory inMemory() {
        return new StoredHistory(null, System::currentTimeMillis);
    }

    public static StoredHistory at(Path file) {
        return at(file, System::currentTimeMillis);
    }

    static StoredHistory at(Path file, LongSupplier millis) {
        StoredHistory history = new StoredHistory(file, millis);
        history.merge(HistoryFile.load(file));
        history.savedChanges = history.changes();
        return history;
    }

    @Override
    public @Nullable Path file() {
        return file;
    }

    /** The one implementation of a history. */
    public static StoredHistory of(History history) {
        return (StoredHistory) history;
    }

    /**
     * What is known of jobs like this one on these devices; quick when jobs like it were asked for before.
     *
     * @param devices at most 62, in the order in which lanes are numbered; must not be changed afterwards
     */
    public JobHistory of(Job job, List<DeviceInfo> devices) {
        JobSpec like = JobSpec.of(job);
        JobKey key = like.findings().find(JobKey.class, devices, () -> JobKey.of(like, devices));
        JobHistory known = atHand.get(key);
        return known != null ? known : find(key);
    }

    private JobHistory find(JobKey key) {
        synchronized (kinds) {
            KernelHistory kernel = kinds.computeIfAbsent(key.phases(), KernelHistory::new);
            if (atHand.size() >= AT_HAND) {
                atHand.clear();
            }
            return atHand.computeIfAbsent(key, k -> new JobHistory(this, kernel, k.devices()));
        }
    }

    /** A kind has learnt; called without its lock. */
    void learnt(KernelHistory kernel) {
        long now = millis.getAsLong();
        synchronized (kernel) {
            kernel.updatedMillis = now;
        }
        if (file != null && now - savedMillis >= SAVE_EVERY_MILLIS && saving.compareAndSet(false, true)) {
            savedMillis = now;
            Thread thread = new Thread(
                    () -> {
                        try {
                            save();
                        } finally {
                            saving.set(false);
                        }
                    },
                    "evener-history");
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (KernelHistory kernel : all()) {
            synchronized (kernel) {
                kernel.sizes.forEach((octave, size) -> entries.addAll(entries(kernel, octave, size)));
            }
        }
        return List.copyOf(entries);
    }

    private static List<Entry> entries(KernelHistory kernel, int octave, SizeModel size) {
        List<Entry> entries = new ArrayList<>();
        List<String> kernels = kernel.phases.stream().map(JobKey.Phase::kernel).toList();
        List<String> shapes = kernel.phases.stream().map(JobKey.Phase::shape).toList();
        size.sets.forEach((set, own) -> entries.add(new Entry(
                kernels,
                shapes,
                List.of(set.split(" \\+ ")),
                1L << octave,
                Math.exp(own.logPerUnit()),
                Math.sqrt(own.variance()),
                own.jobs())));
        return entries;
    }

    private Collection<KernelHistory> all() {
        synchronized (kinds) {
            return List.copyOf(kinds.values());
        }
    }

    private long changes() {
        long changes = 0;
        for (KernelHistory kernel : all()) {
            synchronized (kernel) {
                changes += kernel.changes;
            }
        }
        return changes;
    }

    @Override
    public void clear() {
        synchronized (kinds) {
            clearedMillis = millis.getAsLong();
            savedChanges = kinds.isEmpty() ? savedChanges : -1;
            kinds.clear();
            atHand.clear();
        }
    }

    @Override
    public void save() {
        Path target = file;
        long now = changes();
        if (target == null || now == savedChanges) {
            return;
        }
        long[] written = new long[1];
        boolean done = HistoryFile.update(target, others -> {
            merge(others);
            written[0] = changes(); // what is learnt while it is being written is for the next time
            return all();
        });
        if (done) {
            savedChanges = written[0];
        }
    }

    @Override
    public byte[] bytes(Instant since) {
        try {
            return HistoryFile.text(all().stream()
                    .filter(kernel -> kernel.updatedMillis >= since.toEpochMilli())
                    .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e); // writing to memory does not fail
        }
    }

    @Override
    public void seed(byte[] bytes) {
        try {
            merge(HistoryFile.parse(new String(bytes, StandardCharsets.UTF_8)));
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("these bytes are no history: " + e.getMessage(), e);
        }
    }

    /** Takes over what others learnt later. */
    private void merge(Collection<KernelHistory> others) {
        synchronized (kinds) {
            for (KernelHistory other : others) {
                if (other.updatedMillis <= clearedMillis) {
                    continue;
                }
                KernelHistory own = kinds.putIfAbsent(other.phases, other);
                if (own != null) {
                    synchronized (own) {
                        if (other.isNewerThan(own)) {
                            own.replaceBy(other);
                        }
                    }
                }
            }
        }
    }
}
