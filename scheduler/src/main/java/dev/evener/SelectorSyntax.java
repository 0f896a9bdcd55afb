package dev.evener;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How selectors are written. Stateless. */
final class SelectorSyntax {
    private static final String COUNT = "[1-9]\\d{0,4}";
    private static final String INDEX = "(?:0|[1-9]\\d{0,7})";
    private static final String PART = "(?<part>-?" + COUNT + "|(?<counts>" + COUNT + "(?:\\+" + COUNT + "){1,255})|"
            + COUNT + "@" + INDEX + "|numa" + INDEX + "?)";

    private static final Pattern ID = Pattern.compile("jvm|(?<device>\\d{1,4}\\.\\d{1,4})(?::" + PART + ")?");
    private static final Pattern UUID_DIGITS = Pattern.compile("uuid:([0-9a-f]{16})([0-9a-f]{16})");
    private static final Pattern PCI = Pattern.compile(
            "pci:(?:(?<domain>[0-9a-f]{4,8}):)?(?<bus>[0-9a-f]{2}):(?<device>[0-9a-f]{2})\\.(?<function>[0-7])");
    /** A word that takes a part of each CPU device. */
    static final Pattern WORD = Pattern.compile("(?<word>all|cpu):" + PART);

    private SelectorSyntax() {}

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
        Matcher uuid = UUID_DIGITS.matcher(lower.replaceFirst("gpu-", "").replace("-", ""));
        if (uuid.matches()) {
            return "uuid:"
                    + new UUID(Long.parseUnsignedLong(uuid.group(1), 16), Long.parseUnsignedLong(uuid.group(2), 16));
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
