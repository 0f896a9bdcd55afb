package dev.evener.internal.cl;

import dev.evener.internal.AtomicFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Program binaries on disk, one file each, named by a digest of source, options, device and driver. A file is magic number,
 * digest of the binary, binary; one that does not check is set aside. Thread-safe: files are immutable and appear whole.
 */
public final class ProgramCache {
    private static final Logger LOG = LoggerFactory.getLogger(ProgramCache.class);
    private static final byte[] MAGIC = "EVENERB1".getBytes(StandardCharsets.US_ASCII);
    private static final int DIGEST = 32;
    private static final long LARGEST = 256L << 20;

    private final @Nullable Path folder;
    private final boolean ofAllDrivers;

    /**
     * @param folder where the files lie, or null for a cache that holds nothing
     * @param ofAllDrivers whether it is for drivers too that have a cache of their own
     */
    public ProgramCache(@Nullable Path folder, boolean ofAllDrivers) {
        this.folder = folder;
        this.ofAllDrivers = ofAllDrivers;
    }

    /** One that holds nothing. */
    public static ProgramCache none() {
        return new ProgramCache(null, false);
    }

    /**
     * Whether it takes programs of a device. Rusticl (Mesa 22) ends the process at a binary it does not recognise, where others
     * answer with an error. PoCL keeps what it compiles; asked for a binary, it compiles every kernel once more, for group
     * sizes that nothing runs, which takes as long as all else.
     */
    boolean takes(ClDevice device) {
        String platform = device.info().platform().toLowerCase(Locale.ROOT);
        boolean keepsItsOwn = platform.contains("portable computing language");
        return folder != null && !platform.contains("rusticl") && (ofAllDrivers || !keepsItsOwn);
    }

    /** The key of a program on a device. */
    static String key(String sourceDigest, String options, ClDevice device) {
        MessageDigest sha = sha256();
        for (String part : new String[] {
            sourceDigest,
            options,
            device.info().platform(),
            device.platformVersion(),
            device.info().name(),
            device.info().driver()
        }) {
            sha.update(part.getBytes(StandardCharsets.UTF_8));
            sha.update((byte) 0);
        }
        return HexFormat.of().formatHex(sha.digest(), 0, 16);
    }

    /** The binary with that key, or null. */
    byte @Nullable [] find(String key) {
        if (folder == null) {
            return null;
        }
        Path file = file(folder, key);
        try {
            if (Files.size(file) > LARGEST) {
                throw new IOException("it is larger than " + LARGEST + " bytes");
            }
            return unpack(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            discard(key, e.getMessage());
            return null;
        }
    }

    /** Keeps a binary; a failure only costs the next start a build. */
    void put(String key, byte[] binary) {
        if (folder == null || binary.length == 0) {
            return;
        }
        ByteBuffer content = ByteBuffer.allocate(MAGIC.length + DIGEST + binary.length);
        content.put(MAGIC).put(sha256().digest(binary)).put(binary);
        try {
            AtomicFiles.write(file(folder, key), content.array());
        } catch (IOException e) {
            LOG.debug("program {} could not be cached", key, e);
        }
    }

    /** Sets a binary aside that turned out to be of no use. */
    void discard(String key, String reason) {
        if (folder != null) {
            LOG.warn(
                    "{}; the program is built again",
                    AtomicFiles.setAside(file(folder, key), "cached program", reason));
        }
    }

    private static Path file(Path folder, String key) {
        return folder.resolve(key + ".clbin");
    }

    private static byte[] unpack(byte[] content) throws IOException {
        int header = MAGIC.length + DIGEST;
        if (content.length <= header || !Arrays.equals(content, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw new IOException("it is not a cached program");
        }
        byte[] binary = Arrays.copyOfRange(content, header, content.length);
        if (!Arrays.equals(sha256().digest(binary), 0, DIGEST, content, MAGIC.length, header)) {
            throw new IOException("its content does not match its digest");
        }
        return binary;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
