package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What one thread takes to decode OpenEXR files, beside {@code time-exr.cpp}, which asks OpenEXR's library: processor time, the median
 * and the least of the second half of six seconds, of each file named. Of an {@code .hdr} file it writes the pixels, as floats and uncompressed, to a file
 * {@code .exr} in the working folder.
 */
final class ExrTimes {
    private static final double SECONDS = 8;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private ExrTimes() {}

    public static void main(String... files) throws IOException {
        for (String each : files) {
            Path path = Path.of(each);
            FrameFile file = FrameFile.open(path);
            if (!each.endsWith(".hdr")) {
                List<Double> times = times(file);
                System.out.printf("%s %.2f ms (least %.2f)%n", each, times.get(times.size() / 2), times.get(0));
            } else {
                Files.write(Path.of(path.getFileName().toString().replace(".hdr", ".exr")), uncompressed(file));
            }
        }
    }

    private static List<Double> times(FrameFile file) throws IOException {
        ByteBuffer target = ByteBuffer.allocateDirect(4 * file.coding().elements(file.size()));
        List<Double> times = new ArrayList<>();
        double all = 0;
        while (all < SECONDS) {
            long from = THREADS.getCurrentThreadCpuTime();
            FrameFile.open(file.path()).decode(target);
            double took = (THREADS.getCurrentThreadCpuTime() - from) / 1e9;
            all += took;
            if (all > SECONDS / 2) {
                times.add(1e3 * took);
            }
        }
        Collections.sort(times);
        return times;
    }

    private static byte[] uncompressed(FrameFile file) throws IOException {
        FrameLayout size = file.size();
        FloatBuffer floats = Frames.decode(file);
        ExrFiles exr = ExrFiles.of(size.width(), size.height(), 0, 2);
        exr.samples = (x, y, channel) ->
                Float.floatToRawIntBits(floats.get((3 * y + "RGB".indexOf(channel)) * size.stride() + x));
        return exr.bytes();
    }
}
