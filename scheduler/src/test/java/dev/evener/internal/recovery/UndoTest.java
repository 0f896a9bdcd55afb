package dev.evener.internal.recovery;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.job.JobSpec;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What a failed chunk has overwritten is put back, and nothing else. */
class UndoTest {
    private static final int UNITS = 100_000;

    private final HostBuffer a = MadeUpBuffers.of(ElementType.INT, UNITS);
    private final HostBuffer b = MadeUpBuffers.of(ElementType.INT, 2 * UNITS);
    private final HostBuffer written = MadeUpBuffers.of(ElementType.INT, UNITS);
    private final JobSpec.Phase phase = JobSpec.of(Job.named("j")
                    .units(UNITS)
                    .kernel("k")
                    .jvm(c -> {})
                    .updates(a, Access.slice())
                    .writes(written, Access.slice())
                    .updates(b, Access.slice())
                    .build())
            .phases()
            .get(0);

    private static void fill(HostBuffer buffer, int value) {
        for (int i = 0; i < buffer.elements(); i++) {
            buffer.ints().put(i, value + i);
        }
    }

    private static int[] contents(HostBuffer buffer) {
        int[] values = new int[(int) buffer.elements()];
        buffer.ints().get(values);
        return values;
    }

    @Test
    void putsBackTheChunkAndNothingElse() {
        Undo undo = new Undo();
        for (int[] chunk : new int[][] {{0, 10}, {500, 70_000}, {99_999, 1}, {0, UNITS}}) {
            fill(a, 3);
            fill(b, 5);
            fill(written, 7);
            int[] before = contents(a);
            int[] beforeB = contents(b);
            undo.save(phase, chunk[0], chunk[1]);
            fill(a, -1_000_000);
            fill(b, -1_000_000);
            fill(written, -1_000_000);
            int[] expected = contents(a);
            int[] expectedB = contents(b);
            int[] expectedWritten = contents(written);
            System.arraycopy(before, chunk[0], expected, chunk[0], chunk[1]);
            System.arraycopy(beforeB, 2 * chunk[0], expectedB, 2 * chunk[0], 2 * chunk[1]);
            undo.restore();
            assertArrayEquals(expected, contents(a));
            assertArrayEquals(expectedB, contents(b));
            assertArrayEquals(expectedWritten, contents(written));
            undo.restore(); // there is nothing left to put back
            assertArrayEquals(expected, contents(a));
        }
    }

    /** The chunk before this one was put in its place. */
    @Test
    void putsNothingBackThatItHadNoMemoryToSave() {
        Undo undo = new Undo(bytes -> {
            if (bytes > 1 << 16) {
                throw new OutOfMemoryError("no direct memory");
            }
            return ByteBuffer.allocateDirect(bytes);
        });
        fill(a, 3);
        fill(b, 5);
        undo.save(phase, 0, 1000);
        int[] beforeA = contents(a);
        int[] beforeB = contents(b);
        LaneFailure failure = assertThrows(LaneFailure.class, () -> undo.save(phase, 1000, 50_000));
        assertEquals(LaneFailure.Kind.MEMORY, failure.kind());
        undo.restore();
        assertArrayEquals(beforeA, contents(a));
        assertArrayEquals(beforeB, contents(b));
        undo.save(phase, 1000, 1000); // smaller chunks go on
        fill(a, -1);
        undo.restore();
        assertArrayEquals(new int[] {beforeA[1000], beforeA[1999]}, new int[] {contents(a)[1000], contents(a)[1999]});
    }
}
