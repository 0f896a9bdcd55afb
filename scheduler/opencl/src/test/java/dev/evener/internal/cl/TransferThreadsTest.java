package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.Sizeof;
import org.jocl.cl_command_queue;
import org.jocl.cl_event;
import org.jocl.cl_mem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Transfers of a lane start no threads of JOCL's and leave nothing behind; other users' transfers are as before. */
class TransferThreadsTest {
    private static final int BYTES = 4096;

    private final ClDevice device = ClDevice.all().stream()
            .filter(d -> d.info().id().equals("0.1")) // which computes in threads of its own
            .findFirst()
            .orElseThrow();
    private final ClContext context = new ClContext(List.of(device));
    private final ClQueue lane = context.queue(device);
    private final cl_command_queue queue = lane.handle;
    private final DeviceBuffer buffer = context.allocate(BYTES);
    private final cl_mem mem = buffer.handle;
    private final ByteBuffer host = ByteBuffer.allocateDirect(BYTES);
    private final cl_event event = new cl_event();

    @AfterEach
    void release() {
        CL.setExceptionsEnabled(false);
        lane.drain();
        buffer.close();
        lane.close();
        context.close();
    }

    private static Set<Long> threadsOfJocl() {
        Set<Long> ids = new HashSet<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("AsyncOpThread")) {
                ids.add(thread.getId());
            }
        }
        return ids;
    }

    private static int references(cl_event event) {
        ByteBuffer count = Cl.answer(Integer.BYTES);
        Cl.check(
                "asking for an event's references",
                () -> CL.clGetEventInfo(event, CL.CL_EVENT_REFERENCE_COUNT, Sizeof.cl_uint, Pointer.to(count), null));
        return count.getInt(0);
    }

    /** Lets the queue forget the command before, and its threads let go of it. */
    private void awaitOneReference(cl_event event) throws InterruptedException {
        cl_event blocking = new cl_event();
        CL.clEnqueueWriteBuffer(queue, mem, true, 0, BYTES, Pointer.to(host), 0, null, blocking);
        CL.clReleaseEvent(blocking);
        for (int i = 0; i < 500 && references(event) > 1; i++) {
            Thread.sleep(10);
        }
        assertEquals(1, references(event));
    }

    private void transfersStartNone() throws InterruptedException {
        Set<Long> before = threadsOfJocl();
        ClCommands commands = new ClCommands(new ClQueues(lane));
        for (boolean write : new boolean[] {true, false}) {
            if (write) {
                commands.send(buffer, 0, BYTES, host, 0);
            } else {
                commands.fetch(buffer, 0, BYTES, host, 0);
            }
            commands.flush();
            commands.await();
            awaitOneReference(commands.events.get(0));
            commands.release();
        }
        assertTrue(before.containsAll(threadsOfJocl()));
    }

    private void transferOfOthers() {
        CL.clEnqueueWriteBuffer(queue, mem, false, 0, BYTES, Pointer.to(host), 0, null, event);
        assertNotEquals(Set.of(), threadsOfJocl());
        CL.clWaitForEvents(1, new cl_event[] {event});
        CL.clReleaseEvent(event);
    }

    @Test
    void transfersOfLanesStartNone() throws InterruptedException {
        transfersStartNone();
        CL.setExceptionsEnabled(true);
        transfersStartNone();
    }

    @Test
    void thoseOfOthersAreAsBefore() throws InterruptedException {
        transferOfOthers();
        transfersStartNone();
        transferOfOthers();
    }

    @Test
    void aTransferThatFailsChangesNothing() throws InterruptedException {
        for (boolean exceptions : new boolean[] {false, true}) {
            CL.setExceptionsEnabled(exceptions);
            ClCommands commands = new ClCommands(new ClQueues(lane));
            ClFailure failure = assertThrows(ClFailure.class, () -> commands.send(buffer, 0, 2 * BYTES, host, 0));
            assertTrue(failure.getMessage().contains("sending 8192 bytes"), failure.getMessage());
            transfersStartNone();
        }
    }
}
