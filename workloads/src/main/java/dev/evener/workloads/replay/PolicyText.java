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
        int colon = text.indexOf(':');
        int slash = text.indexOf('/');
        if (colon >= 0) {
            String rest = text.substring(colon + 1);
            return switch (text.substring(0, colon)) {
                case "static" -> shares(text, rest, devices);
                case "single" -> Policies.single(number(text, rest, 0, devices - 1));
                default -> throw wrong(text);
            };
        }
        if (slash >= 0) {
            int chunks = number(text, text.substring(slash + 1), 1, Integer.MAX_VALUE);
            return switch (text.substring(0, slash)) {
                case "guided" -> Policies.guided(chunks);
                case "stealing" -> Policies.stealing(chunks);
                default -> throw wrong(text);
            };
        }
        return Policies.named(text);
    }

    private static Policy shares(String text, String list, int devices) {
        double[] shares = Arrays.stream(list.split(",", -1))
                .mapToDouble(part -> fraction(text, part))
                .toArray();
        if (shares.length != devices) {
            throw new IllegalArgumentException("the policy " + text + " is for " + shares.length + " devices, not for "
                    + devices + ": choose one with --policy or --split");
        }
        if (Arrays.stream(shares).sum() <= 0) {
            throw wrong(text);
        }
        return Policies.fixed(shares);
    }

    private static double fraction(String text, String part) {
        try {
            double value = Double.parseDouble(part);
            if (value >= 0 && value <= 1) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw wrong(text);
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
            throw new IllegalArgumentException("the policy " + text + " is for more devices than " + (most + 1)
                    + ": choose one with --policy or --split");
        }
        return value;
    }

    private static IllegalArgumentException wrong(String text) {
        String shown = text.length() > 60 ? text.substring(0, 60) + "..." : text;
        return new IllegalArgumentException("unknown policy '" + shown + "': expected one of "
                + String.join(", ", Policies.NAMES) + ", guided/N, stealing/N, single:DEVICE or static:SHARES");
    }
}
