package dev.evener.kernels.pipeline;

import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Evener;
import dev.evener.kernels.Guide;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What docs/pipeline.md shows is what runs here. */
class PipelineGuideTest {
    @Test
    void theGuideShowsTheExample() throws IOException {
        Guide.requireShows("pipeline.md", PipelineExample.class, "stream");
    }

    @Test
    void theExampleWorks() throws InterruptedException {
        List<byte[]> pictures = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            byte[] picture = new byte[PipelineExample.PIXELS];
            for (int p = 0; p < picture.length; p++) {
                picture[p] = (byte) (i + p % (10 + i));
            }
            pictures.add(picture);
        }
        List<byte[]> results = new ArrayList<>();
        try (Evener evener = open("0.0,0.1")) {
            PipelineReport report = PipelineExample.stretch(evener, pictures, results::add);
            assertEquals(20, report.items());
        }
        for (int i = 0; i < 20; i++) {
            for (int p = 0; p < PipelineExample.PIXELS; p++) {
                assertEquals(255 * (p % (10 + i)) / (9 + i), results.get(i)[p] & 255, "picture " + i + ", pixel " + p);
            }
        }
    }
}
