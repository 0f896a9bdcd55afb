package dev.evener.spark;

import static scala.jdk.javaapi.CollectionConverters.asJava;
import static scala.jdk.javaapi.CollectionConverters.asScala;

import dev.evener.ElementType;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Not for users; public for Spark, which copies plans by reflection: a projection with kernels, from columns into columns. Immutable. */
public final class KernelExec extends SparkPlan {
    private static final long serialVersionUID = 1;

    private final ProjectExec project; // what the plan above was made for: it may count on its order and partitioning

    /** Public for Spark, which copies plans by their constructors. */
    public KernelExec(Seq<NamedExpression> projectList, SparkPlan child) {
        this.project = new ProjectExec(projectList, child);
    }

    /**
     * A column of the result.
     *
     * @param kernel what computes it of these columns of the child, or null if it is the only one of them
     */
    record Made(ElementType type, @Nullable ColumnKernel kernel, List<Integer> columns) implements Serializable {}

    /** A plan in which projections with kernels are of this kind. */
    static SparkPlan in(SparkPlan plan) {
        List<SparkPlan> children = new ArrayList<>();
        asJava(plan.children()).forEach(each -> children.add(in(each)));
        SparkPlan with = plan.withNewChildren(sequence(children));
        return with instanceof ProjectExec project
                        && asJava(project.projectList()).stream().anyMatch(e -> call(e) != null)
                ? of(project)
                : with;
    }

    private static @Nullable Call call(NamedExpression expression) {
        return expression instanceof Alias alias && alias.child() instanceof Call call ? call : null;
    }

    /** What is neither a column nor a kernel is computed before, by Spark. */
    private static KernelExec of(ProjectExec project) {
        Map<Expression, NamedExpression> before = new LinkedHashMap<>();
        List<NamedExpression> list = new ArrayList<>();
        for (NamedExpression each : asJava(project.projectList())) {
            Call call = call(each);
            if (call == null) {
                before.put((Expression) each, each);
                list.add(each.toAttribute());
            } else {
                List<Expression> arguments = new ArrayList<>();
                asJava(call.children())
                        .forEach(argument -> arguments.add(before.computeIfAbsent(argument, KernelExec::named)
                                .toAttribute()));
                list.add((NamedExpression)
                        ((Alias) each).withNewChildren(sequence(List.of(new Call(call.kernel, sequence(arguments))))));
            }
        }
        boolean plain = before.keySet().stream().allMatch(Attribute.class::isInstance);
        SparkPlan child = plain ? project.child() : new ProjectExec(sequence(before.values()), project.child());
        return new KernelExec(sequence(list), child);
    }

    private static NamedExpression named(Expression expression) {
        if (expression instanceof Attribute attribute) {
            return attribute;
        }
        Seq<String> none = sequence(List.of());
        return new Alias(expression, "argument", NamedExpression$.MODULE$.newExprId(), none, Option.empty(), none);
    }

    static <E> Seq<E> sequence(Iterable<E> items) {
        return asScala(items).toList();
    }

    @Override
    public boolean supportsColumnar() {
        return true;
    }

    /** So that what Spark generates for the rows behind calls no method of an unknown class. */
    @Override
    public Option<Seq<String>> vectorTypes() {
        return Option.apply(sequence(Collections.nCopies(output().size(), OnHeapColumnVector.class.getName())));
    }

    @Override
    public RDD<InternalRow> doExecute() {
        throw new UnsupportedOperationException("kernels give columns");
    }

    @Override
    public RDD<ColumnarBatch> doExecuteColumnar() {
        List<ExprId> ids = new ArrayList<>();
        List<ElementType> types = new ArrayList<>();
        for (Attribute each : asJava(project.child().output())) {
            ids.add(each.exprId());
            types.add(ColumnKernel.type(each.dataType()));
        }
        List<Made> made = new ArrayList<>();
        for (NamedExpression each : asJava(project.projectList())) {
            Call call = call(each);
            List<Integer> columns = new ArrayList<>();
            (call == null ? sequence(List.of(each)) : call.children())
                    .foreach(argument -> columns.add(ids.indexOf(((Attribute) argument).exprId())));
            ElementType type = call == null ? types.get(columns.get(0)) : call.kernel.result();
            made.add(new Made(type, call == null ? null : call.kernel, columns));
        }
        ClassTag<ColumnarBatch> tag = ClassTag$.MODULE$.apply(ColumnarBatch.class);
        return JavaRDD.fromRDD(project.child().executeColumnar(), tag)
                .mapPartitions(batches -> new KernelBatches(batches, types, made))
                .rdd();
    }

    @Override
    public Seq<Attribute> output() {
        return project.output();
    }

    @Override
    public Partitioning outputPartitioning() {
        return project.outputPartitioning();
    }

    @Override
    public Seq<SortOrder> outputOrdering() {
        return project.outputOrdering();
    }

    @Override
    public Seq<SparkPlan> children() {
        return project.children();
    }

    @Override
    public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
        return new KernelExec(project.projectList(), children.head());
    }

    @Override
    public int productArity() {
        return project.productArity();
    }

    @Override
    public Object productElement(int i) {
        return project.productElement(i);
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof KernelExec;
    }

    /** A kernel with its arguments, in a plan of Spark's: evaluated by the plan around alone. Immutable. */
    static final class Call extends Expression {
        private static final long serialVersionUID = 1;

        private final ColumnKernel kernel;
        private final Seq<Expression> arguments;

        Call(ColumnKernel kernel, Seq<Expression> arguments) {
            this.kernel = kernel;
            this.arguments = arguments;
        }

        /** @param all the kernel's name, and its arguments */
        static Expression of(Seq<Expression> all) {
            if (all.isEmpty() || !all.head().foldable()) {
                throw new IllegalArgumentException("evener(...): the first argument is the kernel's name, as a text");
            }
            String name = String.valueOf(all.head().eval(null));
            List<Expression> arguments = asJava(all).subList(1, all.size());
            arguments.forEach(each -> ColumnKernel.type(each.dataType())); // refuses others
            return new Call(EvenerFrame.kernel(name), sequence(arguments));
        }

        @Override
        public DataType dataType() {
            return ColumnKernel.TYPES.get(kernel.result());
        }

        @Override
        public boolean nullable() {
            return asJava(arguments).stream().anyMatch(Expression::nullable);
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
            return new Call(kernel, children);
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
            return other instanceof Call;
        }
    }
}
