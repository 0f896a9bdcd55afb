package dev.evener.spark;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import dev.evener.spark.TaskJobs.Figures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.resource.ResourceInformation;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.ThreadUtils;
import org.apache.spark.util.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens one {@link Evener} in each executor, on the GPUs that Spark gave it, and keeps what they learn of their devices:
 * {@code spark.plugins=dev.evener.spark.EvenerPlugin}.
 *
 * Settings are described in docs/spark.md.
 */
public final class EvenerPlugin implements SparkPlugin {
    static final String DEVICES = "spark.evener.devices";
    static final String REQUIRE_OPENCL = "spark.evener.requireOpenCl";
    static final String HISTORY = "spark.evener.history";
    static final String SHARED_FILES = "spark.evener.sharedFiles";
    static final String EXIT = "spark.evener.exitWhenDevicesFail";

    /** Exit code of an executor without devices. */
    static final int NO_DEVICES = 20;

    /** This JVM's, while it is open. */
    static volatile @Nullable Evener evener;

    @Override
    public DriverPlugin driverPlugin() {
        return new Histories();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorHalf();
    }

    /**
     * The Evener of this executor, which the plugin closes. Any thread of a task.
     *
     * @throws IllegalStateException if this JVM is no executor with the plugin
     */
    public static Evener evener() {
        Evener present = evener;
        if (present == null) {
            throw new IllegalStateException("this JVM has no Evener; set spark.plugins=" + EvenerPlugin.class.getName()
                    + " before the application starts");
        }
        return present;
    }

    /**
     * The plugin's half in the driver: a history for each set of devices that executors have, in a file of its own beside that of
     * this user, so that later applications begin with it too. Messages are arrays of what the JDK has, since the driver's
     * messenger may not see the application's classes. Thread-safe.
     */
    static final class Histories implements DriverPlugin {
        static final String SEED = "seed";
        static final String LEARNT = "learnt";
        static final String REFUSED = "refused";
        static final String OPENED = "opened";
        static final String FIGURES = "figures";

        private static final Logger LOG = LoggerFactory.getLogger(Histories.class);

        /** After so many executors that could not open their devices, and none that could, jobs are cancelled: they would wait on. */
        private static final int REFUSALS = 4;

        /** What was learnt is saved so often, and at the end. */
        private static final long SAVE_NANOS = Duration.ofSeconds(30).toNanos();

        private final Map<String, History> byDevices = new ConcurrentHashMap<>();
        private LongAccumulator[] accumulators = {};
        private final AtomicInteger refusals = new AtomicInteger();
        private volatile Path folder = Path.of("");
        private volatile long saved = System.nanoTime();
        private @Nullable SparkContext spark;

        @Override
        public Map<String, String> init(SparkContext context, PluginContext plugin) {
            spark = context;
            String kept = plugin.conf().get(HISTORY, "");
            folder = kept.isEmpty() ? Evener.defaultHistoryFile().resolveSibling("spark") : Path.of(kept);
            accumulators = Figures.NAMES.stream()
                    .map(name -> context.longAccumulator("evener." + name))
                    .toArray(LongAccumulator[]::new);
            return Map.of(FIGURES, Figures.text(accumulators));
        }

        @Override
        public @Nullable Object receive(Object message) {
            Object[] parts = (Object[]) message;
            String text = (String) parts[1]; // or the identities of devices
            switch ((String) parts[0]) {
                case REFUSED -> refused(text);
                case OPENED -> {
                    LOG.info("{}", text);
                    refusals.set(Integer.MIN_VALUE);
                }
                case LEARNT -> {
                    of(text).seed((byte[]) parts[2]);
                    if (System.nanoTime() - saved >= SAVE_NANOS) {
                        save();
                    }
                }
                default -> {
                    return of(text).entries().isEmpty() ? null : of(text).bytes();
                }
            }
            return null;
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

        private History of(String devices) {
            UUID name = UUID.nameUUIDFromBytes(devices.getBytes(StandardCharsets.UTF_8));
            return byDevices.computeIfAbsent(devices, each -> History.at(folder.resolve(name + ".json")));
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

    /**
     * The plugin's half in an executor: opens its Evener with the history that the driver has of such devices, tells the driver
     * what it learnt, and ends the executor when none of its devices works any more. Hooks are called by threads of tasks.
     */
    static class ExecutorHalf implements ExecutorPlugin {
        private static final Logger LOG = LoggerFactory.getLogger(ExecutorHalf.class);

        /** The driver is told of what was learnt so often; at the end may be too late, as executors are killed. */
        private static final long TELL_MILLIS = 5_000;

        /** An executor without devices is halted after that time if its shutdown hooks do not end. */
        private static final long HALT_SECONDS = 40;

        /** How often tasks are looked at that Spark may have killed. */
        private static final long KILLED_MILLIS = 100;

        private final ScheduledExecutorService timer =
                ThreadUtils.newDaemonSingleThreadScheduledExecutor("evener-timer");
        private volatile @Nullable Figures figures;
        private final History history = History.inMemory();
        private @Nullable PluginContext context;
        private String devices = "";
        private Instant toldUntil = Instant.now(); // what was learnt before came from the driver
        private String name = "";
        private boolean mayExit;

        @Override
        public void init(PluginContext opened, Map<String, String> extraConf) {
            context = opened;
            // hostname() throws where no RPC server runs, as in executors
            name = "executor " + opened.executorID() + " on " + Utils.localHostName();
            // The driver of local[n] is an executor too, and must not end.
            mayExit =
                    opened.conf().getBoolean(EXIT, true) && !opened.executorID().equals("driver");
            try {
                open(opened, extraConf);
            } catch (RuntimeException e) {
                send(new Object[] {Histories.REFUSED, name + ": " + e.getMessage()}); // who counts them
                throw e;
            }
        }

        private void open(PluginContext opened, Map<String, String> fromDriver) {
            ResourceInformation gpus = opened.resources().get("gpu");
            DeviceSelector selector = ExecutorDevices.selector(
                    opened.conf().get(DEVICES, ""),
                    gpus == null ? List.of() : Arrays.asList(gpus.addresses()),
                    Evener.discover(),
                    System.getenv());
            Figures listener = new Figures(opened.metricRegistry(), fromDriver.get(Histories.FIGURES));
            EvenerBuilder builder =
                    builder(opened).devices(selector).history(history).listener(listener);
            if (opened.conf().getBoolean(REQUIRE_OPENCL, true)) {
                builder.requireOpenCl();
            }
            Evener made = builder.open();
            devices = made.devices().stream().map(DeviceInfo::identity).collect(Collectors.joining("\n"));
            made.notes().forEach(LOG::info);
            send(new Object[] {Histories.OPENED, name + " works on " + ExecutorDevices.list(made.devices())});
            seed(opened);
            figures = listener;
            every(KILLED_MILLIS, TaskJobs::endKilled);
            every(TELL_MILLIS, this::tell);
            evener = made;
        }

        private void every(long millis, Runnable work) {
            Future<?> ignored = timer.scheduleWithFixedDelay(work, millis, millis, TimeUnit.MILLISECONDS);
        }

        /** What the Evener is made with. */
        EvenerBuilder builder(PluginContext opened) {
            return Evener.builder();
        }

        @Override
        public void onTaskStart() {
            Figures present = figures;
            if (present != null) {
                TaskJobs.begin(present.ofTask());
            }
        }

        private void seed(PluginContext opened) {
            try {
                if (opened.ask(new Object[] {Histories.SEED, devices}) instanceof byte[] known) {
                    history.seed(known);
                }
            } catch (Exception e) {
                LOG.warn("no history came from the driver, so that this executor begins without: {}", e.toString());
            }
        }

        private synchronized void tell() {
            Instant now = Instant.now();
            send(new Object[] {Histories.LEARNT, devices, history.bytes(toldUntil)});
            toldUntil = now;
        }

        private void send(Object[] message) {
            try {
                if (context != null) {
                    context.send(message);
                }
            } catch (IOException | RuntimeException e) {
                LOG.debug("the driver could not be told", e); // it may be gone
            }
        }

        /**
         * Called before the driver hears of the failure. An executor that ends here loses all its tasks at once and gets no other;
         * one that went on failing would use up their attempts. Whatever threw: a user's own job may wrap an Evener's exception.
         */
        @Override
        public void onTaskFailed(TaskFailedReason reason) {
            if (reason.toErrorString().contains(EvenerException.class.getName()) && mustEnd()) {
                send(new Object[] {Histories.REFUSED, name + ": no device works any more, so that it ends"});
                // In case that a driver's or Spark's shutdown hook does not end.
                CompletableFuture.delayedExecutor(HALT_SECONDS, TimeUnit.SECONDS, Runnable::run)
                        .execute(() -> Runtime.getRuntime().halt(NO_DEVICES));
                System.exit(NO_DEVICES); // holding no lock that a shutdown hook wants
            }
        }

        /** Says so once. */
        private synchronized boolean mustEnd() {
            Evener examined = evener;
            if (!mayExit || examined == null || works(examined)) {
                return false;
            }
            mayExit = false;
            return true;
        }

        /** Whether a job ends well that any device can do. */
        private static boolean works(Evener examined) {
            try (HostBuffer ones = examined.allocate(ElementType.INT, Reduce.TILE)) {
                Reduce.of(examined, Operation.SUM, ones);
                return true;
            } catch (RuntimeException e) {
                LOG.warn("a small job failed too: {}", e.toString());
                return false;
            }
        }

        @Override
        public void shutdown() {
            Evener open = evener;
            evener = null;
            timer.shutdown();
            if (open != null) {
                tell();
                open.close();
            }
        }
    }
}
