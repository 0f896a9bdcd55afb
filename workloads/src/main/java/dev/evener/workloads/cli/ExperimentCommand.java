package dev.evener.workloads.cli;

import static dev.evener.workloads.document.TextTable.format;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.replay.Digests;
import dev.evener.workloads.workload.KernelFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** An experiment and all that it needs as an archive, and two reports of one compared. */
@Command(
        name = "experiment",
        description = "pack FILE: makes an archive of an experiment with its traces, machines, versions, seeds and"
                + " results, and a script that runs it again and compares; what is not measured yet is measured first."
                + " compare JSON JSON: shows how far two reports of bench are apart. docs/bench.md describes both.")
final class ExperimentCommand extends CliCommand {
    private static final String ACTIONS = "pack FILE or compare JSON JSON";

    @Parameters(paramLabel = "ACTION", index = "0", description = "pack or compare.")
    private String action = "";

    @Parameters(paramLabel = "FILE", index = "1..*", description = "An experiment, or two reports as JSON.")
    private List<Path> files = List.of();

    @Option(names = "--plugins", split = ",", paramLabel = "JAR")
    private List<Path> plugins = List.of();

    @Option(names = "--out", paramLabel = "FILE")
    private @Nullable Path out;

    @Option(names = "--within", paramLabel = "PART")
    private @Nullable Double within;

    /** Files of the archive, by their names in it. */
    private final Map<String, byte[]> packed = new TreeMap<>();

    @Override
    int execute() {
        try {
            return done();
        } catch (IOException e) {
            throw UserError.failed("the experiment cannot be packed: " + UserError.reason(e));
        }
    }

    private int done() throws IOException {
        if (action.equals("pack") && files.size() == 1) {
            if (within != null) {
                throw UserError.usage("--within goes with compare");
            }
            return pack(files.get(0));
        }
        if (action.equals("compare") && files.size() == 2) {
            if (out != null || !plugins.isEmpty()) {
                throw UserError.usage("--out and --plugins go with pack");
            }
            return compare(read(files.get(0)), read(files.get(1)));
        }
        throw UserError.usage("expected " + ACTIONS + "; evener bench FILE runs an experiment");
    }

    private static Map<String, Object> read(Path file) {
        try {
            return JSON.std.mapFrom(bytes(file));
        } catch (IOException e) {
            throw UserError.failed(file + ": " + UserError.reason(e));
        }
    }

    private static byte[] bytes(Path file) throws IOException {
        try (InputStream in = BoundedLines.open(file)) {
            return in.readAllBytes();
        }
    }

    // ---- pack ----

    private int pack(Path file) throws IOException {
        ProgramFiles.Experiment experiment = ProgramFiles.experiment(file.toString(), Map.of());
        Map<String, Object> description = read(experiment.file());
        boolean simulated = experiment.plan().sweep() != null;
        Path base = Objects.requireNonNull(experiment.file().toAbsolutePath().getParent());
        description.computeIfPresent("machines", (name, all) -> each(all, base));
        description.computeIfPresent("traces", (name, all) -> each(all, base));
        refuseKernels(description);
        Path archive = out == null
                ? Path.of(experiment.file().getFileName().toString().replaceFirst("\\.json$", "") + ".zip")
                : out;
        OutputFiles.check("archive", archive);
        StringBuilder jars = new StringBuilder();
        for (Path jar : plugins) {
            jars.append(jars.isEmpty() ? " --plugins " : ",").append(add("plugins", jar));
        }
        Path made = Files.createTempDirectory("evener-pack");
        try {
            List<String> words = new ArrayList<>(List.of("bench", file.toString(), "--quiet"));
            for (String form : List.of("json", "csv", "markdown")) {
                words.addAll(
                        List.of("--" + form, made.resolve("results." + form).toString()));
            }
            if (!plugins.isEmpty()) {
                words.addAll(List.of(
                        "--plugins",
                        String.join(",", plugins.stream().map(Path::toString).toList())));
            }
            int code = EvenerCommand.run(new Screen(out()), err(), words.toArray(String[]::new));
            if (code != EvenerCommand.DONE) {
                return code;
            }
            packed.put("results.json", bytes(made.resolve("results.json")));
            packed.put("results.csv", bytes(made.resolve("results.csv")));
            packed.put("results.md", bytes(made.resolve("results.markdown")));
        } finally {
            for (String form : List.of("json", "csv", "markdown")) {
                Files.deleteIfExists(made.resolve("results." + form));
            }
            Files.deleteIfExists(made);
        }
        packed.put("results.jsonl", bytes(experiment.results()));
        packed.put("experiment.json", json(description));
        packed.put("run.sh", script(jars.toString(), simulated).getBytes(StandardCharsets.UTF_8));
        packed.put("versions.json", json(versions()));
        OutputFiles.writeReport(archive, to -> {
            ZipOutputStream zip = new ZipOutputStream(to);
            for (Map.Entry<String, byte[]> each : packed.entrySet()) {
                ZipEntry entry = new ZipEntry(each.getKey());
                entry.setTime(0); // so that the same content is the same archive
                zip.putNextEntry(entry);
                zip.write(each.getValue());
            }
            zip.finish();
        });
        say(true, packed.size() + " files in " + archive);
        return EvenerCommand.DONE;
    }

    /** What entries of a description become: files that they name are packed, and named as they are there. */
    private List<Object> each(Object entries, Path folder) {
        List<Object> all = new ArrayList<>();
        for (Object each : (List<?>) entries) {
            if (each instanceof String name) {
                all.add(add("files", folder.resolve(name)));
            } else if (each instanceof Map<?, ?> map && map.get("file") instanceof String name) {
                Map<String, Object> own = new LinkedHashMap<>();
                map.forEach((key, value) -> own.put(String.valueOf(key), value));
                Path trace = folder.resolve(name);
                String as = add("files", trace);
                own.put("file", as);
                for (Object rule : map.get("map") instanceof List<?> rules ? rules : List.of()) {
                    String[] sides = rule.toString().split("=", 2);
                    if (sides.length == 2
                            && List.of("gpu-times", "precedence").contains(sides[0])) { // beside the trace
                        Path sibling = trace.resolveSibling(sides[1]);
                        put(as.substring(0, as.lastIndexOf('/') + 1) + sides[1], sibling);
                    }
                }
                all.add(own);
            } else {
                all.add(each);
            }
        }
        return all;
    }

    /** Packs a file in a folder of its own, so that its name stays, and returns where it is. */
    private String add(String folder, Path file) {
        String name = folder + "/" + (packed.size() + 1) + "/" + file.getFileName();
        put(name, file);
        return name;
    }

    private void put(String name, Path file) {
        try {
            packed.put(name, bytes(file));
        } catch (IOException e) {
            throw UserError.failed(file + ": " + UserError.reason(e));
        }
    }

    /** They name further files, each in its own way. */
    private static void refuseKernels(Object part) {
        if (part instanceof Map<?, ?> map) {
            if (map.get("workload") instanceof String name && KernelFile.isNameOf(name)) {
                throw UserError.failed("an experiment with files of kernels cannot be packed: " + name);
            }
            map.values().forEach(ExperimentCommand::refuseKernels);
        } else if (part instanceof List<?> list) {
            list.forEach(ExperimentCommand::refuseKernels);
        }
    }

    private Map<String, Object> versions() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("evener", EvenerCommand.version());
        for (String name : List.of("java.version", "java.vendor", "os.name", "os.version", "os.arch")) {
            map.put(name, System.getProperty(name));
        }
        map.put("processors", Runtime.getRuntime().availableProcessors());
        Map<String, String> digests = new LinkedHashMap<>();
        packed.forEach((name, bytes) -> digests.put(
                name,
                Digests.of(channel -> channel.write(ByteBuffer.wrap(bytes))).sha256()));
        map.put("sha256", digests);
        return map;
    }

    private static byte[] json(Map<String, Object> map) throws IOException {
        return (JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(map) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static String script(String jars, boolean simulated) {
        return """
                #!/bin/sh
                # Runs the experiment again and compares with what was packed; EVENER names the program.
                set -eu
                cd "$(dirname "$0")"
                evener=${EVENER:-evener}
                "$evener" bench experiment.json --fresh --out again.jsonl --json again.json --csv again.csv --quiet%s
                "$evener" experiment compare results.json again.json%s
                """.formatted(jars, simulated ? " --within 0" : "");
    }

    // ---- compare ----

    /** Figures of one name in two reports. */
    private record Figures(String field, List<Double> before, List<Double> after) {
        /** As a part of the larger one of two. */
        double largest() {
            double largest = 0;
            for (int i = 0; i < before.size(); i++) {
                double most = Math.max(Math.abs(before.get(i)), Math.abs(after.get(i)));
                largest = Math.max(largest, most == 0 ? 0 : Math.abs(before.get(i) - after.get(i)) / most);
            }
            return largest;
        }

        double medianRatio() {
            double[] ratios = new double[before.size()];
            Arrays.setAll(ratios, i -> before.get(i).equals(after.get(i)) ? 1 : after.get(i) / before.get(i));
            return Statistics.median(ratios);
        }
    }

    private int compare(Map<String, Object> before, Map<String, Object> after) {
        Map<String, Figures> figures = new LinkedHashMap<>();
        List<String> others = new ArrayList<>();
        compare("", before, after, figures, others);
        TextTable<Figures> table = new TextTable<Figures>()
                .column("field", Figures::field)
                .column(">figures", each -> each.before().size())
                .column(">median, second over first", each -> format("%.3f", each.medianRatio()))
                .column(">largest difference", each -> format("%.3g %%", 100 * each.largest()));
        if (!quiet()) {
            out().print(table.of(figures.values()));
        }
        List<String> wrong = new ArrayList<>(others.subList(0, Math.min(others.size(), 10)));
        double most = within == null ? Double.POSITIVE_INFINITY : within;
        figures.values().stream()
                .filter(each -> each.largest() > most)
                .forEach(each -> wrong.add(format("%s is %.3g %% apart", each.field(), 100 * each.largest())));
        warn(wrong);
        return wrong.isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    /** @param others gains what is no number and differs, or is not in both */
    private static void compare(
            String place,
            @Nullable Object before,
            @Nullable Object after,
            Map<String, Figures> figures,
            List<String> others) {
        if (before instanceof Map<?, ?> one
                && after instanceof Map<?, ?> two
                && one.keySet().equals(two.keySet())) {
            one.forEach((name, value) -> compare(place + "." + name, value, two.get(name), figures, others));
        } else if (before instanceof List<?> one && after instanceof List<?> two && one.size() == two.size()) {
            for (int i = 0; i < one.size(); i++) {
                compare(place + "[" + i + "]", one.get(i), two.get(i), figures, others);
            }
        } else if (before instanceof Number one && after instanceof Number two) {
            String field = place.replaceAll("\\[\\d+]", "").replaceFirst("^\\.", "");
            Figures its =
                    figures.computeIfAbsent(field, name -> new Figures(name, new ArrayList<>(), new ArrayList<>()));
            its.before().add(one.doubleValue());
            its.after().add(two.doubleValue());
        } else if (!Objects.equals(before, after)) {
            others.add(place.replaceFirst("^\\.", "") + " is not the same");
        }
    }
}
