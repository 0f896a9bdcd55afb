package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.policy.Policies;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A null is refused by the call that it is given to, which says what it was given for. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NullsTest {
    private final Evener evener =
            Evener.builder().devices(DeviceSelector.parse("jvm")).open();
    private HostBuffer buffer;
    private ManagedBuffer managed;

    @BeforeAll
    void allocate() {
        buffer = evener.allocate(ElementType.INT, 1);
        managed = evener.allocateManaged(ElementType.INT, 1);
    }

    @AfterAll
    void close() {
        evener.close();
    }

    /** A call with a null in one place. */
    record Call(Method method, int parameter) {
        @Override
        public String toString() {
            return method.getDeclaringClass().getSimpleName() + "." + method.getName() + ", "
                    + method.getParameters()[parameter].getName();
        }
    }

    static Stream<Call> calls() {
        return Stream.of(
                        Job.class,
                        JobBuilder.class,
                        Evener.class,
                        EvenerBuilder.class,
                        KernelSource.class,
                        Variant.class,
                        Temporary.class)
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(m -> Modifier.isPublic(m.getModifiers()) && !m.isSynthetic())
                .filter(m -> !m.getName().equals("equals"))
                .filter(m -> !m.getName().startsWith("with") || m.getDeclaringClass() == Variant.class)
                .flatMap(m -> Stream.iterate(0, i -> i < m.getParameterCount(), i -> i + 1)
                        .filter(i -> !m.getParameterTypes()[i].isPrimitive())
                        .map(i -> new Call(m, i)));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void aNullIsRefusedWhereItIsGiven(Call call) {
        Method method = call.method();
        Class<?>[] types = method.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = i == call.parameter() ? null : some(types[i]);
        }
        InvocationTargetException e = assertThrows(
                InvocationTargetException.class, () -> method.invoke(target(method), arguments), call::toString);
        assertEquals(NullPointerException.class, e.getCause().getClass(), call::toString);
        Parameter parameter = method.getParameters()[call.parameter()];
        String message = String.valueOf(e.getCause().getMessage());
        assertTrue(
                message.matches("[a-zA-Z]+"),
                () -> call + ": it was met later, and not refused for being " + parameter + ": " + message);
    }

    private Object target(Method method) {
        Class<?> type = method.getDeclaringClass();
        if (type == JobBuilder.class) {
            return Job.named("nulls").units(1).kernel("k");
        }
        return type == Evener.class
                ? evener
                : type == EvenerBuilder.class
                        ? Evener.builder()
                        : type == Job.class ? job() : type == Variant.class ? Variant.plain() : null;
    }

    private static Job job() {
        return Job.named("job").units(1).kernel("k").jvm(chunk -> {}).build();
    }

    private Object some(Class<?> type) {
        List<Object> values = List.of(
                "lane=0,fault=error",
                1,
                1L,
                1f,
                1.0,
                true,
                Access.slice(),
                Image.of(managed, ImageFormat.R_FLOAT, 1, (int) managed.elements()),
                buffer,
                managed,
                new HostBuffer[] {buffer},
                new String[0],
                Reduction.SUM,
                ElementType.INT,
                DeviceKind.CPU,
                Variant.plain(),
                KernelSource.of("source", ""),
                Temporary.of(ElementType.INT, 1),
                DeviceSelector.all(),
                Policies.stealing(),
                evener.history(),
                job(),
                Duration.ofSeconds(1),
                Path.of("kernel.cl"),
                ByteBuffer.allocateDirect(8192));
        for (Object value : values) {
            if (type.isInstance(value) || boxed(type).isInstance(value)) {
                return value;
            }
        }
        if (type == CompletionStage[].class) {
            return new CompletionStage<?>[0];
        }
        if (type == Runnable.class) {
            return (Runnable) () -> {};
        }
        if (type == Consumer.class) {
            return (Consumer<Object>) o -> {};
        }
        if (type == JvmKernel.class) {
            return (JvmKernel) chunk -> {};
        }
        if (type == BooleanSupplier.class) {
            return (BooleanSupplier) () -> true;
        }
        if (type == LongUnaryOperator.class) {
            return (LongUnaryOperator) count -> count;
        }
        if (type == Path[].class) {
            return new Path[0];
        }
        if (type == Number[].class) {
            return new Number[] {1};
        }
        if (type == int[].class) {
            return new int[] {1};
        }
        if (type == Class.class) {
            return NullsTest.class;
        }
        if (type == DeviceInfo.class) {
            return evener.devices().get(0);
        }
        throw new AssertionError("the test knows no " + type);
    }

    private static Class<?> boxed(Class<?> type) {
        return java.lang.invoke.MethodType.methodType(type).wrap().returnType();
    }
}
