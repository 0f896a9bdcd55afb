package dev.evener.workloads.arrivals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Reads what jobs took elsewhere: a log, a table or a Batsim workload. Stateless. */
final class TimesReader {
    private static final List<String> OF_LOGS = List.of("unit", "time", "processors", "gpu-times", "precedence");

    private TimesReader() {}

    static Trace<Trace.Times> read(Path file, List<String> texts) throws IOException {
        Rules rules = Rules.parse(
                texts,
                Stream.of(OF_LOGS, List.of("flops", "jobs"), List.copyOf(TraceTable.COLUMNS.keySet()))
                        .flatMap(List::stream)
                        .toList());
        String name = Trace.plainName(file);
        check(rules, name.endsWith(".swf"), "is for logs (.swf)", OF_LOGS);
        check(rules, name.endsWith(".json"), "is for Batsim workloads (.json)", List.of("flops"));
        check(rules, name.endsWith(".csv"), "names a heading of a table (.csv)", TraceTable.COLUMNS.keySet());
        TraceBuilder<Trace.Times> to = new TraceBuilder<>(rules);
        return to.read(file, "simulated", () -> {
            if (name.endsWith(".json")) {
                new BatsimReader(to, rules.number("flops", 1e9, 1, 1e18)).read(file);
            } else if (name.endsWith(".swf")) {
                new SwfReader<>(to, rules, (fields, onCpu, onGpu, parts) -> times(to, onCpu, onGpu, parts)).read(file);
            } else {
                to.lines(file, new Table(new TraceTable(to, rules)));
            }
        });
    }

    private static void check(Rules rules, boolean fits, String why, Iterable<String> names) {
        for (String name : names) {
            if (!fits && rules.has(name)) {
                throw new IllegalArgumentException("'" + name + "' " + why);
            }
        }
    }

    /** What a job took in seconds, on as many processors one after another; below 0 where it does not run. */
    static Trace.Times times(TraceBuilder<Trace.Times> to, double onCpu, double onGpu, double processors) {
        to.counted(processors > 1, "job on several processors, whose parts run when one is free, not at once");
        to.counted(
                Math.max(onCpu, onGpu) > TraceBuilder.MOST_SECONDS,
                "job of more than 9e9 s on one processor, which is simulated as that");
        int parts = (int) Math.min(1_000_000, processors);
        return new Trace.Times(TraceBuilder.nanos(onCpu), TraceBuilder.nanos(onGpu), parts);
    }
}
