package dev.evener.internal.cl;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether the dynamic linker would find the OpenCL loader library. To be asked before JOCL, whose native part prints to
 * standard output when it does not. Errs on the side of yes: of what it does not know, such as other operating systems or
 * a linker without a cache, it says that JOCL should try. Stateless.
 *
 * @param path the variable LD_LIBRARY_PATH
 * @param cache the linker's cache
 * @param folders where the linker looks last
 */
record LoaderLibrary(@Nullable String path, Path cache, List<Path> folders) {
    /** The names that JOCL tries, in its order. */
    private static final List<String> NAMES = List.of("libOpenCL.so.1", "libOpenCL.so");

    private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};
    private static final int CLASS_AT = 4;
    private static final int MACHINE_AT = 18;
    private static final byte CLASS_64 = 2;
    private static final Map<String, Integer> MACHINES = Map.of("amd64", 62, "aarch64", 183);

    /** Of this process, or null where there is no telling. */
    static @Nullable LoaderLibrary ofThisProcess() {
        if (!System.getProperty("os.name", "").equals("Linux") || !MACHINES.containsKey(architecture())) {
            return null;
        }
        return new LoaderLibrary(
                System.getenv("LD_LIBRARY_PATH"),
                Path.of("/etc/ld.so.cache"),
                List.of(Path.of("/lib64"), Path.of("/usr/lib64"), Path.of("/lib"), Path.of("/usr/lib")));
    }

    private static String architecture() {
        return System.getProperty("os.arch", "");
    }

    /** Why the library cannot be loaded, or null if it can or may be. */
    @Nullable
    String problem() {
        List<Path> cached;
        try {
            cached = cachedPaths(Files.readAllBytes(cache));
        } catch (IOException | RuntimeException e) {
            return null; // a system that looks for libraries in its own way
        }
        String broken = null;
        for (String name : NAMES) {
            for (Path file : candidates(name, cached)) {
                Verdict verdict = verdict(file);
                if (verdict == Verdict.GOOD) {
                    return null;
                }
                if (verdict == Verdict.BROKEN) { // the linker gives up here
                    broken = file + " is not a library";
                    break;
                }
            }
        }
        return broken != null ? broken : "there is no " + NAMES.get(0);
    }

    private List<Path> candidates(String name, List<Path> cached) {
        List<Path> files = new ArrayList<>();
        if (path != null && !path.isEmpty()) {
            for (String folder : path.split("[:;]", -1)) {
                files.add(new File(folder, name).toPath());
            }
        }
        cached.stream().filter(p -> p.endsWith(name)).forEach(files::add);
        folders.forEach(f -> files.add(f.resolve(name)));
        return files;
    }

    /** The cache holds names and paths as C strings; the paths of OpenCL loaders are easily told from the rest. */
    private static List<Path> cachedPaths(byte[] content) {
        List<Path> paths = new ArrayList<>();
        String text = new String(content, StandardCharsets.ISO_8859_1);
        int at = text.indexOf("/libOpenCL.so");
        while (at >= 0) {
            int start = text.lastIndexOf('\0', at) + 1;
            int end = text.indexOf('\0', at);
            paths.add(new File(text.substring(start, end < 0 ? text.length() : end)).toPath());
            at = text.indexOf("/libOpenCL.so", at + 1);
        }
        return paths;
    }

    private enum Verdict {
        GOOD,
        /** Not there, or for another kind of process: the linker looks further. */
        PASSED_OVER,
        BROKEN
    }

    private static Verdict verdict(Path file) {
        if (!Files.isRegularFile(file)) {
            return Verdict.PASSED_OVER;
        }
        byte[] head;
        try (InputStream in = Files.newInputStream(file)) {
            head = in.readNBytes(MACHINE_AT + 2);
        } catch (IOException e) {
            return Verdict.PASSED_OVER;
        }
        if (head.length < MACHINE_AT + 2 || !Arrays.equals(head, 0, ELF.length, ELF, 0, ELF.length)) {
            return Verdict.BROKEN;
        }
        int machine = (head[MACHINE_AT] & 0xff) | (head[MACHINE_AT + 1] & 0xff) << 8;
        boolean mine = head[CLASS_AT] == CLASS_64 && MACHINES.getOrDefault(architecture(), -1) == machine;
        return mine ? Verdict.GOOD : Verdict.PASSED_OVER;
    }
}
