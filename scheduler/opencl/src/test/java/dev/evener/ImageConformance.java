package dev.evener;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.image.ImageFormat.RGBA_FLOAT;
import static dev.evener.image.ImageFormat.RGBA_UINT8;
import static dev.evener.image.ImageFormat.RGBA_UNORM8;
import static dev.evener.image.ImageFormat.R_FLOAT;
import static dev.evener.image.ImageFormat.R_UNORM8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.image.Sampler;
import dev.evener.image.Sampler.Address;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.cl.PlainLaunch;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kernels of images, of the kinds that programs for pictures have, split between the devices of a subclass: each result must have the bits
 * of one launch of the same text by OpenCL's own calls, whatever the cut.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ImageConformance {
    private static final int WIDTH = 52;
    private static final int HEIGHT = 37; // which no group divides

    private static final String HEAD = """
            const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
            #pragma OPENCL FP_CONTRACT OFF
            """;

    /** An argument of a kernel, for Evener and for a plain launch. */
    private sealed interface Arg {
        record Picture(Image.Shape shape, String verb, Access access) implements Arg {}

        record Array(ElementType type, int elements, String verb, Access access) implements Arg {}

        record Other(Object value) implements Arg {}
    }

    private static Arg in(ImageFormat format, Access access) {
        return in(format, WIDTH, HEIGHT, access);
    }

    private static Arg in(ImageFormat format, int width, int height, Access access) {
        return new Arg.Picture(Image.Shape.plane(format, width, height), "reads", access);
    }

    private static Arg out(ImageFormat format) {
        return new Arg.Picture(Image.Shape.plane(format, WIDTH, HEIGHT), "writes", slice());
    }

    private static Arg value(Object value) {
        return new Arg.Other(value);
    }

    /** A kernel, its range and its arguments. */
    @SuppressWarnings("ArrayRecordComponent") // which nobody changes or compares
    private record Case(String name, String text, int[] group, int[] range, List<Arg> arguments) {
        Case(String name, String text, int[] group, Arg... arguments) {
            this(name, text, group, new int[] {WIDTH, HEIGHT}, List.of(arguments));
        }

        String source() {
            return HEAD + text;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final int[] OPEN = {};

    static List<Case> cases() {
        return List.of(
                new Case("threshold", """
                        kernel void threshold(read_only image2d_t in, write_only image2d_t out, float level) {
                            int2 p = (int2)(get_global_id(0), get_global_id(1));
                            write_imagef(out, p, read_imagef(in, edge, p).x > level ? 1.0f : 0.0f);
                        }""", OPEN, in(R_UNORM8, slice()), out(R_UNORM8), value(0.4f)),
                new Case(
                        "blend",
                        """
                        kernel void blend(read_only image2d_t a, read_only image2d_t b, write_only image2d_t out, float by) {
                            int2 p = (int2)(get_global_id(0), get_global_id(1));
                            write_imagef(out, p, by * read_imagef(a, edge, p) + (1 - by) * read_imagef(b, edge, p));
                        }""",
                        OPEN,
                        in(RGBA_UNORM8, slice()),
                        in(RGBA_FLOAT, slice()),
                        out(RGBA_UNORM8),
                        value(0.3f)),
                new Case("convert", """
                        kernel void convert(read_only image2d_t in, write_only image2d_t out) {
                            int2 p = (int2)(get_global_id(0), get_global_id(1));
                            if (p.x >= get_image_width(in) || p.y >= get_image_height(in)) return;
                            write_imagef(out, p, convert_float4(read_imageui(in, edge, p)) * 0.25f + get_image_height(in));
                        }""", new int[] {16, 4}, in(RGBA_UINT8, slice()), out(RGBA_FLOAT)),
                new Case(
                        "blur_rows",
                        """
                        kernel void blur_rows(read_only image2d_t in, write_only image2d_t out, local float4 *tile) {
                            int l = get_local_id(0), w = get_local_size(0), y = get_global_id(1);
                            int row = get_local_id(1) * (w + 4);
                            int from = get_group_id(0) * w - 2;
                            for (int i = l; i < w + 4; i += w) tile[row + i] = read_imagef(in, edge, (int2)(from + i, y));
                            barrier(CLK_LOCAL_MEM_FENCE);
                            float4 sum = 0;
                            for (int i = 0; i < 5; i++) sum += tile[row + l + i];
                            if (get_global_id(0) < get_image_width(out) && y < get_image_height(out))
                                write_imagef(out, (int2)(get_global_id(0), y), sum * 0.2f);
                        }""",
                        new int[] {16, 2},
                        in(RGBA_FLOAT, slice()),
                        out(RGBA_FLOAT),
                        value(new long[] {2 * 20 * 16})),
                new Case(
                        "blur_columns",
                        """
                        kernel void blur_columns(read_only image2d_t in, write_only image2d_t out, local float4 *tile) {
                            int l = get_local_id(1), h = get_local_size(1), x = get_global_id(0);
                            int column = get_local_id(0) * (h + 6);
                            int from = get_group_id(1) * h - 3;
                            for (int i = l; i < h + 6; i += h) tile[column + i] = read_imagef(in, edge, (int2)(x, from + i));
                            barrier(CLK_LOCAL_MEM_FENCE);
                            float4 sum = 0;
                            for (int i = 0; i < 7; i++) sum += (i + 1) * tile[column + l + i];
                            if (x < get_image_width(out) && get_global_id(1) < get_image_height(out))
                                write_imagef(out, (int2)(x, get_global_id(1)), sum * 0.0625f);
                        }""",
                        new int[] {4, 8},
                        in(RGBA_UNORM8, slice().halo(10, 10)),
                        out(RGBA_FLOAT),
                        value(new long[] {4 * 14 * 16})),
                new Case("sobel", """
                        float at(read_only image2d_t in, int x, int y) { return read_imagef(in, edge, (int2)(x, y)).x; }
                        kernel void sobel(read_only image2d_t in, write_only image2d_t out) {
                            int x = get_global_id(0), y = get_global_id(1);
                            float dx = at(in, x + 1, y - 1) + 2 * at(in, x + 1, y) + at(in, x + 1, y + 1)
                                    - at(in, x - 1, y - 1) - 2 * at(in, x - 1, y) - at(in, x - 1, y + 1);
                            float dy = at(in, x - 1, y + 1) + 2 * at(in, x, y + 1) + at(in, x + 1, y + 1)
                                    - at(in, x - 1, y - 1) - 2 * at(in, x, y - 1) - at(in, x + 1, y - 1);
                            write_imagef(out, (int2)(x, y), dx * dx + dy * dy);
                        }""", OPEN, in(R_FLOAT, slice().halo(1, 1)), out(R_FLOAT)),
                new Case(
                        "demosaic",
                        """
                        kernel void demosaic(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
                            int x = get_global_id(0), y = get_global_id(1);
                            float here = read_imagef(in, s, (int2)(x, y)).x;
                            float cross = 0, beside = 0, corners = 0;
                            for (int d = -1; d <= 1; d += 2) {
                                cross += read_imagef(in, s, (int2)(x, y + d)).x;
                                beside += read_imagef(in, s, (int2)(x + d, y)).x;
                                for (int e = -1; e <= 1; e += 2) corners += read_imagef(in, s, (int2)(x + d, y + e)).x;
                            }
                            float4 rgb = (x & 1) == (y & 1)
                                    ? (float4)(beside * 0.5f, here, cross * 0.5f, 1)
                                    : (x & 1) ? (float4)(here, (cross + beside) * 0.25f, corners * 0.25f, 1)
                                    : (float4)(corners * 0.25f, (cross + beside) * 0.25f, here, 1);
                            write_imagef(out, (int2)(x, y), rgb);
                        }""",
                        OPEN,
                        in(R_FLOAT, slice().halo(2, 2)),
                        out(RGBA_FLOAT),
                        value(Sampler.nearest())),
                new Case("bilateral", """
                        kernel void bilateral(read_only image2d_t in, write_only image2d_t out, int radius) {
                            int2 p = (int2)(get_global_id(0), get_global_id(1));
                            float4 centre = read_imagef(in, edge, p), sum = 0;
                            float weights = 0;
                            for (int dy = -radius; dy <= radius; dy++)
                                for (int dx = -radius; dx <= radius; dx++) {
                                    float4 v = read_imagef(in, edge, p + (int2)(dx, dy)), d = v - centre;
                                    float w = 1 / (1 + dx * dx + dy * dy + 9 * (d.x * d.x + d.y * d.y + d.z * d.z));
                                    weights += w;
                                    sum += w * v;
                                }
                            write_imagef(out, p, sum / weights);
                        }""", OPEN, in(RGBA_FLOAT, slice().halo(3, 3)), out(RGBA_FLOAT), value(3)),
                new Case(
                        "turned",
                        """
                        kernel void turned(read_only image2d_t in, write_only image2d_t out, sampler_t s, float sine, float cosine) {
                            int2 p = (int2)(get_global_id(0), get_global_id(1));
                            float2 size = (float2)(get_image_width(in), get_image_height(in));
                            float2 c = convert_float2(p) + 0.5f - size * 0.5f;
                            float2 from = (float2)(cosine * c.x - sine * c.y, sine * c.x + cosine * c.y) / size + 0.5f;
                            write_imagef(out, p, read_imagef(in, s, from));
                        }""",
                        OPEN,
                        in(RGBA_FLOAT, whole()),
                        out(RGBA_FLOAT),
                        value(Sampler.linear().withNormalized()),
                        value(0.6f),
                        value(0.8f)),
                new Case(
                        "bordered",
                        """
                        kernel void bordered(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
                            int2 p = (int2)(get_global_id(0), get_global_id(1));
                            write_imagef(out, p, read_imagef(in, s, p - (int2)(4, 5)) + read_imagef(in, s, p + (int2)(4, 5)));
                        }""",
                        OPEN,
                        in(RGBA_FLOAT, slice().halo(5, 5)),
                        out(RGBA_FLOAT),
                        value(Sampler.nearest().outside(Address.CLAMP))),
                new Case(
                        "tiled",
                        """
                        kernel void tiled(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
                            int2 p = (int2)(get_global_id(0), get_global_id(1));
                            float2 size = (float2)(get_image_width(out), get_image_height(out));
                            write_imageui(out, p, read_imageui(in, s, 3 * (convert_float2(p) + 0.5f) / size));
                        }""",
                        OPEN,
                        in(RGBA_UINT8, 20, 11, whole()),
                        out(RGBA_UINT8),
                        value(Sampler.nearest().outside(Address.REPEAT))),
                new Case("halved", """
                        kernel void halved(read_only image2d_t in, write_only image2d_t out) {
                            int x = 2 * get_global_id(0), y = 2 * get_global_id(1);
                            float4 sum = 0;
                            for (int i = 0; i < 4; i++) sum += read_imagef(in, edge, (int2)(x + (i & 1), y + i / 2));
                            write_imagef(out, (int2)(x / 2, y / 2), sum * 0.25f);
                        }""", OPEN, in(RGBA_UNORM8, 2 * WIDTH, 2 * HEIGHT, slice(2)), out(RGBA_FLOAT)),
                new Case(
                        "grid",
                        """
                        kernel void grid(write_only image2d_t out, int step) {
                            int2 p = (int2)(get_global_id(0), get_global_id(1));
                            if (p.x % step == 0 || p.y % step == 0) write_imageui(out, p, (uint4)(255, p.x, p.y, 9));
                        }""",
                        OPEN,
                        new Arg.Picture(Image.Shape.plane(RGBA_UINT8, WIDTH, HEIGHT), "updates", slice()),
                        value(7)),
                new Case(
                        "row_sums",
                        """
                        kernel void row_sums(read_only image2d_t in, global float *sums, global const float *factors) {
                            int y = get_global_id(0);
                            float sum = 0;
                            for (int x = 0; x < get_image_width(in); x++) sum += read_imagef(in, edge, (int2)(x, y)).x;
                            sums[y] = sum * factors[y];
                        }""",
                        OPEN,
                        new int[] {HEIGHT},
                        List.of(
                                in(R_FLOAT, slice()),
                                new Arg.Array(ElementType.FLOAT, HEIGHT, "writes", slice()),
                                new Arg.Array(ElementType.FLOAT, HEIGHT, "reads", slice()))),
                new Case(
                        "from_second",
                        """
                        kernel void from_second(read_only image2d_t in, write_only image2d_t out) {
                            int x = get_global_id(0), y = get_global_id(1) + 1;
                            write_imagef(out, (int2)(x, y), read_imagef(in, edge, (int2)(x, y - 1))
                                    + read_imagef(in, edge, (int2)(x, y + 1)) * read_imagef(in, edge, (int2)(x, 0)));
                        }""",
                        OPEN,
                        new int[] {WIDTH, HEIGHT - 2},
                        List.of(
                                in(R_FLOAT, slice(1).from(1).halo(1, 1).alsoReads(0, 1)),
                                new Arg.Picture(
                                        Image.Shape.plane(R_FLOAT, WIDTH, HEIGHT), "updates", slice(1).from(1)))),
                new Case(
                        "layers",
                        """
                        kernel void layers(read_only image2d_array_t in, write_only image2d_array_t out) {
                            int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
                            float4 before = read_imagef(in, edge, p - (int4)(0, 0, 1, 0));
                            write_imagef(out, p, read_imagef(in, edge, p) - before + get_image_array_size(in));
                        }""",
                        OPEN,
                        new int[] {9, 7, 11},
                        List.of(
                                new Arg.Picture(Image.Shape.layers(RGBA_FLOAT, 9, 7, 11), "reads", slice().halo(1, 0)),
                                new Arg.Picture(Image.Shape.layers(RGBA_FLOAT, 9, 7, 11), "writes", slice()))),
                new Case(
                        "volume",
                        """
                        kernel void volume(read_only image3d_t in, global float4 *out) {
                            int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
                            int i = p.x + get_image_width(in) * (p.y + get_image_height(in) * p.z);
                            out[i] = read_imagef(in, edge, p + (int4)(1, 1, 1, 0)) - read_imagef(in, edge, p - (int4)(1, 1, 1, 0));
                        }""",
                        OPEN,
                        new int[] {9, 7, 11},
                        List.of(
                                new Arg.Picture(Image.Shape.volume(RGBA_UNORM8, 9, 7, 11), "reads", slice().halo(1, 1)),
                                new Arg.Array(ElementType.FLOAT, 4 * 9 * 7 * 11, "writes", slice()))));
    }

    private final Map<String, List<byte[]>> expected = new LinkedHashMap<>();
    private Evener evener;

    /** The devices that are to be used. */
    abstract EvenerBuilder lanes();

    /** Of them one that is like all. */
    abstract String device();

    /** Whether it has that. */
    boolean supports(Case which) {
        return true;
    }

    private Evener evener() {
        if (evener == null) {
            evener = lanes().history(History.inMemory()).open();
        }
        return evener;
    }

    @AfterAll
    void close() {
        evener().close();
        assertEquals(Map.of(), NativeLedger.live(), "left over");
    }

    /** Bytes to begin with, which are no special floats. */
    private static byte[] bytes(int number, long count, boolean floats) {
        Random random = new Random(31L * number + count);
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(count)).order(ByteOrder.nativeOrder());
        while (all.remaining() >= 4 && floats) {
            all.putFloat(random.nextFloat());
        }
        byte[] rest = new byte[all.remaining()];
        random.nextBytes(rest);
        return all.put(rest).array();
    }

    private static byte[] content(Case of, int argument) {
        return of.arguments().get(argument) instanceof Arg.Picture p
                ? bytes(argument, p.shape().bytes(), p.shape().format().type() == ImageFormat.Type.FLOAT)
                : of.arguments().get(argument) instanceof Arg.Array a
                        ? bytes(argument, (long) a.elements() * a.type().bytes(), a.type() == ElementType.FLOAT)
                        : new byte[0];
    }

    /** What each image and array holds after a plain launch. */
    private List<byte[]> expected(Case of) {
        return expected.computeIfAbsent(of.name(), name -> {
            List<Object> arguments = new ArrayList<>();
            for (int i = 0; i < of.arguments().size(); i++) {
                Arg each = of.arguments().get(i);
                ByteBuffer memory =
                        ByteBuffer.allocateDirect(content(of, i).length).order(ByteOrder.nativeOrder());
                memory.put(0, content(of, i));
                arguments.add(
                        each instanceof Arg.Other other
                                ? other.value()
                                : new PlainLaunch.Memory(memory, each instanceof Arg.Picture p ? p.shape() : null));
            }
            long[] local = of.group().length == 0
                    ? null
                    : Arrays.stream(of.group()).asLongStream().toArray();
            long[] global = Arrays.stream(of.range()).asLongStream().toArray();
            for (int i = 0; local != null && i < local.length; i++) {
                global[i] = (global[i] + local[i] - 1) / local[i] * local[i];
            }
            PlainLaunch.run(device(), of.source(), of.name(), global, local, arguments);
            List<byte[]> results = new ArrayList<>();
            for (Object each : arguments) {
                byte[] all = {};
                if (each instanceof PlainLaunch.Memory m) {
                    all = new byte[m.bytes().capacity()];
                    m.bytes().get(0, all);
                }
                results.add(all);
            }
            return results;
        });
    }

    private record Made(Job job, List<ManagedBuffer> memory) implements AutoCloseable {
        @Override
        public void close() {
            memory.forEach(each -> {
                if (each != null) {
                    each.close();
                }
            });
        }
    }

    private Made make(Evener on, Case of, Policy policy) {
        JobBuilder job = Job.named(of.name()).source(of.source()).policy(policy);
        switch (of.range().length) {
            case 1 -> job.units(of.range()[0]);
            case 2 -> job.range(of.range()[0], of.range()[1]);
            default -> job.range(of.range()[0], of.range()[1], of.range()[2]);
        }
        job.kernel(of.name());
        if (of.group().length > 0) {
            job.groupSize(of.group());
        }
        List<ManagedBuffer> memory = new ArrayList<>();
        for (int i = 0; i < of.arguments().size(); i++) {
            Arg each = of.arguments().get(i);
            ManagedBuffer buffer = null;
            if (each instanceof Arg.Picture p) {
                Image<ManagedBuffer> image = on.image(p.shape());
                buffer = image.pixels();
                switch (p.verb()) {
                    case "reads" -> job.reads(image, p.access());
                    case "writes" -> job.writes(image, p.access());
                    default -> job.updates(image, p.access());
                }
            } else if (each instanceof Arg.Array a) {
                buffer = on.allocateManaged(a.type(), a.elements());
                if (a.verb().equals("reads")) {
                    job.reads(buffer, a.access());
                } else {
                    job.writes(buffer, a.access());
                }
            } else if (each instanceof Arg.Other other && other.value() instanceof Sampler s) {
                job.sampler(s);
            } else if (each instanceof Arg.Other other && other.value() instanceof long[] bytes) {
                job.local(ElementType.FLOAT, bytes[0] / Float.BYTES);
            } else if (each instanceof Arg.Other other) {
                job.scalar((Number) other.value());
            }
            memory.add(buffer);
            if (buffer != null) {
                byte[] content = content(of, i);
                buffer.overwrite(view -> view.bytes().put(content));
            }
        }
        return new Made(job.build(), memory);
    }

    private void check(Case of, Policy policy, boolean split) {
        List<byte[]> results = expected(of);
        try (Made made = make(evener(), of, policy)) {
            Report report = evener().submit(made.job()).join();
            assertTrue(report.failures().isEmpty(), () -> report.failures().toString());
            if (split) {
                long lanes = report.devices().stream()
                        .filter(each -> each.units() > 0)
                        .count();
                assertEquals(evener().devices().size(), lanes, "lanes at work");
            }
            for (int i = 0; i < results.size(); i++) {
                ManagedBuffer buffer = made.memory().get(i);
                if (buffer != null) {
                    byte[] found = new byte[results.get(i).length];
                    buffer.read(view -> view.bytes().get(found));
                    assertEquals(
                            -1, Arrays.mismatch(results.get(i), found), of + " under " + policy + ", argument " + i);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aSplitJobHasTheBitsOfOneLaunch(Case of) {
        if (supports(of)) {
            boolean two = evener().devices().size() > 1;
            check(of, two ? Policies.fixed(0.4, 0.6) : Policies.single(), two);
            check(of, Policies.guided(9), false);
            check(of, Policies.adaptive(), false);
        }
    }

    /** At every row, for a kernel with a halo that reaches over several chunks. */
    @Test
    void theCutMayBeAtAnyRow() {
        Case bordered = cases().stream()
                .filter(each -> each.name().equals("bordered"))
                .findFirst()
                .orElseThrow();
        for (int row = 1; row < HEIGHT && evener().devices().size() > 1; row += LongTests.orAll(5, 1)) {
            check(bordered, Policies.fixed((double) row / HEIGHT, 1 - (double) row / HEIGHT), true);
        }
    }
}
