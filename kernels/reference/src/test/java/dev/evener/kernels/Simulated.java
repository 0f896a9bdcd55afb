package dev.evener.kernels;

import dev.evener.Evener;
import dev.evener.internal.cl.SelfTestVerdicts;
import dev.evener.kernels.compact.SmallSelections;
import dev.evener.kernels.histogram.SmallHistograms;
import dev.evener.kernels.image.SmallImages;
import dev.evener.kernels.map.SmallMaps;
import dev.evener.kernels.matrix.SmallProducts;
import dev.evener.kernels.png.SmallPictures;
import dev.evener.kernels.reduce.SmallReductions;
import dev.evener.kernels.scan.SmallScans;
import dev.evener.kernels.sort.SmallSorts;
import dev.evener.kernels.tonemap.SmallFrames;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A program that runs the cases of some primitives on Oclgrind's simulated device, the only one that its environment leaves
 * it, and ends with 1 if a result is wrong or the simulator had anything to report.
 *
 * <p>Through transfers and with an Evener of its own for each run, so that buffers on the device end where the
 * data ends: Oclgrind knows nothing of the ends of sub-buffers, and host memory is padded. One run has the whole job in
 * one chunk, where a form for one device applies; the other shares it with the JVM lane, so that the device has a part. Cases have
 * them in turn, and on the next day the other one each, or both.
 */
final class Simulated {
    /** What it knows besides: mistakes of every kind. */
    static final String WRONG = "wrong";

    /** Which runs each case has: both. */
    static final String BOTH = "both";

    /** The primitives' names; those at even places take about as long together as the others. */
    static final List<String> PRIMITIVES =
            List.of("sort", "png", "scan", "image", "histogram", "tonemap", "compact", "reduce", "map", "matrix");

    private Simulated() {}

    /** Takes the primitives' names, the file that Oclgrind writes to, and which of each case's two runs comes first, or both. */
    public static void main(String[] arguments) throws IOException {
        SelfTestVerdicts.pass();
        Path log = Path.of(arguments[1]);
        boolean both = arguments[2].equals(BOTH);
        int turn = both ? 0 : Integer.parseInt(arguments[2]);
        boolean good = true;
        for (PrimitiveCase one : Stream.of(arguments[0].split(",", -1))
                .flatMap(primitive -> cases(primitive).stream())
                .toList()) {
            long start = System.nanoTime();
            turn++;
            if (both || turn % 2 == 0) {
                good &= run(one, "0.0", Policies.single(), log);
            }
            if (both || turn % 2 != 0) {
                good &= run(one, "0.0,jvm", Policies.fixed(0.6, 0.4), log);
            }
            System.out.printf("DONE %6d ms  %s%n", (System.nanoTime() - start) / 1_000_000, one.name());
        }
        System.exit(good ? 0 : 1);
    }

    static List<PrimitiveCase> cases(String primitive) {
        return switch (primitive) {
            case "compact" -> SmallSelections.all();
            case "histogram" -> SmallHistograms.all();
            case "image" -> SmallImages.all();
            case "map" -> SmallMaps.all();
            case "matrix" -> SmallProducts.all();
            case "png" -> SmallPictures.all();
            case "reduce" -> SmallReductions.all();
            case "scan" -> SmallScans.all();
            case "sort" -> SmallSorts.all();
            case "tonemap" -> SmallFrames.all();
            case WRONG -> WrongKernels.all();
            default -> throw new IllegalArgumentException("no primitive " + primitive);
        };
    }

    private static boolean run(PrimitiveCase one, String devices, Policy policy, Path log) throws IOException {
        String wrong = "";
        try (Evener evener = TestBed.builder(devices)
                .pinnedMemory(
                        false) // which the garbage collector frees, on a thread of its own: Oclgrind serves one thread
                .sharedMemory(false)
                .open()) {
            one.check(one.run(evener, policy));
        } catch (AssertionError | RuntimeException e) {
            wrong = e + "\n";
        }
        if (Files.exists(log)) {
            wrong += Files.readString(log);
            Files.writeString(log, "");
        }
        if (!wrong.isBlank()) {
            System.out.println("WRONG " + one.name() + " on " + devices + ":\n" + wrong.strip());
        }
        return wrong.isBlank();
    }
}
