package dev.evener.workloads.cli;

import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** What can be set about workloads, each of which has parameters of its own. */
final class ParameterOptions {
    @Option(names = "--set", paramLabel = "NAME=VALUE")
    private List<String> settings = new ArrayList<>();

    /** Whether anything was asked for. */
    boolean given() {
        return !settings.isEmpty();
    }

    /** Refuses what none of these workloads knows. */
    void check(List<Workload> workloads) {
        for (String name : texts().keySet()) {
            boolean known = workloads.stream()
                    .flatMap(w -> w.parameters().stream())
                    .anyMatch(p -> p.name().equals(name));
            if (!known) {
                throw UserError.usage("--set: " + unknown(name, workloads));
            }
        }
    }

    private static String unknown(String name, List<Workload> workloads) {
        String names = workloads.stream()
                .flatMap(w -> w.parameters().stream())
                .map(Parameter::name)
                .distinct()
                .collect(Collectors.joining(", "));
        String whose = workloads.stream().map(Workload::name).collect(Collectors.joining(", "));
        return "there is no parameter '" + name + "'; "
                + (names.isEmpty()
                        ? whose + " has none"
                        : whose + (workloads.size() == 1 ? " has " : " have ") + names);
    }

    /** What the parameters of this workload are set to. */
    Values values(Workload workload) {
        try {
            return Values.of(workload, texts());
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--set: " + e.getMessage());
        }
    }

    /** What was typed, by name. */
    Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw UserError.usage("--set: '" + setting + "' is not of the form NAME=VALUE");
            }
            String name = setting.substring(0, equals).strip();
            if (texts.put(name, setting.substring(equals + 1)) != null) {
                throw UserError.usage("--set: " + name + " is set twice");
            }
        }
        return texts;
    }
}
