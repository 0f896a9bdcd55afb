package dev.evener.workloads.cli;

import dev.evener.workloads.bench.Plan;
import dev.evener.workloads.bench.PlanReader;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Suggestion;
import dev.evener.workloads.workload.Workloads;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Descriptions of experiments: files of the user's, or those that come with the program. Stateless. */
final class ExperimentFiles {
    private static final String ENDING = ".json";
    private static final String RESULTS = ".results.jsonl";

    private ExperimentFiles() {}

    /**
     * What an experiment's name or file stands for.
     *
     * @param results where its results are kept unless the user says otherwise: beside a file of the user's, in the current
     *     folder for one that comes with the program
     */
    record Found(Plan plan, Path results) {}

    /** A file, or the name of one that comes with the program. */
    static Found find(String given, Map<String, Object> options) {
        Path own = Path.of(given);
        if (Files.exists(own)) {
            return new Found(read(own, options), own.resolveSibling(plain(own) + RESULTS));
        }
        Path folder = folder();
        List<String> names = names(folder);
        if (names.isEmpty()) {
            throw UserError.failed("there is no file '" + given + "', and the folder " + folder
                    + " with those that come with Evener is not there; unpack Evener again, or name a file");
        }
        if (!names.contains(given)) {
            List<String> known = new ArrayList<>(names);
            Workloads.all().forEach(w -> known.add(w.name()));
            throw UserError.usage("there is no workload, experiment or file '" + given + "'"
                    + Suggestion.of(given, known) + "; workloads are " + Workloads.names() + "; experiments "
                    + String.join(", ", names));
        }
        return new Found(read(folder.resolve(given + ENDING), options), Path.of(given + RESULTS));
    }

    /** The names of those that come with the program, and what each asks. */
    static Map<String, String> shipped() {
        Map<String, String> all = new LinkedHashMap<>();
        Path folder = folder();
        names(folder)
                .forEach(name -> all.put(
                        name, read(folder.resolve(name + ENDING), Map.of()).question()));
        return all;
    }

    private static Plan read(Path file, Map<String, Object> options) {
        try {
            return PlanReader.read(file, options);
        } catch (DocumentException e) {
            throw UserError.usage(e.getMessage());
        } catch (IOException e) {
            throw UserError.failed(file + ": " + UserError.reason(e));
        }
    }

    private static String plain(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(ENDING) ? name.substring(0, name.length() - ENDING.length()) : name;
    }

    private static Path folder() {
        try {
            return BesideTheJar.folder("experiments");
        } catch (URISyntaxException e) {
            throw UserError.failed("the experiments that come with Evener were not found (" + e + ")");
        }
    }

    private static List<String> names(Path folder) {
        try (Stream<Path> list = Files.list(folder)) {
            return list.filter(f -> f.toString().endsWith(ENDING))
                    .map(ExperimentFiles::plain)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
