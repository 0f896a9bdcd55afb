package dev.evener.bench.suites;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.HostBuffer;
import java.util.List;

/** Operations of GEGL, GIMP's image processing, on pixels of two or four floats in a buffer. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class Gegl {
    private static final String SUITE = "GEGL";
    private static final String FOLDER = "gegl/opencl/";

    private final Run run;
    private final int width;
    private final int height;

    private Gegl(Run run, String name) {
        this.run = run;
        width = run.pick(64, 93, 256);
        height = run.pick(48, 71, 192);
        run.file(FOLDER + name + ".cl");
    }

    private interface Operation {
        void run(Gegl its);
    }

    private static Program program(String name, Operation operation) {
        return new Program(SUITE, name, run -> operation.run(new Gegl(run, name)));
    }

    /** Each pixel by itself. */
    private static Program pixels(String name, String kernel, float... scalars) {
        return program(name, its -> {
            Declared job = its.run
                    .kernel(kernel)
                    .units((long) its.width * its.height)
                    .reads(its.pixels("in"), slice(4))
                    .writes(its.pixels("out"), slice(4));
            for (float each : scalars) {
                job.scalar(each);
            }
            job.run();
        });
    }

    static List<Program> programs() {
        return List.of(
                pixels("brightness-contrast", "gegl_brightness_contrast", 1.3f, 0.1f),
                pixels("color-temperature", "gegl_color_temperature", 0.9f, 1f, 1.2f),
                pixels("invert-linear", "gegl_invert_linear"),
                pixels("levels", "kernel_levels", 0.1f, 0.05f, 1.5f),
                pixels("value-invert", "gegl_value_invert"),
                program("color-to-alpha", Gegl::alpha),
                program("mono-mixer", Gegl::mono),
                program("contrast-curve", Gegl::curve),
                program("threshold", Gegl::threshold),
                program("weighted-blend", Gegl::blend));
    }

    private HostBuffer pixels(String name) {
        return floats(name, 4 * width * height);
    }

    private HostBuffer floats(String name, int count) {
        int seed = name.hashCode() & 0xFFFF;
        return run.floats(name, count, i -> Inputs.noise(i + seed));
    }

    private void alpha() {
        run.kernel("cl_color_to_alpha")
                .units((long) width * height)
                .reads(pixels("in"), slice(4))
                .writes(pixels("out"), slice(4))
                .vector(0.8f, 0.3f, 0.2f, 1f)
                .run();
    }

    private void mono() {
        run.kernel("gegl_mono_mixer")
                .units((long) width * height)
                .reads(pixels("in"), slice(4))
                .writes(floats("out", 2 * width * height), slice(2))
                .scalar(1, 0.3f, 0.6f, 0.2f)
                .run();
    }

    private void curve() {
        run.kernel("cl_contrast_curve")
                .units((long) width * height)
                .reads(floats("in", 2 * width * height), slice(2))
                .writes(floats("out", 2 * width * height), slice(2))
                .reads(floats("curve", 64), whole())
                .scalar(64)
                .run();
    }

    private void threshold() {
        run.kernel("gegl_threshold")
                .units((long) width * height)
                .reads(floats("in", 2 * width * height), slice(2))
                .reads(floats("aux", width * height), slice())
                .writes(floats("out", 2 * width * height), slice(2))
                .scalar(0.5f)
                .run();
    }

    private void blend() {
        run.kernel("cl_weighted_blend")
                .units((long) width * height)
                .reads(pixels("in"), slice(4))
                .reads(pixels("aux"), slice(4))
                .writes(pixels("out"), slice(4))
                .run();
    }
}
