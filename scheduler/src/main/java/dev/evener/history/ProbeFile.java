package dev.evener.history;

import dev.evener.DeviceProbe;
import dev.evener.DeviceProbe.Figure;
import dev.evener.DeviceProbe.Transfers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The file of what devices were measured to do, beside the history's and kept in the same way. */
final class ProbeFile {
    private static final VersionedFile KIND = new VersionedFile(
            "evener-probes",
            1,
            "devices",
            1L << 20,
            "file of measured devices",
            "it is no such file of Evener's",
            "what devices were measured to do");

    private ProbeFile() {}

    /** Where it is for a history. */
    static Path beside(Path history) {
        return history.resolveSibling("probes.json");
    }

    /** What is in it; nothing if it is missing, or cannot be understood and was set aside with a warning. */
    static List<DeviceProbe> load(Path file) {
        return KIND.load(file, ProbeFile::probe);
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
        return KIND.save(file, devices);
    }

    private static DeviceProbe probe(Map<?, ?> saved) throws IOException {
        return new DeviceProbe(
                HistoryFile.string(saved, "device"),
                figure(saved, "launchSeconds", 1e9),
                figure(saved, "copyBytesPerSecond", 1),
                figure(saved, "readBytesPerSecond", 1),
                transfers(saved, "pinned"),
                transfers(saved, "pageable"));
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
