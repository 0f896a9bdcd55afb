package dev.evener.kernels.tonemap;

import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.LongTests;
import dev.evener.kernels.Buffers;
import dev.evener.kernels.pipeline.ItemReport;
import dev.evener.kernels.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In stages, on any devices, frames become the pixels of the one job, each with the exposure of its own statistics. */
class ToneMapStagesTest {
    private static final List<FrameLayout> LAYOUTS = List.of(
            new FrameLayout(33, 129), new FrameLayout(1, 1), new FrameLayout(1000, 61), new FrameLayout(16, 64));
    private static final int FRAMES = 16;

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0.0,0.1; true; 0.0; 0.1",
                "0.0,0.1; true; 0.1; 0.0",
                "0.0,0.1; true; all; all",
                "0.0,0.1; false; 0.0; 0.1",
                "0.1,1.0; true; 1.0; 0.1",
                "0.0,0.1,1.0,jvm; true; 0.0,1.0; 0.1,jvm",
                "0.0,0.1,1.0,jvm; true; all; jvm",
                "jvm; true; jvm; jvm",
            })
    void thePixelsOfTheOneJob(String devices, boolean sharing, String first, String second) throws Exception {
        try (Evener evener = open(devices, sharing)) {
            for (Operator operator :
                    LongTests.inTurn(3, List.of(Operator.REINHARD_EXTENDED, Operator.ACES, Operator.DRAGO))) {
                ToneMapSettings settings = ToneMapSettings.of(operator);
                Map<Integer, int[]> pixels = new ConcurrentHashMap<>();
                Map<Integer, FrameStatistics> statistics = new ConcurrentHashMap<>();
                List<CompletableFuture<ItemReport>> all = new ArrayList<>();
                try (Pipeline<Slot> pipeline = Pipeline.over(evener, 3, () -> new Slot(evener))
                        .stage("statistics", DeviceSelector.parse(first), slot -> slot.statisticsJob(settings))
                        .stage("map", DeviceSelector.parse(second), slot -> slot.mapJob(settings))
                        .host("sink", 1, (frame, r) -> {
                            int number = pixels.size();
                            pixels.put(
                                    number,
                                    Buffers.ints(frame.pixels, layout(number).words()));
                            statistics.put(number, frame.mapper.statistics());
                        })
                        .open()) {
                    for (int i = 0; i < FRAMES; i++) {
                        Slot slot = pipeline.acquire();
                        slot.layout = layout(i);
                        slot.floats.floats().put(values(i));
                        all.add(pipeline.submit(slot));
                    }
                    all.forEach(CompletableFuture::join);
                }
                try (ToneMapper mapper = new ToneMapper(evener::allocate)) {
                    for (int i = 0; i < FRAMES; i++) {
                        assertArrayEquals(
                                oneJob(evener, mapper, i, settings), pixels.get(i), operator + ", frame " + i);
                        assertEquals(mapper.statistics(), statistics.get(i));
                    }
                }
            }
        }
    }

    private static FrameLayout layout(int number) {
        return LAYOUTS.get(number % LAYOUTS.size());
    }

    /** Each frame much brighter than the one before. */
    private static float[] values(int number) {
        FrameLayout layout = layout(number);
        try (HostBuffer frame = Frames.special(layout, number)) {
            float[] values = Buffers.floats(frame, layout.floats());
            for (int i = 0; i < values.length; i++) {
                values[i] = Float.isFinite(values[i]) && Math.abs(values[i]) < 1e6
                        ? values[i] * (1 << number % 8)
                        : values[i];
            }
            return values;
        }
    }

    private static int[] oneJob(Evener evener, ToneMapper mapper, int number, ToneMapSettings settings) {
        FrameLayout layout = layout(number);
        try (HostBuffer frame = Buffers.of(evener, values(number));
                HostBuffer pixels = evener.allocate(ElementType.UINT, layout.words())) {
            evener.submit(mapper.job(layout, frame, pixels, settings)).join();
            return Buffers.ints(pixels, layout.words());
        }
    }

    @Test
    void withoutStatisticsThereIsOneStage() {
        try (Evener evener = open("0.0");
                Slot slot = new Slot(evener)) {
            assertThrows(IllegalArgumentException.class, () -> slot.statisticsJob(ToneMapSettings.of(Operator.FILM)));
        }
    }

    /** With room for each of the layouts. */
    private static final class Slot implements AutoCloseable {
        final ToneMapper mapper;
        final HostBuffer floats;
        final HostBuffer pixels;
        FrameLayout layout = LAYOUTS.get(0);

        Slot(Evener evener) {
            mapper = new ToneMapper(evener::allocate);
            floats = evener.allocate(
                    ElementType.FLOAT,
                    LAYOUTS.stream().mapToInt(FrameLayout::floats).max().orElseThrow());
            pixels = evener.allocate(
                    ElementType.UINT,
                    LAYOUTS.stream().mapToInt(FrameLayout::words).max().orElseThrow());
        }

        Job statisticsJob(ToneMapSettings settings) {
            return mapper.statisticsJob(layout, layout, PixelCoding.FLOATS, null, floats, settings);
        }

        Job mapJob(ToneMapSettings settings) {
            return mapper.mapJob(layout, floats, pixels, settings);
        }

        @Override
        public void close() {
            mapper.close();
            floats.close();
            pixels.close();
        }
    }
}
