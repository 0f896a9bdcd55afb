package dev.evener.policy;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.DoubleStream;

/** The policies there are, by name. */
public final class Policies {
    /** Names that {@link #named} knows. */
    public static final List<String> NAMES = List.of("single", "static", "history", "guided", "stealing", "adaptive");

    private Policies() {}

    /** Everything on one lane: one that has never run such a job, else the one that the model expects to be fastest. */
    public static Policy single() {
        return new Single(OptionalInt.empty());
    }

    /** Everything on the lane with this index. */
    public static Policy single(int lane) {
        return new Single(OptionalInt.of(lane));
    }

    /** Fixed fractions, one for each lane; equal ones if none are given. They are scaled to a sum of 1. */
    public static Policy fixed(double... fractions) {
        for (double fraction : fractions) {
            if (!(fraction >= 0) || fraction == Double.POSITIVE_INFINITY) {
                throw new IllegalArgumentException("a share of " + fraction + " is not a fraction");
            }
        }
        if (fractions.length > 0 && DoubleStream.of(fractions).sum() <= 0) {
            throw new IllegalArgumentException("all shares are 0");
        }
        return new Static(fractions.clone());
    }

    /**
     * Shares that should make all lanes finish together, by the model, fixed while the job runs. No lane gets less than a
     * granule while there are plenty, so that a device whose speed changes is noticed.
     */
    public static Policy history() {
        return new History();
    }

    /**
     * All lanes take from one range, each time half of what would be their part of the rest, by present speed: guided
     * self-scheduling (Polychronopoulos and Kuck, 1987) for unequal devices, known as HGuided (Bosque, Toharia, Robles and
     * Pastor, A Load Index and Load Balancing Algorithm for Heterogeneous Clusters, 2013; Nozal, Bosque and Beivide, EngineCL,
     * 2020), with a least chunk for each device that is worth its launch.
     */
    public static Policy guided() {
        return new Guided(0);
    }

    /**
     * All lanes take equal chunks from one range.
     *
     * @param chunks about how many, at least 1
     */
    public static Policy guided(int chunks) {
        return new Guided(requireSome(chunks));
    }

    /**
     * Equal shares to start with, whatever the devices' speeds; a lane that is done steals. Each chunk is half of what the lane
     * has left, but worth its launch, so that much can be stolen early and little is left to balance at the end.
     */
    public static Policy stealing() {
        return new WorkStealing(0);
    }

    /**
     * Equal shares in equal chunks; a lane that is done steals.
     *
     * @param chunks about how many over all lanes, at least 1
     */
    public static Policy stealing(int chunks) {
        return new WorkStealing(requireSome(chunks));
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

    private static long[] equalShares(Snapshot snapshot) {
        double[] equal = new double[snapshot.lanes().size()];
        Arrays.fill(equal, 1);
        return Apportion.byWeight(equal, snapshot.granules());
    }

    private record Single(OptionalInt chosen) implements Policy {
        @Override
        public String name() {
            return "single";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            int lane = chosen.orElseGet(() -> fastest(snapshot));
            if (lane < 0 || lane >= snapshot.lanes().size()) {
                throw new IllegalArgumentException("policy single: there is no lane " + lane + " among "
                        + snapshot.lanes().size());
            }
            long[] shares = new long[snapshot.lanes().size()];
            shares[lane] = snapshot.granules();
            return Plan.of(Plan.Sharing.FIXED, shares).balanced();
        }

        /** A lane that has never run this is tried before one that has, else its speed would never be known. */
        private static int fastest(Snapshot snapshot) {
            CostModel model = snapshot.model();
            int best = 0;
            for (int i = 1; i < snapshot.lanes().size(); i++) {
                boolean seen = model.lane(i).chunks() > 0;
                boolean bestSeen = model.lane(best).chunks() > 0;
                boolean faster = model.forecast(LaneSet.of(i)).nanos()
                        < model.forecast(LaneSet.of(best)).nanos();
                best = (seen == bestSeen ? faster : !seen) ? i : best;
            }
            return best;
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody else holds it, and two policies need not be equal
    private record Static(double[] fractions) implements Policy {
        @Override
        public String name() {
            return "static";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            int lanes = snapshot.lanes().size();
            if (fractions.length > 0 && fractions.length != lanes) {
                throw new IllegalArgumentException("the split has " + fractions.length + " fractions, but " + lanes
                        + (lanes == 1 ? " device is" : " devices are") + " in use");
            }
            return Plan.of(
                    Plan.Sharing.FIXED,
                    fractions.length == 0 ? equalShares(snapshot) : Apportion.byWeight(fractions, snapshot.granules()));
        }
    }

    private record History() implements Policy {
        /** Granules for each lane from which one is too little to matter. */
        private static final long PLENTY = 16;

        @Override
        public String name() {
            return "history";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            int lanes = snapshot.lanes().size();
            if (snapshot.granules() == 0) {
                return Plan.of(Plan.Sharing.FIXED, new long[lanes]);
            }
            CostModel model = snapshot.model();
            long[] shares =
                    Apportion.byWork(model.forecast(LaneSet.all(lanes)).work(), snapshot.granules(), model.profile());
            if (snapshot.granules() >= PLENTY * lanes) {
                Apportion.keepAll(shares);
            }
            return Plan.of(Plan.Sharing.FIXED, shares).balanced();
        }
    }

    /** @param chunks cut the job into about so many equal chunks instead; 0 for guided sizes */
    private record Guided(int chunks) implements Policy {
        @Override
        public String name() {
            return "guided";
        }

        @Override
        public Plan plan(Snapshot snapshot) { // shares say only who takes part: everybody for whom there is a granule
            return Plan.of(Plan.Sharing.POOLED, equalShares(snapshot));
        }

        @Override
        public long chunk(Progress progress, int lane) {
            double left = progress.work();
            return Pace.half(progress, lane, chunks, left, left * Pace.part(progress, lane));
        }
    }

    /** @param chunks cut the job into about so many equal chunks instead; 0 for halves */
    private record WorkStealing(int chunks) implements Policy {
        @Override
        public String name() {
            return "stealing";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            return Plan.of(Plan.Sharing.STEALING, equalShares(snapshot));
        }

        @Override
        public long chunk(Progress progress, int lane) {
            double left = progress.work(lane);
            return Pace.half(progress, lane, chunks, left, left);
        }
    }
}
