package dev.evener.spark;

import dev.evener.ElementType;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * An OpenCL kernel that makes one column of others, row by row: {@code kernel void f(global const T *x, ..., global R *out, scalars)}, of
 * which work-item {@code i} reads row {@code i} and writes {@code out[i]}. Immutable.
 *
 * @param function the kernel's name, and its name in SQL
 * @param source its text
 * @param result type of {@code out}: {@code INT}, {@code LONG}, {@code FLOAT} or {@code DOUBLE}
 * @param scalars parameters after it
 */
public record ColumnKernel(String function, String source, ElementType result, List<Number> scalars)
        implements Serializable {
    /** Of columns that kernels read and write, and of those beside them. */
    static final Map<ElementType, DataType> TYPES = Map.of(
            ElementType.INT, DataTypes.IntegerType,
            ElementType.LONG, DataTypes.LongType,
            ElementType.FLOAT, DataTypes.FloatType,
            ElementType.DOUBLE, DataTypes.DoubleType);

    /** Keeps a copy. */
    public ColumnKernel {
        if (!TYPES.containsKey(result)) {
            throw new IllegalArgumentException(
                    function + ": a column of " + result + "; it must be INT, LONG, FLOAT or DOUBLE");
        }
        scalars = List.copyOf(scalars);
    }

    /** One with these scalars. */
    public static ColumnKernel of(String function, String source, ElementType result, Number... scalars) {
        return new ColumnKernel(function, source, result, List.of(scalars));
    }

    static ElementType type(DataType type) {
        return TYPES.entrySet().stream()
                .filter(each -> each.getValue().equals(type))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "a column of type " + type.sql() + "; with evener(...) all are INT, BIGINT, FLOAT or DOUBLE"))
                .getKey();
    }
}
