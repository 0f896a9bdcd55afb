package dev.evener.workloads.cli;

import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Suggestion;
import dev.evener.workloads.experiment.file.Description;
import dev.evener.workloads.experiment.file.DescriptionReader;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Descriptions of experiments: files of the user's, or those that come with the program. Stateless. */
final class ExperimentFiles {
    private static final String ENDING = ".json";
    private static final String RESULTS = ".results.jsonl";

    private ExperimentFiles() {}

    /**
     * What {@code --experiment} stands for.
     *
     * @param results where its results are kept unless the user says otherwise: beside a file of the user's, in the current
     *     folder for one that comes with the program
     */
    record Found(Description description, Path results) {}

    /** A file, or the name of one that comes with the program. */
    static Found find(String given) {
        if (given.isBlank()) {
            throw UserError.usage("--experiment: the name is empty");
        }
        Path own = Path.of(given);
        if (Files.exists(own)) {
            return new Found(read(own), own.resolveSibling(plain(own) + RESULTS));
        }
        Path folder = folder();
        List<String> names = names(folder);
        if (names.isEmpty()) {
            throw UserError.failed("--experiment: there is no file '" + given + "', and the folder " + folder
                    + " with those that come with Evener is not there; unpack Evener again, or name a file");
        }
        if (!names.contains(given)) {
            throw UserError.usage(
                    "--experiment: there is no file '" + given + "', and none of that name comes with Evener"
                            + Suggestion.of(given, names) + "; it brings " + String.join(", ", names));
        }
        return new Found(read(folder.resolve(given + ENDING)), Path.of(given + RESULTS));
    }

    private static Description read(Path file) {
        try {
            return DescriptionReader.read(file);
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
