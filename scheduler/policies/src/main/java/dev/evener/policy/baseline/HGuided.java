package dev.evener.policy.baseline;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.PolicyProvider;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.Arrays;
import java.util.List;

/**
 * HGuided, guided self-scheduling for unequal devices, as EngineCL has it: of R granules left, lane i of n takes {@code floor(R p_i / (k_i n
 * (p_1 + ... + p_n)))}, and no less than {@code m_i}. Its powers p are given by the user; here they are what the model says at present, by
 * chunks of this job and of those before. Nozal, Bosque and Beivide, EngineCL: Usability and Performance in Heterogeneous Computing, Future
 * Generation Computer Systems 107, 2020; they advise a smaller k and a larger m for faster devices.
 */
public final class HGuided implements PolicyProvider {
    /** As {@link java.util.ServiceLoader} wants it. */
    public HGuided() {}

    @Override
    public String name() {
        return "hguided";
    }

    @Override
    public String description() {
        return "guided self-scheduling by the devices' power, as in EngineCL";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                new Parameter(
                        "k", Type.NUMBERS, 0.01, 1000, "2", "how slowly chunks shrink; one, or one for each device"),
                new Parameter("least", Type.NUMBERS, 1, 1e9, "1", "granules of a chunk; one, or one for each device"));
    }

    @Override
    public void check(Settings settings, int lanes) {
        for (String name : List.of("k", "least")) {
            int given = settings.numbers(name).length;
            if (given > 1 && given != lanes) {
                throw new IllegalArgumentException("for " + given + " devices, not for " + lanes);
            }
        }
    }

    @Override
    public Policy create(Settings settings) {
        return new Sizes(boxed(settings.numbers("k")), boxed(settings.numbers("least")));
    }

    private static List<Double> boxed(double... numbers) {
        return Arrays.stream(numbers).boxed().toList();
    }

    private record Sizes(List<Double> k, List<Double> least) implements Policy {
        @Override
        public String name() {
            return "hguided";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            return Plan.equal(Plan.Sharing.POOLED, snapshot);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            double all = 0;
            int lanes = 0;
            for (int i = 0; i < progress.lanes(); i++) {
                if (progress.active(i) || i == lane) {
                    all += 1 / progress.nanosPerGranule(i);
                    lanes++;
                }
            }
            double part = 1 / progress.nanosPerGranule(lane) / all;
            double packet = progress.remaining() * part / (of(k, lane) * lanes);
            return (long) Math.max(of(least, lane), Math.floor(packet));
        }

        private static double of(List<Double> values, int lane) {
            return values.get(Math.min(lane, values.size() - 1));
        }
    }
}
