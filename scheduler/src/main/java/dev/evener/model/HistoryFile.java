package dev.evener.model;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.internal.files.AtomicFiles;
import dev.evener.internal.files.JsonText;
import dev.evener.internal.files.PlainFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history's file: a line that names its format, then a JSON object a line, each a kind of job as it was when it was saved. A save
 * appends the kinds that changed, so that it costs what has changed. Once the superseded lines outweigh the others, these are copied to a
 * file that replaces it. A device that was forgotten is a line, too, which stays: whoever learnt of it before forgets it when it reads that. Processes take turns by a lock beside it; each goes on reading where it stopped, or from the beginning if the
 * file was replaced, which its first line tells. One that is killed leaves half a line at worst: it is not read, and the next save cuts
 * it off. Any thread.
 */
final class HistoryFile {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryFile.class);
    private static final String FORMAT = "evener-history";
    static final int VERSION = 5;
    /** Bytes of the longest line that is written or read, far above any honest one. */
    private static final int LONGEST = 16 << 20;
    /** Bytes of superseded lines that are no reason to write the file anew: a small one soon has more of them than of others. */
    private static final int SLACK = 64 << 10;

    private static final int BUFFER = 64 << 10;
    private static final String FORGOTTEN = "forgotten";
    private static final String AT = "atMillis";

    /**
     * Where a kind is in the file.
     *
     * @param file number of the file, as each that replaces another counts: in others it is elsewhere
     */
    record Line(int file, long at, int bytes) {}

    /** Takes over what was read. */
    interface Merge {
        /** A kind; returns what is known of it then, or null if it is to be forgotten. */
        @Nullable
        KernelHistory merge(KernelHistory read);

        /** A device that was forgotten, and when, in milliseconds since 1970. */
        void forget(String device, long at);
    }

    /** Reads and writes. */
    interface Update {
        void run() throws IOException;
    }

    private interface LineReader {
        void read(long at, byte[] line) throws IOException;
    }

    final Path path;

    // Guarded by the class, as are the lines of kinds: threads of a process share a lock of the file system.
    private byte[] head = {}; // the first line; no two files that were written have the same
    private int number;
    private long end; // of the last line that was read or written; 0 if all is to be read
    private long most; // bytes to which it may grow until what is superseded is counted
    private boolean damaged;

    HistoryFile(Path path) {
        this.path = path;
    }

    // ---- a text as a whole ----

    /** The content of a file that holds such kinds. */
    static byte[] text(Collection<KernelHistory> kinds) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        write(text, head(""), lines(kinds).values());
        return text.toByteArray();
    }

    /**
     * What a text holds.
     *
     * @throws IOException or some unchecked exception if any of it is damaged, or if it is no history of this version
     */
    static List<KernelHistory> parse(byte[] text) throws IOException {
        List<KernelHistory> kinds = new ArrayList<>();
        long end = read(new ByteArrayInputStream(text), 0, (at, line) -> {
            if (at == 0) {
                check(line);
            } else {
                kinds.add(KernelEntry.kernel(JsonText.object(line)));
            }
        });
        if (end == 0 || end < text.length) {
            throw new IOException("its last line is not whole");
        }
        return kinds;
    }

    private static byte[] head(String more) {
        return ("{\"format\":\"" + FORMAT + "\",\"version\":" + VERSION + more + "}\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** @throws IllegalArgumentException if a line does not begin a history of this version */
    private static void check(byte[] head) {
        try {
            Map<?, ?> members = JsonText.object(head);
            if (!FORMAT.equals(members.get("format"))) {
                throw new IllegalArgumentException("it is not an Evener history");
            }
            if (!(members.get("version") instanceof Number found) || found.doubleValue() != VERSION) {
                throw new IllegalArgumentException(
                        "it has version " + members.get("version") + ", this Evener reads version " + VERSION);
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** The lines of those that have learnt. */
    private static Map<KernelHistory, byte[]> lines(Collection<KernelHistory> kinds) throws IOException {
        Map<KernelHistory, byte[]> lines = new LinkedHashMap<>();
        for (KernelHistory kernel : kinds) {
            synchronized (kernel) {
                byte[] line = (JSON.std.asString(KernelEntry.entry(kernel)) + "\n").getBytes(StandardCharsets.UTF_8);
                if (kernel.jobs > 0 && line.length <= LONGEST) {
                    lines.put(kernel, line);
                }
            }
        }
        return lines;
    }

    private static void write(OutputStream to, byte[] first, Collection<byte[]> others) throws IOException {
        to.write(first);
        for (byte[] line : others) {
            to.write(line);
        }
    }

    /** Reads lines, of which one that is too long counts as empty; returns where the last one ends. What follows is a part of one. */
    private static long read(InputStream in, long start, LineReader reader) throws IOException {
        byte[] buffer = new byte[BUFFER];
        int filled = 0;
        long at = start;
        long skipped = 0;
        for (int more; (more = in.read(buffer, filled, buffer.length - filled)) > 0; ) {
            int from = 0;
            for (int i = filled; i < filled + more; i++) {
                if (buffer[i] == '\n') {
                    reader.read(at, skipped > 0 ? new byte[0] : Arrays.copyOfRange(buffer, from, i + 1));
                    at += skipped + i + 1 - from;
                    skipped = 0;
                    from = i + 1;
                }
            }
            filled += more - from;
            System.arraycopy(buffer, from, buffer, 0, filled);
            if (filled == LONGEST) {
                skipped += filled;
                filled = 0;
            } else if (filled == buffer.length) {
                buffer = Arrays.copyOf(buffer, 2 * filled);
            }
        }
        return at;
    }

    // ---- the file ----

    /** Reads it as far as that can be done, without its lock: it may be in a folder that cannot be written to. */
    void load(Merge merge) {
        synchronized (HistoryFile.class) {
            try {
                if (Files.exists(path)) { // which it does not if its folder cannot be one: saving will say so
                    read(merge);
                }
            } catch (IOException e) {
                LOG.warn("the history {} could not be read: {}", path, e.toString());
            }
            if (damaged) {
                reread(); // under the lock, as somebody may have been writing
            }
        }
    }

    /**
     * Updates it while no other process and no other thread of this one does.
     *
     * @return false, with a warning, if it could not be written
     */
    boolean update(Update update) {
        synchronized (HistoryFile.class) {
            try {
                Files.createDirectories(path.toAbsolutePath().getParent());
                Path beside = path.resolveSibling(path.getFileName() + ".lock");
                try (FileChannel channel =
                                PlainFiles.channel(beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                        FileLock lock = channel.lock()) {
                    update.run();
                    return lock.isValid();
                }
            } catch (IOException e) {
                reread(); // nobody knows how much was written
                LOG.warn("the history could not be written to {}: {}", path, e.toString());
                return false;
            }
        }
    }

    /** What is known of its lines holds no more, so that all is read next time. */
    void reread() {
        number++;
        end = 0;
        most = 0;
        damaged = false;
    }

    /**
     * Reads what was written since it was read last.
     *
     * @return false if it is missing, or no history of this version and was set aside with a warning
     */
    boolean read(Merge merge) throws IOException {
        List<String> problems = new ArrayList<>();
        long before;
        try (FileChannel channel = PlainFiles.channel(path, StandardOpenOption.READ)) {
            InputStream in = Channels.newInputStream(channel);
            if (channel.size() < end || !Arrays.equals(in.readNBytes(head.length), head)) {
                reread();
            }
            before = end;
            channel.position(end);
            end = read(in, end, (at, line) -> {
                if (at == 0) {
                    check(line);
                    head = line;
                    return;
                }
                try {
                    Map<?, ?> members = JsonText.object(line);
                    if (members.get(FORGOTTEN) instanceof String device && members.get(AT) instanceof Number when) {
                        merge.forget(device, when.longValue());
                        return;
                    }
                    KernelHistory known = merge.merge(KernelEntry.kernel(members));
                    if (known != null) {
                        known.line = new Line(number, at, line.length);
                    }
                } catch (IOException | RuntimeException e) {
                    problems.add("that at byte " + at + ": " + e.getMessage());
                }
            });
            check(end == 0 ? new byte[0] : head);
        } catch (NoSuchFileException e) {
            reread();
            return false;
        } catch (IllegalArgumentException e) {
            LOG.warn("{}", AtomicFiles.setAside(path, "history", e.getMessage()));
            reread();
            return false;
        }
        damaged |= !problems.isEmpty();
        if (damaged && before > 0) {
            reread(); // somebody may have edited it, so that lines are elsewhere
            return read(merge);
        }
        if (damaged) {
            LOG.warn("{} damaged lines of the history {} are left out, {}", problems.size(), path, problems.get(0));
        }
        return true;
    }

    /**
     * Writes kinds that changed; call after {@link #read}.
     *
     * @param all gives all kinds, those that were used last at the end
     * @param asNew whether what the file has of others is to go
     * @param forgotten devices that were ever forgotten, and when: whoever reads the file for the first time is to know
     * @param gone those of them that the file has not heard of
     */
    void write(
            Supplier<Collection<KernelHistory>> all,
            Collection<KernelHistory> changed,
            boolean asNew,
            Map<String, Long> forgotten,
            Collection<String> gone)
            throws IOException {
        Map<KernelHistory, byte[]> lines = lines(changed);
        byte[] first = forgotten(forgotten, gone);
        long size = end
                + first.length
                + lines.values().stream().mapToLong(line -> line.length).sum();
        if (size > most) {
            most = 2 * all.get().stream().mapToLong(this::bytes).sum() + SLACK;
        }
        if (asNew || damaged || end == 0 || size > most) {
            replace(all.get(), lines, forgotten(forgotten, forgotten.keySet()));
        } else {
            try (FileChannel channel = PlainFiles.channel(path, StandardOpenOption.WRITE)) {
                channel.truncate(end); // what a process that was killed left
                write(Channels.newOutputStream(channel.position(end)), first, lines.values());
                end += first.length;
            }
        }
        lines.forEach((kernel, line) -> place(kernel, line.length));
    }

    private static byte[] forgotten(Map<String, Long> when, Collection<String> devices) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (String device : devices) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put(FORGOTTEN, device);
            line.put(AT, when.get(device));
            lines.append(JSON.std.asString(line)).append('\n');
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Puts a file in its place that has nothing superseded: the other kinds as they are, in their order, then these. */
    private void replace(Collection<KernelHistory> all, Map<KernelHistory, byte[]> lines, byte[] forgotten)
            throws IOException {
        Map<KernelHistory, Line> others = new LinkedHashMap<>();
        for (KernelHistory kernel : all) {
            Line line = kernel.line;
            if (line != null && line.file == number && !lines.containsKey(kernel)) {
                others.put(kernel, line);
            }
        }
        byte[] first = head(
                ",\"file\":\"" + Long.toHexString(ThreadLocalRandom.current().nextLong()) + "\"");
        AtomicFiles.write(path, target -> {
            write(Channels.newOutputStream(target), first, List.of(forgotten));
            if (!others.isEmpty()) {
                try (FileChannel old = PlainFiles.channel(path, StandardOpenOption.READ)) {
                    for (Line line : others.values()) {
                        if (old.transferTo(line.at, line.bytes, target) < line.bytes) {
                            throw new IOException("it was changed meanwhile");
                        }
                    }
                }
            }
            write(Channels.newOutputStream(target), new byte[0], lines.values());
        });
        reread();
        head = first;
        end = (long) first.length + forgotten.length;
        others.forEach((kernel, line) -> place(kernel, line.bytes));
    }

    private void place(KernelHistory kernel, int bytes) {
        kernel.line = new Line(number, end, bytes);
        end += bytes;
    }

    /** How long the line of a kind is in the file. */
    private int bytes(KernelHistory kernel) {
        Line line = kernel.line;
        return line == null || line.file != number ? 0 : line.bytes;
    }
}
