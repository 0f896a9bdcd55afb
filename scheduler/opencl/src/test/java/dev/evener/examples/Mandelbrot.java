package dev.evener.examples;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import java.nio.IntBuffer;

/** How many steps each point of a picture takes to leave the Mandelbrot set: some rows cost a hundred times others. */
public final class Mandelbrot {
    // region kernel
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void mandelbrot(global uint *counts, ulong first, uint width, float left, float top, float step,
                                   uint limit) {
                size_t column = get_global_id(0), row = get_global_id(1);
                float cx = left + column * step, cy = top + (first + row) * step;
                float x = 0, y = 0;
                uint n = 0;
                for (; n < limit && x * x + y * y <= 4; n++) {
                    float next = x * x - y * y + cx;
                    y = 2 * x * y + cy;
                    x = next;
                }
                counts[row * width + column] = n;
            }
            """;

    /** A view of the plane: its upper left corner and the distance between two pixels. */
    record View(float left, float top, float step, int limit) {}
    // endregion

    // region job
    static Job job(HostBuffer counts, int width, int height, View view) {
        return Job.named("mandelbrot")
                .source(SOURCE)
                .range(width, height) // a row is a unit; work-items are pixels
                .kernel("mandelbrot")
                .writes(counts, slice(width))
                .chunkStart() // the chunk's first row in the picture
                .scalar(width)
                .scalar(view.left())
                .scalar(view.top())
                .scalar(view.step())
                .scalar(view.limit())
                .jvm(chunk -> rows(chunk, width, view))
                .build();
    }
    // endregion

    private Mandelbrot() {}

    // region java
    /** The kernel in Java, for machines without OpenCL. Run by several threads at once, each on rows of its own. */
    private static void rows(JvmKernel.Chunk chunk, int width, View view) {
        IntBuffer counts = chunk.buffer(0).asIntBuffer(); // seen from the chunk's first row
        for (int row = 0; row < chunk.units(); row++) {
            float cy = view.top() + (chunk.firstUnit() + row) * view.step();
            for (int column = 0; column < width; column++) {
                counts.put(row * width + column, steps(view.left() + column * view.step(), cy, view.limit()));
            }
        }
    }
    // endregion

    static int steps(float cx, float cy, int limit) {
        float x = 0;
        float y = 0;
        int n = 0;
        for (; n < limit && x * x + y * y <= 4; n++) {
            float next = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = next;
        }
        return n;
    }

    public static void main(String[] args) {
        int width = 72;
        int height = 32;
        try (Evener evener = Evener.open()) {
            HostBuffer counts = evener.allocate(ElementType.UINT, (long) width * height);
            View view = new View(-2.2f, -1.2f, 0.042f, 200);
            evener.submit(job(counts, width, height, view)).join();
            StringBuilder picture = new StringBuilder();
            for (int i = 0; i < width * height; i++) {
                int n = counts.ints().get(i);
                picture.append(n == 200 ? '#' : n > 8 ? '+' : n > 4 ? '.' : ' ');
                picture.append(i % width == width - 1 ? "\n" : "");
            }
            System.out.print(picture);
        }
    }
}
