package dev.evener.workloads.cli;

import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;

/** The program's commands without a process of their own, which takes a second to start. */
final class InProcess {
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

    static Cli.Result run(Object... arguments) {
        List<String> words = Stream.of(arguments).map(Object::toString).toList();
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = EvenerCommand.run(new Screen(out), new Screen(err), words.toArray(String[]::new));
        return new Cli.Result(words, code, out.toString(), err.toString());
    }
}
