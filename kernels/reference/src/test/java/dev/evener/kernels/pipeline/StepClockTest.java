package dev.evener.kernels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StepClockTest {
    private enum Step {
        READ,
        WORK,
        WRITE
    }

    private final AtomicLong now = new AtomicLong(1000);
    private final StepClock<Step> clock = new StepClock<>(Step.class, now::get);

    private void pass(long nanos) {
        now.addAndGet(nanos);
    }

    @Test
    void timeIsThatOfTheStepEnteredLast() {
        pass(1);
        assertEquals(1001, clock.enter(Step.WORK));
        pass(2);
        clock.enter(Step.READ);
        pass(4);
        clock.enter(Step.WORK);
        pass(8);
        clock.enter(null);
        pass(16);
        clock.enter(Step.WRITE);
        assertEquals(Map.of(Step.WORK, 10L, Step.READ, 4L), clock.take());
        pass(32); // nobody's, as it was taken
        clock.enter(Step.READ);
        pass(64);
        clock.enter(null);
        assertEquals(Map.of(Step.READ, 64L), clock.take());
        assertEquals(Map.of(), clock.take());
    }

    @Test
    void channelsAreAStepWhileTheyMoveBytes() throws IOException {
        ReadableByteChannel in = clock.timed(
                Channels.newChannel(new ByteArrayInputStream(new byte[5]) {
                    @Override
                    public synchronized int read(byte[] bytes, int from, int count) {
                        pass(3);
                        return super.read(bytes, from, count);
                    }
                }),
                Step.READ,
                Step.WORK);
        ByteArrayOutputStream written = new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] bytes, int from, int count) {
                pass(7);
                super.write(bytes, from, count);
            }
        };
        WritableByteChannel out = clock.timed(Channels.newChannel(written), Step.WRITE, Step.WORK);
        ByteBuffer bytes = ByteBuffer.allocate(5);
        assertEquals(5, in.read(bytes));
        pass(11);
        assertEquals(5, out.write(bytes.flip()));
        pass(13);
        in.close();
        out.close();
        clock.enter(null);
        assertEquals(Map.of(Step.READ, 3L, Step.WORK, 24L, Step.WRITE, 7L), clock.take());
        assertEquals(5, written.size());
    }
}
