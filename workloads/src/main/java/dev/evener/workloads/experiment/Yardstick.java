package dev.evener.workloads.experiment;

/**
 * What a primitive is measured against: something else, measured in the same rounds, or a speed for each core.
 *
 * @param work what runs on the device
 * @param against what it is compared with, for people
 * @param aim the ratio of speeds that is aimed at; for a speed per core, in the work's unit
 * @param perCore whether the aim is a speed for each core of the device instead of a ratio
 * @param nanos times of the primitive, one for each round
 * @param againstNanos times of what it is compared with, which does the same work; empty where the aim is a speed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Yardstick(Work work, String against, double aim, boolean perCore, double[] nanos, double[] againstNanos) {

    /**
     * What is timed.
     *
     * @param primitive its name, for people
     * @param unit what its speed is told in, such as {@code GB/s}
     * @param scale amount of work of one run, so that {@code scale / nanoseconds} is the speed in that unit
     */
    public record Work(String primitive, String unit, double scale) {}

    /** One against something else that does the same work. */
    static Yardstick ratio(Work work, String against, double aim, double[] nanos, double[] againstNanos) {
        return new Yardstick(work, against, aim, false, nanos, againstNanos);
    }

    /** One against a speed for each core. */
    static Yardstick perCore(Work work, double aim, double[] nanos) {
        return new Yardstick(work, "for each core", aim, true, nanos, new double[0]);
    }

    /** Median speed of the primitive. */
    public double speed() {
        return work.scale() / Statistics.median(nanos);
    }

    /** Median speed of what it is compared with; 0 where there is none. */
    public double againstSpeed() {
        return perCore ? 0 : work.scale() / Statistics.median(againstNanos);
    }

    /**
     * What the aim is compared with: the median over the rounds of the ratio of both speeds, or the speed for each core.
     *
     * @param cores of the device
     */
    public Estimate reached(int cores) {
        if (!perCore) {
            return Statistics.medianRatio(againstNanos, nanos);
        }
        double per = work.scale() / cores;
        return new Estimate(
                per / Statistics.median(nanos),
                per / Statistics.quantile(nanos, 0.75),
                per / Statistics.quantile(nanos, 0.25));
    }
}
