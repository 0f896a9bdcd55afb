package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Kernels over columns: against Spark's own expressions, which round as OpenCL does where nothing is contracted. */
class EvenerFrameTest {
    private static final int ROWS = 1_500_000; // more than one job has

    static final ColumnKernel SAXPY = ColumnKernel.of(
            "saxpy",
            "#pragma OPENCL FP_CONTRACT OFF\n"
                    + "kernel void saxpy(global const float *x, global const float *y, global float *out, float a)"
                    + " { size_t i = get_global_id(0); out[i] = a * x[i] + y[i]; }",
            ElementType.FLOAT,
            2.5f);

    private static final ColumnKernel MIX = ColumnKernel.of(
            "mix3",
            "kernel void mix3(global const int *a, global const long *b, global const double *c, global long *out)"
                    + " { size_t i = get_global_id(0); out[i] = a[i] * 3L + (b[i] ^ (long) c[i]); }",
            ElementType.LONG);

    private static SparkSession spark;
    private static Dataset<Row> cached;

    @BeforeAll
    static void open() throws Exception {
        spark = SparkSession.builder()
                .config(SparkBed.conf("local[2]").set("spark.sql.extensions", EvenerFrame.Extensions.class.getName()))
                .getOrCreate();
        EvenerFrame.register(SAXPY);
        EvenerFrame.register(MIX);
        cached = frame().drop("s").cache();
        cached.count();
        cached.createOrReplaceTempView("cached");
        frame().createOrReplaceTempView("rows");
    }

    @AfterAll
    static void close() {
        spark.stop();
    }

    private static Dataset<Row> frame() {
        return spark.range(0, ROWS, 1, 1)
                .selectExpr(
                        "cast(id as int) AS a",
                        "id * 12345678901 AS b",
                        "if(id % 1000 = 7, null, cast(id as double) * 1.5) AS c",
                        "cast(id as float) / 7 AS x0",
                        "cast(id as string) AS s")
                .selectExpr("a", "b", "c", "s", "cast(x0 as float) AS x", "cast(a % 1000 as float) AS y");
    }

    /** How many rows differ, nulls and all. */
    private static long different(Dataset<Row> frame, String one, String other) {
        return frame.filter("NOT (" + one + " <=> " + other + ")").count();
    }

    /** As it was executed: one that is adaptive, as Spark 3.5 makes these, has kernels only then. */
    private static String plan(Dataset<Row> frame) {
        SparkPlan plan = frame.queryExecution().executedPlan();
        assertTrue(plan.execute().count() > 0);
        return plan.toString();
    }

    @Test
    void oneMoreColumnOfCachedColumns() {
        Dataset<Row> more = EvenerFrame.map(cached, "z", SAXPY, "x", "y");
        assertEquals(List.of("a", "b", "c", "x", "y", "z"), List.of(more.columns()));
        assertFalse(plan(more).contains("RowToColumnar"), plan(more));
        assertEquals(ROWS, more.count());
        assertEquals(0, different(more, "z", "cast(cast(2.5 as float) * x + y as float)"));
        assertEquals(ROWS / 1000, more.filter("c IS NULL").count(), "what is beside it is as it was");
        assertEquals(0, different(more, "b", "a * 12345678901"));
    }

    @Test
    void inSqlOverRowsWithNullsAndExpressions() {
        for (String table : List.of("cached", "rows")) {
            Dataset<Row> mixed = spark.sql("SELECT a + 1 AS d, a, b, c, evener('mix3', a + 1, b, c) AS m,"
                    + " evener('saxpy', x, y) AS z FROM " + table + " WHERE a % 3 = 1");
            Dataset<Row> checked = mixed.selectExpr("*", "(a + 1) * 3L + (b ^ cast(c as bigint)) AS own");
            assertTrue(plan(checked).contains("+- Kernel ["), plan(checked));
            assertEquals(ROWS / 3, checked.count());
            assertEquals(0, different(checked, "m", "own"));
            assertEquals(ROWS / 3000, checked.filter("m IS NULL").count());
        }
        // Above a union of single partitions Spark makes no exchange: it counts on their being single.
        assertEquals(
                List.of(RowFactory.create(0.0)),
                spark.sql("SELECT sum(z) AS w FROM (SELECT evener('saxpy', x, y) AS z FROM cached)"
                                + " UNION ALL SELECT -sum(z) FROM (SELECT evener('saxpy', x, y) AS z FROM rows)")
                        .selectExpr("sum(w)")
                        .collectAsList());
    }

    @Test
    void anEmptyFrame() {
        assertEquals(
                0, EvenerFrame.map(cached.filter("a < 0"), "z", SAXPY, "x", "y").count());
        assertEquals(
                List.of(),
                EvenerFrame.map(spark.table("rows").drop("s").limit(0), "z", SAXPY, "x", "y")
                        .collectAsList());
    }

    @Test
    void whatIsNoColumnOfNumbersIsRefused() {
        refused("there is no such kernel", () -> spark.sql("SELECT evener('none', x) FROM cached"));
        refused("a column of type STRING", () -> spark.sql("SELECT evener('saxpy', x, s) FROM rows"));
        refused(
                "a column of type STRING",
                () -> spark.sql("SELECT s, evener('saxpy', x, y) FROM rows").collect());
        refused(
                "a column of a SELECT of its own",
                () -> spark.sql("SELECT evener('saxpy', x, y) + 1 FROM cached").collect());
        refused(
                "mix3",
                () -> spark.sql("SELECT evener('mix3', x, b, c) FROM cached").collect());
    }

    private static void refused(String part, org.junit.jupiter.api.function.Executable call) {
        Exception e = assertThrows(Exception.class, call);
        assertTrue(String.valueOf(e.getMessage()).contains(part), () -> e.toString());
    }
}
