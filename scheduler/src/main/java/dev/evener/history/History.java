package dev.evener.history;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.policy.Snapshot.Cost;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What each device achieved on each kernel: keyed by kernel source, build options, device and data shape, good for
 * predicting the time of a size not seen before. Thread-safe.
 */
public final class History {
    private final TreeMap<Key, CostModel> models = new TreeMap<>();
    private final @Nullable Path file;
    private boolean changed;

    private History(@Nullable Path file) {
        this.file = file;
    }

    /** A history that is forgotten at the end. */
    public static History inMemory() {
        return new History(null);
    }

    /**
     * The history kept in a file. A file that is missing gives an empty history; one that is damaged or of another version
     * is set aside under a name of its own, with a warning, and an empty history takes its place.
     */
    public static History at(Path file) {
        History history = new History(file);
        history.models.putAll(HistoryFile.load(file));
        return history;
    }

    /** The file it is kept in, or null. */
    public @Nullable Path file() {
        return file;
    }

    /** Placeholder. */
    public JobHistory of(Job job, List<DeviceInfo> devices) {
        return new JobHistory(this, job, devices);
    }

    /** Predicted cost of a phase on a device; {@link Cost#UNKNOWN} where nothing like it ran there. */
    public Cost cost(Job.Phase phase, DeviceInfo device) {
        return cost(Key.of(phase, device));
    }

    /** Predicted cost of what a key stands for. */
    public Cost cost(Key key) {
        synchronized (models) {
            CostModel model = models.get(key);
            return model == null ? Cost.UNKNOWN : model.cost();
        }
    }

    /** Learns that a device was busy for {@code busyNanos} with {@code units > 0} units of a phase. */
    public void record(Job.Phase phase, DeviceInfo device, long units, long busyNanos) {
        record(Key.of(phase, device), units, busyNanos);
    }

    /** Learns the same of what a key stands for. */
    public void record(Key key, long units, long busyNanos) {
        synchronized (models) {
            models.computeIfAbsent(key, k -> new CostModel()).observe(units, busyNanos);
            changed = true;
        }
    }

    /** What is known, in a stable order. */
    public List<Entry> entries() {
        synchronized (models) {
            return models.entrySet().stream()
                    .map(e -> new Entry(
                            e.getKey().kernel(),
                            e.getKey().device(),
                            e.getKey().shape(),
                            e.getValue().cost(),
                            e.getValue().spread()))
                    .collect(Collectors.toUnmodifiableList());
        }
    }

    /** Forgets everything. */
    public void clear() {
        synchronized (models) {
            changed |= !models.isEmpty();
            models.clear();
        }
    }

    /** Writes it to its file if it changed: all or nothing. A failure is a warning, since results do not depend on it. */
    public void save() {
        if (file == null) {
            return;
        }
        synchronized (models) {
            if (changed && HistoryFile.save(file, models)) {
                changed = false;
            }
        }
    }

    /**
     * One line of the history.
     *
     * @param kernel kernel function
     * @param device device identity
     * @param shape what was built and the sizes per unit
     * @param cost the estimate
     * @param spread relative deviation of what was seen from the estimate
     */
    public record Entry(String kernel, String device, String shape, Cost cost, double spread) {}

    /**
     * What an estimate is for; worth keeping by whoever asks often.
     *
     * @param kernel kernel function
     * @param device device identity
     * @param shape what was built and the sizes per unit
     */
    public record Key(String kernel, String device, String shape) implements Comparable<Key> {

        /** The key of a phase on a device. */
        public static Key of(Job.Phase phase, DeviceInfo device) {
            KernelSource source = phase.source();
            Variant variant = phase.variant(device.kind());
            boolean jvm = device.kind() == DeviceKind.JVM || source == null;
            StringBuilder shape =
                    new StringBuilder(jvm ? "jvm" : source.digest().substring(0, 16));
            if (!jvm && !variant.options().isBlank()) {
                shape.append(' ').append(variant.options().trim());
            }
            for (Job.Argument argument : phase.arguments()) {
                if (argument instanceof Job.Argument.Buffer b) {
                    int bytes = b.buffer().type().bytes();
                    if (b.access() instanceof Access.Slice s) {
                        shape.append(" slice:").append(s.elementsPerUnit() * bytes);
                    } else if (b.access() instanceof Access.Halo h) {
                        shape.append(" halo:")
                                .append(h.elementsPerUnit() * bytes)
                                .append('+')
                                .append(h.before())
                                .append('+')
                                .append(h.after());
                    } else if (b.access() instanceof Access.Whole) {
                        shape.append(" whole:").append(b.buffer().byteSize());
                    } else if (b.access() instanceof Access.Append a) {
                        shape.append(" append:").append(a.mostPerUnit() * bytes);
                    } else {
                        shape.append(" reduce:").append(b.buffer().byteSize());
                    }
                }
            }
            return new Key(phase.kernel(), device.identity(), shape.toString());
        }

        @Override
        public int compareTo(Key other) {
            int byKernel = kernel.compareTo(other.kernel);
            if (byKernel != 0) {
                return byKernel;
            }
            int byDevice = device.compareTo(other.device);
            return byDevice != 0 ? byDevice : shape.compareTo(other.shape);
        }
    }

    static Map<Key, CostModel> emptyModels() {
        return new TreeMap<>();
    }
}
