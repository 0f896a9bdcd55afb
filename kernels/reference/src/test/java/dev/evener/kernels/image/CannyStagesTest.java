package dev.evener.kernels.image;

import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.Buffers;
import dev.evener.kernels.pipeline.ItemReport;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.pipeline.PipelineBuilder;
import dev.evener.kernels.reference.CannyReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In stages, on any devices, Canny's edges are those of the one job, and of the reference. */
class CannyStagesTest {
    private static final int LOW = 40;
    private static final int HIGH = 300;
    private static final int REPEATS = 4;

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0.0,0.1; true; 0.0; 0.1",
                "0.0,0.1; true; 0.1; 0.0",
                "0.0,0.1; true; 0.0; all",
                "0.0,0.1; true; all; all",
                "0.0,0.1; false; 0.0; 0.1",
                "0.0,0.1; false; all; all",
                "0.1,1.0; true; 0.1; 1.0",
                "0.0,0.1,1.0,jvm; true; 0.0,1.0; 0.1,jvm",
                "0.0,0.1,1.0,jvm; true; jvm; all",
                "jvm; true; jvm; jvm",
            })
    void theEdgesOfTheOneJob(String devices, boolean sharing, String first, String second) throws Exception {
        try (Evener evener = open(devices, sharing)) {
            // llvmpipe, which ends loops early, refuses hysteresis in wide tiles.
            int width = second.equals("1.0") ? 100 : 256;
            for (Map.Entry<ImageSize, List<Images.Image>> each : bySize(width).entrySet()) {
                Map<Integer, byte[]> edges = run(
                        evener,
                        each.getKey(),
                        each.getValue(),
                        pipeline -> pipeline.stage("classes", DeviceSelector.parse(first), Slot::classes)
                                .stage("hysteresis", DeviceSelector.parse(second), Slot::hysteresis));
                List<Images.Image> images = each.getValue();
                for (int i = 0; i < images.size(); i++) {
                    Images.Image image = images.get(i);
                    byte[] expected = oneJob(evener, image);
                    assertArrayEquals(CannyReference.edges(image.size(), image.pixels(), LOW, HIGH), expected);
                    for (int k = i; k < REPEATS * images.size(); k += images.size()) {
                        assertArrayEquals(expected, edges.get(k), image::toString);
                    }
                }
            }
        }
    }

    private static Map<ImageSize, List<Images.Image>> bySize(int widthOfTallest) {
        Map<ImageSize, List<Images.Image>> bySize = new HashMap<>();
        for (Images.Image image : Images.all()) {
            bySize.computeIfAbsent(image.size(), size -> new ArrayList<>()).add(image);
        }
        Images.Image tall = new Images.Image(new ImageSize(widthOfTallest, 300), Images.Kind.MEANDER);
        bySize.put(tall.size(), List.of(tall, new Images.Image(tall.size(), Images.Kind.NOISE)));
        return bySize;
    }

    private static Map<Integer, byte[]> run(
            Evener evener, ImageSize size, List<Images.Image> images, UnaryOperator<PipelineBuilder<Slot>> stages)
            throws InterruptedException {
        Map<Integer, byte[]> edges = new ConcurrentHashMap<>();
        List<CompletableFuture<ItemReport>> all = new ArrayList<>();
        try (Pipeline<Slot> pipeline = stages.apply(Pipeline.over(evener, 3, () -> Slot.of(evener, size)))
                .host("sink", 1, (slot, r) -> edges.put(edges.size(), Buffers.bytes(slot.edges, size.pixels())))
                .open()) {
            for (int i = 0; i < REPEATS * images.size(); i++) {
                Slot slot = pipeline.acquire();
                slot.grey.bytes().put(images.get(i % images.size()).pixels());
                all.add(pipeline.submit(slot));
            }
            all.forEach(CompletableFuture::join);
            assertEquals((long) REPEATS * images.size(), pipeline.report().items());
        }
        return edges;
    }

    private static byte[] oneJob(Evener evener, Images.Image image) {
        try (HostBuffer grey = Buffers.of(evener, image.pixels());
                HostBuffer edges =
                        evener.allocate(ElementType.UBYTE, image.size().pixels())) {
            Canny.edges(evener, image.size(), grey, edges, LOW, HIGH);
            return Buffers.bytes(edges, image.size().pixels());
        }
    }

    @Test
    void wholeImagesAsOneJob() throws InterruptedException {
        try (Evener evener = open("0.0,0.1", true)) {
            Images.Image image = new Images.Image(new ImageSize(384, 70), Images.Kind.SHAPES);
            byte[] expected = oneJob(evener, image);
            for (String devices : List.of("0.0", "0.1", "all")) {
                run(
                                evener,
                                image.size(),
                                List.of(image),
                                p -> p.stage("canny", DeviceSelector.parse(devices), Slot::whole))
                        .values()
                        .forEach(edges -> assertArrayEquals(expected, edges));
            }
        }
    }

    @Test
    void refusals() {
        try (Evener evener = open("0.0", true);
                Slot slot = Slot.of(evener, new ImageSize(8, 8))) {
            assertThrows(IllegalArgumentException.class, () -> slot.canny.classesJob(slot.size, slot.grey, 3, 2));
            assertThrows(
                    IllegalArgumentException.class, () -> slot.canny.classesJob(new ImageSize(9, 8), slot.grey, 2, 3));
            assertThrows(
                    IllegalArgumentException.class, () -> slot.canny.hysteresisJob(new ImageSize(9, 8), slot.edges));
        }
    }

    private record Slot(Canny canny, ImageSize size, HostBuffer grey, HostBuffer edges) implements AutoCloseable {
        static Slot of(Evener evener, ImageSize size) {
            return new Slot(
                    new Canny(evener::allocate),
                    size,
                    evener.allocate(ElementType.UBYTE, size.pixels()),
                    evener.allocate(ElementType.UBYTE, size.pixels()));
        }

        Job whole() {
            return canny.job(size, grey, edges, LOW, HIGH);
        }

        Job classes() {
            return canny.classesJob(size, grey, LOW, HIGH);
        }

        Job hysteresis() {
            return canny.hysteresisJob(size, edges);
        }

        @Override
        public void close() {
            canny.close();
            grey.close();
            edges.close();
        }
    }
}
