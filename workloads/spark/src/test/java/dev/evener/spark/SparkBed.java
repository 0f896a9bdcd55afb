package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.frames.FrameStream;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;

/** Clusters, frames and comparisons that the tests share. */
final class SparkBed {
    static final ToneMapSettings SETTINGS = ToneMapSettings.of(Operator.HABLE);

    private SparkBed() {}

    /** An application on loopback, whose executors have the tests' classes. */
    static SparkConf conf(String master) throws IOException {
        Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
        return new SparkConf()
                .setMaster(master)
                .setAppName("test")
                .set("spark.plugins", EvenerPlugin.class.getName())
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.executor.extraClassPath", System.getProperty("java.class.path"));
    }

    /** One machine: the JVM lane, on which all is computed independently of OpenCL. */
    static Evener machine() {
        return Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open();
    }

    /** Frames of different sizes, every third one a PFM file. */
    static List<Path> frames(Path folder, int count) throws IOException {
        Files.createDirectories(folder);
        List<Path> frames = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int width = 64 + i * 37 % 100;
            int height = 40 + i * 53 % 90;
            Random random = new Random(i);
            ByteBuffer bytes;
            String header;
            if (i % 3 == 0) {
                header = "PF\n" + width + " " + height + "\n-1\n";
                bytes = ByteBuffer.allocate(width * height * 12).order(ByteOrder.LITTLE_ENDIAN);
                while (bytes.hasRemaining()) {
                    bytes.putFloat((float) Math.exp(random.nextGaussian()));
                }
            } else {
                header = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y " + height + " +X " + width + "\n";
                bytes = ByteBuffer.allocate(width * height * 4);
                while (bytes.hasRemaining()) {
                    bytes.put((byte) (3 + random.nextInt(250)))
                            .put((byte) random.nextInt())
                            .put((byte) random.nextInt())
                            .put((byte) (120 + random.nextInt(16)));
                }
            }
            Path frame = folder.resolve(String.format("frame%04d.%s", i, i % 3 == 0 ? "pfm" : "hdr"));
            byte[] head = header.getBytes(StandardCharsets.US_ASCII);
            Files.write(
                    frame,
                    ByteBuffer.allocate(head.length + bytes.capacity())
                            .put(head)
                            .put(bytes.array())
                            .array());
            frames.add(frame);
        }
        return frames;
    }

    /** The pictures of one machine. */
    static Path expected(List<Path> frames, Path folder) throws Exception {
        try (Evener evener = machine()) {
            FrameStream.of(frames, evener, SETTINGS).into(folder).run();
        }
        return folder;
    }

    /** These pictures, and nothing else but what says that they are complete. */
    static void assertPictures(Path expected, Path actual) throws IOException {
        List<String> names = new ArrayList<>(names(expected));
        names.add(0, "_SUCCESS");
        assertEquals(names, names(actual));
        for (String name : names.subList(1, names.size())) {
            assertArrayEquals(
                    Files.readAllBytes(expected.resolve(name)), Files.readAllBytes(actual.resolve(name)), name);
        }
    }

    static List<String> names(Path folder) throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }
}
