package dev.evener.workloads.cli;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The program's commands without a process of their own, which takes a second to start. */
final class InProcess {
    /** What is followed by the name of a file that may not be there yet. */
    private static final Set<Object> OUTPUTS = Set.of("--out", "--output", "--record", "--json", "--csv");

    private InProcess() {}

    /** As if standard error were a terminal, which the launcher says. */
    static Cli.Result onTerminal(Object... arguments) {
        System.setProperty("evener.terminal", "true");
        try {
            return run(arguments);
        } finally {
            System.clearProperty("evener.terminal");
        }
    }

    /** With outputs, and words that name something in this folder, there: this process has another current folder. */
    static Cli.Result in(Path folder, Object... arguments) {
        Object[] placed = arguments.clone();
        for (int i = 1; i < placed.length; i++) {
            String word = placed[i].toString();
            if (!word.isEmpty()
                    && !word.equals("-")
                    && (OUTPUTS.contains(placed[i - 1]) || Files.exists(folder.resolve(word)))) {
                placed[i] = folder.resolve(word);
            }
        }
        return run(placed);
    }

    /** What {@code devices --json} says of one device of this machine: tests run on those that there are. */
    static Map<?, ?> device(String id) {
        return ReportSchema.objects(run("devices", "--json", "-").json(), "devices").stream()
                .filter(device -> id.equals(device.get("id")))
                .findFirst()
                .orElseThrow();
    }

    static Cli.Result run(Object... arguments) {
        List<String> words = Stream.of(arguments).map(Object::toString).toList();
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = EvenerCommand.run(new Screen(out), new Screen(err), words.toArray(String[]::new));
        return new Cli.Result(words, code, out.toString(), err.toString());
    }
}
