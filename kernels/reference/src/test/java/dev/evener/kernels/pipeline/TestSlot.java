package dev.evener.kernels.pipeline;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A slot for tests: {@code first} triples, {@code second} adds a number, each after a loop that takes some time. Notices if it
 * is used by two items at once.
 */
final class TestSlot implements AutoCloseable {
    static final int ELEMENTS = 4096;

    static final String SOURCE = """
            kernel void triple(global const uint *in, global uint *out, uint rounds) {
                uint x = in[get_global_id(0)];
                uint y = x;
                for (uint i = 0; i < rounds; i++) y = y * 1664525u + 1013904223u;
                out[get_global_id(0)] = x * 3 + (y == 12345u && rounds == 0xffffffffu ? 1u : 0u);
            }
            kernel void add(global const uint *in, global uint *out, uint number, uint rounds) {
                uint x = in[get_global_id(0)];
                uint y = x;
                for (uint i = 0; i < rounds; i++) y = y * 1664525u + 1013904223u;
                out[get_global_id(0)] = x + number + (y == 12345u && rounds == 0xffffffffu ? 1u : 0u);
            }
            """;

    final HostBuffer in;
    final HostBuffer between;
    final HostBuffer out;
    private final AtomicInteger users = new AtomicInteger();
    volatile boolean closed;
    int number;
    int firstRounds;
    int secondRounds;

    TestSlot(Evener evener) {
        in = evener.allocate(ElementType.UINT, ELEMENTS);
        between = evener.allocate(ElementType.UINT, ELEMENTS);
        out = evener.allocate(ElementType.UINT, ELEMENTS);
    }

    /** Made the item of that number. */
    TestSlot fill(int item) {
        enter();
        number = item;
        firstRounds = 0;
        secondRounds = 0;
        int[] values = new int[ELEMENTS];
        for (int i = 0; i < ELEMENTS; i++) {
            values[i] = item * 7919 + i;
        }
        in.ints().put(values);
        out.ints().put(new int[ELEMENTS]);
        exit();
        return this;
    }

    private void enter() {
        assertEquals(1, users.incrementAndGet(), "two items in one slot");
    }

    private void exit() {
        assertEquals(0, users.decrementAndGet(), "two items in one slot");
    }

    Job first() {
        return first(() -> {});
    }

    Job first(Runnable after) {
        int rounds = firstRounds;
        return Job.named("first")
                .source(SOURCE)
                .units(ELEMENTS)
                .kernel("triple")
                .jvm(chunk -> {
                    for (int i = 0; i < chunk.units(); i++) {
                        chunk.buffer(1).putInt(4 * i, chunk.buffer(0).getInt(4 * i) * 3);
                    }
                })
                .reads(in, slice())
                .writes(between, slice())
                .scalar(rounds)
                .hostStep(after)
                .build();
    }

    Job second() {
        return second(() -> {});
    }

    Job second(Runnable after) {
        int add = number;
        return Job.named("second")
                .source(SOURCE)
                .units(ELEMENTS)
                .kernel("add")
                .jvm(chunk -> {
                    for (int i = 0; i < chunk.units(); i++) {
                        chunk.buffer(1).putInt(4 * i, chunk.buffer(0).getInt(4 * i) + add);
                    }
                })
                .reads(between, slice())
                .writes(out, slice())
                .scalar(add)
                .scalar(secondRounds)
                .hostStep(after)
                .build();
    }

    /** Checks the result. */
    void check() {
        enter();
        int[] values = new int[ELEMENTS];
        out.ints().get(values);
        for (int i = 0; i < ELEMENTS; i++) {
            assertEquals(3 * (number * 7919 + i) + number, values[i], "item " + number);
        }
        assertTrue(!closed);
        exit();
    }

    @Override
    public void close() {
        closed = true;
        in.close();
        between.close();
        out.close();
    }
}
