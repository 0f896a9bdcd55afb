package dev.evener.kernels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole streams on a virtual clock: with a second device none is slower than with the best one alone, and it is used if it helps. */
class DistributedStreamTest {
    private static final int MANY = 4000;

    /** With both devices each is slowed down, so that the first alone is a third faster. */
    private static final SimulatedStream.Speed DISTURBED = (who, busy, threads) -> busy[0] + busy[1] == 2 ? 0.45 : 1;

    private static SimulatedStream stream(double noise, SimulatedStream.Speed speed, double... nanos) {
        SimulatedStream stream = new SimulatedStream(nanos);
        stream.noise = noise;
        stream.speed = (who, busy, threads) -> who < 0 ? 1 : speed.of(who, busy, threads);
        return stream;
    }

    private static SimulatedStream independent(double noise, double... nanos) {
        return stream(noise, (who, busy, threads) -> 1, nanos);
    }

    private static void assertAtLeast(double wanted, double is) {
        assertTrue(is >= wanted, is + " instead of " + wanted);
    }

    @ParameterizedTest
    @CsvSource({"1e6, 1e6, 0.05", "1e6, 1e6, 0.2", "1e6, 3e6, 0.05", "1e6, 3e6, 0.2"})
    void devicesThatDoNotDisturbEachOtherAreBothUsed(double first, double second, double noise) {
        double took = 0;
        for (int seed = 0; seed < 8; seed++) {
            SimulatedStream stream = independent(noise, first, second);
            stream.random = new Random(seed);
            took += stream.run(MANY) / 8;
        }
        double mean = Math.exp(noise * noise / 2); // of the noise
        assertAtLeast(0.97, MANY * mean / (1 / first + 1 / second) / took);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.2})
    void aDeviceThatSlowsTheStreamDownIsLeftOut(double noise) {
        SimulatedStream both = stream(noise, DISTURBED, 1e6, 1.5e6);
        double alone = independent(noise, 1e6).run(MANY);
        assertAtLeast(0.96, alone / both.run(MANY));
        assertAtLeast(0.96, (double) both.done[0] / MANY);
    }

    /** A device of sixteen threads beside one with work for the host, whose readers are its bottleneck. */
    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.2})
    void aDeviceThatDelaysTheHostIsLeftOut(double noise) {
        double[] took = new double[2];
        for (int d = 0; d < 2; d++) {
            SimulatedStream stream = new SimulatedStream(d == 0 ? new double[] {1e6} : new double[] {1e6, 4e6});
            stream.noise = noise;
            stream.readers = 8;
            stream.read = 7e6;
            stream.slots = 15;
            stream.speed = (who, busy, threads) ->
                    who == 0 ? 1 : Math.min(1, 16.0 / (threads + busy[0] + (busy.length > 1 ? 16 * busy[1] : 0)));
            took[d] = stream.run(MANY);
        }
        assertAtLeast(0.97, took[0] / took[1]);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.2})
    void whereTheHostIsTheBottleneckNothingIsLost(double noise) {
        double[] took = new double[2];
        for (int d = 0; d < 2; d++) {
            SimulatedStream stream = d == 0 ? independent(noise, 1e6) : independent(noise, 1e6, 1e6);
            stream.readers = 2;
            stream.read = 4e6;
            took[d] = stream.run(MANY);
        }
        assertAtLeast(0.98, took[0] / took[1]);
    }

    /** Of a stream in which the times change in its middle, the items per second from 1,500 items later on. */
    private static double afterwards(SimulatedStream stream, Consumer<SimulatedStream> change) {
        double[] from = new double[1];
        stream.atItem = items -> {
            if (items == MANY) {
                change.accept(stream);
            } else if (items == MANY + 1500) {
                from[0] = stream.now;
            }
        };
        stream.run(MANY + 2500);
        return 1000 * 1e9 / (stream.now - from[0]);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.2})
    void changesOfSpeedAreNoticed(double noise) {
        assertAtLeast(0.93 * 1250, afterwards(independent(noise, 1e6, 1e6), s -> s.nanos[1] *= 4));
        assertAtLeast(0.93 * 5000, afterwards(independent(noise, 1e6, 1e6), s -> s.nanos[1] /= 4));
        // One is left out, and then the faster by far, as it or the one in use has changed.
        assertAtLeast(0.93 * 2667, afterwards(stream(noise, DISTURBED, 1e6, 1.5e6), s -> s.nanos[1] /= 4));
        assertAtLeast(0.93 * 667, afterwards(stream(noise, DISTURBED, 1e6, 1.5e6), s -> s.nanos[0] *= 4));
        // One is left out, and then disturbs no more.
        SimulatedStream.Speed none = (who, busy, threads) -> 1;
        assertAtLeast(0.93 * 1667, afterwards(stream(noise, DISTURBED, 1e6, 1.5e6), s -> s.speed = none));
    }

    /** Pictures of 1024 x 512 and of 8K in random order; what one stream takes is up to chance. */
    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.2})
    void itemsOfVeryDifferentSizes(double noise) {
        double[] took = new double[3];
        for (int seed = 0; seed < 8; seed++) {
            SimulatedStream[] streams = {
                independent(noise, 1e6), stream(noise, DISTURBED, 1e6, 1.5e6), independent(noise, 1e6, 1e6)
            };
            for (int s = 0; s < streams.length; s++) {
                streams[s].sizes = new double[] {1, 1, 1, 64};
                streams[s].random = new Random(seed);
                took[s] += streams[s].run(MANY);
            }
        }
        assertAtLeast(0.9, took[0] / took[1]);
        assertAtLeast(1.6, took[0] / took[2]);
    }

    /** Streams of 20 items, which end before the first look, compared with one device, and with how they were before there were looks. */
    @ParameterizedTest
    @CsvSource({
        "0.05, 1e6, 1.931",
        "0.05, 3e6, 1.251",
        "0.05, 6e6, 0.977",
        "0.2, 1e6, 1.910",
        "0.2, 3e6, 1.233",
        "0.2, 6e6, 0.974"
    })
    void shortStreamsAreNotHurt(double noise, double second, double before) {
        double alone = 0;
        double both = 0;
        for (int seed = 0; seed < 40; seed++) {
            SimulatedStream one = independent(noise, 1e6);
            SimulatedStream two = independent(noise, 1e6, second);
            one.random = new Random(seed);
            two.random = new Random(seed);
            alone += one.run(20);
            both += two.run(20);
        }
        assertAtLeast(0.95 * before, alone / both);
    }

    @Test
    void looksCostNoMoreThanTheyMay() {
        SimulatedStream with = independent(0.05, 1e6, 20e6);
        double alone = independent(0.05, 1e6).run(10_000);
        assertAtLeast(0.97, alone / with.run(10_000));
        assertEquals(10_000, with.done[0] + with.done[1], 100);
    }
}
