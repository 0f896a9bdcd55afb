package dev.evener.workloads.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What Chrome's trace-event format demands of a file, for the kinds of events that Evener writes: M, X, b and e, s and f, C and i.
 * Events may stand in any order; what is tied by an id must be whole.
 */
public final class TraceFormat {
    private TraceFormat() {}

    /** Checks a file and returns its events. */
    public static List<Map<String, Object>> check(String json) throws IOException {
        Map<String, Object> file =
                JSON.std.with(JSON.Feature.USE_BIG_DECIMAL_FOR_FLOATS).mapFrom(json);
        assertTrue(Set.of("ms", "ns").contains(file.get("displayTimeUnit")));
        assertInstanceOf(Map.class, file.get("otherData"));
        List<Map<String, Object>> events = new ArrayList<>();
        for (Object each : (List<?>) file.get("traceEvents")) {
            @SuppressWarnings("unchecked")
            Map<String, Object> event = (Map<String, Object>) each;
            one(event);
            events.add(event);
        }
        everyTrackIsNamed(events);
        slicesNest(events);
        flowsArePaired(events);
        spansArePaired(events);
        return events;
    }

    private static void one(Map<String, Object> event) {
        String phase = (String) event.get("ph");
        assertTrue(Set.of("M", "X", "b", "e", "s", "f", "C", "i").contains(phase), event::toString);
        assertInstanceOf(String.class, event.get("name"), event::toString);
        assertInstanceOf(Integer.class, event.get("pid"), event::toString);
        assertInstanceOf(Integer.class, event.get("tid"), event::toString);
        if (phase.equals("M")) {
            assertTrue(
                    Set.of("process_name", "process_sort_index", "thread_name", "thread_sort_index")
                            .contains(event.get("name")),
                    event::toString);
            assertFalse(object(event, "args").isEmpty(), event::toString);
            return;
        }
        assertInstanceOf(String.class, event.get("cat"), event::toString);
        assertTrue(nanos(event, "ts") >= 0, event::toString);
        assertEquals(phase.equals("X"), event.containsKey("dur"), event::toString);
        if (phase.equals("X")) {
            assertTrue(nanos(event, "dur") >= 0, event::toString);
        }
        assertEquals(Set.of("b", "e", "s", "f").contains(phase), event.containsKey("id"), event::toString);
        if (phase.equals("i")) {
            assertTrue(Set.of("g", "p", "t").contains(event.get("s")), event::toString);
        }
        if (phase.equals("C")) {
            object(event, "args").values().forEach(v -> assertInstanceOf(Number.class, v, event::toString));
        }
    }

    private static void everyTrackIsNamed(List<Map<String, Object>> events) {
        Set<Object> processes = new HashSet<>();
        Set<Object> threads = new HashSet<>();
        for (Map<String, Object> event : events) {
            if (event.get("name").equals("process_name")) {
                assertTrue(processes.add(event.get("pid")), event::toString);
            } else if (event.get("name").equals("thread_name")) {
                assertTrue(threads.add(track(event)), event::toString);
            }
        }
        for (Map<String, Object> event : events) {
            assertTrue(processes.contains(event.get("pid")), event::toString);
            if (Set.of("X", "s", "f", "i").contains(event.get("ph"))) {
                assertTrue(threads.contains(track(event)), event::toString);
            }
        }
    }

    /** Of two complete events on a track, one lies in the other, or they do not touch but at the ends. */
    private static void slicesNest(List<Map<String, Object>> events) {
        for (List<Map<String, Object>> slices : byTrack(events).values()) {
            slices.sort(Comparator.<Map<String, Object>>comparingLong(e -> nanos(e, "ts"))
                    .thenComparing(e -> -nanos(e, "dur")));
            List<Long> open = new ArrayList<>();
            for (Map<String, Object> slice : slices) {
                long begin = nanos(slice, "ts");
                long end = begin + nanos(slice, "dur");
                open.removeIf(e -> e <= begin);
                open.forEach(e -> assertTrue(end <= e, () -> "overlaps another: " + slice));
                open.add(end);
            }
        }
    }

    private static Map<String, List<Map<String, Object>>> byTrack(List<Map<String, Object>> events) {
        Map<String, List<Map<String, Object>>> tracks = new HashMap<>();
        for (Map<String, Object> event : events) {
            if (event.get("ph").equals("X")) {
                tracks.computeIfAbsent(track(event), t -> new ArrayList<>()).add(event);
            }
        }
        return tracks;
    }

    /** An arrow has one beginning and one end, not before it, and both lie in a slice. */
    private static void flowsArePaired(List<Map<String, Object>> events) {
        Map<String, List<Map<String, Object>>> tracks = byTrack(events);
        Map<Object, Map<String, Object>> begun = new HashMap<>();
        Set<Object> ended = new HashSet<>();
        for (Map<String, Object> event : events) {
            if (event.get("ph").equals("s")) {
                assertTrue(begun.put(event.get("id"), event) == null, event::toString);
            } else if (event.get("ph").equals("f")) {
                assertTrue(ended.add(event.get("id")), event::toString);
                Map<String, Object> begin = begun.get(event.get("id"));
                assertNotNull(begin, event::toString);
                assertEquals(begin.get("name"), event.get("name"));
                assertEquals(begin.get("cat"), event.get("cat"));
                assertTrue(nanos(begin, "ts") <= nanos(event, "ts"), event::toString);
            } else {
                continue;
            }
            assertTrue(
                    tracks.getOrDefault(track(event), List.of()).stream()
                            .anyMatch(x -> nanos(x, "ts") <= nanos(event, "ts")
                                    && nanos(event, "ts") <= nanos(x, "ts") + nanos(x, "dur")),
                    () -> "ties nothing: " + event);
        }
        assertEquals(begun.keySet(), ended);
    }

    /** Every span of an id and a name begins before it ends. */
    private static void spansArePaired(List<Map<String, Object>> events) {
        Map<String, Integer> open = new HashMap<>();
        Map<String, Long> begun = new HashMap<>();
        for (Map<String, Object> event : events) {
            String span = event.get("cat") + "|" + event.get("id") + "|" + event.get("name");
            if (event.get("ph").equals("b")) {
                open.merge(span, 1, Integer::sum);
                begun.put(span, nanos(event, "ts"));
            } else if (event.get("ph").equals("e")) {
                open.merge(span, -1, Integer::sum);
                assertTrue(begun.containsKey(span) && begun.get(span) <= nanos(event, "ts"), event::toString);
            }
        }
        open.forEach((span, count) -> assertEquals(0, count, span));
    }

    private static String track(Map<String, Object> event) {
        return event.get("pid") + "/" + event.get("tid");
    }

    /** A time in nanoseconds. */
    public static long nanos(Map<String, Object> event, String field) {
        Object value = event.get(field);
        assertInstanceOf(Number.class, value, () -> field + " of " + event);
        return new BigDecimal(value.toString()).movePointRight(3).longValueExact();
    }

    /** An object within an event; empty if there is none. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> object(Map<String, Object> event, String field) {
        return (Map<String, Object>) event.getOrDefault(field, Map.of());
    }
}
