package dev.evener.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.MadeUpDevices;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the JDK's Flight Recorder is told of jobs. */
class FlightListenerTest {
    @TempDir
    Path folder;

    private static Recording record(String... events) {
        Recording recording = new Recording();
        for (String event : events) {
            recording.enable("dev.evener." + event);
        }
        recording.start();
        return recording;
    }

    private List<RecordedEvent> read(Recording recording, String event) throws IOException {
        Path file = folder.resolve("flight.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(e -> e.getEventType().getName().equals("dev.evener." + event))
                .toList();
    }

    private static Evener open() {
        return Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .listener(new FlightListener())
                .policy(Policies.single(0))
                .open();
    }

    private static Job job(Evener evener, String name, long units) {
        HostBuffer buffer = evener.allocate(ElementType.INT, units);
        return Job.named(name)
                .units(units)
                .kernel("count")
                .jvm(c -> {})
                .writes(buffer, Access.slice())
                .build();
    }

    /** A recording that begins after the Evener was opened sees the jobs submitted from then on. */
    @Test
    void jobsAndChunksAreInARecording() throws IOException {
        try (Evener evener = open()) {
            evener.submit(job(evener, "before", 10)).join();
            List<RecordedEvent> jobs;
            List<RecordedEvent> chunks;
            Report report;
            try (Recording recording = record("Job", "Chunk")) {
                report = evener.submit(job(evener, "seen", 1_000)).join();
                jobs = read(recording, "Job");
                chunks = read(recording, "Chunk");
            }
            assertEquals(1, jobs.size());
            RecordedEvent job = jobs.get(0);
            assertEquals("seen", job.getString("name"));
            assertEquals("single", job.getString("policy"));
            assertEquals(1_000, job.getLong("units"));
            assertEquals(report.wallNanos(), job.getDuration("wall").toNanos());
            assertNull(job.getString("failure"));
            // Its clock is another than that of the report, and not quite as fast.
            assertTrue(job.getDuration().toNanos() >= 0.99 * report.wallNanos(), job::toString);
            assertFalse(chunks.isEmpty());
            assertEquals(
                    1_000, chunks.stream().mapToLong(c -> c.getLong("units")).sum());
            assertEquals("jvm", chunks.get(0).getString("device"));
            assertEquals(job.getLong("number"), chunks.get(0).getLong("job"));
            assertEquals(
                    report.devices().get(0).busyNanos(),
                    chunks.stream()
                            .mapToLong(c -> c.getDuration("took").toNanos())
                            .sum());
        }
    }

    @Test
    void withoutARecordingNothingIsAskedFor() {
        FlightListener listener = new FlightListener();
        assertFalse(listener.wantsJobs());
        try (Recording recording = record("Fault")) {
            assertNotNull(recording);
            assertTrue(listener.wantsJobs());
        }
        assertFalse(listener.wantsJobs());
    }

    @Test
    void stealsFaultsAndFailuresAreInARecording() throws IOException {
        FlightListener listener = new FlightListener();
        listener.opened(
                List.of(MadeUpDevices.cpu("0.0", MadeUpDevices.POCL), MadeUpDevices.cpu("0.1", MadeUpDevices.POCL)));
        try (Recording recording = record("Job", "Steal", "Moved", "Fault")) {
            listener.heard(new RunEvent.Submitted(1, 7, "lost", "stealing", 64, 1, List.of("k"), List.of(0, 1)));
            listener.heard(new RunEvent.Planned(2, 7, List.of(32L, 32L), "stealing", 5_000, null));
            listener.heard(new RunEvent.Stolen(3, 7, 2, 1, 0, 16));
            listener.heard(new RunEvent.Fault(4, 7, 1, "it broke"));
            listener.heard(new RunEvent.Moved(5, 7, 1, Report.Cause.FIRST_USE, 8, 0));
            listener.heard(new RunEvent.Ended(5, 7, 0, 4_000, "no device is left"));
            RecordedEvent steal = read(recording, "Steal").get(0);
            assertEquals("0.1 from 0.0", steal.getString("thief") + " from " + steal.getString("victim"));
            assertEquals(16, steal.getLong("units"));
            assertEquals(2, steal.getInt("phase"));
            RecordedEvent fault = read(recording, "Fault").get(0);
            assertEquals("0.1: it broke", fault.getString("device") + ": " + fault.getString("what"));
            RecordedEvent moved = read(recording, "Moved").get(0);
            assertEquals("0.1 firstUse", moved.getString("device") + " " + moved.getString("cause"));
            assertEquals(8, moved.getLong("sent"));
            RecordedEvent job = read(recording, "Job").get(0);
            assertEquals("no device is left", job.getString("failure"));
            assertEquals(5_000, job.getDuration("predicted").toNanos());
        }
    }
}
