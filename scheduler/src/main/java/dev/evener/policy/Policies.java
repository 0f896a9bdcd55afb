package dev.evener.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** The policies there are, by name. */
public final class Policies {
    /** Names that {@link #named} knows. */
    public static final List<String> NAMES = List.of("single", "static", "history", "guided", "stealing", "adaptive");

    private Policies() {}

    /** Everything on one lane: the fastest the history knows of, else the roughly fastest. */
    public static Policy single() {
        return new SinglePolicy(OptionalInt.empty());
    }

    /** Everything on the lane with this index. */
    public static Policy single(int lane) {
        return new SinglePolicy(OptionalInt.of(lane));
    }

    /** Fixed fractions, one for each lane; equal ones if none are given. They are scaled to a sum of 1. */
    public static Policy fixed(double... fractions) {
        return new StaticPolicy(fractions);
    }

    /** Shares from what each device achieved before, so that all finish together. */
    public static Policy history() {
        return new HistoryPolicy();
    }

    /** All lanes take from one range, chunks shrinking towards the end. */
    public static Policy guided() {
        return new GuidedPolicy(0);
    }

    /**
     * All lanes take equal chunks from one range.
     *
     * @param chunks about how many, at least 1
     */
    public static Policy guided(int chunks) {
        return new GuidedPolicy(requireSome(chunks));
    }

    /** Equal shares; a lane that is done steals from the one that would finish last. */
    public static Policy stealing() {
        return new StealingPolicy(0);
    }

    /**
     * Equal shares in equal chunks; a lane that is done steals from the one that would finish last.
     *
     * @param chunks about how many over all lanes, at least 1
     */
    public static Policy stealing(int chunks) {
        return new StealingPolicy(requireSome(chunks));
    }

    /** The set of lanes that is fastest by what was measured, shares that finish together, and stealing: the default. */
    public static Policy adaptive() {
        return new AdaptivePolicy();
    }

    private static int requireSome(int chunks) {
        if (chunks < 1) {
            throw new IllegalArgumentException("a job cannot be cut into " + chunks + " chunks");
        }
        return chunks;
    }

    /**
     * The policy of that name with its defaults.
     *
     * @throws IllegalArgumentException if there is none, naming those there are
     */
    public static Policy named(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "single" -> single();
            case "static" -> fixed();
            case "history" -> history();
            case "guided" -> guided();
            case "stealing" -> stealing();
            case "adaptive" -> adaptive();
            default ->
                throw new IllegalArgumentException(
                        "unknown policy '" + name + "': expected one of " + String.join(", ", NAMES));
        };
    }

    /**
     * Fractions such as {@code 0.7,0.3}.
     *
     * @throws IllegalArgumentException if the text is no such list, saying what is wrong
     */
    public static double[] parseSplit(String text) {
        List<Double> parts = new ArrayList<>();
        double sum = 0;
        for (String part : text.split(",", -1)) {
            double value;
            try {
                value = Double.parseDouble(part.trim());
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "split '" + text + "': '" + part.trim()
                                + "' is not a number; expected fractions such as 0.7,0.3",
                        e);
            }
            if (!(value >= 0) || value > 1) {
                throw new IllegalArgumentException("split '" + text + "': " + part.trim() + " is not between 0 and 1");
            }
            parts.add(value);
            sum += value;
        }
        if (Math.abs(sum - 1) > 0.001) {
            throw new IllegalArgumentException("split '" + text + "': the fractions add up to " + sum + ", not to 1");
        }
        return parts.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
