package dev.evener;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.image.ImageFormat.RGBA_UINT8;
import static dev.evener.image.ImageFormat.R_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.image.Sampler;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Images in all the ways in which buffers can be arguments of jobs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ImageArgumentsTest {
    private static final int WIDTH = 24;
    private static final int HEIGHT = 20;
    private static final int PIXELS = WIDTH * HEIGHT;

    private static final String SOURCE = """
            const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
            #define PLACE int2 p = (int2)(get_global_id(0), get_global_id(1))
            kernel void twice(read_only image2d_t in, write_only image2d_t out) {
                PLACE;
                write_imagef(out, p, 2 * read_imagef(in, edge, p));
            }
            kernel void around(read_only image2d_t in, write_only image2d_t out) {
                PLACE;
                write_imagef(out, p, read_imagef(in, edge, p - (int2)(0, 1)) + read_imagef(in, edge, p + (int2)(0, 1)));
            }
            kernel void mirrored(read_only image2d_t in, write_only image2d_t out) {
                PLACE;
                write_imagef(out, p, read_imagef(in, edge, (int2)(p.x, get_image_height(in) - 1 - p.y)));
            }
            kernel void scatter(read_only image2d_t in, write_only image2d_t out) {
                PLACE;
                write_imagef(out, (int2)(p.x, get_image_height(out) - 1 - p.y), read_imagef(in, edge, p));
            }
            kernel void plus_one(global float *x) { x[get_global_id(0)] += 1; }
            """;

    /** In a text of its own: Mesa 22 ends the process when one text has a sampler and a parameter for another. */
    private static final String SAMPLED = """
            kernel void sampled(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
                int2 p = (int2)(get_global_id(0), get_global_id(1));
                write_imagef(out, p, read_imagef(in, s, convert_float2(p) + 0.75f));
            }
            """;

    private enum Devices {
        IN_ONE_CONTEXT,
        THROUGH_TRANSFERS
    }

    private final Map<Devices, Evener> eveners = new EnumMap<>(Devices.class);

    private Evener evener(Devices which) {
        return eveners.computeIfAbsent(which, its -> {
            EvenerBuilder builder =
                    Evener.builder().devices(DeviceSelector.parse("0.0,0.1")).history(History.inMemory());
            return (its == Devices.IN_ONE_CONTEXT
                            ? builder
                            : builder.contexts(Contexts.OWN).sharedMemory(false))
                    .open();
        });
    }

    @AfterAll
    void close() {
        eveners.values().forEach(Evener::close);
        assertEquals(Map.of(), NativeLedger.live(), "left over");
    }

    private static Image<ManagedBuffer> numbers(Evener evener, int step) {
        Image<ManagedBuffer> made = evener.image(R_FLOAT, WIDTH, HEIGHT);
        fill(made, step);
        return made;
    }

    private static void fill(Image<ManagedBuffer> image, int step) {
        image.pixels().overwrite(view -> {
            for (int i = 0; i < PIXELS; i++) {
                view.floats().put(i, step * i);
            }
        });
    }

    private static float[] read(Image<ManagedBuffer> image) {
        float[] all = new float[PIXELS];
        image.pixels().read(view -> view.floats().get(all));
        return all;
    }

    private static float[] expected(UnaryOperator<Integer> row, int step) {
        float[] all = new float[PIXELS];
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                all[y * WIDTH + x] = step * (row.apply(y) * WIDTH + x);
            }
        }
        return all;
    }

    private static JobBuilder job(String kernel) {
        return Job.named("images")
                .source(SOURCE)
                .range(WIDTH, HEIGHT)
                .policy(Policies.fixed(0.5, 0.5))
                .kernel(kernel);
    }

    private static Report run(Evener evener, Job job) {
        Report report = evener.submit(job).join();
        assertEquals(List.of(), report.failures());
        return report;
    }

    @ParameterizedTest
    @EnumSource
    void aBufferIsAnImageToOneKernelAndNoneToAnother(Devices which) {
        Evener evener = evener(which);
        Image<ManagedBuffer> in = numbers(evener, 1);
        Image<ManagedBuffer> out = evener.image(R_FLOAT, WIDTH, HEIGHT);
        run(
                evener,
                Job.named("both")
                        .source(SOURCE)
                        .policy(Policies.fixed(0.5, 0.5))
                        .range(WIDTH, HEIGHT)
                        .kernel("twice")
                        .reads(in, slice())
                        .writes(out, slice())
                        .kernel("mirrored")
                        .reads(out, whole())
                        .writes(in, slice())
                        .build());
        assertArrayEquals(expected(y -> HEIGHT - 1 - y, 2), read(in));
        run(
                evener,
                Job.named("plus")
                        .source(SOURCE)
                        .units(PIXELS)
                        .kernel("plus_one")
                        .updates(in.pixels(), slice())
                        .build());
        assertEquals(2 * (HEIGHT - 1) * WIDTH + 1, read(in)[0]);
    }

    /** What one lane wrote in a phase another one reads in the next, of an image that both have seen before. */
    @ParameterizedTest
    @EnumSource
    void whatAllUnitsReadIsThereAsOftenAsItChanges(Devices which) {
        Evener evener = evener(which);
        Image<ManagedBuffer> in = numbers(evener, 1);
        Image<ManagedBuffer> out = evener.image(R_FLOAT, WIDTH, HEIGHT);
        for (Policy policy : List.of(Policies.fixed(0.5, 0.5), Policies.guided(10), Policies.single(1))) {
            Job there = job("mirrored").reads(in, whole()).writes(out, slice()).build();
            for (int round = 0; round < 4; round++) {
                run(evener, there.swap(in.pixels(), round % 2 == 0 ? in.pixels() : out.pixels()));
            }
            fill(in, 3);
            evener.submit(there, policy, History.inMemory()).join();
            assertArrayEquals(expected(y -> HEIGHT - 1 - y, 3), read(out));
            evener.submit(job("twice").reads(out, slice()).writes(in, slice()).build())
                    .join();
            evener.submit(there, policy, History.inMemory()).join();
            assertArrayEquals(expected(y -> y, 6), read(out));
        }
    }

    @ParameterizedTest
    @EnumSource
    void severalKernelsOfAPhaseShareAnImage(Devices which) {
        Evener evener = evener(which);
        Image<ManagedBuffer> in = numbers(evener, 1);
        Image<ManagedBuffer> between = evener.image(R_FLOAT, WIDTH, HEIGHT);
        Image<ManagedBuffer> out = evener.image(R_FLOAT, WIDTH, HEIGHT);
        run(
                evener,
                job("twice")
                        .reads(in, slice())
                        .writes(between, slice())
                        .then("twice")
                        .reads(between, slice())
                        .writes(out, slice())
                        .build());
        assertArrayEquals(expected(y -> y, 4), read(out));
        assertArrayEquals(expected(y -> y, 2), read(between));
    }

    @ParameterizedTest
    @EnumSource
    void undividedJobsReadAndWriteAnywhere(Devices which) {
        Evener evener = evener(which);
        Image<ManagedBuffer> in = numbers(evener, 1);
        Image<ManagedBuffer> out = evener.image(R_FLOAT, WIDTH, HEIGHT);
        run(
                evener,
                Job.named("scatter")
                        .source(SOURCE)
                        .range(WIDTH, HEIGHT)
                        .undivided()
                        .kernel("scatter")
                        .reads(in, whole())
                        .writes(out, whole())
                        .build());
        assertArrayEquals(expected(y -> HEIGHT - 1 - y, 1), read(out));
    }

    /** Steps that go behind each other on the lanes, in which what the neighbour wrote is read. */
    @ParameterizedTest
    @EnumSource
    void stepsFollowEachOther(Devices which) {
        Evener evener = evener(which);
        Image<ManagedBuffer> one = numbers(evener, 1);
        Image<ManagedBuffer> other = evener.image(R_FLOAT, WIDTH, HEIGHT);
        Job there = job("around")
                .reads(one, slice().halo(1, 1))
                .writes(other, slice())
                .build();
        Job back = there.swap(one.pixels(), other.pixels());
        float[] now = expected(y -> y, 1);
        for (int i = 0; i < 12; i++) {
            if (i % 4 == 3) {
                run(evener, there.then(List.of(back)).orElseThrow());
            } else {
                JobFuture first = evener.submit(there);
                evener.submit(back).join(); // behind the first, which has not ended when it is submitted
                first.join();
            }
            for (int step = 0; step < 2; step++) {
                float[] next = new float[PIXELS];
                for (int p = 0; p < PIXELS; p++) {
                    next[p] = now[p < WIDTH ? p : p - WIDTH] + now[p + WIDTH < PIXELS ? p + WIDTH : p];
                }
                now = next;
            }
        }
        assertArrayEquals(now, read(one));
    }

    /** Memory that the application has, a part of a buffer, and chunks that may be taken away. */
    @ParameterizedTest
    @EnumSource
    void anImageLiesOverAnyBuffer(Devices which) {
        Evener evener = evener(which);
        HostBuffer host = evener.allocate(ElementType.UBYTE, 4L * PIXELS);
        ManagedBuffer large = evener.allocateManaged(ElementType.FLOAT, 3L * PIXELS);
        Image<HostBuffer> in = Image.of(host, R_FLOAT, WIDTH, HEIGHT);
        Image<DataBuffer> out = Image.of(large.range(PIXELS - 7, PIXELS), R_FLOAT, WIDTH, HEIGHT);
        for (int round = 1; round < 4; round++) {
            for (int i = 0; i < PIXELS; i++) {
                host.floats().put(i, round * i);
            }
            JobBuilder job =
                    Job.named("over").source(SOURCE).range(WIDTH, HEIGHT).policy(Policies.guided(6));
            if (round == 2) {
                job.chunkDeadline(Duration.ofMinutes(1));
            }
            run(
                    evener,
                    job.kernel("mirrored")
                            .reads(in, whole())
                            .writes(out, slice())
                            .build());
            float[] found = new float[PIXELS];
            float[] beside = new float[2];
            try (ManagedBuffer.Scope view = large.read()) {
                view.floats().get(PIXELS - 7, found);
                beside[0] = view.floats().get(PIXELS - 8);
                beside[1] = view.floats().get(2 * PIXELS - 7);
            }
            assertArrayEquals(expected(y -> HEIGHT - 1 - y, round), found);
            assertArrayEquals(new float[2], beside);
        }
    }

    /** Each driver has its own means of pixels, of which a cut between two would show. */
    @ParameterizedTest
    @ValueSource(strings = {"argument", "text", "neither"})
    void devicesThatFilterInWaysOfTheirOwnDoNotShareAJob(String where) {
        String linear = "const sampler_t own = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;\n";
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1,1.0"))
                .history(History.inMemory())
                .open()) {
            Image<ManagedBuffer> in = numbers(evener, 1);
            Image<ManagedBuffer> out = evener.image(R_FLOAT, WIDTH, HEIGHT);
            Report report = run(
                    evener,
                    Job.named("means")
                            .source((where.equals("text") ? linear : "") + SAMPLED)
                            .range(WIDTH, HEIGHT)
                            .policy(Policies.fixed())
                            .kernel("sampled")
                            .reads(in, whole())
                            .writes(out, slice())
                            .sampler(where.equals("argument") ? Sampler.linear() : Sampler.nearest())
                            .build());
            List<String> devices =
                    report.devices().stream().map(Report.DeviceUse::id).toList();
            assertEquals(where.equals("neither") ? List.of("0.0", "0.1", "1.0") : List.of("0.0", "0.1"), devices);
            float[] found = read(out);
            assertEquals(where.equals("argument") ? (WIDTH + 1) * 0.25f : 0, found[0], 1e-5f);
            assertEquals(where.equals("argument") ? 25 + (WIDTH + 1) * 0.25f : 25, found[25], 1e-5f);
        }
    }

    private static List<ImageFormat> formats() {
        return Arrays.stream(ImageFormat.Channels.values())
                .flatMap(channels ->
                        Arrays.stream(ImageFormat.Type.values()).map(type -> new ImageFormat(channels, type)))
                .toList();
    }

    /** Every format that a device has goes through it unchanged, and of the others it says that it has none. */
    @ParameterizedTest
    @ValueSource(strings = {"0.0", "1.0"})
    void aFormatIsThereOrItIsSaidThatItIsNot(String device) {
        List<ImageFormat> there = new ArrayList<>();
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse(device))
                .history(History.inMemory())
                .open()) {
            for (ImageFormat format : formats()) {
                ElementType type = format.type().element();
                String suffix = format.type().name().startsWith("S")
                                && format.type().name().contains("IGNED")
                        ? "i"
                        : format.type().name().startsWith("UNSIGNED") ? "ui" : "f";
                Image<ManagedBuffer> in = evener.image(format, 5, 6);
                Image<ManagedBuffer> out = evener.image(format, 5, 6);
                byte[] bytes = new byte[Math.toIntExact(in.shape().bytes())];
                for (int i = 0; i < bytes.length; i++) { // small numbers of each type
                    bytes[i] = (byte) (i % type.bytes() == type.bytes() - 1 ? 0x3C + i % 3 : i * 8 % 96);
                }
                in.pixels().overwrite(view -> view.bytes().put(bytes));
                Job copy = Job.named("copy")
                        .source(SOURCE.lines().limit(2).collect(Collectors.joining("\n")) + "\nkernel void copy"
                                + "(read_only image2d_t in, write_only image2d_t out) { PLACE; write_image" + suffix
                                + "(out, p, read_image" + suffix + "(in, edge, p)); }")
                        .range(5, 6)
                        .policy(Policies.guided(3))
                        .kernel("copy")
                        .reads(in, slice())
                        .writes(out, slice())
                        .build();
                try {
                    evener.submit(copy).join();
                } catch (CompletionException e) {
                    String said = e.getCause().getMessage();
                    String has =
                            "argument 0 is an image2d_t of 5 x 6 " + format + ", which device " + device + " has not: ";
                    assertTrue(
                            said.contains(has + "it has no images of this format that kernels read")
                                    || said.contains(has + "kernels do not copy them right"),
                            said);
                    continue;
                }
                there.add(format);
                byte[] found = new byte[bytes.length];
                out.pixels().read(view -> view.bytes().get(found));
                assertArrayEquals(bytes, found, format.toString());
            }
        }
        assertTrue(there.containsAll(List.of(ImageFormat.RGBA_FLOAT, RGBA_UINT8, ImageFormat.RGBA_UNORM8, R_FLOAT)));
    }

    /** Where one device lacks the format, the others do the job. */
    @Test
    void aDeviceWithoutTheFormatIsLeftOut() {
        ImageFormat rare = new ImageFormat(ImageFormat.Channels.A, ImageFormat.Type.FLOAT);
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,1.0"))
                .history(History.inMemory())
                .open()) {
            Image<ManagedBuffer> in = Image.of(numbers(evener, 1).pixels(), rare, WIDTH, HEIGHT);
            Image<ManagedBuffer> out = evener.image(rare, WIDTH, HEIGHT);
            Report report = evener.submit(
                            job("twice").reads(in, slice()).writes(out, slice()).build())
                    .join();
            assertTrue(
                    report.failures()
                            .toString()
                            .contains("cannot build it: kernel twice, argument 0 is an image2d_t of"),
                    report::toString);
            for (ImageFormat format : List.of(R_FLOAT, rare)) { // what one has and the other has not is told apart
                Job again = job("twice")
                        .reads(Image.of(in.pixels(), format, WIDTH, HEIGHT), slice())
                        .writes(Image.of(out.pixels(), format, WIDTH, HEIGHT), slice())
                        .build();
                List<Report.DeviceUse> uses = evener.submit(again).join().devices();
                assertEquals(
                        format.equals(R_FLOAT) ? 2 : 1,
                        uses.stream().filter(each -> each.units() > 0).count(),
                        format.toString());
            }
        }
    }

    /** Those of other jobs' shapes give way, and come back. */
    @Test
    void imagesOfManyShapesComeAndGo() {
        Evener evener = evener(Devices.IN_ONE_CONTEXT);
        for (int round = 0; round < 2; round++) {
            for (int width = 1; width < 40; width += 3) {
                try (ManagedBuffer in = evener.allocateManaged(ElementType.FLOAT, 10L * width);
                        ManagedBuffer out = evener.allocateManaged(ElementType.FLOAT, 10L * width)) {
                    in.overwrite(view -> {
                        for (int i = 0; i < in.elements(); i++) {
                            view.floats().put(i, i);
                        }
                    });
                    run(
                            evener,
                            Job.named("shapes")
                                    .source(SOURCE)
                                    .range(width, 10)
                                    .kernel("twice")
                                    .reads(Image.of(in, R_FLOAT, width, 10), slice())
                                    .writes(Image.of(out, R_FLOAT, width, 10), slice())
                                    .build());
                    int last = 10 * width - 1;
                    float found = out.read(view -> view.floats().get(last));
                    assertEquals(2 * last, found);
                }
            }
        }
    }
}
