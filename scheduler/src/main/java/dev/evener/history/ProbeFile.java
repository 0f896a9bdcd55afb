package dev.evener.history;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceProbe;
import dev.evener.DeviceProbe.Figure;
import dev.evener.DeviceProbe.Transfers;
import dev.evener.internal.AtomicFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file of what devices were measured to do, beside the history's and kept in the same way. */
final class ProbeFile {
    private static final Logger LOG = LoggerFactory.getLogger(ProbeFile.class);
    private static final String FORMAT = "evener-probes";
    private static final int VERSION = 1;
    private static final long LARGEST = 1L << 20;

    private ProbeFile() {}

    /** Where it is for a history. */
    static Path beside(Path history) {
        return history.resolveSibling("probes.json");
    }

    /** What is in it; nothing if it is missing, or cannot be understood and was set aside with a warning. */
    static List<DeviceProbe> load(Path file) {
        if (!Files.exists(file)) {
            return List.of();
        }
        try {
            if (Files.size(file) > LARGEST) {
                throw new IOException("it is larger than " + LARGEST + " bytes");
            }
            return parse(Files.readString(file));
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}", AtomicFiles.setAside(file, "file of measured devices", e.getMessage()));
            return List.of();
        }
    }

    /** Writes it, all or nothing; false, with a warning, if that failed. */
    static boolean save(Path file, Collection<DeviceProbe> probes) {
        List<Object> devices = new ArrayList<>();
        for (DeviceProbe probe : probes) {
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("device", probe.device());
            saved.putAll(probe.toMap());
            devices.add(saved);
        }
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("format", FORMAT);
        root.put("version", VERSION);
        root.put("devices", devices);
        try {
            String text = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(root) + "\n";
            AtomicFiles.write(file, text.getBytes(StandardCharsets.UTF_8));
            return true;
        } catch (IOException e) {
            LOG.warn("what devices were measured to do could not be written to {}: {}", file, e.toString());
            return false;
        }
    }

    private static List<DeviceProbe> parse(String text) throws IOException {
        Map<String, Object> root = JSON.std.mapFrom(text);
        if (!FORMAT.equals(root.get("format"))) {
            throw new IOException("it is no such file of Evener's");
        }
        if (!(root.get("version") instanceof Number version) || version.doubleValue() != VERSION) {
            throw new IOException("it has version " + root.get("version") + ", this Evener reads version " + VERSION);
        }
        List<DeviceProbe> probes = new ArrayList<>();
        for (Object item : HistoryFile.list(root, "devices")) {
            Map<?, ?> saved = HistoryFile.map(item);
            probes.add(new DeviceProbe(
                    HistoryFile.string(saved, "device"),
                    figure(saved, "launchSeconds", 1e9),
                    figure(saved, "copyBytesPerSecond", 1),
                    figure(saved, "readBytesPerSecond", 1),
                    transfers(saved, "pinned"),
                    transfers(saved, "pageable")));
        }
        return probes;
    }

    private static @Nullable Transfers transfers(Map<?, ?> entry, String name) throws IOException {
        if (entry.get(name) == null) {
            return null;
        }
        Map<?, ?> saved = HistoryFile.map(entry.get(name));
        return new Transfers(
                figure(saved, "toDeviceBytesPerSecond", 1),
                figure(saved, "fromDeviceBytesPerSecond", 1),
                figure(saved, "bothWaysBytesPerSecond", 1));
    }

    private static Figure figure(Map<?, ?> entry, String name, double scale) throws IOException {
        Map<?, ?> saved = HistoryFile.map(entry.get(name));
        try {
            return new Figure(scale * HistoryFile.number(saved, "median"), HistoryFile.number(saved, "spread"), (long)
                    HistoryFile.number(saved, "samples"));
        } catch (IllegalArgumentException e) {
            throw new IOException("\"" + name + "\": " + e.getMessage(), e);
        }
    }
}
