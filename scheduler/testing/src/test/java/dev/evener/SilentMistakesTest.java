package dev.evener;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.policy.Policies;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Mistakes that an OpenCL program would make silently: each is refused by the builder, refused by the compiled kernel's signature, found
 * by the checking mode, or listed in the package's Javadoc as one that nobody finds.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SilentMistakesTest {
    private static final int N = 1000;

    private static final String SOURCE = """
            typedef struct { int a; float b; } pair;
            typedef float real;
            kernel void named(global real *out, real by) { out[get_global_id(0)] *= by; }
            kernel void copy(global const int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0)]; }
            kernel void scaled(global const float *in, global float *out, float by) {
                out[get_global_id(0)] = by * in[get_global_id(0)];
            }
            kernel void guarded(global const int *in, global int *out, int n) {
                int i = get_global_id(0);
                if (i < n) out[i] = in[i];
            }
            kernel void vectors(global const float4 *in, global float *out) { out[get_global_id(0)] = in[get_global_id(0)].x; }
            kernel void structs(global int *out, pair p) { out[get_global_id(0)] = p.a; }
            kernel void shared(global int *out, local int *memory) { out[get_global_id(0)] = 1; }
            kernel void only_const(global const int *out) {}
            kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eights(global int *out) { out[get_global_id(0)] = 1; }
            kernel void write_next(global const int *in, global int *out) { out[get_global_id(0) + 1] = in[get_global_id(0)]; }
            kernel void read_next(global const int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0) + 1]; }
            kernel void two_next(global const int *in, ulong start, global int *out) {
                out[get_global_id(0)] = in[start + get_global_id(0) + 2];
            }
            kernel void some(global const int *in, global int *out) {
                if (get_global_id(0) % 7 != 3) out[get_global_id(0)] = in[get_global_id(0)];
            }
            kernel void add(global const int *in, global int *out) { out[get_global_id(0)] += in[get_global_id(0)]; }
            kernel void change(global int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0)]++; }
            kernel void of_group(global const int *in, global int *out) {
                out[get_global_id(0)] = in[get_global_id(0)] + get_local_id(0);
            }
            kernel void unset(global const int *in, global int *memory, global int *out) {
                out[get_global_id(0)] = in[get_global_id(0)] + memory[get_global_id(0)];
            }
            kernel void append(global const int *in, global int *slots, global uint *counts) {
                slots[get_global_id(0)] = in[get_global_id(0)];
                if (get_global_id(0) % 2 == 0) counts[get_global_id(0)] = 1;
            }
            kernel void half_parts(global const int *in, global float *parts) { parts[2 * get_global_id(0)] = in[get_global_id(0)]; }
            kernel void nothing(global const int *in) {}
            kernel void near(global const int *in, ulong start, global int *out) { out[get_global_id(0)] = in[start + get_global_id(0)]; }
            kernel void idle_read(global const int *in, global int *out) {
                out[get_global_id(0)] = in[get_global_id(0)] + 0 * in[get_global_id(0) + 1];
            }
            """;

    private final Evener evener = Evener.builder()
            .devices(DeviceSelector.parse("0.0,0.1"))
            .policy(Policies.fixed())
            .history(History.inMemory())
            .open();
    private final Evener checked =
            Evener.builder().devices(DeviceSelector.parse("0.0")).checked().open();
    private final HostBuffer in = numbers(ElementType.INT, N, checked);
    private final HostBuffer out = numbers(ElementType.INT, N, checked);
    private final HostBuffer floats = checked.allocate(ElementType.FLOAT, N);
    private final HostBuffer others = checked.allocate(ElementType.FLOAT, N);
    private final HostBuffer odd = checked.allocate(ElementType.INT, N + 1);
    private final HostBuffer count = checked.allocate(ElementType.UINT, 1);
    private final HostBuffer two = checked.allocate(ElementType.FLOAT, 2);
    private final HostBuffer foreign = numbers(ElementType.INT, N, evener);
    private final ManagedBuffer foreignManaged = evener.allocateManaged(ElementType.INT, N);
    private final ByteBuffer memory = ByteBuffer.allocateDirect(4 * N + 8192)
            .alignedSlice(4096)
            .limit(4 * N)
            .slice()
            .order(ByteOrder.nativeOrder());

    /** Who tells, as the Javadoc of {@code dev.evener.testing} says it. */
    private enum Told {
        BUILDER("Refused by the builder"),
        KERNEL("Refused by the compiled kernel"),
        SUBMITTED("Refused when it is submitted"),
        CHECKED("Found by the checking mode"),
        WARNED("Warned of by the checking mode"),
        NOBODY("Found by nobody");

        private final String words;

        Told(String words) {
            this.words = words;
        }
    }

    /**
     * A mistake.
     *
     * @param words of the message, or why nobody can tell
     */
    private record Mistake(Told by, String name, String words, Supplier<Object> made) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static HostBuffer numbers(ElementType type, int elements, Evener of) {
        HostBuffer made = of.allocate(type, elements);
        for (int i = 0; i < elements; i++) {
            made.ints().put(i, 3 * i + 1);
        }
        return made;
    }

    @AfterAll
    void close() {
        evener.close();
        checked.close();
    }

    private static JobBuilder job(String kernel) {
        return Job.named("mistaken").source(SOURCE).units(N).kernel(kernel);
    }

    private JobBuilder map(String kernel) {
        return job(kernel).chunkView().reads(in, slice()).writes(out, slice());
    }

    private static Mistake builder(String name, String words, Supplier<Object> made) {
        return new Mistake(Told.BUILDER, name, words, made);
    }

    private static Mistake of(Told by, String name, String words, Supplier<JobBuilder> job) {
        return new Mistake(by, name, words, () -> job.get().build());
    }

    private Stream<Mistake> refusedByTheBuilder() {
        return Stream.of(
                builder("a blank job name", "the name of a job is blank", () -> Job.named(" ")),
                builder("a blank kernel name", "the name of a kernel is blank", () -> job("")),
                builder("fractions that add up to more than 1", "add up to 1.4", () -> Policies.fixed(0.7, 0.7)),
                builder(
                        "a buffer that the units do not divide",
                        "do not divide",
                        () -> job("copy")
                                .reads(odd, slice())
                                .writes(out, slice())
                                .build()),
                builder(
                        "a buffer too small for its units",
                        "need more",
                        () -> job("copy")
                                .chunkView()
                                .reads(in, slice(2))
                                .writes(out, slice())
                                .build()),
                builder(
                        "a halo without its view start",
                        "no viewStart(buffer)",
                        () -> job("copy")
                                .chunkView()
                                .reads(in, slice().halo(1, 1))
                                .writes(out, slice())
                                .build()),
                builder(
                        "one buffer read and written by a kernel",
                        "are one buffer",
                        () -> job("copy")
                                .chunkView()
                                .reads(in, slice())
                                .writes(in, slice())
                                .build()),
                builder(
                        "two buffers over one memory",
                        "lie over each other",
                        () -> job("copy")
                                .reads(checked.wrap(ElementType.INT, memory), slice())
                                .writes(checked.wrap(ElementType.INT, memory), slice())
                                .build()),
                builder(
                        "a write to read-only memory",
                        "read-only",
                        () -> job("copy")
                                .writes(
                                        checked.wrap(
                                                ElementType.INT,
                                                memory.asReadOnlyBuffer().order(ByteOrder.nativeOrder())),
                                        slice())),
                builder(
                        "a write of all by all units",
                        "written by all units",
                        () -> job("copy").writes(out, whole()).build()),
                builder(
                        "a reduction that is read",
                        "written, not read",
                        () -> job("copy").reads(in, new Access.Reduce(Reduction.SUM, false))),
                builder(
                        "floats that are accumulated",
                        "needs integers",
                        () -> job("copy").accumulates(floats, Reduction.SUM)),
                builder(
                        "a count of ints",
                        "1 uint or ulong",
                        () -> job("append").appends(out, in, 1)),
                builder(
                        "a granule larger than the job",
                        "larger than the job",
                        () -> map("copy").granule(2 * N).build()),
                builder(
                        "a group of more dimensions than the range",
                        "more dimensions",
                        () -> map("copy").groupSize(8, 8).build()),
                builder(
                        "a guard with the job's length in the chunk's view",
                        "index in the job",
                        () -> job("guarded")
                                .variant(DeviceKind.CPU, Variant.itemsPerUnit(1, 64))
                                .reads(in, slice())
                                .writes(out, slice())
                                .scalar(N)
                                .build()),
                builder(
                        "a scalar of a type that kernels are not given",
                        "BigInteger",
                        () -> job("copy").scalar(BigInteger.ONE)),
                builder(
                        "two values of one scalar's name",
                        "a name is one value",
                        () -> job("copy").scalar("n", 1).scalar("n", 2)),
                builder(
                        "a variable that outlives a launch",
                        "outlive a launch",
                        () -> Job.named("mistaken")
                                .source(KernelSource.of("state", "global int sum; " + SOURCE)
                                        .withOptions("-cl-std=CL3.0"))
                                .units(N)
                                .kernel("copy")
                                .reads(in, slice())
                                .writes(out, slice())
                                .build()),
                builder(
                        "columns in the chunk's view",
                        "job's view",
                        () -> job("copy")
                                .chunkView()
                                .reads(in, columns(N))
                                .writes(out, slice())
                                .build()));
    }

    private Stream<Mistake> refusedByTheKernel() {
        return Stream.of(
                of(
                        Told.KERNEL,
                        "a missing argument",
                        "has 3 parameters",
                        () -> job("scaled").reads(floats, slice()).writes(others, slice())),
                of(
                        Told.KERNEL,
                        "a number for a pointer",
                        "is a pointer",
                        () -> job("copy").scalar(1).writes(out, slice())),
                of(
                        Told.KERNEL,
                        "a buffer for a number",
                        "no __global",
                        () -> job("scaled")
                                .reads(floats, slice())
                                .writes(others, slice())
                                .reads(two, whole())),
                of(
                        Told.KERNEL,
                        "an int for a float",
                        "a scalar of type int",
                        () -> job("scaled")
                                .reads(floats, slice())
                                .writes(others, slice())
                                .scalar(2)),
                of(
                        Told.KERNEL,
                        "an int for a float behind a typedef",
                        "real, which is float",
                        () -> job("named").updates(floats, slice()).scalar(2)),
                of(
                        Told.KERNEL,
                        "a buffer of ints for floats behind one",
                        "real*, which is float*",
                        () -> job("named").updates(out, slice()).scalar(2f)),
                of(
                        Told.KERNEL,
                        "a buffer of floats for ints",
                        "a buffer of float",
                        () -> job("copy").reads(floats, slice()).writes(out, slice())),
                of(
                        Told.KERNEL,
                        "a vector's pointer over units of one element",
                        "give slice(4)",
                        () -> job("vectors").reads(floats, slice(1)).writes(others, slice())),
                of(
                        Told.KERNEL,
                        "a write through const",
                        "parameter is const",
                        () -> job("only_const").writes(out, slice())),
                of(
                        Told.KERNEL,
                        "a struct of another size",
                        "a value of 4 bytes",
                        () -> job("structs")
                                .writes(out, slice())
                                .value(ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()))),
                of(
                        Told.KERNEL,
                        "a buffer for local memory",
                        "__local pointer",
                        () -> job("shared").writes(out, slice()).reads(in, whole())),
                of(Told.KERNEL, "a kernel that the source has not", "the kernels of source", () -> map("copies")),
                of(
                        Told.KERNEL,
                        "a group that the kernel does not allow",
                        "wants groups of 8",
                        () -> job("eights").writes(out, slice()).groupSize(4)));
    }

    private Stream<Mistake> found() {
        return Stream.of(
                of(Told.CHECKED, "a write behind the slice", "writes outside", () -> map("write_next")),
                of(Told.CHECKED, "a read behind the slice", "reads outside", () -> map("read_next")),
                of(
                        Told.CHECKED,
                        "a halo that is too small",
                        "reads outside",
                        () -> job("two_next")
                                .chunkView()
                                .reads(in, slice().halo(0, 1))
                                .viewStart(in)
                                .writes(out, slice())),
                of(Told.CHECKED, "elements that are never written", "does not write", () -> map("some")),
                of(Told.CHECKED, "an update declared as a write", "declare updates", () -> map("add")),
                of(Told.CHECKED, "a change of an input", "the kernel changes", () -> map("change")),
                of(
                        Told.CHECKED,
                        "a chunk's index taken for the job's",
                        "cut at other units",
                        () -> job("copy").chunkView().reads(in, whole()).writes(out, slice())),
                of(Told.CHECKED, "a result that depends on the group's size", "another size", () -> map("of_group")),
                of(
                        Told.CHECKED,
                        "a temporary read before it is written",
                        "a temporary before",
                        () -> job("unset")
                                .chunkView()
                                .reads(in, slice())
                                .temporary(Temporary.perUnit(ElementType.INT, 1))
                                .writes(out, slice())),
                of(
                        Told.CHECKED,
                        "a count that a unit leaves out",
                        "does not write",
                        () -> job("append").chunkView().reads(in, slice()).appends(out, count, 1)),
                of(
                        Told.CHECKED,
                        "a partial result that a unit leaves out",
                        "does not write",
                        () -> job("half_parts").chunkView().reads(in, slice()).reduces(two, Reduction.SUM)),
                of(
                        Told.CHECKED,
                        "a job that writes nothing",
                        "writes nothing",
                        () -> job("nothing").reads(in, slice())));
    }

    private Stream<Mistake> refusedWhenSubmitted() {
        return Stream.of(of(
                Told.SUBMITTED,
                "another Evener's managed buffer",
                "that another Evener allocated",
                () -> job("copy").reads(foreignManaged, slice()).writes(out, slice())));
    }

    private Stream<Mistake> warnedOf() {
        return Stream.of(
                of(
                        Told.WARNED,
                        "a halo far larger than what is read",
                        "do not depend on the outer half of the 300 units that its halo has behind each chunk",
                        () -> job("near")
                                .chunkView()
                                .reads(in, slice().halo(300, 300))
                                .viewStart(in)
                                .writes(out, slice())),
                of(
                        Told.WARNED,
                        "a buffer of floats filled through `ints()`",
                        "1000 float is looked at as whole",
                        () -> {
                            floats.ints().put(0, 1);
                            return job("scaled")
                                    .reads(floats, slice())
                                    .writes(others, slice())
                                    .scalar(2f);
                        }));
    }

    private Stream<Mistake> notFound() {
        return Stream.of(
                of(
                        Told.NOBODY,
                        "`updates` where `writes` would do",
                        "",
                        () -> job("copy").reads(in, slice()).updates(out, slice())),
                of(
                        Told.NOBODY,
                        "another Evener's host buffer",
                        "",
                        () -> job("copy").reads(foreign, slice()).writes(out, slice())),
                of(Told.NOBODY, "a read outside that changes nothing", "", () -> map("idle_read")));
    }

    private List<Mistake> all() {
        List<Mistake> all = new ArrayList<>();
        Stream.of(refusedByTheBuilder(), refusedByTheKernel(), refusedWhenSubmitted(), found(), warnedOf(), notFound())
                .forEach(some -> some.forEach(all::add));
        return all;
    }

    Stream<Mistake> told() {
        return all().stream().filter(each -> each.by() != Told.NOBODY && each.by() != Told.WARNED);
    }

    @ParameterizedTest
    @MethodSource("told")
    void isTold(Mistake mistake) {
        RuntimeException e;
        if (mistake.by() == Told.BUILDER) {
            e = assertThrows(RuntimeException.class, () -> mistake.made().get());
            assertTrue(e instanceof JobRejectedException || e instanceof IllegalArgumentException, e::toString);
        } else if (mistake.by() == Told.SUBMITTED) {
            Job job = (Job) mistake.made().get();
            e = assertThrows(JobRejectedException.class, () -> checked.submit(job));
            assertThrows(JobRejectedException.class, () -> checked.trySubmit(job));
        } else {
            Evener with = mistake.by() == Told.CHECKED ? checked : evener;
            Job job = (Job) mistake.made().get();
            e = assertInstanceOf(
                    JobRejectedException.class,
                    assertThrows(
                                    CompletionException.class,
                                    () -> with.submit(job).join())
                            .getCause());
        }
        assertTrue(String.valueOf(e.getMessage()).contains(mistake.words()), e::toString);
    }

    Stream<Mistake> notRefused() {
        return Stream.concat(warnedOf(), notFound());
    }

    /** Each has the right result, or what nobody can tell from one. */
    @ParameterizedTest
    @MethodSource("notRefused")
    void isNotRefused(Mistake mistake) {
        Job job = (Job) mistake.made().get();
        assertEquals(List.of(), checked.submit(job).join().failures());
        if (!mistake.name().contains("floats")) {
            for (int i = 0; i < N; i++) {
                assertEquals(3 * i + 1, out.ints().get(i));
            }
        }
    }

    /** Each once, whatever runs again; and nothing of the jobs that found() has right. */
    @Test
    void warningsAreLogged() throws Exception {
        ProcessBuilder builder = ChildJava.of(Warned.class);
        builder.command().add(1, PrintingLogs.OPTION);
        Process program = builder.start();
        List<String> said = program.inputReader().lines().toList();
        assertEquals(0, program.waitFor(), said::toString);
        List<String> expected = new ArrayList<>(List.of("its halo has before each chunk"));
        warnedOf().map(Mistake::words).forEach(expected::add);
        for (String words : expected) {
            assertEquals(1, said.stream().filter(line -> line.contains(words)).count(), () -> words + " in " + said);
        }
        assertEquals(expected.size(), said.size(), said::toString);
    }

    static final class Warned {
        private Warned() {}

        public static void main(String[] args) {
            SilentMistakesTest test = new SilentMistakesTest();
            for (int i = 0; i < 2; i++) {
                test.warnedOf().forEach(test::isNotRefused);
                test.checked
                        .submit(job("near")
                                .chunkView()
                                .reads(test.in, slice().halo(1, 1))
                                .viewStart(test.in)
                                .writes(test.out, slice())
                                .build())
                        .join();
                test.floats.floats().put(0, 1);
            }
            test.close();
        }
    }

    @Test
    void theListIsThatOfTheDocumentation() throws Exception {
        assertTrue(all().size() >= 40, all().size() + " mistakes");
        String doc = Files.readString(Path.of("src/main/java/dev/evener/testing/package-info.java"))
                .replaceAll("\\s+(\\* *)?", " ");
        for (Told by : Told.values()) {
            String row = "<b>" + by.words + "</b>: "
                    + all().stream()
                            .filter(each -> each.by() == by)
                            .map(Mistake::name)
                            .collect(Collectors.joining("; "));
            assertTrue(doc.contains(row), () -> "package-info.java of dev.evener.testing should have: " + row);
        }
    }
}
