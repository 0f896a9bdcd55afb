package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.tonemap.Operator;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All operations with both serializers, and with one that refuses classes nobody registered. */
class CrossingTest {
    private static final int ELEMENTS = 3 << 16;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"java, false", "kryo, false", "kryo, true"})
    void everyOperation(String serializer, boolean registered) throws Exception {
        SparkConf conf = SparkBed.conf("local[2]")
                .set(
                        "spark.serializer",
                        (serializer.equals("java") ? JavaSerializer.class : KryoSerializer.class).getName());
        if (registered) {
            conf.set("spark.kryo.registrationRequired", "true")
                    .set("spark.kryo.registrator", EvenerKryo.class.getName());
        }
        Path expected = SparkBed.expected(SparkBed.frames(folder.resolve("in"), 6), folder.resolve("expected"));
        ByteBuffer bytes = ByteBuffer.allocate(4 * ELEMENTS).order(ByteOrder.LITTLE_ENDIAN);
        IntStream.range(0, ELEMENTS).forEach(i -> bytes.putInt(ELEMENTS - i));
        Path numbers = Files.write(folder.resolve("numbers"), bytes.array());
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            TiledFile ints = new TiledFile(numbers.toString(), ElementType.INT, 1 << 16);
            Path out = folder.resolve("out");
            assertEquals(
                    new SparkFrames.Result(6, List.of()),
                    SparkFrames.of(spark)
                            .operator(Operator.HABLE)
                            .tonemap(folder.resolve("in").toString(), out.toString()));
            SparkBed.assertPictures(expected, out);
            assertEquals(ELEMENTS, SparkReduce.of(spark, ints, Operation.MAX));
            TiledFile floats = new TiledFile(ints.uri(), ElementType.FLOAT, 1 << 16); // all of them denormal
            assertArrayEquals(new long[] {0, ELEMENTS}, SparkHistogram.of(spark, floats, Bins.even(2, -1f, 1f)));
            TiledFile sorted =
                    SparkSort.sort(spark, ints, folder.resolve("sorted").toString());
            TiledFile scanned = SparkScan.inclusive(
                    spark,
                    sorted.blocks(1 << 17),
                    dev.evener.kernels.scan.Operation.MAX,
                    folder.resolve("scanned").toString());
            assertEquals(1, SparkReduce.of(spark, scanned, Operation.MIN));
            assertEquals(
                    List.of(ints, floats),
                    EvenerRdd.mapPartitions(spark.parallelize(List.of(ints, floats), 2), (evener, own) -> own)
                            .collect());
        }
    }
}
