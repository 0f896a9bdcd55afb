package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** examples/Saxpy.scala, compiled and run over Parquet files. */
class ScalaExampleTest {
    @TempDir
    Path folder;

    @Test
    void itCompilesAndRuns() throws Exception {
        Path classes = Files.createDirectories(folder.resolve("classes"));
        String[] arguments = {
            "-cp", System.getProperty("java.class.path"), "-d", classes.toString(), "examples/Saxpy.scala"
        };
        assertTrue(new scala.tools.nsc.MainClass().process(arguments));
        Map<String, String> properties = new TreeMap<>();
        for (Tuple2<String, String> each : SparkBed.conf("local[2]")
                .set("spark.sql.extensions", EvenerFrame.Extensions.class.getName())
                .getAll()) {
            properties.put(each._1(), each._2());
        }
        properties.forEach(System::setProperty);
        String points = folder.resolve("points").toString();
        String more = folder.resolve("more").toString();
        String sql = folder.resolve("sql").toString();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
            SparkSession.builder()
                    .getOrCreate()
                    .range(100_000)
                    .selectExpr("cast(id as float) AS x", "cast(id % 10 as float) AS y")
                    .write()
                    .parquet(points);
            loader.loadClass("Saxpy").getMethod("main", String[].class).invoke(null, (Object)
                    new String[] {points, more, sql});
            SparkSession spark = SparkSession.builder().getOrCreate(); // the example has stopped the other
            for (String out : new String[] {more, sql}) {
                Dataset<Row> rows = spark.read().parquet(out);
                assertEquals(
                        100_000, rows.filter("z = cast(2.5 as float) * x + y").count());
            }
            spark.stop();
        } finally {
            properties.keySet().forEach(System::clearProperty);
        }
    }
}
