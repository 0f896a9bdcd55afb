package dev.evener.workloads.cli;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The frames that come with the program, in a folder {@code samples} beside its jar. */
final class Samples {
    private Samples() {}

    static List<Path> files() {
        try {
            Path folder = BesideTheJar.folder("samples");
            try (Stream<Path> list = Files.list(folder)) {
                List<Path> files =
                        list.filter(f -> f.toString().endsWith(".hdr")).sorted().toList();
                if (!files.isEmpty()) {
                    return files;
                }
            }
            throw UserError.failed("there are no samples in " + folder + "; name frames to map");
        } catch (IOException e) {
            throw UserError.failed("the bundled samples were not found: " + e.getMessage() + ": " + UserError.reason(e)
                    + "; name frames to map");
        } catch (URISyntaxException e) {
            throw UserError.failed("the bundled samples were not found (" + e + "); name frames to map");
        }
    }
}
