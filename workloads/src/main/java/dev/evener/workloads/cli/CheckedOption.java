package dev.evener.workloads.cli;

import dev.evener.Evener;
import picocli.CommandLine.Option;

/** The option of commands whose kernels can be checked. */
final class CheckedOption {
    @Option(
            names = "--checked",
            description = "Look for mistakes of the kernels: memory that they read or write and should not, or should"
                    + " have written. Takes many times as long.")
    private boolean checked;

    /** Checks what can be checked before any device is opened, and sets the options. */
    Evener.Builder on(Evener.Builder builder, PolicyOptions policy, WarmUpOption warmUp) {
        if (!checked) {
            return builder;
        }
        if (policy.given()) {
            throw UserError.usage("--checked gives every device an equal share; leave out --policy and --split");
        }
        warmUp.leaveOut();
        return builder.checked();
    }

    /** A line for people, at the end of a run in which nothing was found. */
    String text() {
        return checked
                ? "checked: every kernel keeps to what is declared; times are those of checking"
                        + System.lineSeparator()
                : "";
    }
}
