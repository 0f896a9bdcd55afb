package dev.evener.workloads.cli.report;

import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.Workload.About;
import dev.evener.workloads.workload.Workload.Input;
import dev.evener.workloads.workload.suite.Workloads;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What {@code run --list} prints. */
public final class RunList {
    private RunList() {}

    public static String all() {
        return new TextTable<Workload>()
                .column("workload", Workload::name)
                .column("item", Workload::item)
                .column(
                        "parameters",
                        w -> w.parameters().isEmpty()
                                ? null
                                : w.parameters().stream().map(Parameter::name).collect(Collectors.joining(", ")))
                .column("what it does", w -> w.about().description())
                .of(Workloads.all());
    }

    public static String of(Workload workload) {
        About about = workload.about();
        List<Input> inputs = workload.inputs(Values.defaults(workload));
        List<String> lines = new ArrayList<>();
        lines.add(about.name() + ": " + about.description());
        String size = Sizes.text(about.defaultSizes().get(about.defaultSizes().size() / 2));
        lines.add("sizes count " + about.item() + "s, by default " + size + "; cut between " + about.unit() + "s");
        for (Input input : inputs) {
            String number = inputs.size() > 1 ? " " + (inputs.indexOf(input) + 1) : "";
            lines.add("input" + number + ", " + input.name() + ": "
                    + input.type().openClName() + ", " + input.description());
        }
        lines.add("output: " + about.output());
        String table = new TextTable<Parameter<?>>()
                .column("--set", Parameter::name)
                .column("default", Parameter::otherwiseText)
                .column("values", Parameter::expected)
                .column("what it means", Parameter::description)
                .of(workload.parameters());
        String end = System.lineSeparator();
        return String.join(end, lines) + end + (workload.parameters().isEmpty() ? "" : table);
    }
}
