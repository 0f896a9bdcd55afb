package dev.evener.spark;

import dev.evener.kernels.tonemap.Operator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * {@code spark-submit --class dev.evener.spark.Tonemap evener-spark.jar [OPTIONS] IN OUT}: the frames of a folder to PNG files. Returns
 * when all is done, and throws otherwise: a cluster's manager takes any other end for a failure.
 */
public final class Tonemap {
    private static final String USAGE = "Usage: Tonemap [--operator NAME] [--partitions N] [--incremental] IN OUT";

    private Tonemap() {}

    /**
     * Runs.
     *
     * @throws IllegalArgumentException if it is used wrongly
     * @throws SparkException if some frame gave no picture, of which each has a line on standard error, or a task failed for good
     * @throws IOException if there is no frame, or the folder is there or cannot be written
     */
    public static void main(String[] arguments) throws IOException, SparkException {
        List<String> folders = new ArrayList<>();
        Operator operator = Operator.REINHARD_EXTENDED;
        int partitions = 0;
        boolean incremental = false;
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--operator" -> operator = Operator.parse(value(arguments, ++i));
                case "--partitions" -> partitions = Integer.parseInt(value(arguments, ++i));
                case "--incremental" -> incremental = true;
                default -> folders.add(arguments[i]);
            }
        }
        if (folders.size() != 2 || partitions < 0 || folders.stream().anyMatch(f -> f.startsWith("--"))) {
            throw new IllegalArgumentException("an input and an output folder are needed. " + USAGE);
        }
        SparkConf conf = new SparkConf().setIfMissing("spark.plugins", EvenerPlugin.class.getName());
        conf.setIfMissing("spark.app.name", "evener tonemap");
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            SparkFrames frames = SparkFrames.of(spark).operator(operator);
            if (partitions > 0) {
                frames.partitions(partitions);
            }
            long start = System.nanoTime();
            SparkFrames.Result result =
                    (incremental ? frames.incremental() : frames).tonemap(folders.get(0), folders.get(1));
            result.failures().forEach(line -> System.err.println("evener: " + line));
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    Locale.ROOT, "%d pictures written to %s in %.1f s%n", result.written(), folders.get(1), seconds);
            if (!result.failures().isEmpty()) {
                throw new SparkException(
                        "frames that gave no picture: " + result.failures().size() + ", the first "
                                + result.failures().get(0));
            }
        }
    }

    private static String value(String[] arguments, int i) {
        if (i == arguments.length) {
            throw new IllegalArgumentException(arguments[i - 1] + " needs a value. " + USAGE);
        }
        return arguments[i];
    }
}
