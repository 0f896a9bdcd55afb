package dev.evener.spark;

import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import java.io.IOException;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;

/** {@link Reduce} over a file of any size: the bits that one machine gives, for every partitioning. */
public final class SparkReduce {
    private SparkReduce() {}

    /**
     * The sum, the exact wide sum, the least or the greatest of all elements.
     *
     * @return as {@link Reduce#of} gives it
     * @throws IllegalArgumentException if the operation finds an index, or does not fit the type
     * @throws IOException if the file cannot be read
     */
    public static Number of(JavaSparkContext spark, TiledFile file, Operation operation) throws IOException {
        Reduce.combine(operation, file.type(), List.of()); // refuses what cannot be done
        return Reduce.combine(
                operation,
                file.type(),
                file.map(spark, (evener, block, data) -> Reduce.of(evener, operation, data))
                        .collect());
    }
}
