package dev.evener.workloads.replay;

import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Policies as records name them: a name such as {@code adaptive}, {@code guided/32} or {@code stealing/32} with a number of
 * chunks, {@code single:1} for everything on the device of that index, or {@code static:0.7,0.3} for fixed shares. Stateless.
 */
public final class PolicyText {
    private PolicyText() {}

    /** Everything on the device of this index. */
    public static String single(int device) {
        return "single:" + device;
    }

    /** Fixed shares. */
    public static String fixed(List<Double> fractions) {
        return "static:" + fractions.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /**
     * The policy that a text names.
     *
     * @param devices how many there are
     * @throws IllegalArgumentException if it names none, or one for other devices; the message says what would be right
     */
    public static Policy parse(String text, int devices) {
        String[] parts = text.split("[:/]", 2);
        String kind = parts.length == 1 ? text : parts[0] + text.charAt(parts[0].length());
        return switch (kind) {
            case "static:" -> shares(text, parts[1], devices);
            case "single:" -> Policies.single(number(text, parts[1], 0, devices - 1));
            case "guided/" -> Policies.guided(number(text, parts[1], 1, Integer.MAX_VALUE));
            case "stealing/" -> Policies.stealing(number(text, parts[1], 1, Integer.MAX_VALUE));
            default -> {
                if (parts.length > 1) {
                    throw wrong(text);
                }
                yield Policies.named(text);
            }
        };
    }

    private static Policy shares(String text, String list, int devices) {
        double[] shares;
        try {
            shares = Arrays.stream(list.split(",", -1))
                    .mapToDouble(Double::parseDouble)
                    .toArray();
        } catch (NumberFormatException e) {
            throw wrong(text);
        }
        if (!Arrays.stream(shares).allMatch(share -> share >= 0 && share <= 1)) {
            throw wrong(text);
        }
        if (shares.length != devices) {
            throw other(text, "for " + shares.length + " devices, not for " + devices);
        }
        if (Arrays.stream(shares).sum() <= 0) {
            throw wrong(text);
        }
        return Policies.fixed(shares);
    }

    private static int number(String text, String digits, int least, int most) {
        int value;
        try {
            value = Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            throw wrong(text);
        }
        if (value < least) {
            throw wrong(text);
        }
        if (value > most) {
            throw other(text, "for more devices than " + (most + 1));
        }
        return value;
    }

    private static IllegalArgumentException other(String text, String devices) {
        return new IllegalArgumentException(
                "the policy " + text + " is " + devices + ": choose one with --policy or --split");
    }

    private static IllegalArgumentException wrong(String text) {
        String shown = text.length() > 60 ? text.substring(0, 60) + "..." : text;
        return new IllegalArgumentException("unknown policy '" + shown + "': expected one of "
                + String.join(", ", Policies.NAMES) + ", guided/N, stealing/N, single:DEVICE or static:SHARES");
    }
}
