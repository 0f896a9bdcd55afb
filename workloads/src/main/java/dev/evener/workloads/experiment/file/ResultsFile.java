package dev.evener.workloads.experiment.file;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.experiment.Comparison;
import dev.evener.workloads.experiment.ComparisonJson;
import dev.evener.workloads.experiment.Setup;
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
 * Comparisons that were made, a line each, so that an experiment that was interrupted goes on where it was. Each stands under
 * a {@linkplain SetupDigest digest} of everything it depends on: whatever changes, that comparison and no other is made
 * again. A line is on the disk before the next comparison begins; one that was being written when the process or the machine
 * died is cut off when the file is opened again. One process at a time, one thread.
 */
public final class ResultsFile implements AutoCloseable {
    private static final String FORMAT = "evener-comparisons";
    private static final int VERSION = 1;
    private static final int LONGEST_LINE = 16 << 20;
    private static final long LARGEST = 1L << 30;

    private final Path file;
    private final FileChannel channel;
    private final Map<String, Entry> entries = new HashMap<>();

    private record Entry(int line, Node comparison) {}

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
            throw new DocumentException(
                    "", "is no file of results of evener compare --experiment; name another by --out");
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
            entries.put(node.get("digest").text(), new Entry(lines.number(), node.get("comparison")));
        } catch (DocumentException e) {
            throw damaged(e, lines.number());
        }
    }

    private static DocumentException damaged(DocumentException e, int line) {
        return new DocumentException(
                "line " + line, e.getMessage() + " (delete the line, or begin again with --fresh)");
    }

    /**
     * What was found for a comparison, if it was made.
     *
     * @param devices what the setup's devices are on this machine
     * @throws DocumentException if the line is damaged
     */
    public Optional<Comparison> find(String digest, Setup setup, List<DeviceInfo> devices) {
        Entry entry = entries.get(digest);
        if (entry == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(ComparisonJson.comparison(entry.comparison(), setup, devices));
        } catch (DocumentException e) {
            throw damaged(e, entry.line()).in(file);
        }
    }

    /** Keeps a comparison; it is on the disk on return. */
    public void keep(String digest, Setup setup, Comparison comparison) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("digest", digest);
        line.put("comparison", ComparisonJson.toMap(setup, comparison));
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
