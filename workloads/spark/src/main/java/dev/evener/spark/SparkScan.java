package dev.evener.spark;

import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.Submission;
import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.scan.ScanKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * {@link Scan} over a file of any size, into a folder of files {@code part-*}, which are the result one behind the other: the bits that
 * one machine gives, for every partitioning. Two passes: the first returns the totals of rows of {@value Scan#ROW} elements to the
 * driver, 4 or 8 bytes each, which makes of them what comes before each partition; the second scans.
 */
public final class SparkScan {
    private SparkScan() {}

    /**
     * Element {@code i} included in result {@code i}.
     *
     * @param out a folder that is not there yet
     * @return the result, in the same partitions
     * @throws IllegalArgumentException if the elements are not {@code INT}, {@code UINT}, {@code LONG} or {@code FLOAT}
     * @throws IOException if the file cannot be read, or the folder is there or cannot be written
     */
    public static TiledFile inclusive(JavaSparkContext spark, TiledFile file, Operation operation, String out)
            throws IOException {
        return scan(spark, file, ScanKind.INCLUSIVE, operation, out);
    }

    /** Element {@code i} left out of result {@code i}; likewise. */
    public static TiledFile exclusive(JavaSparkContext spark, TiledFile file, Operation operation, String out)
            throws IOException {
        return scan(spark, file, ScanKind.EXCLUSIVE, operation, out);
    }

    private static TiledFile scan(
            JavaSparkContext spark, TiledFile file, ScanKind kind, Operation operation, String out) throws IOException {
        Scan.carries(operation, file.type(), ByteBuffer.allocate(0)); // refuses what cannot be scanned
        return Output.parts(spark, file, out, output -> {
            byte[][] carries = carries(
                    operation,
                    file,
                    file.map(spark, (evener, block, data) -> rows(evener, operation, data))
                            .collect());
            return file.map(spark, (evener, block, data) -> {
                        try (Scan scan = new Scan(evener::allocate);
                                HostBuffer carry = evener.allocate(block.type(), 1);
                                HostBuffer result = evener.allocate(block.type(), block.elements())) {
                            carry.bytes().put(carries[block.index()]);
                            Submission.run(evener, scan.job(kind, operation, data, result, block.elements(), carry));
                            return output.part(block.index(), result);
                        }
                    })
                    .collect();
        });
    }

    /** The totals of a block's rows. */
    private static byte[] rows(Evener evener, Operation operation, HostBuffer data) {
        int rows = (int) (data.elements() / Scan.ROW);
        try (Scan scan = new Scan(evener::allocate);
                HostBuffer totals = evener.allocate(data.type(), rows)) {
            Submission.run(evener, scan.rowTotals(operation, data, data.elements(), totals));
            byte[] bytes = new byte[(int) totals.byteSize()];
            totals.bytes().get(bytes);
            return bytes;
        }
    }

    /** What comes before each block. */
    private static byte[][] carries(Operation operation, TiledFile file, List<byte[]> rows) {
        int bytes = Math.toIntExact(rows.stream().mapToLong(r -> r.length).sum());
        int width = file.type().bytes();
        // One more: a last block of less than a row has none, but something before it.
        ByteBuffer all = ByteBuffer.allocate(bytes + width).order(ByteOrder.nativeOrder());
        rows.forEach(all::put);
        Scan.carries(operation, file.type(), all.position(0));
        byte[][] carries = new byte[rows.size()][width];
        for (int block = 0; block < carries.length; block++) {
            all.get(Math.toIntExact(block * (file.blockElements() / Scan.ROW)) * width, carries[block]);
        }
        return carries;
    }
}
