package dev.evener;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Which devices to use: {@code all}, {@code cpu}, {@code gpu}, {@code jvm}, or {@code platform.device} pairs such as
 * {@code 0.0,1.0} (and {@code jvm} among them). The words use each piece of hardware once; pairs are taken as given.
 */
public sealed interface DeviceSelector {

    /** The selectors that are words. */
    List<String> WORDS = List.of("all", "cpu", "gpu", "jvm");

    /** Every physical device once. */
    static DeviceSelector all() {
        return new Word("all");
    }

    /**
     * The devices with these ids, in this order.
     *
     * @throws IllegalArgumentException if there is none, or one twice
     */
    static DeviceSelector ids(List<String> ids) {
        return new Ids(ids);
    }

    /**
     * Parses a selector.
     *
     * @throws IllegalArgumentException if the text is none, saying what would be
     */
    static DeviceSelector parse(String text) {
        String trimmed = text.trim().toLowerCase(Locale.ROOT);
        return WORDS.contains(trimmed) ? new Word(trimmed) : new Ids(parseIds(text, trimmed));
    }

    /** Whether a device that is in use is one that is meant. */
    default boolean matches(DeviceInfo device) {
        if (this instanceof Ids ids) {
            return ids.ids().contains(device.id());
        }
        String word = toString();
        return word.equals("all") || word.equals(device.kind().name().toLowerCase(Locale.ROOT));
    }

    private static List<String> parseIds(String text, String trimmed) {
        List<String> ids = new ArrayList<>();
        for (String part : trimmed.split(",", -1)) {
            String id = part.trim();
            if (!id.equals("jvm") && !id.matches("\\d{1,4}\\.\\d{1,4}")) {
                throw new IllegalArgumentException("device selector '" + text
                        + "': expected all, cpu, gpu, jvm or platform.device pairs such as 0.0,1.0");
            }
            ids.add(id);
        }
        return ids;
    }

    /** One of the words. */
    record Word(String word) implements DeviceSelector {
        @Override
        public String toString() {
            return word;
        }
    }

    /** Explicit devices. */
    record Ids(List<String> ids) implements DeviceSelector {
        public Ids {
            ids = List.copyOf(ids);
            if (ids.isEmpty()) {
                throw new IllegalArgumentException("a device selector must name at least one device");
            }
            for (int i = 0; i < ids.size(); i++) {
                if (ids.indexOf(ids.get(i)) < i) {
                    throw new IllegalArgumentException(
                            "device selector '" + String.join(",", ids) + "' names " + ids.get(i) + " twice");
                }
            }
        }

        @Override
        public String toString() {
            return String.join(",", ids);
        }
    }
}
