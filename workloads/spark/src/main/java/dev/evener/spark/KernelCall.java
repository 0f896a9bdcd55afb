package dev.evener.spark;

import dev.evener.ElementType;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Unevaluable;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** A kernel with its arguments, in a plan of Spark's: evaluated by {@link KernelExec} alone. Immutable. */
final class KernelCall extends Expression implements Unevaluable {
    /** Of columns that kernels read and write, and of those beside them. */
    static final Map<ElementType, DataType> TYPES = Map.of(
            ElementType.INT, DataTypes.IntegerType,
            ElementType.LONG, DataTypes.LongType,
            ElementType.FLOAT, DataTypes.FloatType,
            ElementType.DOUBLE, DataTypes.DoubleType);

    private final ColumnKernel kernel;
    private final Seq<Expression> arguments;

    KernelCall(ColumnKernel kernel, Seq<Expression> arguments) {
        this.kernel = kernel;
        this.arguments = arguments;
    }

    /** @param all the kernel's name, and its arguments */
    static Expression of(Seq<Expression> all) {
        if (all.isEmpty() || !all.head().foldable()) {
            throw new IllegalArgumentException("evener(...): the first argument is the kernel's name, as a text");
        }
        String name = String.valueOf(all.head().eval(null));
        List<Expression> arguments = CollectionConverters.asJava(all).subList(1, all.size());
        arguments.forEach(each -> type(each.dataType())); // refuses others
        return new KernelCall(EvenerFrame.kernel(name), KernelExec.sequence(arguments));
    }

    static ElementType type(DataType type) {
        return TYPES.entrySet().stream()
                .filter(each -> each.getValue().equals(type))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "a column of type " + type.sql() + "; with evener(...) all are INT, BIGINT, FLOAT or DOUBLE"))
                .getKey();
    }

    ColumnKernel kernel() {
        return kernel;
    }

    @Override
    public DataType dataType() {
        return TYPES.get(kernel.result());
    }

    @Override
    public boolean nullable() {
        return CollectionConverters.asJava(arguments).stream().anyMatch(Expression::nullable);
    }

    /** So that it is neither moved nor doubled. */
    @Override
    public boolean deterministic() {
        return false;
    }

    @Override
    public Object eval(InternalRow row) {
        throw new UnsupportedOperationException("evener(...) must be a column of a SELECT of its own");
    }

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        throw new UnsupportedOperationException("evener(...) must be a column of a SELECT of its own");
    }

    @Override
    public Seq<Expression> children() {
        return arguments;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
        return new KernelCall(kernel, children);
    }

    @Override
    public String prettyName() {
        return "evener";
    }

    @Override
    public int productArity() {
        return 2;
    }

    @Override
    public Object productElement(int i) {
        return i == 0 ? kernel.function() : arguments;
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof KernelCall;
    }
}
