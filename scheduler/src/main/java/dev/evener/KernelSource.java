package dev.evener;

import dev.evener.internal.source.SourceLines;
import dev.evener.internal.source.SourceLines.Header;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * OpenCL C text with a name for messages and a digest for caches, and how it is built: macros, included texts, options. Immutable;
 * create it once and share it between jobs, so that the digest is computed once.
 */
public final class KernelSource {
    private static final Logger LOG = LoggerFactory.getLogger(KernelSource.class);

    private static final Pattern MACRO = Pattern.compile("[A-Za-z_]\\w*(\\([\\w, .]*\\))?");

    private static final int LARGEST = 16 << 20;

    private final String name;
    private final String text;
    private final String options;
    private final boolean triable;
    private volatile @Nullable String digest; // null until somebody asks, as sources are made in steps

    private KernelSource(String name, String text, String options, boolean triable) {
        this.name = Objects.requireNonNull(name, "name");
        this.text = SourceLines.withoutMark(Objects.requireNonNull(text, "text"));
        this.options = options;
        this.triable = triable;
    }

    /** Source given as text. */
    public static KernelSource of(String name, String text) {
        return new KernelSource(name, text, "", false);
    }

    /**
     * Source from class-path resources, concatenated in the order given.
     *
     * @param anchor the class beside which the resources lie; if it is in a named module, that opens the class's package to
     *     {@code dev.evener.scheduler}
     * @throws IllegalArgumentException if a resource does not exist
     */
    public static KernelSource resource(Class<?> anchor, String... resources) {
        Objects.requireNonNull(anchor, "anchor");
        StringBuilder text = new StringBuilder();
        for (String resource : Objects.requireNonNull(resources, "resources")) {
            try (InputStream in = anchor.getResourceAsStream(resource)) {
                if (in == null) {
                    throw new IllegalArgumentException("no kernel source " + resource + " beside " + anchor.getName());
                }
                text.append(SourceLines.withoutMark(decoded(resource, in.readAllBytes())))
                        .append('\n');
            } catch (IOException e) {
                throw new UncheckedIOException("kernel source " + resource, e);
            }
        }
        return of(resources[resources.length - 1], text.toString());
    }

    /**
     * Source from a file, in UTF-8 or, where it is none, Latin-1. What it includes is looked for beside the file that includes it, then in
     * these folders; what compilers say of an included file names that one, and its lines.
     *
     * @param folders as a compiler's {@code -I} has them
     * @throws UncheckedIOException if it cannot be read, is no plain file, or larger than 16 MiB
     * @throws IllegalArgumentException if files include each other without end
     */
    public static KernelSource file(Path file, Path... folders) {
        Objects.requireNonNull(folders, "folders");
        String name = Objects.toString(Objects.requireNonNull(file, "file").getFileName());
        Header main = header(name, file);
        return of(name, SourceLines.expanded(main, (header, from) -> {
            Path found = ((Path) from.key()).resolveSibling(header);
            for (int i = 0; i < folders.length && !Files.isRegularFile(found); i++) {
                found = folders[i].resolve(header);
            }
            return Files.isRegularFile(found) ? header(header, found) : null;
        }));
    }

    private static Header header(String name, Path file) {
        try {
            if (Files.exists(file)
                    && !Files.isRegularFile(file)) { // to open a pipe may wait for ever, a device never end
                throw new FileSystemException(file.toString(), null, "is a folder, a pipe or a device");
            }
            if (Files.size(file) > LARGEST) {
                throw new FileSystemException(file.toString(), null, "is larger than " + LARGEST + " bytes");
            }
            return new Header(name, file.toRealPath(), decoded(name, Files.readAllBytes(file)));
        } catch (FileSystemException e) {
            throw new UncheckedIOException(
                    "kernel source " + file + (e.getReason() == null ? "" : ": " + e.getReason()), e);
        } catch (IOException e) {
            throw new UncheckedIOException("kernel source " + file, e);
        }
    }

    private static String decoded(String name, byte[] bytes) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(left).toString();
        } catch (CharacterCodingException e) {
            long line = new String(bytes, 0, left.position(), StandardCharsets.ISO_8859_1)
                            .chars()
                            .filter(c -> c == '\n')
                            .count()
                    + 1;
            LOG.warn("kernel source {}, line {}: this is not UTF-8, so the text is read as Latin-1", name, line);
            return new String(bytes, StandardCharsets.ISO_8859_1); // in which every text is legal
        }
    }

    /**
     * The same source with the texts that it includes, each {@code #include} of one of these names being replaced by the text. Others
     * stay as they are; if the compiler meets one, the build fails and says so.
     *
     * @param texts by the names that stand in quotes or angle brackets
     * @throws IllegalArgumentException if texts include each other without end
     */
    public KernelSource withIncludes(Map<String, String> texts) {
        Map<String, String> all = Map.copyOf(texts);
        Header main = new Header(name, "", text);
        String expanded = SourceLines.expanded(
                main, (header, from) -> all.containsKey(header) ? new Header(header, header, all.get(header)) : null);
        return new KernelSource(name, expanded, options, triable);
    }

    /**
     * The same source behind {@code #define name value}.
     *
     * @param macro a name, perhaps with parameters as in {@code "SQUARE(x)"}
     * @param value its text is what the macro stands for; may be empty. A number is written as C has it: a {@code Float} with its
     *     suffix, infinities and NaN by OpenCL's names for them
     */
    public KernelSource withMacro(String macro, Object value) {
        String stands = literal(value);
        if (!MACRO.matcher(Objects.requireNonNull(macro, "macro")).matches() || stands.indexOf('\n') >= 0) {
            throw new IllegalArgumentException("\"#define " + macro + " " + stands + "\" is no macro in one line");
        }
        return new KernelSource(name, "#define " + macro + " " + stands + "\n#line 1\n" + text, options, triable);
    }

    private static String literal(Object value) {
        if (value instanceof Float || value instanceof Double) {
            double number = ((Number) value).doubleValue();
            String special = Double.isNaN(number) ? "NAN" : number > 0 ? "INFINITY" : "(-INFINITY)";
            return Double.isFinite(number)
                    ? value + (value instanceof Float ? "f" : "")
                    : value instanceof Float ? special : "((double) " + special + ")";
        }
        // C reads these numbers without their signs first.
        return Objects.equals(value, Integer.MIN_VALUE)
                ? "(-2147483647 - 1)"
                : Objects.equals(value, Long.MIN_VALUE) ? "(-9223372036854775807L - 1)" : String.valueOf(value);
    }

    /** The same source, built with these options of the OpenCL compiler beside those it has, such as {@code -cl-mad-enable}. */
    public KernelSource withOptions(String more) {
        return new KernelSource(
                name,
                text,
                (options + " " + Objects.requireNonNull(more, "options").trim()).trim(),
                triable);
    }

    /**
     * The same source, whose kernels may be tried out: launched over a few units of memory of the runtime's own that is full of zeros,
     * with a job's scalars, before a device is given work. PoCL compiles the last part of a kernel at its first launch, so that
     * otherwise a chunk waits for that. A job of one kernel also does without a device that is late with one of its first chunks, and
     * may end before that is done. Say it of kernels that end, stay within their buffers and do nothing but write them, when these
     * hold zeros; and one that is a job by itself also while what they hold is changed.
     */
    public KernelSource withTrialLaunch() {
        KernelSource same = new KernelSource(name, text, options, true);
        same.digest = digest;
        return same;
    }

    /** Name for error messages. */
    public String name() {
        return name;
    }

    /** The OpenCL C text, with its macros and what it includes. */
    public String text() {
        return text;
    }

    /** What is given to the compiler of all devices; may be empty. */
    public String options() {
        return options;
    }

    /** Whether its kernels {@linkplain #withTrialLaunch may be tried out}. */
    public boolean allowsTrialLaunch() {
        return triable;
    }

    /** SHA-256 of text and options, in lower-case hexadecimal. */
    public String digest() {
        String known = digest;
        if (known == null) {
            known = sha256(options.isEmpty() ? text : text + '\0' + options);
            digest = known;
        }
        return known;
    }

    private static String sha256(String text) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
