package dev.evener.policy;

import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;

/**
 * Devices that are formulas, on a virtual clock: launch cost, speed, noise, contention, and speeds that change. Times are
 * in nanoseconds, speeds in units of work a nanosecond, and a unit of a regular job is one unit of work.
 */
final class Machine {
    /** Speeds of all devices while certain ones are busy. */
    interface Contention {
        void speeds(boolean[] busy, double[] speeds);
    }

    final double[] speed;
    final double[] launch;
    final double[] factor; // present slow-down (below 1) or speed-up of each device
    /** Nanoseconds from the start of a job until a lane is awake, but for the first. */
    double wakeUp = 30_000;
    /** What a job costs beside its lanes' work. */
    double overhead = 10_000;

    /**
     * Work that each device does in one go, in units: a GPU runs so many groups at once, and takes as long for a few of them.
     * 1 for a device that takes as long as its units do.
     */
    final double[] wave;

    double noise;
    Contention contention = (busy, speeds) -> {};
    /** Work in the first {@code u} units of a job of {@code n}: {@code n} times this of {@code u / n}. */
    DoubleUnaryOperator work = DoubleUnaryOperator.identity();

    final Random random;

    Machine(long seed, double[] speed, double[] launch) {
        this.random = new Random(seed);
        this.speed = speed.clone();
        this.launch = launch.clone();
        this.factor = new double[speed.length];
        Arrays.fill(factor, 1);
        this.wave = new double[speed.length];
        Arrays.fill(wave, 1);
    }

    /** Two devices alike that do not disturb each other. */
    static Machine equal(long seed) {
        return new Machine(seed, new double[] {1, 1}, new double[] {20_000, 5_000});
    }

    /** The second is three times slower. */
    static Machine unequal(long seed) {
        return new Machine(seed, new double[] {1, 1 / 3.0}, new double[] {20_000, 5_000});
    }

    /** The first uses both cores, the second one of them: together they gain nothing. */
    static Machine contended(long seed) {
        Machine machine = new Machine(seed, new double[] {2, 1}, new double[] {30_000, 5_000});
        machine.contention = (busy, speeds) -> {
            if (busy[0] && busy[1]) {
                speeds[0] *= 0.75;
                speeds[1] *= 0.5;
            }
        };
        return machine;
    }

    /** Devices that share memory which carries so much work a nanosecond in all. */
    Machine withMemory(double most) {
        contention = (busy, speeds) -> {
            double sum = 0;
            for (int i = 0; i < speeds.length; i++) {
                sum += busy[i] ? speeds[i] : 0;
            }
            for (int i = 0; i < speeds.length && sum > most; i++) {
                speeds[i] *= most / sum;
            }
        };
        return this;
    }

    /** Devices that work in {@link #wave waves} of so many units. */
    Machine withWaves(double... units) {
        System.arraycopy(units, 0, wave, 0, wave.length);
        return this;
    }

    Machine withNoise(double relative) {
        noise = relative;
        return this;
    }

    int lanes() {
        return speed.length;
    }

    /** Present speeds, given who is busy. */
    void speeds(boolean[] busy, double[] into) {
        for (int i = 0; i < speed.length; i++) {
            into[i] = speed[i] * factor[i];
        }
        contention.speeds(busy, into);
    }

    /** A factor about 1; now and then a large one, since the disturbances of real machines are not normal. */
    double jitter() {
        double rare = noise > 0 && random.nextInt(50) == 0 ? 1 + 3 * noise * random.nextDouble() : 1;
        return rare * Math.exp(noise * random.nextGaussian());
    }
}
