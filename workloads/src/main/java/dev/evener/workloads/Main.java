package dev.evener.workloads;

import dev.evener.workloads.cli.EvenerCommand;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** Where the {@code evener} program begins. */
public final class Main {
    private Main() {}

    /** Runs a command line and ends the process with its exit code. */
    public static void main(String[] args) throws IOException, URISyntaxException {
        Path program = Path.of(
                Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<String> missing = missing(program);
        if (!missing.isEmpty()) { // no library is there for certain, not even that of the command line
            System.err.println(
                    "evener: '" + program.getParent() + "' lacks " + missing.get(0)
                            + (missing.size() == 1 ? "" : " and " + (missing.size() - 1) + " more")
                            + ". Unpack the bundle again; or, among the sources, delete the folder 'target' to have it built again.");
            System.exit(1);
        }
        System.exit(EvenerCommand.run(args));
    }

    /** The libraries that the program's jar names and that are not there; none where it runs from a folder of classes. */
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
