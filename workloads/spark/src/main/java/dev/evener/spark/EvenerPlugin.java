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
 * <table>
 * <caption>Settings</caption>
 * <tr><td>{@code spark.evener.devices}</td><td>a {@link dev.evener.DeviceSelector}. By default the executor's GPUs if Spark gave it
 *     some, else all devices; with GPUs and this, those GPUs and of all other devices what this selects</td></tr>
 * <tr><td>{@code spark.evener.requireOpenCl}</td><td>{@code true} by default: an executor without OpenCL fails at its start instead of
 *     working on JVM threads at a fraction of the speed</td></tr>
 * <tr><td>{@code spark.evener.exitWhenDevicesFail}</td><td>{@code true} by default: an executor none of whose devices works any more
 *     ends, so that Spark places its tasks elsewhere</td></tr>
 * <tr><td>{@code spark.evener.history}</td><td>the folder of the driver's machine in which histories are kept; by default
 *     {@code spark} beside this user's own</td></tr>
 * <tr><td>{@code spark.evener.sharedFiles}</td><td>{@code true} if {@code file:} is the same on all machines, as with NFS; by default
 *     files of the driver's disk are refused on a cluster</td></tr>
 * </table>
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
