package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is seen before anything is run. */
class LibrariesTest {
    @TempDir
    Path folder;

    /** One that was missing once was a stack, or silently no OpenCL. */
    @Test
    void missingLibrariesAreNamed() throws IOException {
        Path program = folder.resolve("evener.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, "lib/one.jar lib/two.jar lib/three.jar");
        try (OutputStream file = Files.newOutputStream(program);
                JarOutputStream jar = new JarOutputStream(file, manifest)) {
            jar.finish();
        }
        Files.createFile(Files.createDirectory(folder.resolve("lib")).resolve("two.jar"));
        assertEquals(List.of("lib/one.jar", "lib/three.jar"), ProgramFiles.missing(program));
        assertEquals(List.of(), ProgramFiles.missing(folder), "a folder of classes names none");
    }
}
