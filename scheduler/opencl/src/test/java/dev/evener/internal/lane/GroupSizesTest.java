package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ChildJava;
import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How often PoCL compiles a kernel whose group size is left open: seen in its cache, in a process of its own in which PoCL
 * does so for every size of groups, as it does for users. Forty random sizes were 21 forms of one kernel.
 */
@InTurn(2)
class GroupSizesTest {
    private static final String FORMS = "128-1-1-goffs0-smallgrid,1-1-1-goffs0-smallgrid,1-1-1-smallgrid";
    private static final KernelSource PLACES = KernelSource.of("places", """
            __kernel void places(__global int *out) {
                size_t i = get_global_id(0);
                out[i] = 3 * (int) i + 1;
            }
            """);
    private static final KernelSource SOURCE = KernelSource.of("image", """
            __kernel void image(__global int *out, int columns) {
                size_t x = get_global_id(0), y = get_global_id(1);
                out[y * columns + x] = (int) (x * 1000 + y);
            }
            """);

    @TempDir
    private Path folder;

    @Test
    void fortySizesOfJobsMeetTwoSizesOfGroups() throws Exception {
        Path cache = cacheAfter("sizes");
        Set<String> forms = forms(cache, "places");
        // Of each size one form for launches from item 0 and one for others; long rows of groups would be one more.
        assertTrue(forms.size() <= 3, forms::toString);
        assertEquals(
                Set.of("1-1-1", "128-1-1"),
                forms.stream().map(f -> f.replaceAll("-[a-z].*", "")).collect(Collectors.toSet()));
        // Rows of a prime length are launched in two parts; they were groups of one item each, ten times as slow.
        assertEquals(
                Set.of(
                        "128-1-1-goffs0-smallgrid",
                        "128-1-1-smallgrid", // at the job's end, where its first run looks too
                        "250-1-1-smallgrid",
                        "101-1-1-smallgrid", // what is left of 997
                        "131-1-1-smallgrid", // and of 1,283: 3 would be no group to speak of
                        "250-1-1-goffs0-smallgrid"),
                forms(cache, "image"));
    }

    /** The variable is that of docs/embedding.md. */
    @Test
    void afterPreparingNoJobCompilesAnythingIfPoclIsToldTheSizes() throws Exception {
        assertEquals(
                Set.of(FORMS.split(",")), forms(cacheAfter("prepared", "POCL_BINARY_SPECIALIZE_WG", FORMS), "places"));
        assertTrue(
                read(folder.resolve("output.txt")).contains("NOTHING NEW"), () -> read(folder.resolve("output.txt")));
    }

    private Path cacheAfter(String what, String... variable) throws IOException, InterruptedException {
        Path cache = Files.createDirectory(folder.resolve("pocl"));
        Path output = folder.resolve("output.txt");
        ProcessBuilder builder = ChildJava.of(GroupSizesTest.class, what);
        builder.environment().put("POCL_CACHE_DIR", cache.toString());
        builder.environment().put("POCL_WORK_GROUP_SPECIALIZATION", "1");
        if (variable.length > 0) {
            builder.environment().put(variable[0], variable[1]);
        }
        builder.environment().remove("RUSTICL_ENABLE"); // no other platform is asked
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(10, TimeUnit.MINUTES), "it takes too long");
        } finally {
            process.destroyForcibly();
        }
        assertEquals(0, process.exitValue(), () -> read(output));
        return cache;
    }

    /**
     * Names of PoCL's folders of this kernel, without that of the form for any size, which it makes for binaries only.
     */
    private static Set<String> forms(Path cache, String kernel) throws IOException {
        try (Stream<Path> files = Files.walk(cache)) {
            return files.filter(f -> f.toString().endsWith(".so"))
                    .filter(f ->
                            f.getParent().getParent().getFileName().toString().equals(kernel))
                    .map(f -> f.getParent().getFileName().toString())
                    .filter(f -> !f.startsWith("0-0-0"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static long files(Path cache) throws IOException {
        try (Stream<Path> files = Files.walk(cache)) {
            return files.filter(f -> f.toString().endsWith(".so")).count();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** In the process: jobs of sizes that are not chosen well, on each device alone and on both, all results checked. */
    public static void main(String[] args) throws IOException {
        List<String> pocl = Evener.discover().stream()
                .filter(d -> d.platform().contains("Portable Computing Language"))
                .map(DeviceInfo::id)
                .toList();
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.ids(pocl))
                .history(History.inMemory())
                .open()) {
            if (args[0].equals("sizes")) {
                Random random = new Random(1);
                for (int i = 0; i < 40; i++) {
                    places(evener, 200 + random.nextInt(50_000), i);
                }
                for (int columns : new int[] {997, 1283, 1000}) {
                    image(evener, columns);
                }
            } else {
                Path cache = Path.of(System.getenv("POCL_CACHE_DIR"));
                try (HostBuffer out = evener.allocate(ElementType.INT, 10)) {
                    evener.prepare(job(out, 10)).join();
                }
                long prepared = files(cache);
                for (int i = 0; i < 6; i++) {
                    places(evener, new int[] {37, 1001, 60_000}[i % 3], i);
                }
                System.out.println(files(cache) == prepared ? "NOTHING NEW" : "MORE THAN " + prepared);
            }
        }
    }

    private static void places(Evener evener, int units, int number) {
        try (HostBuffer out = evener.allocate(ElementType.INT, units)) {
            evener.submit(job(out, units), number % 3 == 0 ? Policies.fixed() : Policies.single(number % 3 - 1))
                    .join();
            IntBuffer found = out.ints();
            int start = 0;
            for (int i = 0; i < units; i++) { // each chunk counts from its own start
                start = found.get(i) == 1 ? i : start;
                if (found.get(i) != 3 * (i - start) + 1) {
                    throw new AssertionError("unit " + i + " of " + units + " is " + found.get(i));
                }
            }
        }
    }

    private static Job job(HostBuffer out, int units) {
        return Job.named("places")
                .source(PLACES)
                .units(units)
                .kernel("places")
                .writes(out, Access.slice())
                .build();
    }

    private static void image(Evener evener, int columns) {
        int rows = 50;
        try (HostBuffer out = evener.allocate(ElementType.INT, (long) columns * rows)) {
            Job job = Job.named("image")
                    .source(SOURCE)
                    .range(columns, rows)
                    .kernel("image")
                    .writes(out, Access.slice(columns))
                    .scalar(columns)
                    .build();
            evener.submit(job, Policies.single(0)).join();
            for (int i = 0; i < columns * rows; i++) {
                if (out.ints().get(i) != i % columns * 1000 + i / columns) {
                    throw new AssertionError("pixel " + i + " of " + columns + " columns is "
                            + out.ints().get(i));
                }
            }
        }
    }
}
