package dev.evener.history;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.internal.AtomicFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history's file: versioned JSON, written atomically under a lock that its writers share, set aside when it cannot be
 * understood. Any thread.
 */
final class HistoryFile {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryFile.class);
    private static final String FORMAT = "evener-history";
    private static final int VERSION = 3;
    /** Far above any honest file. */
    private static final long LARGEST = 64L << 20;
    /** Kinds of jobs that are kept: those that ran last. */
    private static final int KINDS = 2000;
    /** Greatest number that is read: no product of two such overflows. */
    private static final double MOST = 1e100;

    private static final int OCTAVES = 63;
    /** Greatest variance that a belief can come to. */
    private static final double MOST_VARIANCE = 100;

    private HistoryFile() {}

    /** What is in it; nothing if it is missing, or cannot be understood and was set aside with a warning. */
    static List<KernelHistory> load(Path file) {
        if (!Files.exists(file)) { // which includes a cache folder that cannot be one; saving will say so
            return List.of();
        }
        try {
            if (Files.size(file) > LARGEST) {
                throw new IOException("it is larger than " + LARGEST + " bytes");
            }
            return parse(Files.readString(file));
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}", AtomicFiles.setAside(file, "history", e.getMessage()));
            return List.of();
        }
    }

    /**
     * Reads it and writes it anew, while no other process and no other thread of this one does the same.
     *
     * @param merge makes what is to be written of what is there
     * @return false, with a warning, if it could not be written
     */
    static boolean update(Path file, Function<List<KernelHistory>, Collection<KernelHistory>> merge) {
        // A lock of the file system is one of the process: its threads need one of their own.
        synchronized (HistoryFile.class) {
            try {
                Path folder = file.toAbsolutePath().getParent();
                if (folder != null && !Files.isDirectory(folder)) {
                    Files.createDirectories(folder);
                }
                Path beside = file.resolveSibling(file.getFileName() + ".lock");
                try (FileChannel channel =
                                FileChannel.open(beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                        FileLock lock = channel.lock()) {
                    String text = JSON.std
                                    .with(JSON.Feature.PRETTY_PRINT_OUTPUT)
                                    .asString(root(merge.apply(load(file))))
                            + "\n";
                    AtomicFiles.write(file, text.getBytes(StandardCharsets.UTF_8));
                    return lock.isValid();
                }
            } catch (IOException e) {
                LOG.warn("the history could not be written to {}: {}", file, e.toString());
                return false;
            }
        }
    }

    // ---- writing ----

    private static Map<String, Object> root(Collection<KernelHistory> kinds) {
        List<Object> jobs = new ArrayList<>();
        kinds.stream()
                .sorted(Comparator.comparingLong((KernelHistory k) -> k.updatedMillis)
                        .reversed())
                .limit(KINDS)
                .forEach(kernel -> {
                    synchronized (kernel) {
                        if (kernel.sizes.values().stream().anyMatch(size -> size.jobs > 0)) {
                            jobs.add(job(kernel));
                        }
                    }
                });
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("format", FORMAT);
        root.put("version", VERSION);
        root.put("jobs", jobs);
        return root;
    }

    private static Map<String, Object> job(KernelHistory kernel) {
        List<Object> phases = new ArrayList<>();
        for (JobKey.Phase phase : kernel.phases) {
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("kernel", phase.kernel());
            saved.put("shape", phase.shape());
            phases.add(saved);
        }
        List<Object> lanes = new ArrayList<>();
        kernel.lanes.forEach((device, lane) -> {
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("device", device);
            saved.put("chunks", lane.chunks);
            saved.put("noise", lane.noise);
            saved.put("phaseParts", numbers(lane.phaseParts));
            saved.put("delays", numbers(lane.delays));
            saved.put("launch", lane.launch);
            lanes.add(saved);
        });
        List<Object> sizes = new ArrayList<>();
        kernel.sizes.forEach((octave, size) -> {
            if (size.jobs > 0) {
                sizes.add(size(octave, size));
            }
        });
        Map<String, Object> job = new LinkedHashMap<>();
        job.put("phases", phases);
        job.put("updatedMillis", kernel.updatedMillis);
        job.put("lanes", lanes);
        job.put("profile", kernel.profile.profile().even() ? null : numbers(kernel.profile.state()));
        job.put("sizes", sizes);
        return job;
    }

    private static Map<String, Object> size(int octave, SizeModel size) {
        List<Object> sets = new ArrayList<>();
        size.tails.forEach((set, tail) -> {
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("devices", set);
            saved.put("jobs", tail.jobs());
            saved.put("logNanosPerUnit", tail.logPerUnit());
            saved.put("tail", tail.log());
            saved.put("tailVariance", tail.variance());
            saved.put("tailNanos", tail.nanos());
            sets.add(saved);
        });
        Belief belief = size.belief;
        List<Object> terms = new ArrayList<>();
        for (int i = 0; i < belief.size(); i++) {
            double[] row = new double[i + 1];
            for (int j = 0; j <= i; j++) {
                row[j] = belief.covariance(i, j);
            }
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("term", belief.terms().get(i));
            saved.put("mean", belief.mean(i));
            saved.put("covariance", numbers(row));
            terms.add(saved);
        }
        Map<String, Object> saved = new LinkedHashMap<>();
        saved.put("octave", octave);
        saved.put("jobs", size.jobs);
        saved.put("totalNanos", size.totalNanos);
        saved.put("exploredNanos", size.spentNanos);
        saved.put("sets", sets);
        saved.put("belief", terms);
        return saved;
    }

    private static List<Double> numbers(double... values) {
        return DoubleStream.of(values).boxed().toList();
    }

    // ---- reading ----

    private static List<KernelHistory> parse(String text) throws IOException {
        Map<String, Object> root = JSON.std.mapFrom(text);
        if (!FORMAT.equals(root.get("format"))) {
            throw new IOException("it is not an Evener history");
        }
        if (!(root.get("version") instanceof Number found) || found.doubleValue() != VERSION) {
            throw new IOException("it has version " + root.get("version") + ", this Evener reads version " + VERSION);
        }
        List<KernelHistory> kinds = new ArrayList<>();
        for (Object item : list(root, "jobs")) {
            kinds.add(kernel(map(item)));
        }
        return kinds;
    }

    private static KernelHistory kernel(Map<?, ?> job) throws IOException {
        List<JobKey.Phase> phases = new ArrayList<>();
        for (Object item : list(job, "phases")) {
            Map<?, ?> phase = map(item);
            phases.add(new JobKey.Phase(string(phase, "kernel"), string(phase, "shape")));
        }
        if (phases.isEmpty()) {
            throw new IOException("a job has no phases");
        }
        KernelHistory kernel = new KernelHistory(phases);
        kernel.updatedMillis = (long) Math.min(Long.MAX_VALUE, number(job, "updatedMillis", 0));
        for (Object item : list(job, "lanes")) {
            Map<?, ?> saved = map(item);
            KernelHistory.Lane lane = kernel.lane(string(saved, "device"));
            lane.chunks = (long) number(saved, "chunks", 0);
            lane.noise = number(saved, "noise", 0);
            numbers(saved, "phaseParts", lane.phaseParts);
            numbers(saved, "delays", lane.delays);
            lane.launch = number(saved, "launch", 0);
            lane.restored();
        }
        if (job.get("profile") != null) {
            double[] state = kernel.profile.state();
            numbers(job, "profile", state);
            kernel.profile.restore(state);
        }
        for (Object item : list(job, "sizes")) {
            Map<?, ?> saved = map(item);
            double octave = number(saved, "octave", 0);
            if (octave >= OCTAVES) {
                throw new IOException("\"octave\" is " + octave + " and must be below " + OCTAVES);
            }
            kernel.sizes.put((int) octave, size(saved));
        }
        return kernel;
    }

    private static SizeModel size(Map<?, ?> saved) throws IOException {
        SizeModel size = new SizeModel();
        size.jobs = (long) number(saved, "jobs", 1);
        size.known = true;
        size.totalNanos = number(saved, "totalNanos", 0);
        size.spentNanos = number(saved, "exploredNanos", 0);
        for (Object item : list(saved, "sets")) {
            Map<?, ?> set = map(item);
            size.tails.put(
                    string(set, "devices"),
                    new SizeModel.Tail(
                            number(set, "tail", -SizeModel.MOST_LOG),
                            Math.min(SizeModel.Tail.VARIANCE, number(set, "tailVariance", 0)),
                            number(set, "tailNanos", -MOST),
                            number(set, "logNanosPerUnit", -SizeModel.MOST_LOG),
                            (long) number(set, "jobs", 0)));
        }
        for (Object item : list(saved, "belief")) {
            Map<?, ?> term = map(item);
            double[] row = new double[size.belief.size() + 1];
            numbers(term, "covariance", row);
            int at = size.belief.add(
                    string(term, "term"),
                    Math.min(SizeModel.MOST_LOG, number(term, "mean", -SizeModel.MOST_LOG)),
                    Math.max(1e-12, Math.min(MOST_VARIANCE, row[row.length - 1])));
            for (int i = 0; i < at; i++) { // no more than variances allow
                double most = 0.999 * Math.sqrt(size.belief.covariance(i, i) * size.belief.covariance(at, at));
                size.belief.setCovariance(i, at, Math.max(-most, Math.min(most, row[i])));
            }
        }
        return size;
    }

    /** Reads a list of just so many numbers. */
    private static void numbers(Map<?, ?> entry, String name, double[] into) throws IOException {
        List<?> values = list(entry, name);
        if (values.size() != into.length) {
            throw new IOException("\"" + name + "\" has " + values.size() + " numbers, not " + into.length);
        }
        for (int i = 0; i < into.length; i++) {
            into[i] = number(name, values.get(i), -MOST);
        }
    }

    private static List<?> list(Map<?, ?> entry, String name) throws IOException {
        if (entry.get(name) instanceof List<?> list) {
            return list;
        }
        throw new IOException("\"" + name + "\" is not a list");
    }

    private static Map<?, ?> map(Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw new IOException("an entry is not an object");
    }

    private static String string(Map<?, ?> entry, String name) throws IOException {
        if (entry.get(name) instanceof String s) {
            return s;
        }
        throw new IOException("an entry has no text \"" + name + "\"");
    }

    private static double number(Map<?, ?> entry, String name, double least) throws IOException {
        return number(name, entry.get(name), least);
    }

    private static double number(String name, Object value, double least) throws IOException {
        if (value instanceof Number n && n.doubleValue() >= least && n.doubleValue() <= MOST) {
            return n.doubleValue();
        }
        throw new IOException(
                "an entry has no number \"" + name + "\" of at least " + least + " and at most " + MOST);
    }
}
