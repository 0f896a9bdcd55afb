package dev.evener.workloads.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.RunEvent;
import dev.evener.RunEvent.Chunk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The file for ViTE, read as its own definitions say, and compared with the events that it was made from. */
class PajeWriterTest {
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    /** A line: its event's name, and its fields by name. */
    private record Event(String name, Map<String, String> fields) {
        String get(String field) {
            return String.valueOf(fields.get(field));
        }
    }

    private static List<Event> read(RunEvents... runs) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PajeWriter.write(out, List.of(runs));
        Map<String, List<String>> definitions = new HashMap<>();
        List<String> open = new ArrayList<>();
        List<Event> events = new ArrayList<>();
        for (String line : out.toString(StandardCharsets.UTF_8).split("\n", -1)) {
            List<String> words = new ArrayList<>();
            for (Matcher m = WORD.matcher(line); m.find(); ) {
                words.add(m.group(1) == null ? m.group(2) : m.group(1));
            }
            if (line.startsWith("%EventDef")) {
                open = new ArrayList<>(List.of(words.get(1)));
                definitions.put(words.get(2), open);
            } else if (line.startsWith("% ")) {
                open.add(words.get(1));
            } else if (!line.startsWith("%") && !line.isEmpty()) {
                List<String> fields = definitions.get(words.get(0));
                assertEquals(fields.size(), words.size(), line);
                Map<String, String> values = new HashMap<>();
                for (int i = 1; i < words.size(); i++) {
                    values.put(fields.get(i), words.get(i));
                }
                events.add(new Event(fields.get(0), values));
            }
        }
        return events;
    }

    @Test
    void chunksAreStatesOfTheirDevices() throws IOException {
        RunEvents run = new MadeUpRun()
                .job("blur", "adaptive", 5, 40_000)
                .job("blur", "guided", 3, 9_000)
                .done("run \"1\"");
        List<Event> events =
                read(run, new MadeUpRun().job("scan", "adaptive", 2, 40_000).done("run 2"));
        Set<String> containers = new HashSet<>(Set.of("0"));
        Map<String, Event> states = new HashMap<>();
        Set<String> links = new HashSet<>();
        Set<String> found = new HashSet<>();
        double now = 0;
        int ended = 0;
        for (Event event : events) {
            if (event.fields().containsKey("Time")) {
                double time = Double.parseDouble(event.get("Time"));
                assertTrue(time >= now, () -> event + " comes after a later one");
                now = time;
            }
            switch (event.name()) {
                case "PajeCreateContainer" -> {
                    assertTrue(
                            containers.contains(event.get("Container")) && containers.add(event.get("Alias")),
                            event::toString);
                }
                case "PajePushState" -> {
                    assertTrue(containers.contains(event.get("Container")), event::toString);
                    assertEquals(null, states.put(event.get("Container"), event), "one at a time");
                }
                case "PajePopState" -> {
                    Event begun = states.remove(event.get("Container"));
                    ended++;
                    found.add(begun.get("Job") + " " + begun.get("FirstUnit") + " " + begun.get("Units") + " "
                            + Math.round(1e9 * (now - Double.parseDouble(begun.get("Time")))));
                }
                case "PajeStartLink" -> assertTrue(links.add(event.get("Key")), event::toString);
                case "PajeEndLink" -> assertTrue(links.remove(event.get("Key")), event::toString);
                default -> {}
            }
        }
        assertTrue(states.isEmpty() && links.isEmpty(), () -> states + " and " + links);
        assertEquals(30, ended, "chunks of both runs");
        for (Object each : run.events()) {
            if (each instanceof Chunk c) {
                String text = c.job() + " " + c.firstUnit() + " " + c.units() + " " + (c.end() - c.start());
                assertTrue(found.contains(text), () -> text + " is not among " + found);
            }
        }
        assertTrue(events.stream().anyMatch(e -> e.get("Name").equals("run '1'")), "quotes would end the name");
        assertEquals(
                2,
                events.stream()
                        .filter(e -> e.name().equals("PajeDestroyContainer"))
                        .count());
    }

    @Test
    void stealsAreLinksAndFaultsEvents() throws IOException {
        RunEvents run = new MadeUpRun()
                .job("a", "stealing", 4, 40_000)
                .job("b", "stealing", 4, 40_000)
                .job("c", "stealing", 4, 40_000)
                .done("run");
        List<Event> events = read(run);
        long steals =
                run.events().stream().filter(e -> e instanceof RunEvent.Stolen).count();
        long faults =
                run.events().stream().filter(e -> e instanceof RunEvent.Fault).count();
        assertTrue(steals > 0 && faults > 0, steals + " and " + faults);
        assertEquals(
                steals,
                events.stream().filter(e -> e.name().equals("PajeEndLink")).count());
        assertEquals(
                faults,
                events.stream().filter(e -> e.name().equals("PajeNewEvent")).count());
    }

    @Test
    void nothingIsAFileToo() throws IOException {
        assertEquals(5, read().size(), "the types");
    }
}
