package dev.evener.workloads.cli.report;

import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.Workload.About;
import dev.evener.workloads.workload.Workload.Input;
import dev.evener.workloads.workload.suite.Workloads;
import java.util.List;
import java.util.stream.Collectors;

/** What {@code run --list} prints. */
public final class RunList {
    private RunList() {}

    public static String all() {
        TextTable table = new TextTable("workload", "item", "parameters", "what it does");
        for (Workload workload : Workloads.all()) {
            String parameters =
                    workload.parameters().stream().map(Parameter::name).collect(Collectors.joining(", "));
            table.row(
                    workload.name(),
                    workload.item(),
                    parameters.isEmpty() ? "-" : parameters,
                    workload.about().description());
        }
        return table.toString();
    }

    public static String of(Workload workload) {
        About about = workload.about();
        String line = System.lineSeparator();
        StringBuilder text = new StringBuilder();
        text.append(about.name()).append(": ").append(about.description()).append(line);
        text.append("sizes count ").append(about.item()).append("s, by default ");
        text.append(sizes(about))
                .append("; cut between ")
                .append(about.unit())
                .append('s')
                .append(line);
        List<Input> inputs = workload.inputs(Values.defaults(workload));
        for (int i = 0; i < inputs.size(); i++) {
            Input input = inputs.get(i);
            text.append("input")
                    .append(inputs.size() > 1 ? " " + (i + 1) : "")
                    .append(", ")
                    .append(input.name());
            text.append(": ")
                    .append(input.type().openClName())
                    .append(", ")
                    .append(input.description())
                    .append(line);
        }
        text.append("output: ").append(about.output()).append(line);
        if (!workload.parameters().isEmpty()) {
            TextTable table = new TextTable("--set", "default", "values", "what it means");
            workload.parameters().forEach(p -> table.row(p.name(), p.otherwiseText(), p.expected(), p.description()));
            text.append(table);
        }
        return text.toString();
    }

    private static String sizes(About about) {
        return Sizes.text(about.defaultSizes().get(about.defaultSizes().size() / 2));
    }
}
