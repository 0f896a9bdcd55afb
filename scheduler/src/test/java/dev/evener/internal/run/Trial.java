package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.MadeUpBuffers;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A job whose result shows whether every unit was run exactly once in every phase, with its buffers. Each phase updates a
 * counter of each unit in place, writes or updates a slice of an output, and reduces; what a phase has reduced goes into the
 * next one's output. The first phase also appends.
 */
final class Trial implements AutoCloseable {
    private final int units;
    private final int elements;
    private final int phases;
    private final HostBuffer input;
    private final HostBuffer counters;
    private final HostBuffer output;
    private final HostBuffer carry;
    private final HostBuffer found;
    private final HostBuffer howMany = MadeUpBuffers.of(ElementType.ULONG, 1);
    private final List<HostBuffer> sums = new ArrayList<>();
    private int combined;

    /**
     * @param elements of the output for each unit
     */
    Trial(int units, int elements, int phases) {
        this.units = units;
        this.elements = elements;
        this.phases = phases;
        input = MadeUpBuffers.of(ElementType.INT, units);
        counters = MadeUpBuffers.of(ElementType.INT, units);
        output = MadeUpBuffers.of(ElementType.INT, (long) units * elements);
        carry = MadeUpBuffers.of(ElementType.LONG, 1);
        found = MadeUpBuffers.of(ElementType.INT, units);
        for (int p = 0; p < phases; p++) {
            sums.add(MadeUpBuffers.of(ElementType.LONG, 2));
        }
        reset();
    }

    /** The buffers as they must be before the job. */
    void reset() {
        IntBuffer inputs = input.ints();
        IntBuffer counts = counters.ints();
        for (int i = 0; i < units; i++) {
            inputs.put(i, i * 31 + 7);
            counts.put(i, 0);
        }
        IntBuffer outputs = output.ints();
        for (int i = 0; i < units * elements; i++) {
            outputs.put(i, -1);
        }
        carry.bytes().putLong(0, 0);
        IntBuffer all = found.ints();
        for (int i = 0; i < units; i++) {
            all.put(i, 0);
        }
        combined = 0;
    }

    /** The job, which may be given options before it is built. */
    JobBuilder job(String name) {
        JobBuilder job = Job.named(name).units(units);
        for (int p = 0; p < phases; p++) {
            HostBuffer sum = sums.get(p);
            job.kernel("phase" + p).jvm(kernel(p)).reads(input, Access.slice(1)).updates(counters, Access.slice(1));
            if (p == 0) {
                job.writes(output, Access.slice(elements));
            } else {
                job.updates(output, Access.slice(elements));
            }
            job.reads(carry, Access.whole()).reduces(sum, Reduction.SUM);
            if (p == 0) {
                job.appends(found, howMany, 1);
            }
            job.hostStep(
                    () -> {
                        combined++;
                        carry.bytes().putLong(0, sum.bytes().getLong(0));
                    },
                    carry);
        }
        return job;
    }

    private JvmKernel kernel(int phase) {
        return chunk -> {
            ByteBuffer in = chunk.buffer(0);
            ByteBuffer counts = chunk.buffer(1);
            ByteBuffer out = chunk.buffer(2);
            int carried = (int) chunk.buffer(3).getLong(0);
            ByteBuffer sum = chunk.buffer(4);
            for (int i = 0; i < chunk.units(); i++) {
                int v = in.getInt(i * 4);
                counts.putInt(i * 4, counts.getInt(i * 4) * 3 + 1);
                for (int e = 0; e < elements; e++) {
                    int at = (i * elements + e) * 4;
                    out.putInt(at, (phase == 0 ? 0 : out.getInt(at) * 5) + v * (e + 1) + carried);
                }
                sum.putLong(0, sum.getLong(0) + v);
                sum.putLong(8, sum.getLong(8) + 1);
                if (phase == 0) {
                    chunk.buffer(5).putInt(i * 4, v);
                    chunk.buffer(6).putInt(i * 4, v % 3 == 0 ? 1 : 0);
                }
            }
        };
    }

    /** Fails unless the job did all of it, once. */
    void check() {
        assertEquals(phases, combined, "host steps");
        int[] expectedCounters = new int[units];
        int[] expectedOutput = new int[units * elements];
        int[] expectedFound = new int[units];
        int appended = 0;
        long sum = 0;
        for (int i = 0; i < units; i++) {
            int v = i * 31 + 7;
            sum += v;
            if (v % 3 == 0) {
                expectedFound[appended++] = v;
            }
        }
        for (int p = 0; p < phases; p++) {
            int carried = p == 0 ? 0 : (int) sum;
            for (int i = 0; i < units; i++) {
                expectedCounters[i] = expectedCounters[i] * 3 + 1;
                for (int e = 0; e < elements; e++) {
                    int at = i * elements + e;
                    expectedOutput[at] = expectedOutput[at] * 5 + (i * 31 + 7) * (e + 1) + carried;
                }
            }
            assertEquals(units, sums.get(p).bytes().getLong(8), "units that phase " + p + " reduced");
            assertEquals(sum, sums.get(p).bytes().getLong(0), "what phase " + p + " reduced");
        }
        assertArrayEquals(expectedCounters, contents(counters), "how often each unit was run, as 3 n + 1");
        assertArrayEquals(expectedOutput, contents(output), "the output");
        assertEquals(appended, howMany.bytes().getLong(0), "how many were appended");
        assertArrayEquals(expectedFound, contents(found), "what was appended");
    }

    private static int[] contents(HostBuffer buffer) {
        int[] values = new int[(int) buffer.elements()];
        buffer.ints().get(values);
        return values;
    }

    @Override
    public void close() {
        input.close();
        counters.close();
        output.close();
        carry.close();
        found.close();
        howMany.close();
        sums.forEach(HostBuffer::close);
    }
}
