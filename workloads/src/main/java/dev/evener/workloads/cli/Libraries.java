package dev.evener.workloads.cli;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** What the program's jar needs beside it: one that is missing would be a stack or, if it is OpenCL's, not be noticed. Stateless. */
public final class Libraries {
    private Libraries() {}

    /** Whether all are there; if not, says so on standard error. Uses none of them. */
    public static boolean areThere() throws IOException, URISyntaxException {
        Path program = BesideTheJar.program();
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
}
