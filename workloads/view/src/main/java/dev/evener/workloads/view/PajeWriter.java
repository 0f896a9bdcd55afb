package dev.evener.workloads.view;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.RunEvent.Chunk;
import dev.evener.RunEvent.Fault;
import dev.evener.RunEvent.Stolen;
import dev.evener.workloads.view.Tracks.Placed;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Writes runs in the trace format of Pajé, which ViTE and PajeNG read (Schnorr, "Paje Trace File Format", 2016): a container for each
 * run, its devices in it, states for chunks, links for steals, events for faults. In order of time. Used once, by one thread.
 */
public final class PajeWriter {
    /** The events that follow, by number: their name and fields. */
    private static final List<String> DEFINITIONS = List.of(
            "DefineContainerType Alias:string Type:string Name:string",
            "DefineStateType Alias:string Type:string Name:string",
            "DefineEventType Alias:string Type:string Name:string",
            "DefineLinkType Alias:string Type:string StartContainerType:string EndContainerType:string Name:string",
            "DefineEntityValue Alias:string Type:string Name:string Color:color",
            "CreateContainer Time:date Alias:string Type:string Container:string Name:string",
            "DestroyContainer Time:date Type:string Name:string",
            "PushState Time:date Type:string Container:string Value:string Job:string FirstUnit:string Units:string",
            "PopState Time:date Type:string Container:string",
            "NewEvent Time:date Type:string Container:string Value:string",
            "StartLink Time:date Type:string Container:string StartContainer:string Value:string Key:string",
            "EndLink Time:date Type:string Container:string EndContainer:string Value:string Key:string");

    private record Line(long at, String text) {}

    private final List<Line> lines = new ArrayList<>();
    private final Map<String, String> values = new LinkedHashMap<>();
    private int steals;

    private PajeWriter() {}

    /** Writes a trace; the stream stays open. Runs share one clock, and the first thing that happens is at 0. */
    public static void write(OutputStream to, List<RunEvents> runs) throws IOException {
        PajeWriter writer = new PajeWriter();
        IntStream.range(0, runs.size()).forEach(i -> writer.add(runs.get(i), "r" + i));
        writer.lines.sort(Comparator.comparingLong(Line::at)); // what is at one time stays in its order
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < DEFINITIONS.size(); i++) {
            String[] words = DEFINITIONS.get(i).split("[ :]", -1);
            text.append("%EventDef Paje").append(words[0]).append(' ').append(i).append('\n');
            for (int field = 1; field < words.length; field += 2) {
                text.append("% ")
                        .append(words[field])
                        .append(' ')
                        .append(words[field + 1])
                        .append('\n');
            }
            text.append("%EndEventDef\n");
        }
        text.append("0 R 0 Run\n0 D R Device\n1 S D Kernel\n2 F D Fault\n3 L R D D Steal\n");
        int value = 0;
        for (Map.Entry<String, String> each : writer.values.entrySet()) {
            double part = value++ * 0.618034 % 1; // colours far apart
            text.append(format(
                    "4 %s S %s \"%.3f %.3f %.3f\"%n",
                    each.getValue(),
                    quoted(each.getKey()),
                    0.9 - 0.6 * part,
                    0.3 + 0.6 * part,
                    0.5 + 0.4 * (part * 3 % 1)));
        }
        long origin = writer.lines.isEmpty() ? 0 : writer.lines.get(0).at();
        for (Line line : writer.lines) {
            int second = line.text().indexOf(' ');
            String seconds = format(" %.9f", (line.at() - origin) / 1e9);
            text.append(line.text(), 0, second)
                    .append(seconds)
                    .append(line.text().substring(second))
                    .append('\n');
        }
        to.write(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static String quoted(String text) {
        return '"' + Text.clean(text).replace('"', '\'') + '"';
    }

    private void at(long nanos, String format, Object... values) {
        lines.add(new Line(nanos, format(format, values)));
    }

    private void add(RunEvents run, String id) {
        List<JobEvents> jobs = JobEvents.of(run);
        List<Tracks> devices = Tracks.of(run.devices().size(), jobs, Chunk::start, Chunk::end);
        Map<Chunk, String> names = new LinkedHashMap<>();
        jobs.forEach(job -> job.chunks.forEach(
                chunk -> names.put(chunk, job.submitted.kernels().get(chunk.phase()))));
        int first = lines.size();
        List<String> containers = new ArrayList<>();
        for (int d = 0; d < devices.size(); d++) {
            for (int track = 0; track < Math.max(1, devices.get(d).tracks()); track++) {
                String name =
                        run.devices().get(d).id() + " " + run.devices().get(d).name();
                String shown = quoted(track == 0 ? name : name + " (" + (track + 1) + ")");
                containers.add(format("5 %s D %s %s", on(id, d, track), id, shown));
            }
            for (Placed placed : devices.get(d).placed()) {
                Chunk chunk = placed.chunk();
                String kernel = names.get(chunk);
                String value = values.computeIfAbsent(kernel, k -> "v" + values.size());
                String where = on(id, d, placed.track());
                at(placed.from(), "7 S %s %s %d %d %d", where, value, chunk.job(), chunk.firstUnit(), chunk.units());
                at(placed.to(), "8 S %s", where);
            }
        }
        for (JobEvents job : jobs) {
            for (Fault fault : job.faults) {
                at(fault.at(), "9 F %s %s", on(id, fault.device(), 0), quoted(fault.what()));
            }
            for (Stolen each : job.steals) {
                Placed taken = devices.get(each.thief()).firstTakenFrom(each.job(), each.phase(), each.at());
                if (taken != null) {
                    String key = id + " " + on(id, each.victim(), 0);
                    at(each.at(), "10 L %s %d k%d", key, each.units(), steals);
                    at(
                            taken.from(),
                            "11 L %s %s %d k%d",
                            id,
                            on(id, each.thief(), taken.track()),
                            each.units(),
                            steals++);
                }
            }
        }
        List<Line> own = lines.subList(first, lines.size());
        long begin = own.stream().mapToLong(Line::at).min().orElse(0);
        long end = own.stream().mapToLong(Line::at).max().orElse(0);
        at(end, "6 R %s", id); // and its devices with it
        containers.add(0, format("5 %s R 0 %s", id, quoted(run.title())));
        lines.addAll(
                first, containers.stream().map(each -> new Line(begin, each)).toList());
    }

    private static String on(String run, int device, int track) {
        return run + "d" + device + "t" + track;
    }
}
