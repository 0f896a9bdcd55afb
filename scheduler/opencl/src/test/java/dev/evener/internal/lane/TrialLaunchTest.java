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
import dev.evener.Variant;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What PoCL compiles at first launches is compiled before a lane is given work, where a source allows that: seen in its cache, which
 * grows by a file for each form of a kernel, in a process of its own in which PoCL has a form for each size of groups, as it
 * has for users.
 */
@InTurn(2)
class TrialLaunchTest {
    private static final KernelSource SOURCE = KernelSource.of("maps", """
            __kernel void twice(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = 2 * in[i];
            }
            __kernel void around(__global const int *in, __global int *out, ulong at, uint units) {
                uint i = get_global_id(0);
                if (i < units) {
                    out[i] = in[at + i] + (at + i > 0 ? in[at + i - 1] : 0);
                }
            }
            __kernel void sum(__global const int *in, __global int *total, __global const int *table) {
                atomic_add(total, table[in[get_global_id(0)]]);
            }
            __kernel void rows(__global const int *in, __global int *out, int columns) {
                size_t i = get_global_id(1) * columns + get_global_id(0);
                out[i] = 3 * in[i];
            }
            """);

    private static final int FEWER = 60_000; // than make PoCL's other form, where each unit may see a whole buffer

    @TempDir
    private Path folder;

    @Test
    void noChunkWaitsForACompiler() throws Exception {
        String said = said(
                true); // two forms of four kernels, for each device or, by later versions of PoCL, for both at once
        assertTrue(said.matches("after building (8|16), 0 more in 8 jobs"), said);
    }

    @Test
    void otherSourcesAreNotTried() throws Exception {
        String said = said(false);
        assertTrue(said.startsWith("after building 0, "), said);
        assertTrue(!said.contains(", 0 more"), said);
    }

    private String said(boolean tried) throws IOException, InterruptedException {
        ProcessBuilder builder = ChildJava.of(TrialLaunchTest.class, tried);
        Path output = folder.resolve("output.txt");
        builder.environment()
                .put(
                        "POCL_CACHE_DIR",
                        Files.createDirectory(folder.resolve("pocl")).toString());
        builder.environment().put("POCL_WORK_GROUP_SPECIALIZATION", "1");
        builder.environment().remove("RUSTICL_ENABLE"); // no other platform is asked
        Process process = builder.redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(10, TimeUnit.MINUTES), "it takes too long");
        } finally {
            process.destroyForcibly();
        }
        String text = Files.readString(output);
        assertEquals(0, process.exitValue(), text);
        return text.strip();
    }

    /** In the process: each job built, then run on each device, and files counted in between. */
    public static void main(String[] args) throws IOException {
        Path cache = Path.of(System.getenv("POCL_CACHE_DIR"));
        KernelSource source = Boolean.parseBoolean(args[0]) ? SOURCE.withTrialLaunch() : SOURCE;
        List<String> pocl = Evener.discover().stream()
                .filter(d -> d.platform().contains("Portable Computing Language"))
                .map(DeviceInfo::id)
                .toList();
        int n = 200_000;
        long built = 0;
        long run = 0;
        int jobs = 0;
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.ids(pocl))
                .history(History.inMemory())
                .open()) {
            HostBuffer in = evener.allocate(ElementType.INT, n);
            for (int i = 0; i < n; i++) {
                in.ints().put(i, i % 100);
            }
            HostBuffer out = evener.allocate(ElementType.INT, n);
            HostBuffer total = evener.allocate(ElementType.INT, 1);
            List<Job> all = List.of(
                    Job.named("twice")
                            .source(source)
                            .units(n)
                            .kernel("twice")
                            .reads(in, Access.slice())
                            .writes(out, Access.slice())
                            .build(),
                    Job.named("around")
                            .source(source)
                            .units(n)
                            .kernel("around")
                            .variant(Variant.itemsPerUnit(1).withGroupSize(32))
                            .reads(in, Access.slice().halo(1, 0))
                            .writes(out, Access.slice())
                            .viewStart(in)
                            .chunkUnits()
                            .build(),
                    Job.named("sum")
                            .source(source)
                            .units(FEWER)
                            .kernel("sum")
                            .reads(in.range(0, FEWER), Access.slice())
                            .reduces(total, Access.Reduction.SUM)
                            .reads(in, Access.whole())
                            .build(),
                    Job.named("rows")
                            .source(source)
                            .range(500, 400)
                            .kernel("rows")
                            .reads(in, Access.slice(500))
                            .writes(out, Access.slice(500))
                            .scalar(500)
                            .build());
            for (Job job : all) {
                long before = files(cache);
                evener.prepare(job).join();
                long between = files(cache);
                for (int device = 0; device < pocl.size(); device++) {
                    evener.submit(job, Policies.single(device)).join();
                    check(job, out, total);
                    jobs++;
                }
                built += between - before;
                run += files(cache) - between;
            }
        }
        System.out.println("after building " + built + ", " + run + " more in " + jobs + " jobs");
    }

    private static void check(Job job, HostBuffer out, HostBuffer total) {
        int n = (int) out.elements();
        int sum = 0;
        for (int i = 0; i < n; i++) {
            int x = i % 100;
            sum += i < FEWER ? x : 0;
            int right = job.name().equals("twice")
                    ? 2 * x
                    : job.name().equals("around") ? x + (i > 0 ? (i - 1) % 100 : 0) : 3 * x;
            if (!job.name().equals("sum") && out.ints().get(i) != right) {
                throw new AssertionError(
                        job.name() + ": " + i + " is " + out.ints().get(i));
            }
        }
        if (job.name().equals("sum") && total.ints().get(0) != sum) {
            throw new AssertionError("the sum is " + total.ints().get(0));
        }
    }

    /** Without the form for any size, which PoCL makes for binaries only. */
    private static long files(Path cache) throws IOException {
        try (Stream<Path> files = Files.walk(cache)) {
            return files.filter(f -> f.toString().endsWith(".so"))
                    .filter(f -> !f.getParent().getFileName().toString().startsWith("0-0-0"))
                    .count();
        }
    }
}
