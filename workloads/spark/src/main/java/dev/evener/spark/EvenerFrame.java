package dev.evener.spark;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.functions;
import scala.Tuple3;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Kernels over columns of data frames, column by column and without rows, as Parquet files and cached frames have them. Needs {@code
 * spark.sql.extensions=dev.evener.spark.EvenerFrame$Extensions} and the plugin.
 *
 * <p>A call, {@code SELECT x, evener('saxpy', x, y) AS z FROM points} in SQL, is a column of a {@code SELECT} of its own: computed with or
 * filtered by in the next one. Columns beside it are numbers. Where an argument is null, so is the result. Any thread.
 */
public final class EvenerFrame {
    private static final String FUNCTION = "evener";
    private static final Map<String, ColumnKernel> KERNELS = new ConcurrentHashMap<>();

    private EvenerFrame() {}

    /**
     * A frame with one more column.
     *
     * @param result its name
     * @param columns the kernel's arguments: {@code INT}, {@code BIGINT}, {@code FLOAT} or {@code DOUBLE}
     */
    public static Dataset<Row> map(Dataset<Row> frame, String result, ColumnKernel kernel, String... columns) {
        register(kernel);
        Column[] arguments = Stream.concat(
                        Stream.of(functions.lit(kernel.function())),
                        Stream.of(columns).map(frame::col))
                .toArray(Column[]::new);
        return frame.withColumn(result, functions.call_udf(FUNCTION, arguments));
    }

    /** Makes {@code evener('function', columns...)} known to queries of this driver that are analysed from now on. */
    public static void register(ColumnKernel kernel) {
        KERNELS.put(kernel.function(), kernel);
    }

    static ColumnKernel kernel(String function) {
        ColumnKernel kernel = KERNELS.get(function);
        if (kernel == null) {
            throw new IllegalArgumentException(FUNCTION + "('" + function
                    + "', ...): there is no such kernel; give it to EvenerFrame.register first");
        }
        return kernel;
    }

    /** What {@code spark.sql.extensions} names. */
    public static final class Extensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
        @Override
        public BoxedUnit apply(SparkSessionExtensions extensions) {
            extensions.injectFunction(new Tuple3<>(
                    new FunctionIdentifier(FUNCTION),
                    new ExpressionInfo(KernelExec.Call.class.getName(), FUNCTION),
                    KernelExec.Call::of));
            extensions.injectColumnar(session -> new ColumnarRule() {
                @Override
                public Rule<SparkPlan> preColumnarTransitions() {
                    return new Rule<>() {
                        @Override
                        public SparkPlan apply(SparkPlan plan) {
                            return KernelExec.in(plan);
                        }
                    };
                }
            });
            return BoxedUnit.UNIT;
        }
    }
}
