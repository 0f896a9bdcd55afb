package dev.evener;

import static dev.evener.ManagedBufferTest.N;
import static dev.evener.ManagedBufferTest.add;
import static dev.evener.ManagedBufferTest.blur;
import static dev.evener.ManagedBufferTest.content;
import static dev.evener.ManagedBufferTest.discrete;
import static dev.evener.ManagedBufferTest.fill;
import static dev.evener.ManagedBufferTest.scale;
import static dev.evener.ManagedBufferTest.total;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Report.Cause;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Why bytes move: on two devices taken for discrete ones, and between one and the JVM lane. */
class BytesByCauseTest {
    private static final long ALL = 4L * N;
    private static final Policy HALF = Policies.fixed(0.5, 0.5);
    private static final Map<Cause, Long> NOTHING = Map.of();

    /** Compares the part of a device in a job, and that the causes add up to all of the bytes. */
    private static void assertMoved(Map<Cause, Long> sent, Map<Cause, Long> fetched, Report report, int device) {
        Report.DeviceUse use = report.devices().get(device);
        assertEquals(sent, use.sent(), "sent in " + report.workload());
        assertEquals(fetched, use.fetched(), "fetched in " + report.workload());
        assertEquals(sum(sent), use.bytesIn());
        assertEquals(sum(fetched), use.bytesOut());
    }

    private static long sum(Map<Cause, Long> bytes) {
        return bytes.values().stream().mapToLong(Long::longValue).sum();
    }

    private static ManagedBuffer filled(Evener evener) {
        ManagedBuffer buffer = evener.allocateManaged(ElementType.INT, N);
        fill(buffer, IntStream.range(0, N).toArray());
        return buffer;
    }

    @Test
    void firstUseIsToldFromWhatTheHostWroteAgain() {
        try (Evener evener = discrete("0.0").open()) {
            ManagedBuffer a = filled(evener);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            assertMoved(
                    Map.of(Cause.FIRST_USE, ALL),
                    NOTHING,
                    evener.submit(scale(a, b)).join(),
                    0);
            assertMoved(NOTHING, NOTHING, evener.submit(scale(a, b)).join(), 0);
            try (ManagedBuffer.Scope scope = a.update(8, 3)) {
                scope.ints().put(0, 5);
            }
            assertMoved(
                    Map.of(Cause.HOST, 12L), NOTHING, evener.submit(scale(a, b)).join(), 0);
            b.discard();
            assertMoved(
                    Map.of(Cause.HOST, ALL), NOTHING, evener.submit(scale(b, a)).join(), 0);
        }
    }

    @Test
    void halosAreToldFromSharesThatMoved() {
        List<RunEvent.Moved> heard = new CopyOnWriteArrayList<>();
        List<RunEvent.Moved> expected = new ArrayList<>();
        try (Evener evener = discrete("0.0,0.1")
                .listener(event -> {
                    if (event instanceof RunEvent.Moved moved) {
                        heard.add(new RunEvent.Moved(
                                0, moved.job(), moved.device(), moved.cause(), moved.sent(), moved.fetched()));
                    }
                })
                .open()) {
            ManagedBuffer a = filled(evener);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            Report first = evener.submit(scale(a, b), HALF).join();
            assertMoved(Map.of(Cause.FIRST_USE, ALL / 2), NOTHING, first, 0);
            Report halo = evener.submit(blur(b, a), HALF).join();
            assertMoved(Map.of(Cause.HALO, 4L), Map.of(Cause.HALO, 4L), halo, 0);
            assertMoved(Map.of(Cause.HALO, 4L), Map.of(Cause.HALO, 4L), halo, 1);
            Report share =
                    evener.submit(scale(a, b), Policies.fixed(0.25, 0.75)).join();
            assertMoved(NOTHING, Map.of(Cause.SHARE, ALL / 4), share, 0);
            assertMoved(Map.of(Cause.SHARE, ALL / 4), NOTHING, share, 1);
            Report both = evener.submit(blur(b, a), HALF).join();
            assertMoved(Map.of(Cause.SHARE, ALL / 4, Cause.HALO, 4L), NOTHING, both, 0);
            assertMoved(NOTHING, Map.of(Cause.SHARE, ALL / 4, Cause.HALO, 4L), both, 1);
        }
        expected.add(new RunEvent.Moved(0, 1, 0, Cause.FIRST_USE, ALL / 2, 0));
        expected.add(new RunEvent.Moved(0, 1, 1, Cause.FIRST_USE, ALL / 2, 0));
        expected.add(new RunEvent.Moved(0, 2, 0, Cause.HALO, 4, 4));
        expected.add(new RunEvent.Moved(0, 2, 1, Cause.HALO, 4, 4));
        expected.add(new RunEvent.Moved(0, 3, 0, Cause.SHARE, 0, ALL / 4));
        expected.add(new RunEvent.Moved(0, 3, 1, Cause.SHARE, ALL / 4, 0));
        expected.add(new RunEvent.Moved(0, 4, 0, Cause.HALO, 4, 0));
        expected.add(new RunEvent.Moved(0, 4, 0, Cause.SHARE, ALL / 4, 0));
        expected.add(new RunEvent.Moved(0, 4, 1, Cause.HALO, 0, 4));
        expected.add(new RunEvent.Moved(0, 4, 1, Cause.SHARE, 0, ALL / 4));
        assertEquals(expected, heard);
    }

    @Test
    void aWholeBufferThatAnotherDeviceWroteIsItsOwnCause() {
        try (Evener evener = discrete("0.0,0.1").open()) {
            ManagedBuffer a = filled(evener);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer values = evener.allocateManaged(ElementType.INT, N);
            evener.submit(scale(a, b), HALF).join();
            evener.submit(scale(a, values), HALF).join();
            Report report = evener.submit(add(values, b), HALF).join();
            for (int device = 0; device < 2; device++) {
                assertMoved(Map.of(Cause.WHOLE, ALL / 2), Map.of(Cause.WHOLE, ALL / 2), report, device);
            }
        }
    }

    @Test
    void whatALaneOnTheHostNeedsIsFetchedFromTheDevice() {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = filled(evener);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            evener.submit(scale(a, b), Policies.single(0)).join();
            Report report = evener.submit(blur(b, a), HALF).join();
            assertMoved(NOTHING, Map.of(Cause.SHARE, ALL / 2, Cause.HALO, 4L), report, 0);
            assertEquals(ALL / 2 + 4, report.devices().get(1).bytesIn());
            assertEquals(NOTHING, report.devices().get(1).sent());
        }
    }

    @Test
    void resultsReductionsAndHostStepsAreToldApart() {
        try (Evener evener = discrete("0.0").open()) {
            HostBuffer in = evener.allocate(ElementType.INT, N);
            HostBuffer out = evener.allocate(ElementType.INT, N);
            ManagedBuffer sum = evener.allocateManaged(ElementType.INT, 1);
            Report report = evener.submit(scale(in, out)).join();
            assertMoved(Map.of(Cause.HOST, ALL), Map.of(Cause.RESULT, ALL), report, 0);
            report = evener.submit(total(in, sum)).join();
            long partials = 4L * report.devices().get(0).chunks();
            assertMoved(
                    Map.of(Cause.HOST, ALL, Cause.REDUCTION, partials), Map.of(Cause.REDUCTION, partials), report, 0);
            ManagedBuffer managed = evener.allocateManaged(ElementType.INT, N);
            Job step = Job.named("step")
                    .source("__kernel void copy(__global const int *in, __global int *out) {"
                            + " out[get_global_id(0)] = in[get_global_id(0)]; }")
                    .units(N)
                    .kernel("copy")
                    .reads(in, Access.slice())
                    .writes(managed, Access.slice())
                    .hostStep(host -> host.read(managed, 5, 2))
                    .build();
            report = evener.submit(step).join();
            assertMoved(Map.of(Cause.HOST, ALL), Map.of(Cause.HOST, 8L), report, 0);
            managed.mirror();
            report = evener.submit(step).join();
            assertMoved(Map.of(Cause.HOST, ALL), Map.of(Cause.RESULT, ALL), report, 0);
        }
    }

    @Test
    void whatGivesWayIsFetchedAndSentAgain() {
        try (Evener evener = discrete("0.0").mirrorBytes(2 * ALL).open()) {
            ManagedBuffer a = filled(evener);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer c = evener.allocateManaged(ElementType.INT, N);
            evener.submit(scale(a, b)).join();
            Report report = evener.submit(scale(b, c)).join(); // a gives way, which the host has
            assertMoved(NOTHING, NOTHING, report, 0);
            report = evener.submit(scale(b, a)).join(); // c does
            assertMoved(NOTHING, Map.of(Cause.EVICTION, ALL), report, 0);
            report = evener.submit(scale(c, b)).join(); // b does for c, then a for b
            assertMoved(Map.of(Cause.EVICTION, ALL), Map.of(Cause.EVICTION, 2 * ALL), report, 0);
            content(b);
        }
    }
}
