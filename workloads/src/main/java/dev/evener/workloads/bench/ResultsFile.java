package dev.evener.workloads.bench;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Results, a line each, so that an experiment that was interrupted goes on where it was. Each stands under
 * a {@linkplain Case#digest digest} of everything it depends on: whatever changes, that case and no other is measured
 * again. A line is on the disk before the next case begins; one that was being written when the process or the machine
 * died is cut off when the file is opened again. One process at a time, one thread.
 */
public final class ResultsFile implements AutoCloseable {
    private static final String FORMAT = "evener-results";
    private static final int VERSION = 1;
    private static final String HEADER = "{\"format\":\"" + FORMAT + "\",\"version\":" + VERSION + "}\n";
    private static final int LARGEST = 1 << 29;

    private final Path file;
    private final FileChannel channel;
    private final Map<String, Line> kept = new HashMap<>();

    private record Line(int number, Node result) {}

    private ResultsFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Opens a file, or makes it and its folder.
     *
     * @param fresh whether to forget what is in it
     * @throws IOException if it cannot be read or written
     * @throws DocumentException if it is something else, damaged, or in use
     */
    public static ResultsFile open(Path file, boolean fresh) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        ResultsFile results = new ResultsFile(file, channel);
        try {
            if (results.lock() == null) {
                throw new DocumentException("", "is in use by another run of an experiment; name another by --out");
            }
            results.load(fresh);
            return results;
        } catch (DocumentException e) {
            channel.close();
            throw e.in(file);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Held until the channel is closed; null if another has it. */
    private @Nullable FileLock lock() throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private void load(boolean fresh) throws IOException {
        byte[] bytes = Channels.newInputStream(channel).readNBytes(LARGEST + 1);
        if (bytes.length > LARGEST) {
            throw new DocumentException("", "is larger than " + LARGEST + " bytes");
        }
        int whole = bytes.length;
        while (whole > 0 && bytes[whole - 1] != '\n') {
            whole--; // cut off
        }
        List<String> lines = new String(bytes, 0, whole, StandardCharsets.UTF_8).lines().toList();
        boolean torn = whole == 0 && HEADER.startsWith(new String(bytes, StandardCharsets.UTF_8));
        if (!torn && (whole == 0 || !isHeader(lines.get(0)))) {
            throw new DocumentException("", "is no file of results of evener bench; name another by --out");
        }
        boolean empty = fresh || torn;
        for (int i = 1; i < lines.size() && !empty; i++) {
            int number = i + 1;
            String line = lines.get(i);
            inLine(number, () -> {
                Node node = Node.object(line);
                return kept.put(node.get("digest").text(), new Line(number, node.get("result")));
            });
        }
        channel.truncate(empty ? 0 : whole).position(empty ? 0 : whole);
        if (empty) {
            write(HEADER);
        }
    }

    private static boolean isHeader(String line) {
        try {
            Node node = Node.object(line);
            boolean known = node.find("format", "", Node::scalar).equals(FORMAT);
            return known && node.get("version").whole(VERSION, VERSION) == VERSION;
        } catch (DocumentException e) {
            if (line.contains(FORMAT)) {
                throw e; // a newer version
            }
            return false;
        }
    }

    /** What a line says, or what is wrong with it. */
    private static <T extends @Nullable Object> T inLine(int number, Supplier<T> said) {
        try {
            return said.get();
        } catch (DocumentException e) {
            String mend = " (delete the line, or begin again with --fresh)";
            throw new DocumentException("line " + number, e.getMessage() + mend);
        }
    }

    /**
     * What came out for a case, if it was measured.
     *
     * @param devices what the case's devices are on this machine
     * @throws DocumentException if the line is damaged
     */
    public Optional<Result> find(String digest, Case what, List<DeviceInfo> devices) {
        Line line = kept.get(digest);
        try {
            return line == null
                    ? Optional.empty()
                    : Optional.of(inLine(line.number(), () -> ResultJson.result(line.result(), what, devices)));
        } catch (DocumentException e) {
            throw e.in(file);
        }
    }

    /** Keeps a result; it is on the disk on return. */
    public void keep(String digest, Result result) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("digest", digest);
        line.put("result", ResultJson.toMap(result));
        write(JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES).asString(line) + "\n");
    }

    private void write(String text) throws IOException {
        for (ByteBuffer left = StandardCharsets.UTF_8.encode(text); left.hasRemaining(); ) {
            channel.write(left);
        }
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
