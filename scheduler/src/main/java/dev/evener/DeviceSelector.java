package dev.evener;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which devices to use: {@code all}, {@code cpu}, {@code gpu}, {@code jvm}, or {@code platform.device} pairs such as
 * {@code 0.0,1.0} (and {@code jvm} among them). The words use each piece of hardware once; pairs are taken as given.
 *
 * <p>Platforms number their devices by what the process may see of them: across machines and processes, hardware is named by
 * {@code uuid:GPU-0f1e2d3c-...} ({@link DeviceInfo#uuid}) or {@code pci:0000:3b:00.0} ({@link DeviceInfo#pci}), in the forms that
 * {@code nvidia-smi} prints too. Where several runtimes offer it, the usually fastest is taken.
 *
 * <p>A pair may be followed by a part of the device, which is then opened as a device of its own:
 *
 * <ul>
 *   <li>{@code 0.0:8}: its first 8 compute units; {@code 0.0:8@4}: 8 from the fifth on
 *   <li>{@code 0.0:8+8}: two parts, short for {@code 0.0:8,0.0:8@8}
 *   <li>{@code 0.0:-1}: all but its last compute unit, which is left to other threads
 *   <li>{@code 0.0:numa}: a part for each NUMA node; {@code 0.0:numa1}: the second of them
 * </ul>
 *
 * <p>The same after {@code cpu} and {@code all} is a part of each CPU device: {@code all:-1} is all devices, with one compute
 * unit of each CPU device left free. Parts of one device must not overlap.
 */
public sealed interface DeviceSelector {

    /** The selectors that are words. */
    List<String> WORDS = List.of("all", "cpu", "gpu", "jvm");

    /** Every physical device once. */
    static DeviceSelector all() {
        return new Word("all", "");
    }

    /**
     * Every physical device once, with some compute units of each CPU device left free: for the thread that feeds a GPU, say.
     *
     * @param units how many, at least 1
     */
    static DeviceSelector allButUnits(int units) {
        return parse("all:-" + units);
    }

    /**
     * The devices, or parts of devices, with these ids, in this order.
     *
     * @throws IllegalArgumentException if there is none, one twice, or one that is no id
     */
    static DeviceSelector ids(List<String> ids) {
        return new Ids(ids);
    }

    /**
     * Each physical device once, of the OpenCL devices for which this holds; if it holds for none, that is an error.
     *
     * @param meant asked in any thread, and again for each job that selects devices by it
     */
    static DeviceSelector where(Predicate<DeviceInfo> meant) {
        return new Where(meant);
    }

    /**
     * Parts of a device, one after the other.
     *
     * @param id the device's
     * @param units the compute units of each part, at least 1
     */
    static DeviceSelector parts(String id, int... units) {
        return new Ids(List.of(
                id + ":" + Arrays.stream(units).mapToObj(Integer::toString).collect(Collectors.joining("+"))));
    }

    /** A part of a device for each of its NUMA nodes. */
    static DeviceSelector numaNodes(String id) {
        return new Ids(List.of(id + ":numa"));
    }

    /**
     * Parses a selector.
     *
     * @throws IllegalArgumentException if the text is none, saying what would be
     */
    static DeviceSelector parse(String text) {
        String trimmed = Objects.requireNonNull(text, "text").trim().toLowerCase(Locale.ROOT);
        Matcher word = Ids.Syntax.WORD.matcher(trimmed);
        if (word.matches()) {
            return new Word(word.group("word"), word.group("part"));
        }
        return WORDS.contains(trimmed)
                ? new Word(trimmed, "")
                : new Ids(Ids.Syntax.ids(
                        Arrays.stream(trimmed.split(",", -1)).map(String::trim).toList(), text));
    }

    /** Whether a device that is in use is one that is meant; a whole device is not meant by its parts, nor they by it. */
    default boolean matches(DeviceInfo device) {
        if (this instanceof Ids ids) {
            return ids.ids().stream().anyMatch(id -> Ids.Syntax.means(id, device));
        }
        if (this instanceof Where where) {
            return where.meant().test(device);
        }
        String word = ((Word) this).word();
        return word.equals("all") || word.equals(device.kind().name().toLowerCase(Locale.ROOT));
    }

    /**
     * One of the words.
     *
     * @param part which part of each CPU device, or an empty text
     */
    record Word(String word, String part) implements DeviceSelector {
        @Override
        public String toString() {
            return part.isEmpty() ? word : word + ":" + part;
        }
    }

    /** Devices for which something holds. */
    record Where(Predicate<DeviceInfo> meant) implements DeviceSelector {
        public Where {
            Objects.requireNonNull(meant, "meant");
        }

        @Override
        public String toString() {
            return "those that a program chooses";
        }
    }

    /** Explicit devices, and parts of some; of several parts in one ({@code 0.0:8+8}) each has its own id here. */
    record Ids(List<String> ids) implements DeviceSelector {
        public Ids {
            ids = Syntax.ids(ids, String.join(",", ids));
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

        /** How selectors are written. Stateless. */
        private static final class Syntax {
            private static final String COUNT = "[1-9]\\d{0,4}";
            private static final String INDEX = "(?:0|[1-9]\\d{0,7})";
            private static final String PART = "(?<part>-?" + COUNT + "|(?<counts>" + COUNT + "(?:\\+" + COUNT
                    + "){1,255})|" + COUNT + "@" + INDEX + "|numa" + INDEX + "?)";

            private static final Pattern ID = Pattern.compile("jvm|(?<device>\\d{1,4}\\.\\d{1,4})(?::" + PART + ")?");
            private static final Pattern UUID_DIGITS = Pattern.compile("uuid:([0-9a-f]{16})([0-9a-f]{16})");
            private static final Pattern PCI = Pattern.compile(
                    "pci:(?:(?<domain>[0-9a-f]{4,8}):)?(?<bus>[0-9a-f]{2}):(?<device>[0-9a-f]{2})\\.(?<function>[0-7])");
            /** A word that takes a part of each CPU device. */
            static final Pattern WORD = Pattern.compile("(?<word>all|cpu):" + PART);

            private Syntax() {}

            /**
             * One id for each device or part, where one text may stand for several parts.
             *
             * @param all the selector that the texts come from
             * @throws IllegalArgumentException if one of them is no id
             */
            static List<String> ids(List<String> texts, String all) {
                List<String> ids = new ArrayList<>();
                for (String text : texts) {
                    String hardware = hardware(text);
                    if (hardware != null) {
                        ids.add(hardware);
                        continue;
                    }
                    Matcher id = ID.matcher(text);
                    if (!id.matches()) {
                        throw new IllegalArgumentException(
                                "device selector '" + all
                                        + "': expected all, cpu, gpu, jvm or platform.device pairs such as 0.0,1.0, uuid:GPU-... or pci:0000:3b:00.0,"
                                        + " or parts of devices such as 0.0:8 (8 compute units), 0.0:8+8, 0.0:-1 (all but one), 0.0:numa and all:-1");
                    }
                    String counts = id.group("counts");
                    if (counts == null) {
                        ids.add(text.endsWith("@0") ? text.substring(0, text.length() - 2) : text);
                        continue;
                    }
                    int first = 0;
                    for (String count : counts.split("\\+", -1)) {
                        ids.add(id.group("device") + ":" + count + (first == 0 ? "" : "@" + first));
                        first += Integer.parseInt(count);
                    }
                }
                return List.copyOf(ids);
            }

            /** A UUID or place in the form of {@link DeviceInfo}; null if the text is neither. */
            private static @Nullable String hardware(String text) {
                String lower = text.toLowerCase(Locale.ROOT);
                Matcher uuid =
                        UUID_DIGITS.matcher(lower.replaceFirst("gpu-", "").replace("-", ""));
                if (uuid.matches()) {
                    return "uuid:"
                            + new UUID(
                                    Long.parseUnsignedLong(uuid.group(1), 16),
                                    Long.parseUnsignedLong(uuid.group(2), 16));
                }
                Matcher pci = PCI.matcher(lower);
                if (pci.matches()) {
                    String domain = pci.group("domain");
                    return String.format(
                            "pci:%04x:%s:%s.%s",
                            domain == null ? 0 : Long.parseLong(domain, 16),
                            pci.group("bus"),
                            pci.group("device"),
                            pci.group("function"));
                }
                return null;
            }

            /** Whether an id of a selector means a device in use. */
            static boolean means(String selected, DeviceInfo device) {
                String id = device.id();
                if (selected.equals("uuid:" + device.uuid()) || selected.equals("pci:" + device.pci())) {
                    return true;
                }
                int part = selected.indexOf(':') + 1;
                if (selected.startsWith(
                        "-", part)) { // how many are left, nobody knows here: it is the part that begins with the first
                    return id.startsWith(selected.substring(0, part))
                            && id.substring(part).matches("\\d+");
                }
                return selected.equals(id) || (selected.endsWith(":numa") && id.startsWith(selected));
            }
        }
    }
}
