package dev.evener.spark;

import dev.evener.EvenerBuilder;
import dev.evener.event.RunEvent;
import dev.evener.testing.Faults;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * As {@link EvenerPlugin}, but devices of the executor that opens them first misbehave as {@value #FAULTS} says, separated by
 * semicolons. {@value #MARKER} is a file that says that there was one, and with {@code .fault} that a device failed.
 */
public final class FaultyPlugin implements SparkPlugin {
    static final String FAULTS = "spark.test.faults";
    static final String MARKER = "spark.test.marker";

    /** As Spark makes one. */
    public FaultyPlugin() {}

    @Override
    public DriverPlugin driverPlugin() {
        return new EvenerPlugin.Histories();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new EvenerPlugin.ExecutorHalf() {
            @Override
            EvenerBuilder builder(PluginContext opened) {
                EvenerBuilder builder = super.builder(opened);
                String marker = opened.conf().get(MARKER);
                if (made(marker)) {
                    for (String fault : opened.conf().get(FAULTS).split(";", -1)) {
                        Faults.inject(builder, fault);
                    }
                    builder.listener(event -> {
                        if (event instanceof RunEvent.Fault) {
                            made(marker + ".fault");
                        }
                    });
                }
                return builder;
            }
        };
    }

    private static boolean made(String file) {
        try {
            return new File(file).createNewFile();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
