package dev.evener;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checking mode and images: rows that a kernel should not see hold something else in each run. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(2)
class CheckedImagesTest {
    private static final int WIDTH = 12;
    private static final int HEIGHT = 40;

    private static final String SOURCE = """
            const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
            #define PLACE int2 p = (int2)(get_global_id(0), get_global_id(1))
            kernel void sum_of_five(read_only image2d_t in, write_only image2d_t out) {
                PLACE;
                float sum = 0;
                for (int d = -2; d <= 2; d++) sum += (d + 3) * read_imagef(in, edge, p + (int2)(0, d)).x;
                write_imagef(out, p, sum);
            }
            kernel void mirrored(read_only image2d_t in, write_only image2d_t out) {
                PLACE;
                write_imagef(out, p, read_imagef(in, edge, (int2)(p.x, get_image_height(in) - 1 - p.y)));
            }
            kernel void row_below(read_only image2d_t in, write_only image2d_t out) {
                PLACE;
                if (p.y + 1 < get_image_height(out)) write_imagef(out, p + (int2)(0, 1), read_imagef(in, edge, p));
            }
            kernel void beside(read_only image2d_t in, write_only image2d_t out) {
                PLACE;
                write_imagef(out, p + (p.y == AT ? BY : (int2)(0, 0)), read_imagef(in, edge, p));
            }
            kernel void every_other(read_only image2d_t in, write_only image2d_t out) {
                PLACE;
                if (p.x % 2 == 0) write_imagef(out, p, read_imagef(in, edge, p));
            }
            """;

    private Evener evener;

    @BeforeAll
    void open() {
        evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .checked()
                .open();
    }

    @AfterAll
    void close() {
        evener.close();
    }

    private Job job(String kernel, UnaryOperator<Access> read, boolean all) {
        return job(kernel, KernelSource.of("check", SOURCE).withOptions("-D AT=0 -D BY=0"), read, all);
    }

    private Job job(String kernel, KernelSource source, UnaryOperator<Access> read, boolean all) {
        Image<ManagedBuffer> in = evener.image(ImageFormat.R_FLOAT, WIDTH, HEIGHT);
        Image<ManagedBuffer> out = evener.image(ImageFormat.R_FLOAT, WIDTH, HEIGHT);
        in.pixels().overwrite(view -> {
            for (int i = 0; i < WIDTH * HEIGHT; i++) {
                view.floats().put(i, i * 0.37f % 5);
            }
        });
        JobBuilder job = Job.named("check")
                .source(source)
                .range(WIDTH, HEIGHT)
                .kernel(kernel)
                .reads(in, read.apply(slice()));
        return (all ? job.writes(out, slice()) : job.updates(out, slice())).build();
    }

    private void passes(Job job) {
        Report report = evener.submit(job).join();
        assertEquals(List.of(), report.failures());
    }

    private void fails(Job job, String reason) {
        String said = assertThrows(
                        CompletionException.class, () -> evener.submit(job).join())
                .getCause()
                .getMessage();
        assertTrue(said.contains(reason), said);
    }

    @Test
    void rightDeclarationsPass() {
        passes(job("sum_of_five", slice -> slice().halo(2, 2), true));
        passes(job("mirrored", slice -> whole(), true));
        passes(job("every_other", slice -> slice, false));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aHaloThatIsARowShortIsFound(int before) {
        fails(
                job("sum_of_five", slice -> slice().halo(before, 3 - before), true),
                "kernel sum_of_five, argument 0: the kernel reads outside of the chunk's part; declare a (larger) halo,"
                        + " or whole()");
    }

    @Test
    void rowsThatAreReadElsewhereAreFound() {
        fails(
                job("mirrored", slice -> slice, true),
                "kernel mirrored, argument 0: the kernel reads outside of the chunk's part");
    }

    @Test
    void aRowOfAnotherUnitIsNotWritten() {
        for (boolean all : new boolean[] {true, false}) {
            fails(
                    job("row_below", slice -> slice, all),
                    "kernel row_below, argument 1: the kernel writes outside of what it was given");
        }
    }

    /** What drivers do not write, in whatever way: PoCL 3.1 leaves it out. */
    @ParameterizedTest
    @ValueSource(strings = {"AT=0 -D BY=(int2)(0,-1)", "AT=39 -D BY=(int2)(0,1)", "AT=20 -D BY=(int2)(-90000,0)"})
    void whatIsWrittenBesideAnImageIsMissed(String options) {
        KernelSource source = KernelSource.of("beside", SOURCE).withOptions("-D " + options);
        fails(
                job("beside", source, slice -> slice, true),
                "kernel beside, argument 1: the kernel does not write unit ");
    }

    @Test
    void pixelsThatAreLeftOutAreFound() {
        fails(
                job("every_other", slice -> slice, true),
                "kernel every_other, argument 1: the kernel does not write unit ");
    }
}
