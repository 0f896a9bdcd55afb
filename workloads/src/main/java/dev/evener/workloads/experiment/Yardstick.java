package dev.evener.workloads.experiment;

/**
 * What a primitive is measured against.
 *
 * @param primitive what runs on the device
 * @param against what it is compared with, for people
 * @param aim the ratio of speeds that is aimed at; for a speed per core, in the unit of {@code unit}
 * @param unit what speeds are told in, such as {@code GB/s}
 * @param perCore whether the aim is a speed for each core of the device instead of a ratio
 * @param scale amount of work of one run, so that {@code scale / nanoseconds} is the speed in that unit
 * @param againstScale the same for what it is compared with
 * @param nanos times of the primitive, one for each round
 * @param againstNanos times of what it is compared with, measured in the same rounds; empty where the aim is a speed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Yardstick(
        String primitive,
        String against,
        double aim,
        String unit,
        boolean perCore,
        double scale,
        double againstScale,
        double[] nanos,
        double[] againstNanos) {

    /** Median speed of the primitive. */
    public double speed() {
        return scale / Statistics.median(nanos);
    }

    /** Median speed of what it is compared with; 0 where there is none. */
    public double againstSpeed() {
        return againstNanos.length == 0 ? 0 : againstScale / Statistics.median(againstNanos);
    }

    /**
     * What the aim is compared with: the median over the rounds of the ratio of both speeds, or the speed for each core.
     *
     * @param cores of the device
     */
    public Estimate reached(int cores) {
        if (perCore) {
            double per = scale / cores;
            return new Estimate(
                    per / Statistics.median(nanos),
                    per / Statistics.quantile(nanos, 0.75),
                    per / Statistics.quantile(nanos, 0.25));
        }
        Estimate ratio = Statistics.medianRatio(againstNanos, nanos);
        double factor = scale / againstScale;
        return new Estimate(ratio.value() * factor, ratio.low() * factor, ratio.high() * factor);
    }
}
