package dev.evener.workloads.replay;

import dev.evener.internal.files.PlainFiles;
import dev.evener.record.Recording;
import dev.evener.workloads.workload.Output;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** SHA-256 of results and files. Stateless. */
public final class Digests {
    private Digests() {}

    /** Of what a workload computed. */
    public static Recording.Digest of(Output output) {
        Digesting stream = new Digesting();
        try {
            output.writeTo(Channels.newChannel(stream));
        } catch (IOException e) { // the stream throws none
            throw new UncheckedIOException(e);
        }
        return stream.digest();
    }

    /** A file as it is now; without a digest if it cannot be read, which whoever uses it will say. */
    public static Recording.InputFile file(Path file) {
        Path absolute = file.toAbsolutePath();
        Recording.@Nullable Digest digest = null;
        if (Files.isRegularFile(absolute)) { // a pipe would wait for ever
            try {
                Digesting stream = new Digesting();
                try (InputStream in = PlainFiles.open(absolute)) {
                    in.transferTo(stream);
                }
                digest = stream.digest();
            } catch (IOException e) {
                digest = null;
            }
        }
        return new Recording.InputFile(
                absolute, digest == null ? 0 : digest.bytes(), digest == null ? null : digest.sha256());
    }

    /** Takes everything, and keeps nothing but its digest. */
    private static final class Digesting extends OutputStream {
        private final MessageDigest sha256;
        private long bytes;

        Digesting() {
            try {
                sha256 = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) { // every Java platform has it
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] source, int from, int count) {
            sha256.update(source, from, count);
            bytes += count;
        }

        Recording.Digest digest() {
            return new Recording.Digest(bytes, HexFormat.of().formatHex(sha256.digest()));
        }
    }
}
