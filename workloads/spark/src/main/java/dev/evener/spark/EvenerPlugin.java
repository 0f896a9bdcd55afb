package dev.evener.spark;

import dev.evener.Evener;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;
import org.jspecify.annotations.Nullable;

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

    /** This JVM's, while it is open. */
    static volatile @Nullable Evener evener;

    /** As Spark makes one. */
    public EvenerPlugin() {}

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
}
