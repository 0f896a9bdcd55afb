package dev.evener.workloads.cli;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** Folders that come with the program, beside its jar. Stateless. */
final class BesideTheJar {
    private BesideTheJar() {}

    /**
     * Where the folder of that name is.
     *
     * @throws URISyntaxException if it is not known where the program is
     */
    static Path folder(String name) throws URISyntaxException {
        return program().resolveSibling(name);
    }

    /** The program's jar, or a folder of classes. */
    static Path program() throws URISyntaxException {
        return Path.of(BesideTheJar.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }
}
