package dev.evener.spark;

import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.histogram.Histogram;
import java.io.IOException;
import java.util.Arrays;
import org.apache.spark.api.java.JavaSparkContext;

/** {@link Histogram} over a file of any size. */
public final class SparkHistogram {
    private SparkHistogram() {}

    /**
     * Counts all elements.
     *
     * @return a count for each bin
     * @throws IOException if the file cannot be read
     */
    public static long[] of(JavaSparkContext spark, TiledFile file, Bins bins) throws IOException {
        return file.map(spark, (evener, block, data) -> Histogram.of(evener, bins, data))
                .treeReduce((a, b) -> {
                    long[] sums = a.clone();
                    Arrays.setAll(sums, i -> a[i] + b[i]);
                    return sums;
                });
    }
}
