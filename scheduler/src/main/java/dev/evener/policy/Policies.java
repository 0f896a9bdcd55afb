package dev.evener.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;

/** The policies there are, by name. */
public final class Policies {
    /** What follows a comma within what is set, and is no name: a parameter, or another number. */
    private static final Pattern SETTING = Pattern.compile("\\s*([a-z0-9-]+=|[-+.]?[0-9])");

    private Policies() {}

    /** Everything on one lane: one that has never run such a job, else the one that the model expects to be fastest. */
    public static Policy single() {
        return new SinglePolicy();
    }

    /** Everything on the lane with this index. */
    public static Policy single(int lane) {
        return new SinglePolicy(OptionalInt.of(lane));
    }

    /**
     * Fixed fractions, one for each lane; equal ones if none are given. Weights above 1 or whole ones are scaled to a sum of 1.
     *
     * @throws IllegalArgumentException if fractions of at most 1 add up to more than 1
     */
    public static Policy fixed(double... fractions) {
        double sum = DoubleStream.of(fractions).sum();
        boolean parts = DoubleStream.of(fractions).allMatch(f -> f <= 1)
                && DoubleStream.of(fractions).anyMatch(f -> f > 0 && f < 1);
        if (parts && sum > 1.001) {
            throw new IllegalArgumentException("the fractions " + Arrays.toString(fractions) + " add up to " + sum
                    + ", not to 1; give fractions of the job, or weights above 1");
        }
        return new StaticPolicy(fractions);
    }

    /**
     * Shares that should make all lanes finish together, by the model, fixed while the job runs. No lane gets less than a
     * granule while there are plenty, so that a device whose speed changes is noticed.
     */
    public static Policy history() {
        return new HistoryPolicy();
    }

    /**
     * All lanes take from one range, each time half of what would be their part of the rest, by present speed: guided
     * self-scheduling (Polychronopoulos and Kuck, 1987) for unequal devices, known as HGuided (Bosque, Toharia, Robles and
     * Pastor, A Load Index and Load Balancing Algorithm for Heterogeneous Clusters, 2013; Nozal, Bosque and Beivide, EngineCL,
     * 2020), with a least chunk for each device that is worth its launch.
     */
    public static Policy guided() {
        return new GuidedPolicy();
    }

    /**
     * All lanes take equal chunks from one range.
     *
     * @param chunks about how many, at least 1
     */
    public static Policy guided(int chunks) {
        return Named.of(new GuidedPolicy(), Map.of("chunks", String.valueOf(chunks)));
    }

    /**
     * Equal shares to start with, whatever the devices' speeds; a lane that is done steals. Each chunk is half of what the lane
     * has left, but worth its launch, so that much can be stolen early and little is left to balance at the end.
     */
    public static Policy stealing() {
        return new StealingPolicy();
    }

    /**
     * Equal shares in equal chunks; a lane that is done steals.
     *
     * @param chunks about how many over all lanes, at least 1
     */
    public static Policy stealing(int chunks) {
        return Named.of(new StealingPolicy(), Map.of("chunks", String.valueOf(chunks)));
    }

    /** The set of lanes that is fastest by what was measured, shares that finish together, and stealing: the default. */
    public static Policy adaptive() {
        return new AdaptivePolicy();
    }

    /** The same, with the set of lanes that keeps something else least. For anything but time, see {@link Power#telling}. */
    public static Policy adaptive(Objective objective) {
        return objective == Objective.TIME
                ? adaptive()
                : Named.of(new AdaptivePolicy(), Map.of("objective", objective.text()));
    }

    /**
     * The policy of a text: a name as in {@code adaptive}, a colon and what is set, as in {@code gss:least=4} or {@code
     * hguided:k=2,least=16}. The first parameter needs no name: {@code guided:32}, {@code single:1}, {@code static:0.7,0.3}. A slash in
     * place of the colon is read too. {@code name@version:...}, which records keep, is of that version alone.
     *
     * @throws IllegalArgumentException if there is none, or it cannot be set so; the message says what would be right
     */
    public static Policy named(String text) {
        return Named.parse(text);
    }

    /**
     * The same, for so many lanes.
     *
     * @throws IllegalArgumentException if there is none, or it is for another number
     */
    public static Policy named(String text, int lanes) {
        Named named = Named.parse(text);
        try {
            named.provider().check(named.settings(), lanes);
            return named;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the policy " + text + " is " + e.getMessage(), e);
        }
    }

    /** The texts of a list that commas part: {@code guided,hguided:k=2,least=4} is two. */
    public static List<String> texts(String list) {
        List<String> texts = new ArrayList<>();
        for (String each : list.split(",", -1)) {
            boolean more = !texts.isEmpty() && SETTING.matcher(each).lookingAt();
            if (more) {
                texts.set(texts.size() - 1, texts.get(texts.size() - 1) + "," + each);
            } else {
                texts.add(each);
            }
        }
        return texts;
    }

    /** What a text is named after, in small letters: without version and settings. */
    public static String nameOf(String text) {
        return text.split("[:/@]", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    /** Names that {@link #named} knows. */
    public static List<String> names() {
        return providers().stream().map(PolicyProvider::name).toList();
    }

    /** All that is found: Evener's own first, then those that the thread's context class loader finds, each name once. */
    public static List<PolicyProvider> providers() {
        return Named.providers(new HashMap<>(), new ArrayList<>());
    }

    /** What is named as a service in a jar and could not be loaded, in a sentence each; nobody else hears of it unless its name is asked for. */
    public static List<String> notLoaded() {
        List<String> broken = new ArrayList<>();
        List<PolicyProvider> ignored = Named.providers(new HashMap<>(), broken);
        return List.copyOf(broken);
    }

    /**
     * Fractions such as {@code 0.7,0.3}.
     *
     * @throws IllegalArgumentException if the text is no such list, saying what is wrong
     */
    public static double[] parseSplit(String text) {
        String[] parts = text.split(",", -1);
        double[] fractions = new double[parts.length];
        for (int i = 0; i < parts.length; i++) {
            String part = parts[i].trim();
            try {
                fractions[i] = Double.parseDouble(part);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "split '" + text + "': '" + part + "' is not a number; expected fractions such as 0.7,0.3", e);
            }
            if (!(fractions[i] >= 0) || fractions[i] > 1) {
                throw new IllegalArgumentException("split '" + text + "': " + part + " is not between 0 and 1");
            }
        }
        double sum = DoubleStream.of(fractions).sum();
        if (Math.abs(sum - 1) > 0.001) {
            throw new IllegalArgumentException("split '" + text + "': the fractions add up to " + sum + ", not to 1");
        }
        return fractions;
    }
}
