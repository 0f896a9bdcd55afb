package dev.evener.workloads.random;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * From what a {@link RandomCase} is drawn. Factors say how many times as long; what only some have is drawn for each of them apart.
 *
 * @param machine of a machine
 * @param device of a class of devices
 * @param lane of a lane
 * @param jobs of a series of jobs
 * @param yardsticks how often the best static split is run, to find what it takes on average: the more, the more its chunks scatter
 */
public record Ranges(OfMachine machine, OfDevice device, OfLane lane, OfJobs jobs, int yardsticks) {
    /** A figure that is drawn evenly in the logarithm. Both ends are above 0. */
    public record Span(double least, double most) {
        /** @throws IllegalArgumentException if it ends before it begins, or begins at 0 or below */
        public Span {
            if (!(least > 0 && least <= most)) {
                throw new IllegalArgumentException("from " + least + " to " + most + " is no range of factors");
            }
        }
    }

    /**
     * What some have.
     *
     * @param part which part of them, 0 to 1
     * @param by how much of it
     */
    public record Some(double part, Span by) {
        /** @throws IllegalArgumentException if the part is none */
        public Some {
            if (!(part >= 0 && part <= 1)) {
                throw new IllegalArgumentException(part + " is no part of a whole");
            }
        }
    }

    /**
     * Of a machine.
     *
     * @param lanes how many, rounded
     * @param classes of devices, at most
     * @param apart how many times as fast as the slowest class the fastest one is, at most
     * @param contention by which part a chunk takes longer while all others work, and no more than if each had its part of one device
     * @param tails which part of machines has tails on all lanes
     */
    public record OfMachine(Span lanes, int classes, double apart, Some contention, double tails) {}

    /**
     * Of a class of devices.
     *
     * @param promise standard deviation of the logarithm of what devices say, where they say about what they are
     * @param fixedNanos of a chunk, whatever its size
     * @param unfixed classes that have next to none, and their nanoseconds
     * @param wakeNanos from when a lane is called until it takes its first chunk
     * @param unlike classes whose devices are not equal, though of one name: standard deviation of the logarithm
     */
    public record OfDevice(double promise, Span fixedNanos, Some unfixed, Span wakeNanos, Some unlike) {}

    /**
     * Of a lane.
     *
     * @param noise standard deviation of the logarithm of a chunk's time, about
     * @param tail one chunk in 64
     * @param twoSpeeds a quarter of the chunks
     * @param disturbed for five jobs at a time
     * @param disturbedPart of the jobs that is
     * @param drift at the top of a wave
     * @param driftJobs how long that is
     * @param late its first chunk in each of the first jobs: by how many times what these take the fastest lane
     * @param lateJobs in how many, rounded
     * @param slower than the device promises
     */
    public record OfLane(
            Span noise,
            Some tail,
            Some twoSpeeds,
            Some disturbed,
            Span disturbedPart,
            Some drift,
            Span driftJobs,
            Some late,
            Span lateJobs,
            Some slower) {}

    /**
     * Of a series of jobs.
     *
     * @param nanos of the first job on the fastest lane
     * @param units of it
     * @param kernels machines with several, in turn: how many, rounded, at most {@value #KERNELS}
     * @param uneven machines whose units are: how many times the cheapest the dearest costs
     * @param shapes of that, each as likely; at least one
     * @param sizes series in which they change from job to job, within such a factor
     * @param jump of the others, those in which they change in mid-series
     * @param within what jobs of another size may take on the fastest lane, in nanoseconds; null where sizes that change from job to
     *     job are all above the first one, and no limit
     * @param granules jobs that cannot be cut at will: of how many pieces the first one is, rounded
     */
    public record OfJobs(
            Span nanos,
            Span units,
            Some kernels,
            Some uneven,
            List<Shape> shapes,
            Some sizes,
            Some jump,
            @Nullable Span within,
            Some granules) {
        public OfJobs {
            shapes = List.copyOf(shapes);
        }
    }

    /** How dear units are along the index space. */
    public enum Shape {
        /** Half a wave, dearest in the middle. */
        WAVE,
        /** Dear from some place on, or up to it. */
        STEP,
        /** Dear in one to three places, each a fiftieth of the index space. */
        SPIKES
    }

    /** The most kernels that a series may have. */
    public static final int KERNELS = 6;

    private static final Some NEVER = new Some(0, new Span(1, 1));

    /** Those of published figures, see docs/records.md. What a seed draws from them must not change. */
    public static final Ranges KIND = new Ranges(
            new OfMachine(new Span(0.6, 16.4), 4, 300, new Some(0.3, new Span(0.02, 1)), 0),
            new OfDevice(0.3, new Span(2_000, 5e6), NEVER, new Span(5_000, 60_000), NEVER),
            new OfLane(
                    new Span(0.01, 0.2),
                    new Some(0.1, new Span(3, 10)),
                    new Some(0.07, new Span(1.5, 3)),
                    new Some(0.07, new Span(1.5, 5)),
                    new Span(0.05, 0.25),
                    new Some(0.1, new Span(1.2, 3)),
                    new Span(60, 600),
                    NEVER,
                    new Span(1, 1),
                    NEVER),
            new OfJobs(
                    new Span(3e5, 1e8),
                    new Span(200, 1e6),
                    new Some(0.25, new Span(2, 2)),
                    new Some(0.25, new Span(2, 20)),
                    List.of(Shape.WAVE),
                    new Some(0.3, new Span(2, 30)),
                    new Some(0.2, new Span(100, 100)),
                    null,
                    NEVER),
            1);

    /** Wider ones, and with all that reviewers of a policy missed in the others: nothing is to be tuned on these. */
    public static final Ranges UNKIND = new Ranges(
            new OfMachine(new Span(0.6, 16.4), 4, 1_000, new Some(0.4, new Span(0.05, 4)), 0.1),
            new OfDevice(
                    1,
                    new Span(2_000, 2e7),
                    new Some(1 / 3.0, new Span(50, 1_000)),
                    new Span(5_000, 500_000),
                    new Some(0.3, new Span(0.05, 0.5))),
            new OfLane(
                    new Span(0.01, 0.5),
                    new Some(0.2, new Span(3, 10)),
                    new Some(0.1, new Span(1.5, 6)),
                    new Some(0.1, new Span(1.5, 10)),
                    new Span(0.05, 0.25),
                    new Some(0.1, new Span(1.2, 3)),
                    new Span(60, 600),
                    new Some(0.02, new Span(0.1, 30)),
                    new Span(0.6, 10.4),
                    new Some(0.01, new Span(10, 1_000))),
            new OfJobs(
                    new Span(1e5, 1e9),
                    new Span(200, 1e6),
                    new Some(0.35, new Span(1.6, 6.4)),
                    new Some(0.35, new Span(2, 100)),
                    List.of(Shape.values()),
                    new Some(0.4, new Span(2, 1e4)),
                    new Some(0.2, new Span(10, 1_000)),
                    new Span(1e5, 1e9),
                    new Some(0.25, new Span(3.6, 64.4))),
            8);
}
