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
    /** Options whose value is a file. */
    private static final Set<String> FILES = Set.of("--out", "--output", "--record", "--json", "--csv", "--plugins");

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

    /** With files of options, and words that name something in this folder, there: this process has another current folder. */
    static Cli.Result in(Path folder, Object... arguments) {
        Object[] placed = arguments.clone();
        for (int i = 1; i < placed.length; i++) {
            String word = placed[i].toString();
            String before = arguments[i - 1].toString();
            boolean named = before.startsWith("--") ? FILES.contains(before) : Files.exists(folder.resolve(word));
            if (named && !word.equals("-")) {
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
