package dev.evener.workloads.bench;

import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What another library takes for a case.
 *
 * @param distribution of the case's data; null for any
 * @param parameters what some of the workload's parameters are set to
 */
public record Against(
        String library,
        String workload,
        long items,
        @Nullable String distribution,
        Map<String, String> parameters,
        double seconds) {
    private static final int LONGEST = 64 << 10;
    private static final long LARGEST = 16 << 20;
    private static final List<String> NAMES =
            List.of("library", "workload", "items", "distribution", "parameters", "seconds", "low", "high");

    /**
     * Reads lines that are a JSON object each.
     *
     * @throws DocumentException if one is not right
     */
    public static List<Against> read(Path file) throws IOException {
        List<Against> all = new ArrayList<>();
        try (BoundedLines lines = new BoundedLines(BoundedLines.open(file), LONGEST, LARGEST)) {
            for (String line = lines.next(); line != null; line = lines.next()) {
                try {
                    if (!line.isBlank()) {
                        all.add(of(Node.object(line).only(NAMES)));
                    }
                } catch (DocumentException e) {
                    throw e.in("line " + lines.number());
                }
            }
        } catch (DocumentException e) {
            throw e.in(file);
        }
        return all;
    }

    private static Against of(Node line) {
        Map<String, String> set = new TreeMap<>();
        Node parameters = line.find("parameters", new Node("", set), n -> n);
        parameters.names().forEach(name -> set.put(name, parameters.get(name).scalar()));
        return new Against(
                PlanReader.label(line.get("library")),
                line.get("workload").text(),
                line.get("items").whole(1, Long.MAX_VALUE),
                line.<@Nullable String>find("distribution", null, Node::text),
                set,
                line.get("seconds").number(1e-12, 1e9));
    }

    private boolean about(Result result) {
        Map<String, Object> what = result.what().toMap();
        Map<?, ?> values = (Map<?, ?>) what.get("parameters");
        return workload.equals(what.get("workload"))
                && items == result.items()
                && (distribution == null || distribution.equals(what.get("distribution")))
                && parameters.entrySet().stream()
                        .allMatch(e -> e.getValue().equals(String.valueOf(values.get(e.getKey()))));
    }

    /** A result with those of these figures that are about its case. */
    public static Result beside(Result result, List<Against> all) {
        Result with = result;
        for (Against each : all) {
            if (each.about(result)) {
                with = with.against(each.library(), 1e9 * each.seconds());
            }
        }
        return with;
    }
}
