package dev.evener.history;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.internal.AtomicFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A list of entries as a versioned JSON file, written atomically, and set aside when it cannot be understood. Stateless.
 *
 * @param format what a file of the kind says that it is
 * @param version the only one that is read
 * @param entries the list's name
 * @param largest bytes, far above any honest file
 * @param name what warnings call a file that is set aside
 * @param notOne what is said of one that is of no such format
 * @param unwritten how a warning begins when it could not be written
 */
record VersionedFile(
        String format, int version, String entries, long largest, String name, String notOne, String unwritten) {
    private static final Logger LOG = LoggerFactory.getLogger(VersionedFile.class);

    /** Makes something of an entry, or says what is wrong with it. */
    interface Parser<T> {
        T parse(Map<?, ?> entry) throws IOException;
    }

    /** Its entries; none if it is missing, or cannot be understood and was set aside with a warning. */
    <T> List<T> load(Path file, Parser<T> parser) {
        if (!Files.exists(file)) { // which includes a cache folder that cannot be one; saving will say so
            return List.of();
        }
        try {
            if (Files.size(file) > largest) {
                throw new IOException("it is larger than " + largest + " bytes");
            }
            return parse(Files.readString(file), parser);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}", AtomicFiles.setAside(file, name, e.getMessage()));
            return List.of();
        }
    }

    private <T> List<T> parse(String text, Parser<T> parser) throws IOException {
        Map<String, Object> root = JSON.std.mapFrom(text);
        if (!format.equals(root.get("format"))) {
            throw new IOException(notOne);
        }
        if (!(root.get("version") instanceof Number found) || found.doubleValue() != version) {
            throw new IOException("it has version " + root.get("version") + ", this Evener reads version " + version);
        }
        List<T> parsed = new ArrayList<>();
        for (Object item : HistoryFile.list(root, entries)) {
            parsed.add(parser.parse(HistoryFile.map(item)));
        }
        return parsed;
    }

    /** Writes it, all or nothing; false, with a warning, if that failed. */
    boolean save(Path file, List<Object> items) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("format", format);
        root.put("version", version);
        root.put(entries, items);
        try {
            String text = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(root) + "\n";
            AtomicFiles.write(file, text.getBytes(StandardCharsets.UTF_8));
            return true;
        } catch (IOException e) {
            LOG.warn("{} could not be written to {}: {}", unwritten, file, e.toString());
            return false;
        }
    }
}
