package dev.evener.spark;

import dev.evener.ElementType;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Not for users; public for Spark, which copies plans by reflection: a projection with kernels, from columns into columns. Immutable. */
public final class KernelExec extends SparkPlan {
    private static final long serialVersionUID = 1;

    private final Seq<NamedExpression> projectList;
    private final SparkPlan child;

    /** Public for Spark, which copies plans by their constructors. */
    public KernelExec(Seq<NamedExpression> projectList, SparkPlan child) {
        this.projectList = projectList;
        this.child = child;
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
        CollectionConverters.asJava(plan.children()).forEach(each -> children.add(in(each)));
        SparkPlan with = plan.withNewChildren(sequence(children));
        return with instanceof ProjectExec project
                        && CollectionConverters.asJava(project.projectList()).stream()
                                .anyMatch(e -> call(e) != null)
                ? of(project)
                : with;
    }

    private static @Nullable KernelCall call(NamedExpression expression) {
        return expression instanceof Alias alias && alias.child() instanceof KernelCall call ? call : null;
    }

    /** What is neither a column nor a kernel is computed before, by Spark. */
    private static KernelExec of(ProjectExec project) {
        Map<Expression, NamedExpression> before = new LinkedHashMap<>();
        List<NamedExpression> list = new ArrayList<>();
        for (NamedExpression each : CollectionConverters.asJava(project.projectList())) {
            KernelCall call = call(each);
            if (call == null) {
                before.put((Expression) each, each);
                list.add(each.toAttribute());
            } else {
                List<Expression> arguments = new ArrayList<>();
                CollectionConverters.asJava(call.children())
                        .forEach(argument -> arguments.add(before.computeIfAbsent(argument, KernelExec::named)
                                .toAttribute()));
                list.add((NamedExpression) ((Alias) each)
                        .withNewChildren(sequence(List.of(new KernelCall(call.kernel(), sequence(arguments))))));
            }
        }
        boolean plain = before.keySet().stream().allMatch(Attribute.class::isInstance);
        SparkPlan child = plain ? project.child() : new ProjectExec(sequence(before.values()), project.child());
        return new KernelExec(sequence(list), child);
    }

    private static NamedExpression named(Expression expression) {
        return expression instanceof Attribute attribute
                ? attribute
                : new Alias(
                        expression, "argument", NamedExpression$.MODULE$.newExprId(), empty(), Option.empty(), empty());
    }

    @SuppressWarnings("unchecked")
    private static <E> Seq<E> empty() {
        return (Seq<E>) (Seq<?>) Nil$.MODULE$;
    }

    static <E> Seq<E> sequence(Iterable<E> items) {
        return CollectionConverters.asScala(items).toList();
    }

    @Override
    public Seq<Attribute> output() {
        List<Attribute> attributes = new ArrayList<>();
        CollectionConverters.asJava(projectList).forEach(each -> attributes.add(each.toAttribute()));
        return sequence(attributes);
    }

    /** As the plain projection has it, for which the plan above was made: it may count on it. */
    @Override
    public Partitioning outputPartitioning() {
        return new ProjectExec(projectList, child).outputPartitioning();
    }

    @Override
    public Seq<SortOrder> outputOrdering() {
        return new ProjectExec(projectList, child).outputOrdering();
    }

    @Override
    public boolean supportsColumnar() {
        return true;
    }

    @Override
    public RDD<InternalRow> doExecute() {
        throw new UnsupportedOperationException("kernels give columns");
    }

    @Override
    public RDD<ColumnarBatch> doExecuteColumnar() {
        List<Integer> ids = new ArrayList<>();
        CollectionConverters.asJava(child.output())
                .forEach(each -> ids.add((int) each.exprId().id()));
        List<Made> made = new ArrayList<>();
        for (NamedExpression each : CollectionConverters.asJava(projectList)) {
            KernelCall call = call(each);
            List<Expression> arguments =
                    call == null ? List.of((Expression) each) : CollectionConverters.asJava(call.children());
            made.add(new Made(
                    KernelCall.type(((Expression) each).dataType()),
                    call == null ? null : call.kernel(),
                    List.copyOf(arguments.stream()
                            .map(argument -> ids.indexOf(
                                    (int) ((Attribute) argument).exprId().id()))
                            .toList())));
        }
        List<ElementType> types = new ArrayList<>();
        CollectionConverters.asJava(child.output()).forEach(each -> types.add(KernelCall.type(each.dataType())));
        ClassTag<ColumnarBatch> tag = ClassTag$.MODULE$.apply(ColumnarBatch.class);
        return JavaRDD.fromRDD(child.executeColumnar(), tag)
                .mapPartitions(batches -> new KernelBatches(batches, types, made))
                .rdd();
    }

    @Override
    public Seq<SparkPlan> children() {
        return sequence(List.of(child));
    }

    @Override
    public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
        return new KernelExec(projectList, children.head());
    }

    @Override
    public int productArity() {
        return 2;
    }

    @Override
    public Object productElement(int i) {
        return i == 0 ? projectList : child;
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof KernelExec;
    }
}
