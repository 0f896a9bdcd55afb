import dev.evener.ElementType
import dev.evener.spark.{ColumnKernel, EvenerFrame}
import org.apache.spark.sql.SparkSession

/** Adds the column z = 2.5 x + y to Parquet files: by the API, and the same in SQL. */
object Saxpy {
  def main(folders: Array[String]): Unit = {
    val spark = SparkSession.builder().getOrCreate()
    val saxpy = ColumnKernel.of(
      "saxpy",
      """kernel void saxpy(global const float *x, global const float *y, global float *z, float a) {
        |  size_t i = get_global_id(0);
        |  z[i] = a * x[i] + y[i];
        |}""".stripMargin,
      ElementType.FLOAT,
      Float.box(2.5f))
    val points = spark.read.parquet(folders(0))
    EvenerFrame.map(points, "z", saxpy, "x", "y").write.parquet(folders(1))
    points.createOrReplaceTempView("points")
    spark.sql("SELECT x, y, evener('saxpy', x, y) AS z FROM points").write.parquet(folders(2))
    spark.stop()
  }
}
