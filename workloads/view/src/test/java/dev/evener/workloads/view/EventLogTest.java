package dev.evener.workloads.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.event.RunEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The log of events that is kept for charts. */
class EventLogTest {
    private static RunEvent event(int number) {
        return new RunEvent.PhaseEnded(number, 1, number, 0, 0);
    }

    @Test
    void theOldestGoWhenThereAreTooMany() {
        EventLog log = new EventLog(3);
        for (int i = 0; i < 5; i++) {
            log.heard(event(i));
        }
        log.end("run");
        assertEquals(
                new RunEvents("run", List.of(), List.of(event(2), event(3), event(4)), 2),
                log.runs().get(0));
        assertThrows(IllegalArgumentException.class, () -> new EventLog(0));
    }

    @Test
    void whatBelongsTogetherIsOneRun() {
        EventLog log = new EventLog(3);
        log.under("first").opened(MadeUpRun.devices());
        log.heard(event(1));
        log.heard(event(2));
        log.opened(List.of()); // and is not kept
        log.heard(event(3));
        log.opened(List.of());
        log.heard(event(4));
        log.end("second");
        log.end("nothing");
        assertEquals(
                List.of(
                        new RunEvents("first", MadeUpRun.devices(), List.of(event(2)), 1),
                        new RunEvents("second", List.of(), List.of(event(4)), 0)),
                log.runs());
    }

    @Test
    void severalThreadsLoseNothing() throws InterruptedException {
        EventLog log = new EventLog(1_000_000);
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    return;
                }
                for (int n = 0; n < 20_000; n++) {
                    log.heard(event(n));
                }
            });
            thread.start();
            threads.add(thread);
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        log.end("run");
        List<RunEvent> events = log.runs().get(0).events();
        assertEquals(80_000, events.size());
        assertEquals(
                4L * 20_000 * 19_999 / 2,
                events.stream().mapToLong(RunEvent::at).sum());
    }
}
