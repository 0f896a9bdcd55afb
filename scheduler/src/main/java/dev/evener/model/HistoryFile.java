package dev.evener.model;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.internal.AtomicFiles;
import dev.evener.internal.JsonText;
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
import java.util.function.UnaryOperator;
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
    private static final int VERSION = 4;
    /** Bytes, far above any honest file. */
    private static final long LARGEST = 64L << 20;
    /** Kinds of jobs that are kept: those that ran last. */
    private static final int KINDS = 2000;
    /** Greatest number that is read: no product of two such overflows. */
    private static final double MOST = 1e100;
    /** Greatest count: no sum of such overflows. */
    private static final double MOST_COUNTED = 1e15;

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
     * What a text holds.
     *
     * @throws IOException or some unchecked exception if it is no history of this version
     */
    static List<KernelHistory> parse(String text) throws IOException {
        Entry root = new Entry(JsonText.object(text));
        if (!FORMAT.equals(root.map.get("format"))) {
            throw new IOException("it is not an Evener history");
        }
        if (!(root.map.get("version") instanceof Number found) || found.doubleValue() != VERSION) {
            throw new IOException(
                    "it has version " + root.map.get("version") + ", this Evener reads version " + VERSION);
        }
        List<KernelHistory> kinds = new ArrayList<>();
        for (Entry job : root.entries("jobs")) {
            kinds.add(kernel(job));
        }
        return kinds;
    }

    /** The text that holds them. */
    static byte[] text(Collection<KernelHistory> kinds) throws IOException {
        String text = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(root(kinds)) + "\n";
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads it and writes it anew, while no other process and no other thread of this one does the same.
     *
     * @param merge makes what is to be written of what is there
     * @return false, with a warning, if it could not be written
     */
    static boolean update(Path file, UnaryOperator<Collection<KernelHistory>> merge) {
        // A lock of the file system is one of the process: its threads need one of their own.
        synchronized (HistoryFile.class) {
            try {
                Files.createDirectories(file.toAbsolutePath().getParent());
                Path beside = file.resolveSibling(file.getFileName() + ".lock");
                try (FileChannel channel =
                                FileChannel.open(beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                        FileLock lock = channel.lock()) {
                    AtomicFiles.write(file, text(merge.apply(load(file))));
                    return lock.isValid();
                }
            } catch (IOException e) {
                LOG.warn("the history could not be written to {}: {}", file, e.toString());
                return false;
            }
        }
    }

    // ---- writing ----

    private static Object root(Collection<KernelHistory> kinds) {
        List<Object> jobs = new ArrayList<>();
        kinds.stream()
                .sorted(Comparator.comparingLong(kernel -> -kernel.updatedMillis))
                .limit(KINDS)
                .forEach(kernel -> {
                    synchronized (kernel) {
                        if (kernel.sizes.values().stream().anyMatch(size -> size.jobs > 0)) {
                            jobs.add(job(kernel));
                        }
                    }
                });
        return entry("format", FORMAT, "version", VERSION, "jobs", jobs);
    }

    private static Object job(KernelHistory kernel) {
        List<Object> lanes = new ArrayList<>();
        kernel.lanes.forEach((device, lane) ->
                lanes.add(entry("device", device, "chunks", lane.chunks, "state", numbers(lane.state()))));
        List<Object> sizes = new ArrayList<>();
        kernel.sizes.forEach((octave, size) -> {
            if (size.jobs > 0) {
                sizes.add(size(octave, size));
            }
        });
        return entry(
                "phases",
                kernel.phases.stream()
                        .map(phase -> entry("kernel", phase.kernel(), "shape", phase.shape()))
                        .toList(),
                "updatedMillis",
                kernel.updatedMillis,
                "lanes",
                lanes,
                "profile",
                numbers(kernel.profile.state()),
                "sizes",
                sizes);
    }

    private static Object size(int octave, SizeModel size) {
        List<Object> sets = new ArrayList<>();
        size.sets.forEach(
                (set, own) -> sets.add(entry("devices", set, "jobs", own.jobs(), "state", numbers(own.state()))));
        List<Object> terms = new ArrayList<>();
        for (int i = 0; i < size.belief.size(); i++) {
            double[] row = new double[i + 1];
            for (int j = 0; j <= i; j++) {
                row[j] = size.belief.covariance(i, j);
            }
            terms.add(
                    entry("term", size.belief.terms().get(i), "mean", size.belief.mean(i), "covariance", numbers(row)));
        }
        return entry(
                "octave",
                octave,
                "jobs",
                size.jobs,
                "state",
                numbers(size.totalNanos, size.spentNanos),
                "sets",
                sets,
                "belief",
                terms);
    }

    private static Map<String, Object> entry(Object... namesAndValues) {
        Map<String, Object> entry = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            entry.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return entry;
    }

    private static List<Double> numbers(double... values) {
        return DoubleStream.of(values).boxed().toList();
    }

    // ---- reading ----

    private static KernelHistory kernel(Entry job) throws IOException {
        List<JobKey.Phase> phases = new ArrayList<>();
        for (Entry phase : job.entries("phases")) {
            phases.add(new JobKey.Phase(phase.text("kernel"), phase.text("shape")));
        }
        KernelHistory kernel = new KernelHistory(phases);
        kernel.updatedMillis = job.count("updatedMillis");
        for (Entry saved : job.entries("lanes")) {
            KernelHistory.Lane lane = kernel.lane(saved.text("device"));
            lane.chunks = saved.count("chunks");
            lane.restore(saved.numbers("state", lane.state().length));
        }
        kernel.profile.restore(job.numbers("profile", kernel.profile.state().length));
        for (Entry saved : job.entries("sizes")) {
            kernel.sizes.put((int) Math.min(62, saved.count("octave")), size(saved));
        }
        return kernel;
    }

    private static SizeModel size(Entry saved) throws IOException {
        SizeModel size = new SizeModel();
        size.jobs = Math.max(1, saved.count("jobs"));
        size.known = true;
        double[] state = saved.numbers("state", 2);
        size.totalNanos = Math.abs(state[0]);
        size.spentNanos = Math.abs(state[1]);
        for (Entry set : saved.entries("sets")) {
            size.sets.put(
                    set.text("devices"),
                    SizeModel.OfSet.of(set.count("jobs"), set.numbers("state", SizeModel.OfSet.NUMBERS)));
        }
        for (Entry term : saved.entries("belief")) {
            double[] row = term.numbers("covariance", size.belief.size() + 1);
            double[] mean = term.numbers("mean", 1);
            size.belief.restore(term.text("term"), mean[0], row);
        }
        return size;
    }

    /** What is read, checked piece by piece. */
    private record Entry(Map<?, ?> map) {
        List<Entry> entries(String name) throws IOException {
            List<Entry> entries = new ArrayList<>();
            for (Object each : list(name)) {
                if (!(each instanceof Map<?, ?> entry)) {
                    throw new IOException("an entry of \"" + name + "\" is not an object");
                }
                entries.add(new Entry(entry));
            }
            return entries;
        }

        private List<?> list(String name) throws IOException {
            if (map.get(name) instanceof List<?> list) {
                return list;
            }
            throw new IOException("\"" + name + "\" is not a list");
        }

        String text(String name) throws IOException {
            if (map.get(name) instanceof String text) {
                return text;
            }
            throw new IOException("an entry has no text \"" + name + "\"");
        }

        long count(String name) throws IOException {
            return (long) Math.max(0, Math.min(MOST_COUNTED, number(name, map.get(name))));
        }

        double[] numbers(String name, int count) throws IOException {
            List<?> list = map.get(name) instanceof Number single ? List.of(single) : list(name);
            if (list.size() != count) {
                throw new IOException("\"" + name + "\" has " + list.size() + " numbers, not " + count);
            }
            double[] numbers = new double[count];
            for (int i = 0; i < count; i++) {
                numbers[i] = number(name, list.get(i));
            }
            return numbers;
        }

        private static double number(String name, Object value) throws IOException {
            if (value instanceof Number n && Math.abs(n.doubleValue()) <= MOST) {
                return n.doubleValue();
            }
            throw new IOException("\"" + name + "\" is no number of at most " + MOST);
        }
    }
}
