package dev.evener;

import static dev.evener.ManagedBufferTest.N;
import static dev.evener.ManagedBufferTest.blur;
import static dev.evener.ManagedBufferTest.discrete;
import static dev.evener.ManagedBufferTest.scale;
import static dev.evener.ManagedBufferTest.total;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.event.RunEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** For whose data a job has waited, and how long. */
class WaitedForTest {

    @Test
    void aJobNamesTheLastOfThoseItWaitedFor() {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (Evener evener = discrete("jvm")
                .listener(event -> {
                    if (event instanceof RunEvent.Waited waited) {
                        heard.add(waited.job() + " for " + waited.earlier());
                    }
                })
                .open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer c = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer d = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer sum = evener.allocateManaged(ElementType.INT, 1);
            ManagedBuffer.Scope scope = a.update();
            JobFuture first = evener.submit(blur(a, b));
            JobFuture cancelled = evener.submit(scale(b, c));
            JobFuture last = evener.submit(scale(d, b));
            long submitted = System.nanoTime();
            assertTrue(cancelled.cancel(false));
            Report free = evener.submit(total(d, sum)).join();
            assertNull(free.waitedFor());
            assertEquals(0, free.dataNanos());
            long held = System.nanoTime() - submitted;
            scope.close();
            assertEquals("a scope", first.join().waitedFor());
            assertEquals("blur", last.join().waitedFor(), "the cancelled one only kept its place behind that");
            for (JobFuture each : List.of(first, last)) {
                Report report = each.join();
                assertTrue(
                        held <= report.dataNanos() && report.dataNanos() <= report.queuedNanos(),
                        () -> held + " " + report);
                assertEquals(report.waitedFor(), report.toMap().get("waitedFor"));
                assertEquals(report.dataNanos() / 1e9, report.toMap().get("dataSeconds"));
            }
        }
        assertEquals(List.of("1 for a scope", "3 for blur"), heard);
    }
}
