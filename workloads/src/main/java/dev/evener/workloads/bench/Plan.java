package dev.evener.workloads.bench;

import java.util.List;

/**
 * Which cases are to be measured. docs/experiment-files.md describes its form as a file.
 *
 * @param name what it is called; empty for what is given on the command line alone
 * @param question what it is to answer; may be empty
 * @param cases in the order in which they are measured: by devices, then by task, then by scenario
 */
public record Plan(String name, String question, List<Case> cases) {
    public Plan {
        cases = List.copyOf(cases);
    }
}
