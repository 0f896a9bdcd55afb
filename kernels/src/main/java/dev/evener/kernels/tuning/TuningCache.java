package dev.evener.kernels.tuning;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.Evener;
import dev.evener.internal.files.AtomicFiles;
import dev.evener.internal.files.JsonText;
import dev.evener.internal.files.PlainFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The values that were faster than the defaults, for each device on which they were. Kept in a file of JSON that people can
 * read and edit: {@code tuning.json} beside the history. Immutable.
 *
 * <p>A device is known by platform, name, driver and number of compute units, so equal devices of one machine share
 * their values, and a new driver begins with the defaults.
 */
public final class TuningCache {
    private static final Logger LOG = LoggerFactory.getLogger(TuningCache.class);
    private static final TuningCache EMPTY = new TuningCache(Map.of());
    private static final String FORMAT = "evener-tuning";
    private static final int VERSION = 1;
    /** Far above what all parameters of many devices take; a larger file is damaged or hostile. */
    private static final int LARGEST = 1 << 20;

    private final Map<String, Map<Parameter, Entry>> devices;

    private TuningCache(Map<String, Map<Parameter, Entry>> devices) {
        this.devices = devices;
    }

    /**
     * A value that is kept.
     *
     * @param device identity, as {@link TuningCache#identity}
     * @param gain how many times as fast as the default it was
     */
    public record Entry(String device, Parameter parameter, int value, double gain) {}

    /** Where this user's values are kept. */
    public static Path defaultFile() {
        return Evener.defaultHistoryFile().resolveSibling("tuning.json");
    }

    /** What a device is called here. */
    public static String identity(DeviceInfo device) {
        return device.platform() + "|" + device.name() + "|" + device.driver() + "|" + device.computeUnits() + " units";
    }

    /** Nothing tuned. */
    public static TuningCache empty() {
        return EMPTY;
    }

    /**
     * What is kept in a file: nothing if there is none. One that is damaged, of another version or something else is set aside
     * under a name of its own, with a warning. Values that this Evener does not have are left out.
     */
    public static TuningCache load(Path file) {
        if (!Files.exists(file)) {
            return EMPTY;
        }
        try {
            return parse(PlainFiles.text(file, LARGEST));
        } catch (NoSuchFileException e) {
            return EMPTY;
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}", AtomicFiles.setAside(file, "tuning", e.getMessage()));
            return EMPTY;
        }
    }

    /** Writes it to a file, all or nothing. */
    public void save(Path file) throws IOException {
        List<Object> all = new ArrayList<>();
        devices.forEach((device, values) -> {
            Map<String, Object> parameters = new LinkedHashMap<>();
            values.forEach((parameter, found) -> {
                double gain = Math.round(found.gain() * 1000) / 1000.0;
                parameters.put(parameter.text(), ordered("value", found.value(), "gain", gain));
            });
            all.add(ordered("device", device, "parameters", parameters));
        });
        Map<String, Object> root = ordered("format", FORMAT, "version", VERSION);
        root.put("devices", all);
        String text = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(root) + "\n";
        AtomicFiles.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, Object> ordered(String first, Object one, String second, Object other) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put(first, one);
        map.put(second, other);
        return map;
    }

    private static TuningCache parse(String text) throws IOException {
        Map<?, ?> root = JsonText.object(text);
        if (!FORMAT.equals(root.get("format"))) {
            throw new IOException("it is not a tuning of Evener");
        }
        if (!(root.get("version") instanceof Number version) || version.doubleValue() != VERSION) {
            throw new IOException("it has version " + root.get("version") + ", this Evener reads version " + VERSION);
        }
        if (!(root.get("devices") instanceof List<?> list)) {
            throw new IOException("it has no list of devices");
        }
        TuningCache cache = EMPTY;
        for (Object item : list) {
            if (!(item instanceof Map<?, ?> device)
                    || !(device.get("device") instanceof String identity)
                    || !(device.get("parameters") instanceof Map<?, ?> parameters)) {
                throw new IOException("a device has no name or no parameters");
            }
            for (Map.Entry<?, ?> entry : parameters.entrySet()) {
                if (!(entry.getValue() instanceof Map<?, ?> found)
                        || !(found.get("value") instanceof Number value)
                        || !(found.get("gain") instanceof Number gain)) {
                    throw new IOException(entry.getKey() + " has no value or no gain");
                }
                Optional<Parameter> parameter = Arrays.stream(Parameter.values())
                        .filter(p -> p.text().equals(entry.getKey()))
                        .filter(p -> p.choices().stream().anyMatch(v -> v == value.doubleValue()))
                        .findFirst();
                if (parameter.isPresent()) {
                    cache = cache.with(new Entry(identity, parameter.get(), value.intValue(), gain.doubleValue()));
                }
            }
        }
        return cache;
    }

    /**
     * The same with this value for a device, or without any if it is the device's standard.
     *
     * @param gain how many times as fast as the default it was
     * @throws IllegalArgumentException if it is none of {@link Parameter#choices}
     */
    public TuningCache with(DeviceInfo device, Parameter parameter, int value, double gain) {
        Tuning.defaults().with(parameter, value); // checks it
        return with(new Entry(identity(device), parameter, value, gain));
    }

    private TuningCache with(Entry entry) {
        Map<String, Map<Parameter, Entry>> changed = new TreeMap<>(devices);
        Map<Parameter, Entry> values = new TreeMap<>(changed.getOrDefault(entry.device(), Map.of()));
        if (entry.value() == Tuning.standard(entry.device()).value(entry.parameter())) {
            values.remove(entry.parameter());
        } else {
            values.put(entry.parameter(), entry);
        }
        if (values.isEmpty()) {
            changed.remove(entry.device());
        } else {
            changed.put(entry.device(), values);
        }
        return new TuningCache(changed);
    }

    /** All that is kept, in a stable order. */
    public List<Entry> entries() {
        return devices.values().stream()
                .flatMap(values -> values.values().stream())
                .toList();
    }

    /**
     * The values for jobs on these devices: those that are kept, else a device's {@linkplain Tuning#standard standard}. A job
     * has one variant for all devices of a class, so where those of a class have different values for a parameter, it stays at
     * its default.
     */
    public Tuning on(List<DeviceInfo> which) {
        Tuning tuning = Tuning.defaults();
        for (Parameter parameter : Parameter.values()) {
            List<Integer> values = which.stream()
                    .filter(d -> parameter.devices().has(d.kind()))
                    .map(d -> value(d, parameter))
                    .distinct()
                    .toList();
            if (values.size() == 1) {
                tuning = tuning.with(parameter, values.get(0));
            }
        }
        return tuning;
    }

    private int value(DeviceInfo device, Parameter parameter) {
        Entry found = devices.getOrDefault(identity(device), Map.of()).get(parameter);
        return found == null ? Tuning.standard(device.platform()).value(parameter) : found.value();
    }
}
