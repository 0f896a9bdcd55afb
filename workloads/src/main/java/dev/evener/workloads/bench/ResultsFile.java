package dev.evener.workloads.bench;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.workloads.document.BoundedLines;
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

/**
 * Results, a line each, so that an experiment that was interrupted goes on where it was. Each stands under
 * a {@linkplain Case#digest digest} of everything it depends on: whatever changes, that case and no other is measured
 * again. A line is on the disk before the next case begins; one that was being written when the process or the machine
 * died is cut off when the file is opened again. One process at a time, one thread.
 */
public final class ResultsFile implements AutoCloseable {
    private static final String FORMAT = "evener-results";
    private static final int VERSION = 1;
    private static final int LONGEST_LINE = 16 << 20;
    private static final long LARGEST = 1L << 30;

    private final Path file;
    private final FileChannel channel;
    private final Map<String, Line> lines = new HashMap<>();

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
            results.lock();
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

    /** Held until the channel is closed. */
    private void lock() throws IOException {
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            throw new DocumentException("", "is in use by another run of an experiment; name another by --out");
        }
    }

    @SuppressWarnings("resource") // closing the lines would close the channel
    private void load(boolean fresh) throws IOException {
        BoundedLines lines = new BoundedLines(Channels.newInputStream(channel), LONGEST_LINE, LARGEST);
        String first = lines.next();
        boolean torn = first != null && lines.wholeLines() == 0;
        if (first != null && !(torn && header().startsWith(first)) && !isHeader(first)) {
            throw new DocumentException("", "is no file of results of evener bench; name another by --out");
        }
        if (fresh || first == null || torn) {
            channel.truncate(0);
            channel.position(0);
            write(header());
            return;
        }
        long whole = lines.wholeLines();
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (lines.wholeLines() == whole) {
                break; // cut off
            }
            whole = lines.wholeLines();
            add(line, lines);
        }
        channel.truncate(whole);
        channel.position(whole);
    }

    private static boolean isHeader(String line) {
        try {
            Node node = Node.object(line);
            Node format = node.find("format");
            if (format == null || !format.scalar().equals(FORMAT)) {
                return false;
            }
            node.get("version").whole(VERSION, VERSION);
            return true;
        } catch (DocumentException e) {
            if (line.contains(FORMAT)) {
                throw e; // a newer version
            }
            return false;
        }
    }

    private void add(String line, BoundedLines lines) {
        try {
            Node node = Node.object(line);
            this.lines.put(node.get("digest").text(), new Line(lines.number(), node.get("result")));
        } catch (DocumentException e) {
            throw damaged(e, lines.number());
        }
    }

    private static DocumentException damaged(DocumentException e, int line) {
        return new DocumentException(
                "line " + line, e.getMessage() + " (delete the line, or begin again with --fresh)");
    }

    /**
     * What came out for a case, if it was measured.
     *
     * @param devices what the case's devices are on this machine
     * @throws DocumentException if the line is damaged
     */
    public Optional<Result> find(String digest, Case what, List<DeviceInfo> devices) {
        Line line = lines.get(digest);
        if (line == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(ResultJson.result(line.result(), what, devices));
        } catch (DocumentException e) {
            throw damaged(e, line.number()).in(file);
        }
    }

    /** Keeps a result; it is on the disk on return. */
    public void keep(String digest, Result result) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("digest", digest);
        line.put("result", ResultJson.toMap(result));
        write(JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES).asString(line) + "\n");
    }

    private static String header() {
        return "{\"format\":\"" + FORMAT + "\",\"version\":" + VERSION + "}\n";
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
