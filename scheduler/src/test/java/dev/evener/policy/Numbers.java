package dev.evener.policy;

import java.util.Arrays;
import java.util.Random;

/** A {@link Progress} of plain numbers: ranges one after another in the order of the lanes, or one common range. */
final class Numbers implements Progress {
    final long[] left;
    final boolean[] active;
    final boolean[] ready;
    final double[] nanosPerGranule;
    final double[] variance;
    final double[] fixed;
    final double[] busy;
    final double[] away;
    final double[] overrun;
    final double[] leastWork;
    final double[] doneGranules;
    final double[] doneNanos;
    final double[] doneWallNanos;
    long job = 1;
    double mostFixed; // on all lanes; 0 if no more than what is expected
    long granules;
    long pool = -1;
    boolean known = true;
    WorkProfile profile = WorkProfile.EVEN;

    private Numbers(int lanes) {
        left = new long[lanes];
        active = new boolean[lanes];
        ready = new boolean[lanes];
        nanosPerGranule = new double[lanes];
        variance = new double[lanes];
        fixed = new double[lanes];
        busy = new double[lanes];
        away = new double[lanes];
        overrun = new double[lanes];
        leastWork = new double[lanes];
        doneGranules = new double[lanes];
        doneNanos = new double[lanes];
        doneWallNanos = new double[lanes];
        Arrays.fill(active, true);
        Arrays.fill(ready, true);
    }

    /** Lanes with these granules left, a granule of mean cost taking so long; all of it known for certain. */
    static Numbers of(long[] left, double... nanosPerGranule) {
        Numbers numbers = new Numbers(left.length);
        System.arraycopy(left, 0, numbers.left, 0, left.length);
        System.arraycopy(nanosPerGranule, 0, numbers.nanosPerGranule, 0, left.length);
        numbers.granules = Arrays.stream(left).sum();
        return numbers;
    }

    /** One common range. */
    static Numbers pool(long left, double... nanosPerGranule) {
        Numbers numbers = of(new long[nanosPerGranule.length], nanosPerGranule);
        numbers.granules = left;
        numbers.pool = left;
        return numbers;
    }

    /** The same fixed cost of a chunk everywhere. */
    Numbers launching(double nanos) {
        Arrays.fill(fixed, nanos);
        return this;
    }

    /** Chunks take so much longer than is expected everywhere, on average. */
    Numbers overrunning(double part) {
        Arrays.fill(overrun, part);
        return this;
    }

    /** The same doubt everywhere. */
    Numbers doubting(double variances) {
        Arrays.fill(variance, variances);
        return this;
    }

    /** Times are only relative to each other. */
    Numbers unknown() {
        known = false;
        return this;
    }

    /** Work that is not the same everywhere. */
    Numbers costing(double... density) {
        profile = WorkProfile.of(density);
        return this;
    }

    /** Anything that can be, 1 to 8 lanes. */
    static Numbers any(Random random) {
        Numbers numbers = new Numbers(1 + random.nextInt(8));
        for (int i = 0; i < numbers.left.length; i++) {
            numbers.left[i] = random.nextInt(4) == 0 ? 0 : (long) Math.pow(10, random.nextDouble() * 9);
            numbers.active[i] = random.nextInt(6) > 0;
            numbers.nanosPerGranule[i] = Math.pow(10, random.nextDouble() * 8 - 1);
            numbers.variance[i] = random.nextInt(4) == 0 ? 0 : 4 * random.nextDouble();
            numbers.fixed[i] = random.nextInt(4) == 0 ? 0 : Math.pow(10, random.nextDouble() * 6);
            numbers.busy[i] = random.nextBoolean() ? 0 : Math.pow(10, random.nextDouble() * 9);
            numbers.overrun[i] = random.nextBoolean() ? 0.01 : random.nextDouble();
            numbers.leastWork[i] = random.nextInt(4) > 0 ? 0 : Math.pow(10, random.nextDouble() * 6);
            numbers.granules += numbers.left[i];
        }
        numbers.known = random.nextInt(4) > 0;
        if (random.nextBoolean()) {
            numbers.costing(random.doubles(64, 0.01, 1).toArray());
        }
        return numbers;
    }

    @Override
    public long job() {
        return job;
    }

    @Override
    public double doneGranules(int lane) {
        return doneGranules[lane];
    }

    @Override
    public double doneNanos(int lane) {
        return doneNanos[lane];
    }

    @Override
    public double doneWallNanos(int lane) {
        return doneWallNanos[lane];
    }

    @Override
    public int lanes() {
        return left.length;
    }

    @Override
    public long granules() {
        return granules;
    }

    @Override
    public long remaining() {
        return pool >= 0 ? pool : first(left.length);
    }

    @Override
    public long remaining(int lane) {
        return left[lane];
    }

    @Override
    public double work(int lane) {
        return profile.work((double) first(lane), (double) left[lane], all());
    }

    @Override
    public double work() {
        double sum = pool >= 0 ? profile.work(all() - pool, (double) pool, all()) : 0;
        for (int lane = 0; lane < left.length; lane++) {
            sum += work(lane);
        }
        return sum;
    }

    @Override
    public long granulesOfWork(int lane, double work) {
        boolean common = pool >= 0 && left[lane] == 0;
        double first = common ? all() - pool : first(lane);
        double end = profile.end(first, work, all());
        // As the runtime has it: what is less than a thousandth of a granule is rounding.
        return (long) Math.min((double) (common ? pool : left[lane]), Math.ceil(end - first - 1e-3));
    }

    @Override
    public long granulesAtBack(int lane, double work) {
        double end = first(lane) + left[lane];
        return (long) Math.min((double) left[lane], end - profile.end(end, -work, all()));
    }

    /** Where the last range ends. */
    private double all() {
        return (double) Math.max(granules, first(left.length));
    }

    private long first(int lane) {
        long sum = 0;
        for (int i = 0; i < lane; i++) {
            sum += left[i];
        }
        return sum;
    }

    @Override
    public boolean active(int lane) {
        return active[lane];
    }

    @Override
    public boolean ready(int lane) {
        return ready[lane];
    }

    @Override
    public double nanosPerGranule(int lane) {
        return nanosPerGranule[lane];
    }

    @Override
    public boolean known() {
        return known;
    }

    @Override
    public double variance(int lane) {
        return variance[lane];
    }

    @Override
    public double fixedNanos(int lane) {
        return fixed[lane];
    }

    @Override
    public double mostFixedNanos(int lane) {
        return Math.max(mostFixed, fixed[lane]);
    }

    @Override
    public double overrun(int lane) {
        return overrun[lane];
    }

    @Override
    public double leastWork(int lane) {
        return leastWork[lane];
    }

    @Override
    public double busyNanos(int lane) {
        return busy[lane];
    }

    @Override
    public double awayNanos(int lane) {
        return away[lane];
    }
}
