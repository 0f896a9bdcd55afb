package dev.evener.workloads.replay;

import dev.evener.record.Recording;
import dev.evener.workloads.workload.Output;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
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
        Digesting channel = new Digesting();
        try {
            output.writeTo(channel);
        } catch (IOException e) { // the channel throws none
            throw new UncheckedIOException(e);
        }
        return channel.digest();
    }

    /** A file as it is now; without a digest if it cannot be read, which whoever uses it will say. */
    public static Recording.InputFile file(Path file) {
        Path absolute = file.toAbsolutePath();
        Recording.Digest digest = content(absolute);
        return new Recording.InputFile(
                absolute, digest == null ? 0 : digest.bytes(), digest == null ? null : digest.sha256());
    }

    private static Recording.@Nullable Digest content(Path file) {
        if (!Files.isRegularFile(file)) { // a pipe would wait for ever
            return null;
        }
        try (FileChannel in = FileChannel.open(file)) {
            Digesting channel = new Digesting();
            ByteBuffer block = ByteBuffer.allocate(1 << 20);
            while (in.read(block.clear()) >= 0) {
                channel.write(block.flip());
            }
            return channel.digest();
        } catch (IOException e) {
            return null;
        }
    }

    /** Takes everything, and keeps nothing but its digest. */
    private static final class Digesting implements WritableByteChannel {
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
        public int write(ByteBuffer source) {
            int count = source.remaining();
            sha256.update(source);
            bytes += count;
            return count;
        }

        Recording.Digest digest() {
            return new Recording.Digest(bytes, HexFormat.of().formatHex(sha256.digest()));
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
