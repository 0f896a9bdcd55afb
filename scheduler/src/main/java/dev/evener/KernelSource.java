package dev.evener;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/**
 * OpenCL C text with a name for messages and a digest for caches. Immutable; create it once and share it between jobs,
 * so that the digest is computed once.
 */
public final class KernelSource {
    private final String name;
    private final String text;
    private final String digest;

    private KernelSource(String name, String text) {
        this.name = Objects.requireNonNull(name, "name");
        this.text = Objects.requireNonNull(text, "text");
        this.digest = sha256(text);
    }

    /** Source given as text. */
    public static KernelSource of(String name, String text) {
        return new KernelSource(name, text);
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
                text.append(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .append('\n');
            } catch (IOException e) {
                throw new UncheckedIOException("kernel source " + resource, e);
            }
        }
        return new KernelSource(resources[resources.length - 1], text.toString());
    }

    /** Name for error messages. */
    public String name() {
        return name;
    }

    /** The OpenCL C text. */
    public String text() {
        return text;
    }

    /** SHA-256 of the text, in lower-case hexadecimal. */
    public String digest() {
        return digest;
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
