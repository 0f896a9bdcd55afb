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

    /** Refuses what none of these workloads knows. */
    void check(List<Workload> workloads) {
        List<String> known = workloads.stream()
                .flatMap(w -> w.parameters().stream())
                .map(Parameter::name)
                .distinct()
                .toList();
        String whose = workloads.stream().map(Workload::name).collect(Collectors.joining(", "));
        for (String name : texts().keySet()) {
            if (!known.contains(name)) {
                String have = workloads.size() == 1 ? " has " : " have ";
                throw UserError.usage("--set: there is no parameter '" + name + "'; " + whose
                        + (known.isEmpty() ? " has none" : have + String.join(", ", known)));
            }
        }
    }

    /** What the parameters of this workload are set to. */
    Values values(Workload workload) {
        return UserError.parsed("--set: ", () -> Values.of(workload, texts()));
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
