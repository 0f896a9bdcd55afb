package dev.evener.examples;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.ManagedBuffer;

/** Jobs on some columns and some rows of a matrix, of which nothing is copied out. */
public final class Columns {
    private static final String SOURCE = """
            kernel void sums(global const float *block, int width, int columns, global float *sums) {
                size_t row = get_global_id(0);
                float sum = 0;
                for (int c = 0; c < columns; c++) sum += block[row * width + c];
                sums[row] = sum;
            }
            kernel void scale(global float *values, float by) { values[get_global_id(0)] *= by; }
            """;

    private Columns() {}

    /** The sum of each row over so many columns, of a matrix whose rows lie one behind the other. */
    static Job sums(DataBuffer matrix, int width, int firstColumn, int columns, DataBuffer sums) {
        long rows = sums.elements();
        // region block
        DataBuffer block = matrix.range(firstColumn, (rows - 1) * width + columns); // up to the last row's columns
        // endregion
        return Job.named("sums")
                .source(SOURCE)
                .units(rows)
                .kernel("sums")
                .reads(block, slice(width))
                .scalar(width)
                .scalar(columns)
                .writes(sums, slice())
                .build();
    }

    /** Scales so many rows; jobs on other rows of the matrix may run at the same time. */
    static Job scale(DataBuffer matrix, int width, long firstRow, long rows, float by) {
        return Job.named("scale")
                .source(SOURCE)
                .units(rows * width)
                .kernel("scale")
                .updates(matrix.range(firstRow * width, rows * width), slice())
                .scalar(by)
                .build();
    }

    public static void main(String[] args) {
        int width = 1000;
        int rows = 2000;
        try (Evener evener = Evener.open()) {
            ManagedBuffer matrix = evener.allocateManaged(ElementType.FLOAT, (long) width * rows);
            ManagedBuffer sums = evener.allocateManaged(ElementType.FLOAT, rows);
            matrix.overwrite(view -> {
                for (int i = 0; i < width * rows; i++) {
                    view.floats().put(i, 1);
                }
            });
            JobFuture upper = evener.submit(scale(matrix, width, 0, rows / 2, 2));
            JobFuture lower = evener.submit(scale(matrix, width, rows / 2, rows / 2, 3));
            evener.submit(sums(matrix, width, 10, 100, sums)).join();
            upper.join();
            lower.join();
            String ends = sums.read(
                    view -> view.floats().get(0) + " and " + view.floats().get(rows - 1));
            System.out.println("the first and last sums are " + ends);
        }
    }
}
