package dev.evener.workloads.cli;

import dev.evener.workloads.bench.PlanReader;
import dev.evener.workloads.bench.PlanReader.Plan;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Suggestion;
import dev.evener.workloads.workload.suite.Workloads;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** What comes with the program, beside its jar: libraries, samples and experiments. Stateless. */
public final class ProgramFiles {
    private static final String ENDING = ".json";
    private static final String RESULTS = ".results.jsonl";

    private ProgramFiles() {}

    /** The program's jar, or a folder of classes. */
    private static Path program() throws URISyntaxException {
        return Path.of(ProgramFiles.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    /**
     * Whether all libraries are there; if not, says so on standard error: it would be a stack or, of OpenCL's, not be noticed.
     * Uses none of them.
     */
    public static boolean librariesAreThere() throws IOException, URISyntaxException {
        Path program = program();
        List<String> missing = missing(program);
        if (!missing.isEmpty()) {
            Screen.standardError()
                    .println("evener: '" + program.getParent() + "' lacks " + missing.get(0)
                            + (missing.size() == 1 ? "" : " and " + (missing.size() - 1) + " more")
                            + ". Unpack the bundle again; or, among the sources, delete the folder 'target' to have it"
                            + " built again.");
        }
        return missing.isEmpty();
    }

    /** The libraries that a jar names and that are not there; none for a folder of classes. */
    static List<String> missing(Path program) throws IOException {
        if (!Files.isRegularFile(program)) {
            return List.of();
        }
        try (JarFile jar = new JarFile(program.toFile())) {
            String libraries = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            return Stream.of(libraries == null ? new String[0] : libraries.split(" ", -1))
                    .filter(library -> !Files.exists(program.resolveSibling(library)))
                    .toList();
        }
    }

    /** The frames in the folder {@code samples}. */
    static List<Path> samples() {
        String instead = "; name frames to map";
        try {
            Path folder = program().resolveSibling("samples");
            List<Path> files = files(folder, ".hdr");
            if (files.isEmpty()) {
                throw UserError.failed("there are no samples in " + folder + instead);
            }
            return files;
        } catch (IOException e) {
            throw UserError.failed(
                    "the bundled samples were not found: " + e.getMessage() + ": " + UserError.reason(e) + instead);
        } catch (URISyntaxException e) {
            throw UserError.failed("the bundled samples were not found (" + e + ")" + instead);
        }
    }

    private static List<Path> files(Path folder, String ending) throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.filter(f -> f.toString().endsWith(ending)).sorted().toList();
        }
    }

    /**
     * What an experiment's name or file stands for.
     *
     * @param results where its results are kept unless the user says otherwise: beside a file of the user's, in the current
     *     folder for one that comes with the program
     */
    record Experiment(Path file, Plan plan, Path results) {}

    /** The experiment in a file, or of a name that comes with the program. */
    static Experiment experiment(String given, Map<String, Object> options) {
        Path own = EvenerCommand.path(given);
        if (Files.exists(own)) {
            return new Experiment(own, read(own, options), own.resolveSibling(plain(own) + RESULTS));
        }
        Map<String, Path> shipped = experimentFiles();
        if (shipped.isEmpty()) {
            throw UserError.failed("there is no file '" + given + "', and the folder " + experimentFolder()
                    + " with those that come with Evener is not there; unpack Evener again, or name a file");
        }
        Path file = shipped.get(given);
        if (file == null) {
            List<String> known = new ArrayList<>(shipped.keySet());
            Workloads.all().forEach(w -> known.add(w.name()));
            throw UserError.usage("there is no workload, experiment or file '" + given + "'"
                    + Suggestion.of(given, known) + "; workloads are " + Workloads.names() + "; experiments "
                    + String.join(", ", shipped.keySet()));
        }
        return new Experiment(file, read(file, options), Path.of(given + RESULTS));
    }

    /** The names of those that come with the program, and what each asks. */
    static Map<String, String> experiments() {
        Map<String, String> all = new LinkedHashMap<>();
        experimentFiles()
                .forEach((name, file) -> all.put(name, read(file, Map.of()).question()));
        return all;
    }

    private static Path experimentFolder() {
        try {
            return program().resolveSibling("experiments");
        } catch (URISyntaxException e) {
            throw UserError.failed("the experiments that come with Evener were not found (" + e + ")");
        }
    }

    /** None if the folder is not there. */
    private static Map<String, Path> experimentFiles() {
        Map<String, Path> all = new LinkedHashMap<>();
        try {
            files(experimentFolder(), ENDING).forEach(file -> all.put(plain(file), file));
            return all;
        } catch (IOException e) {
            return all;
        }
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
}
