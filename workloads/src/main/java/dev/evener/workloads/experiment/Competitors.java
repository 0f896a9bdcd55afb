package dev.evener.workloads.experiment;

import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;

/** Policies by the names that comparisons give them: a policy's own, or {@code NAME/CHUNKS}. Stateless. */
public final class Competitors {
    /** Most chunks that can be asked for. */
    public static final int MOST_CHUNKS = 1_000_000;

    /** Policies that can be told how many chunks to make. */
    private static final Map<String, IntFunction<Policy>> CHUNKED =
            Map.of("guided", Policies::guided, "stealing", Policies::stealing);

    private Competitors() {}

    /** The name as it is shown: without blanks around it, in lower case. */
    public static String plain(String name) {
        return name.strip().toLowerCase(Locale.ROOT);
    }

    /** Whether a policy can be told how many chunks to make. */
    public static boolean takesChunks(String name) {
        return CHUNKED.containsKey(plain(name));
    }

    /**
     * The policy of that name.
     *
     * @throws IllegalArgumentException if there is none, saying what would be
     */
    public static Policy named(String name) {
        String plain = plain(name);
        int slash = plain.indexOf('/');
        if (slash < 0) {
            return Policies.named(plain);
        }
        String policy = plain.substring(0, slash);
        if (!takesChunks(policy)) {
            throw new IllegalArgumentException(
                    "'" + name + "' is no policy: only guided and stealing take a number of chunks, such as guided/32");
        }
        return Objects.requireNonNull(CHUNKED.get(policy)).apply(chunks(name, plain.substring(slash + 1)));
    }

    private static int chunks(String name, String text) {
        if (text.matches("\\d{1,7}") && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= MOST_CHUNKS) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException(
                "'" + name + "' is no policy: '" + text + "' is not a number of chunks from 1 to " + MOST_CHUNKS);
    }
}
