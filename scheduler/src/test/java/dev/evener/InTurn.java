package dev.evener;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.UniqueId;

/**
 * Of this class's tests, inherited ones included, a short run has every so-manieth and others each day, a long one all
 * ({@link LongTests#TURN}). Of a parameterized test it is every so-manieth set of arguments. Classes begin at different tests, so that most
 * tests of a suite have their turn in some class. For classes that run what others run too, on other devices, in another mode or with
 * other numbers.
 */
@Target(ElementType.TYPE)
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(InTurn.Condition.class)
public @interface InTurn {
    /** After so many days each test has had its turn. */
    int value();

    /** Whether a test has its turn today. */
    final class Condition implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            UniqueId.Segment last = UniqueId.parse(context.getUniqueId()).getLastSegment();
            boolean invocation = last.getType().equals("test-template-invocation"); // "#1" is the first
            if (LongTests.ASKED_FOR || !(invocation || last.getType().equals("method"))) {
                return ConditionEvaluationResult.enabled("no test of its own, or a long run");
            }
            Class<?> type = context.getRequiredTestClass();
            int number = tests(type).indexOf(context.getRequiredTestMethod().getName())
                    + (invocation ? Integer.parseInt(last.getValue().substring(1)) : 0);
            int every = type.getAnnotation(InTurn.class).value();
            int begin = type.getName().hashCode(); // else all classes of a suite would have the same tests on one day
            return Math.floorMod(number + begin + LongTests.TURN, every) == 0
                    ? ConditionEvaluationResult.enabled("its turn")
                    : ConditionEvaluationResult.disabled("another day's; -Dlong has all");
        }

        private static List<String> tests(Class<?> type) {
            return ReflectionSupport.streamMethods(
                            type,
                            method -> AnnotationSupport.isAnnotated(method, Testable.class)
                                    || AnnotationSupport.isAnnotated(method, TestTemplate.class),
                            HierarchyTraversalMode.TOP_DOWN)
                    .map(Method::getName)
                    .sorted()
                    .toList();
        }
    }
}
