package dev.evener;

import static dev.evener.ManagedBufferTest.N;
import static dev.evener.ManagedBufferTest.discrete;
import static dev.evener.ManagedBufferTest.failing;
import static dev.evener.ManagedBufferTest.scale;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** A message that mentions a buffer says which: by the name that the application gave it, with its type and length. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NamedBuffersTest {
    private static final String NAMED = "buffer 'centres' of " + N + " int";

    /** Does something with a buffer that is refused. */
    @FunctionalInterface
    private interface Mistake {
        void make(Evener evener, ManagedBuffer centres, HostBuffer other) throws Throwable;
    }

    private static ByteBuffer aligned(int bytes) {
        return ByteBuffer.allocateDirect(bytes + 8192)
                .alignedSlice(4096)
                .limit(bytes)
                .slice()
                .order(ByteOrder.nativeOrder());
    }

    private static JobBuilder kernel(String text) {
        return Job.named("j")
                .source(text)
                .devices(DeviceSelector.parse("0.0"))
                .units(N)
                .kernel("k");
    }

    private static JobBuilder inJava() {
        return Job.named("j")
                .devices(DeviceSelector.parse("jvm"))
                .units(N)
                .kernel("k")
                .jvm(c -> {});
    }

    private static void closed(DataBuffer buffer, Executable then) throws Throwable {
        buffer.close();
        then.execute();
    }

    private static Map<String, Mistake> mistakes() {
        Map<String, Mistake> all = new LinkedHashMap<>();
        all.put("a scope of a closed one", (e, b, other) -> closed(b, b::read));
        all.put("a scope as a future of a closed one", (e, b, other) -> closed(b, b::readAsync));
        all.put("discarded when closed", (e, b, other) -> closed(b, b::discard));
        all.put("a host buffer's view when closed", (e, b, other) -> closed(other.named("centres"), other::ints));
        all.put("a job of a closed one", (e, b, other) -> closed(b, () -> scale(b, other)));
        all.put("a job submitted with a closed one", (e, b, other) -> {
            Job job = scale(b, other);
            closed(b, () -> e.submit(job).join());
        });
        all.put("a host step's when closed", (e, b, other) -> {
            Job job = inJava().writes(other, Access.slice())
                    .hostStep(host -> {}, b)
                    .build();
            closed(b, () -> e.submit(job).join());
        });
        all.put("lost, to a scope", (e, b, other) -> {
            JobFuture failed = e.submit(failing(b));
            assertThrows(Exception.class, failed::join);
            b.read();
        });
        all.put("lost, to a job", (e, b, other) -> {
            JobFuture failed = e.submit(failing(b));
            assertThrows(Exception.class, failed::join);
            e.submit(scale(b, other)).join();
        });
        all.put(
                "units that do not divide it",
                (e, b, other) -> inJava().units(N - 1).writes(b, Access.slice()).build());
        all.put(
                "a halo on what is written",
                (e, b, other) -> inJava().writes(b, Access.slice().halo(1, 1)));
        all.put(
                "one buffer twice",
                (e, b, other) -> inJava().reads(b, Access.slice())
                        .writes(b, Access.slice())
                        .build());
        all.put("a count of wrong length", (e, b, other) -> inJava().appends(other, b, 1));
        all.put(
                "a kernel's parameter of another type",
                (e, b, other) -> e.submit(kernel("kernel void k(global float *x) { x[get_global_id(0)] = 1; }")
                                .writes(b, Access.slice())
                                .build())
                        .join());
        all.put(
                "a const parameter that is declared to be written",
                (e, b, other) -> e.submit(kernel("kernel void k(global const int *x) { }")
                                .writes(b, Access.slice())
                                .build())
                        .join());
        all.put("read-only memory", (e, b, other) -> {
            HostBuffer wrapped = e.wrap(
                            ElementType.INT, aligned(4 * N).asReadOnlyBuffer().order(ByteOrder.nativeOrder()))
                    .named("centres");
            inJava().writes(wrapped, Access.slice());
        });
        all.put("memory that another has", (e, b, other) -> {
            ByteBuffer memory = aligned(4 * N);
            HostBuffer one = e.wrap(ElementType.INT, memory).named("centres");
            inJava().reads(e.wrap(ElementType.INT, memory), Access.slice())
                    .writes(one, Access.slice())
                    .build();
        });
        all.put(
                "replaced by one of another type",
                (e, b, other) -> scale(b, other).with(Map.of(b, e.allocate(ElementType.FLOAT, N))));
        all.put(
                "none of the job's",
                (e, b, other) -> scale(other, e.allocate(ElementType.INT, N)).with(Map.of(b, other)));
        all.put(
                "no argument of a host step's job",
                (e, b, other) -> e.submit(inJava().writes(other, Access.slice())
                                .hostStep(host -> host.read(b, 0, 1), other)
                                .build())
                        .join());
        all.put(
                "not declared to be changed by a host step",
                (e, b, other) -> e.submit(inJava().reads(b, Access.slice())
                                .writes(other, Access.slice())
                                .hostStep(host -> host.update(b, 0, 1), other)
                                .build())
                        .join());
        all.put("of another Evener", (e, b, other) -> {
            try (Evener second = discrete("jvm").open()) {
                JobFuture ignored = second.submit(scale(b, second.allocate(ElementType.INT, N)));
            }
        });
        all.put(
                "copied beyond its end",
                (e, b, other) ->
                        other.named("centres").put(N, ByteBuffer.allocate(8).order(ByteOrder.nativeOrder())));
        return all;
    }

    @TestFactory
    Stream<DynamicTest> itsNameIsInTheMessageOf() {
        return mistakes().entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> {
                    try (Evener evener = discrete("0.0,jvm").open()) {
                        ManagedBuffer centres =
                                evener.allocateManaged(ElementType.INT, N).named("centres");
                        HostBuffer other = evener.allocate(ElementType.INT, N);
                        Throwable refused = assertThrows(
                                Throwable.class, () -> each.getValue().make(evener, centres, other));
                        assertTrue(refused.getMessage().contains("buffer 'centres'"), refused.getMessage());
                    }
                }));
    }

    @Test
    void eachKindOfBufferKeepsItsTypeWhenItIsNamed() {
        try (Evener evener = discrete("jvm").open()) {
            HostBuffer host = evener.allocate(ElementType.INT, N);
            assertEquals("buffer of " + N + " int", host.toString());
            assertSame(host, host.named("centres"));
            assertEquals(NAMED, host.toString());
            ManagedBuffer managed = evener.allocateManaged(ElementType.INT, N);
            assertSame(managed, managed.named("centres"));
            assertEquals(NAMED, managed.toString());
            HostBuffer wrapped = evener.wrap(ElementType.INT, aligned(4 * N)).named("centres");
            assertEquals(NAMED, wrapped.toString());
            DataBuffer range = wrapped.range(3, 5);
            assertEquals("range of 5 elements from 3 on of the " + NAMED, range.toString());
            range.named("weights");
            assertEquals("buffer 'weights' of " + N + " int", wrapped.toString());
            assertThrows(IllegalArgumentException.class, () -> host.named(" "));
            assertThrows(NullPointerException.class, () -> host.named(null));
            host.close();
            assertEquals(NAMED + ", closed", host.toString());
        }
    }
}
