package dev.evener;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.image.Sampler;
import dev.evener.image.Sampler.Address;
import dev.evener.image.Sampler.Filter;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a job with images is refused for, and what its units have of them when it is not. */
class ImageJobTest {
    private Evener evener;
    private Image<ManagedBuffer> image; // 10 rows of 8 floats
    private Image<ManagedBuffer> other;

    @BeforeEach
    void open() {
        evener = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open();
        image = evener.image(ImageFormat.R_FLOAT, 8, 10);
        other = evener.image(ImageFormat.R_FLOAT, 8, 10);
    }

    @AfterEach
    void close() {
        evener.close();
    }

    private static JobBuilder rows(int rows) {
        return Job.named("j").range(8, rows).source("text").kernel("k");
    }

    private static void refused(String message, JobBuilder job) {
        EvenerException e = assertThrows(EvenerException.class, job::build);
        assertEquals("job 'j', kernel k: argument 0 " + message, e.getMessage());
    }

    private static final String ADVICE =
            ": a job of images is cut between rows, so give range(width, height), or slice(n) with a number of rows for"
                    + " each unit";

    @Test
    void unitsHaveWholeRows() {
        refused("is an image with 10 rows, which 7 units do not divide" + ADVICE, rows(7).reads(image, slice()));
        refused("is an image with 10 rows, which 20 units do not divide" + ADVICE, rows(20).reads(image, slice()));
        refused(
                "is an image with 10 rows, which are too few for 10 units of 2" + ADVICE,
                rows(10).writes(image, slice(2)));
        refused(
                "is an image with 8 rows from there on, which are too few for 10 units of 1" + ADVICE,
                rows(10).updates(image, slice(1).from(2)));
        refused(
                "is an image with 10 rows, which 80 units do not divide" + ADVICE,
                Job.named("j").units(80).source("text").kernel("k").reads(image, slice()));
        refused(
                "is an image, which has no planes or columns of elements: jobs are cut between its rows, along the last"
                        + " dimension",
                rows(10).reads(image, columns(8)));
        refused("has 10 rows, but all units read 1 from number 10 on", rows(10).reads(image, slice().alsoReads(10, 1)));
    }

    @Test
    void kernelsSeeTheirJob() {
        refused(
                "is an image, which only the job's view shows a kernel; leave out chunkView()",
                Job.named("j")
                        .range(8, 10)
                        .chunkView()
                        .source("text")
                        .kernel("k")
                        .reads(image, slice()));
        assertTrue(JobSpec.of(rows(10).reads(image, slice()).build())
                .phases()
                .get(0)
                .seesJob());
    }

    private static void has(long from, long to, UnaryOperator<JobBuilder> declared) {
        JobSpec job = JobSpec.of(declared.apply(rows(5)).build());
        Argument.Buffer b = (Argument.Buffer) job.phases().get(0).arguments().get(0);
        assertEquals(from, b.seenFrom(0, 2, 1));
        assertEquals(to, b.seenTo(0, 2, 1));
    }

    @Test
    void accessesCountRows() {
        long row = 8 * 4;
        has(4 * row, 6 * row, job -> job.reads(image, slice()));
        has(2 * row, 3 * row, job -> job.reads(image, slice(1)));
        has(row, 5 * row, job -> job.reads(image, slice(1).halo(1, 2)));
        has(5 * row, 6 * row, job -> job.updates(image, slice(1).from(3)));
        has(0, 10 * row, job -> job.reads(image, whole()));
        Image<ManagedBuffer> layers = evener.image(Image.Shape.layers(ImageFormat.R_FLOAT, 8, 3, 5));
        has(2 * 3 * row, 3 * 3 * row, job -> job.writes(layers, slice()));
        assertEquals(5, layers.shape().parts());
    }

    @Test
    void oneKernelDoesNotReadAndWriteAnImage() {
        for (boolean updates : new boolean[] {false, true}) {
            JobBuilder job = rows(10).reads(image, slice());
            JobBuilder both = updates ? job.updates(image, slice()) : job.writes(image, slice());
            String said = assertThrows(EvenerException.class, both::build).getMessage();
            assertTrue(said.contains("argument 1 and argument 0 are one buffer and one of them writes it"), said);
        }
        rows(10).reads(image, slice())
                .reads(image, slice())
                .writes(other, slice())
                .build();
    }

    @Test
    void whatTakesAnImagesPlaceIsAsLarge() {
        Job job =
                rows(10).reads(image, slice().halo(1, 1)).writes(other, slice()).build();
        assertTrue(job.uses(image.pixels()));
        Job swapped = job.swap(image.pixels(), other.pixels());
        assertTrue(swapped.uses(image.pixels()));
        ManagedBuffer larger = evener.allocateManaged(ElementType.FLOAT, 88);
        String said = assertThrows(EvenerException.class, () -> job.with(Map.of(image.pixels(), larger)))
                .getMessage();
        assertTrue(said.endsWith("has 80 elements, and what replaces it must have as many, not 88"), said);
        ManagedBuffer equal = evener.allocateManaged(ElementType.FLOAT, 80);
        assertFalse(job.with(Map.of(image.pixels(), equal)).uses(image.pixels()));
    }

    @Test
    void valuesAreChecked() {
        ManagedBuffer floats = evener.allocateManaged(ElementType.FLOAT, 80);
        assertEquals(
                "an image2d_t of 8 x 9 R FLOAT has 288 bytes, the buffer of 80 float has 320 in elements of 4; give a buffer of as many bytes,"
                        + " whose elements are no larger than a pixel, or a range of one",
                assertThrows(IllegalArgumentException.class, () -> Image.of(floats, ImageFormat.R_FLOAT, 8, 9))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> Image.of(floats, ImageFormat.R_FLOAT, 0, 10));
        assertThrows(
                IllegalArgumentException.class, () -> new Image.Shape(Image.Kind.PLANE, ImageFormat.R_FLOAT, 8, 5, 2));
        assertThrows(
                IllegalArgumentException.class,
                () -> Image.of(evener.allocate(ElementType.INT, 3), ImageFormat.R_UNORM8, 6, 2));
        assertThrows(IllegalArgumentException.class, () -> new Sampler(Filter.NEAREST, Address.REPEAT, false));
        assertTrue(Sampler.nearest().outside(Address.MIRRORED_REPEAT).normalized());
        assertTrue(Sampler.linear().withNormalized().normalized());
        assertEquals(8, new ImageFormat(ImageFormat.Channels.RGBA, ImageFormat.Type.HALF_FLOAT).pixelBytes());
    }
}
