package dev.evener.policy;

import java.util.Random;

/** A {@link Progress} of plain numbers. */
final class Numbers implements Progress {
    final long[] left;
    final boolean[] active;
    final double[] weight;
    final double[] nanosPerGranule;
    final double[] launch;
    final double[] busy;
    long granules;
    long pool = -1;

    Numbers(int lanes) {
        left = new long[lanes];
        active = new boolean[lanes];
        weight = new double[lanes];
        nanosPerGranule = new double[lanes];
        launch = new double[lanes];
        busy = new double[lanes];
        java.util.Arrays.fill(active, true);
        java.util.Arrays.fill(weight, 1);
    }

    /** Lanes with these granules left, each granule taking so long. */
    static Numbers of(long[] left, double... nanosPerGranule) {
        Numbers numbers = new Numbers(left.length);
        System.arraycopy(left, 0, numbers.left, 0, left.length);
        System.arraycopy(nanosPerGranule, 0, numbers.nanosPerGranule, 0, left.length);
        for (long l : left) {
            numbers.granules += l;
        }
        return numbers;
    }

    /** One common range. */
    static Numbers pool(long left, double... nanosPerGranule) {
        Numbers numbers = of(new long[nanosPerGranule.length], nanosPerGranule);
        numbers.granules = left;
        numbers.pool = left;
        return numbers;
    }

    /** The same launch cost everywhere. */
    Numbers launching(double nanos) {
        java.util.Arrays.fill(launch, nanos);
        return this;
    }

    /** Anything that can be, 1 to 8 lanes. */
    static Numbers any(Random random) {
        Numbers numbers = new Numbers(1 + random.nextInt(8));
        for (int i = 0; i < numbers.left.length; i++) {
            numbers.left[i] = random.nextInt(4) == 0 ? 0 : (long) Math.pow(10, random.nextDouble() * 12);
            numbers.active[i] = random.nextInt(6) > 0;
            numbers.weight[i] = Math.pow(10, random.nextDouble() * 6 - 2);
            numbers.nanosPerGranule[i] = random.nextInt(4) == 0 ? 0 : Math.pow(10, random.nextDouble() * 8 - 1);
            numbers.launch[i] = random.nextInt(4) == 0 ? 0 : Math.pow(10, random.nextDouble() * 6);
            numbers.busy[i] = random.nextBoolean() ? 0 : Math.pow(10, random.nextDouble() * 9);
            numbers.granules += numbers.left[i] + random.nextInt(1000);
        }
        return numbers;
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
        if (pool >= 0) {
            return pool;
        }
        long sum = 0;
        for (long l : left) {
            sum += l;
        }
        return sum;
    }

    @Override
    public long remaining(int lane) {
        return left[lane];
    }

    @Override
    public boolean active(int lane) {
        return active[lane];
    }

    @Override
    public double weight(int lane) {
        return weight[lane];
    }

    @Override
    public double nanosPerGranule(int lane) {
        return nanosPerGranule[lane];
    }

    @Override
    public double launchNanos(int lane) {
        return launch[lane];
    }

    @Override
    public double busyNanos(int lane) {
        return busy[lane];
    }
}
