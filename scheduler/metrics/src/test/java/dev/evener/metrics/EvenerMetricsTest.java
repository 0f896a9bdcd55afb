package dev.evener.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.MadeUpDevices;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Meters say what the events say, with known times and bytes, and what a real Evener's report says. */
class EvenerMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double count(String name, String... tags) {
        return registry.get("evener." + name).tags(tags).counter().count();
    }

    private double nanos(String name, String... tags) {
        return registry.get("evener." + name).tags(tags).timer().totalTime(TimeUnit.NANOSECONDS);
    }

    private static RunEvent.Chunk chunk(int device, long units, long start, long end, long in, long out) {
        return new RunEvent.Chunk(
                end, 1, 0, device, 0, units, device, start, start, start, start, end, 0, 1, 1, in, out);
    }

    @Test
    void metersAddUpWhatEventsSay() {
        EvenerMetrics metrics = new EvenerMetrics(registry, Tags.of("host", "h"));
        DeviceInfo a = MadeUpDevices.cpu("0.0", "p");
        DeviceInfo b = MadeUpDevices.cpu("0.1", "p");
        metrics.opened(List.of(a, b));
        metrics.heard(new RunEvent.Submitted(1_000, 1, "blur", "adaptive", 100, 1, List.of("k"), List.of(0, 1)));
        metrics.heard(new RunEvent.Planned(9_000, 1, List.of(60L, 40L), "stealing", 0, null));
        metrics.heard(chunk(0, 60, 10_000, 510_000, 240, 120));
        metrics.heard(chunk(1, 30, 10_000, 1_010_000, 7, 0));
        metrics.heard(new RunEvent.Stolen(600_000, 1, 0, 0, 1, 10));
        metrics.heard(chunk(0, 10, 600_000, 700_000, 1, 2));
        metrics.heard(new RunEvent.Fault(650_000, 1, 1, "it hung"));
        metrics.heard(new RunEvent.Planned(660_000, 1, List.of(100L, 0L), "fixed", 0, null)); // begun again
        metrics.heard(new RunEvent.Moved(1_020_000, 1, 1, Report.Cause.HALO, 8, 16));
        metrics.heard(new RunEvent.Moved(1_020_000, 1, 1, Report.Cause.HALO, 1, 2));
        metrics.heard(new RunEvent.Moved(1_020_000, 1, 1, Report.Cause.FIRST_USE, 7, 0));
        metrics.heard(new RunEvent.Ended(1_020_000, 1, 3_000, 1_011_000, null));
        metrics.heard(new RunEvent.Submitted(0, 2, "blur", "adaptive", 100, 1, List.of("k"), List.of(0)));
        metrics.heard(new RunEvent.Ended(500, 2, 0, 400, "it took too long", "deadline"));

        assertEquals(600_000e-9, count("device.busy", "device", "0.0", "host", "h"), 1e-12);
        assertEquals(1_000_000e-9, count("device.busy", "device", "0.1"), 1e-12);
        assertEquals(2, count("device.chunks", "device", "0.0"));
        assertEquals(70, count("device.units", "device", "0.0"));
        assertEquals(30, count("device.units", "device", "0.1"));
        assertEquals(241, count("device.transferred", "device", "0.0", "direction", "in"));
        assertEquals(122, count("device.transferred", "device", "0.0", "direction", "out"));
        assertEquals(9, count("device.moved", "device", "0.1", "cause", "halo", "direction", "in"));
        assertEquals(18, count("device.moved", "device", "0.1", "cause", "halo", "direction", "out"));
        assertEquals(7, count("device.moved", "device", "0.1", "cause", "firstUse", "direction", "in"));
        assertEquals(1, count("device.steals", "device", "0.0"));
        assertEquals(0, count("device.steals", "device", "0.1"));
        assertEquals(1, count("device.faults", "device", "0.1"));
        assertEquals(1_011_000, nanos("job", "job.name", "blur", "outcome", "success", "failure", "none", "host", "h"));
        assertEquals(400, nanos("job", "job.name", "blur", "outcome", "failure", "failure", "deadline"));
        assertEquals(5_000, nanos("job.wait", "job.name", "blur"), "not what was built, and to the first plan");
        assertEquals(3_000, nanos("job.build", "job.name", "blur"));
        assertEquals(1, registry.get("evener.job.wait").timer().count(), "the second was never planned");
        for (Meter each : registry.getMeters()) {
            assertNotNull(each.getId().getDescription(), () -> each.getId() + " would have no HELP");
            assertNull(each.getId().getTag("job"), "a scraper's own label");
        }
    }

    @Test
    void aRealRunIsCountedAsItsReportSays() {
        EvenerMetrics metrics = new EvenerMetrics(registry);
        try (Evener evener = Evener.builder()
                        .devices(DeviceSelector.parse("jvm"))
                        .history(History.inMemory())
                        .listener(metrics)
                        .open();
                HostBuffer x = evener.allocate(ElementType.INT, 1000);
                HostBuffer y = evener.allocate(ElementType.INT, 1000)) {
            metrics.watchQueue(evener);
            metrics.watchHealth(evener);
            assertEquals(0, registry.get("evener.degraded").gauge().value());
            assertEquals(
                    1,
                    registry.get("evener.device.working")
                            .tag("device", "jvm")
                            .gauge()
                            .value());
            Job job = Job.named("copy")
                    .kernel("copy")
                    .jvm(chunk -> chunk.buffer(1).put(chunk.buffer(0)))
                    .units(1000)
                    .reads(x, Access.slice())
                    .writes(y, Access.slice())
                    .build();
            Report report = evener.submit(job).join();
            assertTrue(evener.close(Duration.ofSeconds(30)), "closed, and all events have been heard");
            String id = report.devices().get(0).id();
            assertEquals(1000, count("device.units", "device", id));
            assertEquals((double) report.wallNanos(), nanos("job", "job.name", "copy", "outcome", "success"));
            assertEquals(0, registry.get("evener.queue.length").gauge().value());
            assertEquals(0, registry.get("evener.queue.oldest").timeGauge().value());
            assertNull(
                    registry.find("evener.device.faults").tag("device", "none").counter());
        }
    }
}
