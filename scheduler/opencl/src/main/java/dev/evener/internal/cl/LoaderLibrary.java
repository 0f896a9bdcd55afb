package dev.evener.internal.cl;

import dev.evener.internal.files.PlainFiles;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
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
    private static final int LARGEST = 64 << 20; // of the cache
    private static final int CLASS_AT = 4;
    private static final int MACHINE_AT = 18;
    private static final byte CLASS_64 = 2;
    private static final Map<String, Integer> MACHINES = Map.of("amd64", 62, "aarch64", 183);
    private static final int MACHINE = MACHINES.getOrDefault(System.getProperty("os.arch", ""), -1);

    /** Of this process, or null where there is no telling. */
    static @Nullable LoaderLibrary ofThisProcess() {
        if (!System.getProperty("os.name", "").equals("Linux") || MACHINE < 0) {
            return null;
        }
        return new LoaderLibrary(
                System.getenv("LD_LIBRARY_PATH"),
                Path.of("/etc/ld.so.cache"),
                List.of(Path.of("/lib64"), Path.of("/usr/lib64"), Path.of("/lib"), Path.of("/usr/lib")));
    }

    /** Why the library cannot be loaded, or null if it can or may be. */
    @Nullable
    String problem() {
        String cached;
        try {
            cached = new String(PlainFiles.read(cache, LARGEST), StandardCharsets.ISO_8859_1);
        } catch (IOException | RuntimeException e) {
            return null; // a system that looks for libraries in its own way
        }
        String broken = null;
        for (String name : NAMES) {
            for (Path file : candidates(name, cached)) {
                byte[] head = head(file);
                if (head.length > 0 && !Arrays.equals(head, 0, ELF.length, ELF, 0, ELF.length)) {
                    broken = file + " is not a library"; // the linker gives up here
                    break;
                }
                if (head.length > 0
                        && head[CLASS_AT] == CLASS_64
                        && MACHINE == ((head[MACHINE_AT] & 0xff) | (head[MACHINE_AT + 1] & 0xff) << 8)) {
                    return null; // those for other kinds of process are passed over
                }
            }
        }
        return broken != null ? broken : "there is no " + NAMES.get(0);
    }

    /** The first bytes of a file, and zeros where it is shorter; nothing if there is none. */
    private static byte[] head(Path file) {
        try (InputStream in = PlainFiles.open(file)) {
            return Arrays.copyOf(in.readNBytes(MACHINE_AT + 2), MACHINE_AT + 2);
        } catch (IOException e) {
            return new byte[0];
        }
    }

    private List<Path> candidates(String name, String cached) {
        List<Path> files = new ArrayList<>();
        if (path != null && !path.isEmpty()) {
            for (String folder : path.split("[:;]", -1)) {
                files.add(new File(folder, name).toPath());
            }
        }
        // The cache holds names and paths as C strings; the paths of OpenCL loaders are easily told from the rest.
        String end = "/" + name + "\0";
        for (int at = cached.indexOf(end); at >= 0; at = cached.indexOf(end, at + 1)) {
            int begin = cached.lastIndexOf('\0', at) + 1;
            files.add(new File(cached.substring(begin, at + end.length() - 1)).toPath());
        }
        folders.forEach(f -> files.add(f.resolve(name)));
        return files;
    }
}
