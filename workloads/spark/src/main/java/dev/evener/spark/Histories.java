package dev.evener.spark;

import dev.evener.Evener;
import dev.evener.History;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.util.LongAccumulator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugin's half in the driver: a history for each set of devices that executors have, in a file of its own beside that of this user,
 * so that later applications begin with it too. Messages are arrays of what the JDK has, since the driver's messenger may not see the
 * application's classes. Thread-safe.
 */
final class Histories implements DriverPlugin {
    static final String SEED = "seed";
    static final String LEARNT = "learnt";
    static final String REFUSED = "refused";
    static final String OPENED = "opened";

    private static final Logger LOG = LoggerFactory.getLogger(Histories.class);

    /** After so many executors that could not open their devices, and none that could, jobs are cancelled: they would wait for ever. */
    private static final int REFUSALS = 4;

    /** What was learnt is saved so often, and at the end. */
    private static final long SAVE_NANOS = Duration.ofSeconds(30).toNanos();

    private final Map<String, History> byDevices = new ConcurrentHashMap<>();
    private final Map<String, LongAccumulator> accumulators = new HashMap<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private volatile Path folder = Path.of("");
    private volatile long saved = System.nanoTime();
    private @Nullable SparkContext spark;

    @Override
    public Map<String, String> init(SparkContext context, PluginContext plugin) {
        spark = context;
        String kept = plugin.conf().get(EvenerPlugin.HISTORY, "");
        folder = kept.isEmpty() ? Evener.defaultHistoryFile().resolveSibling("spark") : Path.of(kept);
        Figures.NAMES.forEach(name -> accumulators.put(name, context.longAccumulator("evener." + name)));
        Map<String, String> texts = new HashMap<>();
        accumulators.forEach((name, accumulator) -> texts.put(name, Figures.text(accumulator)));
        return texts;
    }

    @Override
    public @Nullable Object receive(Object message) {
        Object[] parts = (Object[]) message;
        if (parts[0].equals(REFUSED)) {
            refused((String) parts[1]);
            return null;
        }
        if (parts[0].equals(OPENED)) {
            LOG.info("{}", parts[1]);
            refusals.set(Integer.MIN_VALUE);
            return null;
        }
        History history = byDevices.computeIfAbsent((String) parts[1], this::at);
        if (parts[0].equals(LEARNT)) {
            history.seed((byte[]) parts[2]);
            if (System.nanoTime() - saved >= SAVE_NANOS) {
                save();
            }
            return null;
        }
        return history.entries().isEmpty() ? null : history.bytes();
    }

    private void refused(String why) {
        LOG.error("{}", why);
        SparkContext context = spark;
        if (refusals.incrementAndGet() >= REFUSALS && context != null) {
            for (int job : context.statusTracker().getActiveJobIds()) {
                context.cancelJob(job, why);
            }
        }
    }

    private History at(String devices) {
        UUID name = UUID.nameUUIDFromBytes(devices.getBytes(StandardCharsets.UTF_8));
        return History.at(folder.resolve(name + ".json"));
    }

    @Override
    public void shutdown() {
        save();
    }

    private void save() {
        saved = System.nanoTime();
        byDevices.values().forEach(History::save);
    }
}
