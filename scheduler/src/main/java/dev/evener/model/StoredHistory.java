package dev.evener.model;

import dev.evener.DeviceInfo;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.internal.files.PlainFiles;
import dev.evener.internal.job.JobSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link History} is to the runtime: the kinds of jobs that were seen. Of more than {@value #KINDS} the one that was used longest
 * ago is dropped, from the file too when that is next written anew. Thread-safe.
 */
public final class StoredHistory implements History {
    /** A kind takes some 7 KB of memory and 3 KB of the file, on two lanes. */
    static final int KINDS = 16_384;
    /** Of a history of any version. */
    private static final Pattern BEGINNING =
            Pattern.compile("\\{\\s*\"format\"\\s*:\\s*\"evener-history\"\\s*,\\s*\"version\"\\s*:\\s*(\\d+)");
    /** Lists of devices for which what is known of a kind is kept at hand. */
    private static final int VIEWS = 64;
    /** What was learnt is saved after so long, at the latest with the next job. */
    private static final long SAVE_EVERY_MILLIS = 30_000;

    /** Those that were used last at the end. Guards itself, what follows, and the views of kinds; never held while a file is used. */
    private final Map<List<JobKey.Phase>, KernelHistory> kinds = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<List<JobKey.Phase>, KernelHistory> eldest) {
            if (size() > most) {
                changed.remove(eldest.getValue());
                return true;
            }
            return false;
        }
    };

    /** Those that have learnt since they were saved. */
    private final Set<KernelHistory> changed = new LinkedHashSet<>();

    /** When devices were last forgotten in the file, in milliseconds since 1970: what is older and tells of them is out of date. */
    private final Map<String, Long> forgotten = new HashMap<>();

    /** Those that are to be forgotten there. */
    private final Set<String> forgetting = new TreeSet<>();

    private boolean cleared; // since it was saved
    private long clearedMillis = Long.MIN_VALUE;

    private final @Nullable HistoryFile file;
    private final HistoryFile.Merge reading = new HistoryFile.Merge() {
        @Override
        public @Nullable KernelHistory merge(KernelHistory read) {
            return StoredHistory.this.merge(read, true);
        }

        @Override
        public void forget(String device, long at) {
            forgetAt(device, at);
        }
    };
    private final LongSupplier millis;
    private final int most;
    private final AtomicBoolean saving = new AtomicBoolean();
    private volatile long savedMillis;
    /**
     * Nanoseconds that data took which were brought to devices of a name to stay, in this process, and how many bytes
     * that were.
     */
    private final Map<String, double[]> links = new ConcurrentHashMap<>();

    private volatile Map<String, KernelHistory.Trait> traits = Map.of();
    private volatile long traitsMillis; // when the kind that they are of had learnt

    /**
     * @param millis the time since 1970
     * @param most kinds of jobs
     */
    StoredHistory(@Nullable Path file, LongSupplier millis, int most) {
        this.file = file == null ? null : new HistoryFile(fileOf(file));
        this.millis = millis;
        this.most = most;
        this.savedMillis = millis.getAsLong();
        if (this.file != null) {
            this.file.load(reading);
        }
    }

    public static StoredHistory inMemory() {
        return new StoredHistory(null, System::currentTimeMillis, KINDS);
    }

    public static StoredHistory at(Path file) {
        return new StoredHistory(file, System::currentTimeMillis, KINDS);
    }

    /** A file, or one beside it where that is another version's: two versions side by side would take it from each other in turns. */
    public static Path fileOf(Path path) {
        try (InputStream in = PlainFiles.open(path)) {
            Matcher begins = BEGINNING.matcher(new String(in.readNBytes(100), StandardCharsets.UTF_8));
            boolean others = begins.lookingAt() && !begins.group(1).equals(Integer.toString(HistoryFile.VERSION));
            return others ? path.resolveSibling(path.getFileName() + ".v" + HistoryFile.VERSION) : path;
        } catch (IOException e) {
            return path; // there is none, or loading it will say what is wrong
        }
    }

    @Override
    public @Nullable Path file() {
        return file == null ? null : file.path;
    }

    /** The one implementation of a history. */
    public static StoredHistory of(History history) {
        if (Objects.requireNonNull(history, "history") instanceof StoredHistory stored) {
            return stored;
        }
        throw new IllegalArgumentException("a history of " + history.getClass().getName()
                + " cannot be learnt in; History.inMemory() and History.at(file) make histories");
    }

    /**
     * What is known of jobs like this one on these devices; quick when jobs like it were asked for before.
     *
     * @param devices in the order in which lanes are numbered; must not be changed afterwards
     */
    public JobHistory of(Job job, List<DeviceInfo> devices) {
        JobSpec like = JobSpec.of(job);
        JobKey key = like.findings().find(JobKey.class, devices, () -> JobKey.of(like, devices));
        synchronized (kinds) {
            KernelHistory kernel = kinds.computeIfAbsent(key.phases(), KernelHistory::new);
            List<JobHistory> views = kernel.views;
            for (int i = 0; i < views.size(); i++) {
                JobHistory view = views.get(i);
                if (view.isOn(devices)) {
                    if (i > 0) {
                        Collections.rotate(views.subList(0, i + 1), 1);
                    }
                    return view;
                }
            }
            if (views.size() == VIEWS) {
                views.remove(VIEWS - 1);
            }
            views.add(0, new JobHistory(this, kernel, devices));
            return views.get(0);
        }
    }

    /** Jobs of several steps, of which none has run, are expected to take what these take, where each has run as a job of its own. */
    void expectOfSteps(KernelHistory kernel) {
        synchronized (kinds) {
            List<KernelHistory> steps = new ArrayList<>();
            for (JobKey.Phase phase : kernel.phases) {
                KernelHistory step = kinds.get(List.of(phase));
                if (step == null) {
                    return;
                }
                steps.add(step);
            }
            kernel.beginLike(steps);
        }
    }

    /**
     * How many times as fast one device was as another in the kinds of jobs that both did: the geometric mean, by the time that jobs of a kind took.
     *
     * @return NaN if there are none that tell
     */
    public double over(DeviceInfo one, DeviceInfo other) {
        double sum = 0;
        double all = 0;
        for (KernelHistory kernel : all()) {
            synchronized (kernel) {
                double longer = kernel.longer(other.identity(), one.identity());
                if (!Double.isNaN(longer)) {
                    sum += kernel.totalNanos * longer;
                    all += kernel.totalNanos;
                }
            }
        }
        return Math.exp(sum / all);
    }

    /** What devices are like in the kind of job that learnt last, for kinds that are new. */
    Map<String, KernelHistory.Trait> traits() {
        return traits;
    }

    /** Some bytes were brought to a device of that name: nanoseconds, and how many. */
    void brought(String name, long nanos, long bytes) {
        if (bytes > 0) {
            double old = 1 - LaneModel.NEWEST;
            links.merge(name, new double[] {(double) nanos, (double) bytes}, (was, now) ->
                    new double[] {old * was[0] + now[0], old * was[1] + now[1]});
        }
    }

    /** Whether anything was ever brought. */
    boolean hasMoved() {
        return !links.isEmpty();
    }

    /** Nanoseconds that a byte takes to such a device; 0 if nobody knows. */
    double nanosPerByte(String name) {
        double[] link = links.get(name);
        return link == null ? 0 : link[0] / link[1];
    }

    /** A kind has learnt; called without its lock. */
    void learnt(KernelHistory kernel) {
        long now = millis.getAsLong();
        synchronized (kernel) {
            kernel.updatedMillis = Math.max(kernel.updatedMillis, now); // as clocks are set back
            if (Long.bitCount(kernel.jobs) == 1) { // ever more seldom: devices do not change with each job
                traitsMillis = kernel.updatedMillis;
                traits = kernel.traits();
            }
        }
        changed(kernel);
        HistoryFile target = file;
        if (target != null && now - savedMillis >= SAVE_EVERY_MILLIS && saving.compareAndSet(false, true)) {
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

    /** To be saved, unless they were dropped or cleared meanwhile. */
    private void changed(KernelHistory kernel) {
        synchronized (kinds) {
            if (kinds.get(kernel.phases) == kernel) {
                changed.add(kernel);
            }
        }
    }

    @Override
    public List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (KernelHistory kernel : all()) {
            synchronized (kernel) {
                entries.addAll(entries(kernel));
            }
        }
        return List.copyOf(entries);
    }

    private static List<Entry> entries(KernelHistory kernel) {
        List<Entry> entries = new ArrayList<>();
        List<String> kernels = kernel.phases.stream().map(JobKey.Phase::kernel).toList();
        List<String> shapes = kernel.phases.stream().map(JobKey.Phase::shape).toList();
        for (SetModel set : kernel.sets) {
            if (set.jobs > 0) {
                entries.add(new Entry(
                        kernels,
                        shapes,
                        set.devices,
                        Long.highestOneBit(set.units),
                        Math.exp(set.logPerUnit),
                        Math.sqrt(set.variance(Math.exp(set.logPerUnit) * set.units)),
                        set.jobs));
            }
        }
        return entries;
    }

    private Collection<KernelHistory> all() {
        synchronized (kinds) {
            return List.copyOf(kinds.values());
        }
    }

    @Override
    public void clear() {
        synchronized (kinds) {
            clearedMillis = millis.getAsLong();
            cleared |= !kinds.isEmpty();
            kinds.clear();
            changed.clear();
            traits = Map.of();
        }
    }

    @Override
    public boolean forget(String device) {
        synchronized (kinds) {
            if (file != null) {
                forgetting.add(device);
            }
            return without(device, true);
        }
    }

    /** Somebody forgot a device in the file: so does this process, once, whatever it has learnt since. */
    private void forgetAt(String device, long at) {
        synchronized (kinds) {
            if (at > forgotten.getOrDefault(device, Long.MIN_VALUE)) {
                forgotten.put(device, at);
                without(device, false);
            }
        }
    }

    /**
     * No kind knows anything of a device, and one that knew of no other one is gone.
     *
     * @param save whether kinds that did are to be saved; else the file knows
     */
    private boolean without(String device, boolean save) {
        boolean any = false;
        for (Iterator<KernelHistory> i = kinds.values().iterator(); i.hasNext(); ) {
            KernelHistory kernel = i.next();
            synchronized (kernel) {
                if (!kernel.forget(device)) {
                    continue;
                }
                any = true;
                if (kernel.lanes.isEmpty()) {
                    i.remove();
                    changed.remove(kernel);
                } else if (save) {
                    changed.add(kernel);
                }
            }
        }
        if (any) {
            Map<String, KernelHistory.Trait> others = new HashMap<>(traits);
            others.remove(device);
            traits = others;
        }
        return any;
    }

    @Override
    public void save() {
        HistoryFile target = file;
        List<KernelHistory> writing = new ArrayList<>();
        List<String> gone;
        boolean anew;
        synchronized (kinds) {
            anew = cleared;
            gone = List.copyOf(forgetting);
            if (target == null || (changed.isEmpty() && gone.isEmpty() && !anew)) {
                return;
            }
            cleared = false;
            forgetting.clear();
        }
        boolean done = target.update(() -> {
            if (anew) {
                target.reread();
            }
            boolean there = target.read(reading);
            Map<String, Long> all;
            synchronized (kinds) { // what is learnt from now on is for the next time
                for (String device : gone) {
                    without(device, true); // as others may have saved it meanwhile
                    forgotten.merge(device, millis.getAsLong(), (before, now) -> Math.max(before + 1, now));
                }
                all = Map.copyOf(forgotten);
                writing.addAll(there ? changed : kinds.values());
                changed.clear();
            }
            target.write(this::all, writing, anew, all, gone);
        });
        if (!done) {
            writing.forEach(this::changed);
            synchronized (kinds) {
                cleared |= anew;
                forgetting.addAll(gone);
            }
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
            HistoryFile.parse(bytes).forEach(read -> merge(read, false));
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("these bytes are no history: " + e.getMessage(), e);
        }
    }

    /**
     * Takes over what another one learnt later; returns what is known of that kind then, or null if it was forgotten since.
     *
     * @param saved whether the file has it
     */
    private @Nullable KernelHistory merge(KernelHistory other, boolean saved) {
        synchronized (kinds) {
            forgotten.forEach((device, at) -> {
                if (other.updatedMillis <= at) {
                    other.forget(device);
                }
            });
            if (other.updatedMillis <= clearedMillis || other.lanes.isEmpty()) {
                return null;
            }
            KernelHistory known = kinds.putIfAbsent(other.phases, other);
            KernelHistory own = known == null ? other : known;
            synchronized (own) {
                boolean newer = known == null || other.isNewerThan(own);
                own.passed.addAll(other.passed);
                if (newer && own != other) {
                    own.replaceBy(other);
                }
                if (newer && other.updatedMillis >= traitsMillis) {
                    traitsMillis = other.updatedMillis;
                    traits = own.traits();
                }
                if (newer && saved) {
                    changed.remove(own);
                } else if (newer || (saved && own.isNewerThan(other))) {
                    changed.add(own);
                }
            }
            return own;
        }
    }
}
