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

/** The history's file: versioned JSON, written atomically, set aside when it cannot be understood. */
final class HistoryFile {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryFile.class);
    private static final String FORMAT = "evener-history";
    private static final int VERSION = 1;
    /** Far above any honest history; a larger file is damaged or hostile. */
    private static final long LARGEST = 16L << 20;

    /** No sum of squares of 63-bit numbers comes near, and no product of two numbers below it overflows. */
    private static final double MOST = 1e100;

    private static final String[] SUMS = {"weight", "units", "nanos", "units2", "unitsNanos", "nanos2"};

    private HistoryFile() {}

    static Map<History.Key, CostModel> load(Path file) {
        if (!Files.exists(file)) { // which includes a cache folder that cannot be one; saving will say so
            return History.emptyModels();
        }
        try {
            if (Files.size(file) > LARGEST) {
                throw new IOException("it is larger than " + LARGEST + " bytes");
            }
            return parse(Files.readString(file));
        } catch (NoSuchFileException e) {
            return History.emptyModels();
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}", AtomicFiles.setAside(file, "history", e.getMessage()));
            return History.emptyModels();
        }
    }

    static boolean save(Path file, Map<History.Key, CostModel> models) {
        List<Map<String, Object>> entries = new ArrayList<>();
        models.forEach((key, model) -> {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("kernel", key.kernel());
            entry.put("device", key.device());
            entry.put("shape", key.shape());
            entry.put("fixedMicros", model.cost().fixedNanos() / 1e3);
            entry.put("nanosPerUnit", model.cost().nanosPerUnit());
            entry.put("spread", model.spread());
            entry.put("samples", model.samples());
            Map<String, Object> sums = new LinkedHashMap<>();
            double[] values = model.sums();
            for (int i = 0; i < SUMS.length; i++) {
                sums.put(SUMS[i], values[i]);
            }
            entry.put("sums", sums);
            entries.add(entry);
        });
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("format", FORMAT);
        root.put("version", VERSION);
        root.put("entries", entries);
        try {
            String text = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(root) + "\n";
            AtomicFiles.write(file, text.getBytes(StandardCharsets.UTF_8));
            return true;
        } catch (IOException e) {
            LOG.warn("the history could not be written to {}: {}", file, e.toString());
            return false;
        }
    }

    private static Map<History.Key, CostModel> parse(String text) throws IOException {
        Map<String, Object> root = JSON.std.mapFrom(text);
        if (!FORMAT.equals(root.get("format"))) {
            throw new IOException("it is not an Evener history");
        }
        if (!(root.get("version") instanceof Number version) || version.doubleValue() != VERSION) {
            throw new IOException("it has version " + root.get("version") + ", this Evener reads version " + VERSION);
        }
        Map<History.Key, CostModel> models = History.emptyModels();
        for (Object item : list(root.get("entries"))) {
            Map<?, ?> entry = map(item);
            History.Key key = new History.Key(string(entry, "kernel"), string(entry, "device"), string(entry, "shape"));
            Map<?, ?> saved = map(entry.get("sums"));
            double[] sums = new double[SUMS.length];
            for (int i = 0; i < SUMS.length; i++) {
                sums[i] = number(saved, SUMS[i]);
            }
            long samples =
                    (long) Math.min(number(entry, "samples"), Integer.MAX_VALUE); // counting on must not overflow
            // One observation weighs 1 and is of at least one unit and one nanosecond.
            if (samples < 1 || sums[0] < 1 || sums[1] < 1 || sums[2] < 1) {
                throw new IOException("the entry for kernel " + key.kernel() + " has no observations");
            }
            models.put(key, new CostModel(samples, sums));
        }
        return models;
    }

    private static List<?> list(Object value) throws IOException {
        if (value instanceof List<?> list) {
            return list;
        }
        throw new IOException("\"entries\" is not a list");
    }

    private static Map<?, ?> map(Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw new IOException("an entry is not an object");
    }

    private static String string(Map<?, ?> entry, String name) throws IOException {
        if (entry.get(name) instanceof String s) {
            return s;
        }
        throw new IOException("an entry has no text \"" + name + "\"");
    }

    private static double number(Map<?, ?> entry, String name) throws IOException {
        if (entry.get(name) instanceof Number n && n.doubleValue() >= 0 && n.doubleValue() < MOST) {
            return n.doubleValue();
        }
        throw new IOException("an entry has no number \"" + name + "\" of at least 0 and below " + MOST);
    }
}
