package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.internal.HostData;
import dev.evener.internal.HostTurn;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.job.Space;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What a job's description is refused for, and in which words; and what it holds when it is not. */
class JobTest {
    private Evener evener;
    private HostData ints;
    private HostData other;
    private HostData floats;

    @BeforeEach
    void open() {
        evener = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open();
        ints = (HostData) LogicalBuffer.of(evener.allocate(ElementType.INT, 100));
        other = (HostData) LogicalBuffer.of(evener.allocate(ElementType.INT, 100));
        floats = (HostData) LogicalBuffer.of(evener.allocate(ElementType.FLOAT, 100));
    }

    @AfterEach
    void close() {
        evener.close();
    }

    private static JobBuilder job() {
        return Job.named("j").units(10).source("text");
    }

    private static void refused(String message, UnaryOperator<JobBuilder> phase) {
        EvenerException e = assertThrows(
                EvenerException.class, () -> phase.apply(job().kernel("k")).build());
        assertEquals("job 'j', kernel k: " + message, e.getMessage());
    }

    private static void refusedAtOnce(String message, Executable call) {
        assertEquals(
                "job 'j': " + message, assertThrows(EvenerException.class, call).getMessage());
    }

    // ---- what is missing ----

    @Test
    void aJobNeedsAKernelUnitsAndCode() {
        refusedAtOnce("it has no kernel", () -> job().build());
        refusedAtOnce(
                "units(n) is missing",
                () -> Job.named("j").source("").kernel("k").build());
        refusedAtOnce("units must not be negative, not -1", () -> Job.named("j").units(-1));
        String message = assertThrows(
                        EvenerException.class,
                        () -> Job.named("j").units(1).kernel("k").build())
                .getMessage();
        assertEquals("job 'j', kernel k: it has neither OpenCL source nor a Java form", message);
        assertThrows(NullPointerException.class, () -> Job.named(null));
        assertThrows(NullPointerException.class, () -> job().kernel(null));
    }

    @Test
    void everySecondPhaseIsCheckedToo() {
        EvenerException e = assertThrows(
                EvenerException.class,
                () -> job().chunkView()
                        .kernel("first")
                        .kernel("second")
                        .reads(ints, Access.slice(11))
                        .build());
        assertTrue(e.getMessage().startsWith("job 'j', kernel second: argument 0 "), e.getMessage());
    }

    @Test
    void aSourceIsThatOfThePhasesThatFollow() {
        Job job = Job.named("two")
                .units(4)
                .source("one")
                .kernel("a")
                .writes(ints, Access.slice(1))
                .source("two")
                .kernel("b")
                .writes(ints, Access.slice(1))
                .build();
        List<String> sources = JobSpec.of(job).phases().stream()
                .map(phase -> Objects.requireNonNull(phase.source()).text())
                .toList();
        assertEquals(List.of("one", "two"), sources);
    }

    @Test
    void everythingOfAPhaseComesAfterItsKernel() {
        String hint = " was given before kernel(name)";
        refusedAtOnce("an argument" + hint, () -> job().scalar(1));
        refusedAtOnce("an argument" + hint, () -> job().scalar(1L));
        refusedAtOnce("an argument" + hint, () -> job().scalar(1f));
        refusedAtOnce("an argument" + hint, () -> job().scalar(1d));
        refusedAtOnce("an argument" + hint, () -> job().chunkStart());
        refusedAtOnce("an argument" + hint, () -> job().chunkUnits());
        refusedAtOnce("an argument" + hint, () -> job().reads(ints, Access.slice()));
        refusedAtOnce("variant" + hint, () -> job().variant(DeviceKind.CPU, Variant.plain()));
        refusedAtOnce("jvm" + hint, () -> job().jvm(c -> {}));
        refusedAtOnce("hostStep" + hint, () -> job().hostStep(() -> {}));
        refusedAtOnce(
                "hostStep" + hint, () -> job().kernel("k").hostStep(() -> {}).hostStep(() -> {}));
    }

    // ---- what outlives a launch ----

    /** Each device would keep its own, of the chunks that it happens to get. */
    @Test
    void variablesThatKernelsKeepAreRefusedWhereAJobIsCut() {
        String text =
                "constant int table[2] = {1, 2};\nglobal int counter;\nkernel void k(global int *x) { x[0] = counter++; }\n";
        KernelSource later = KernelSource.of("state.cl", text).withOptions("-cl-std=CL3.0");
        UnaryOperator<JobBuilder> job = of -> of.units(10).kernel("k").updates(ints, Access.slice());
        EvenerException e = assertThrows(
                EvenerException.class,
                () -> job.apply(Job.named("j").source(later)).build());
        assertEquals(
                "job 'j': source state.cl has variables that outlive a launch, of which each device has its own (counter): make"
                        + " them constant or const, or buffers of the job. An undivided() job may have them, as memory of one launch",
                e.getMessage());
        Variant option = Variant.plain().withOptions("-cl-std=CL2.0");
        assertThrows(
                EvenerException.class,
                () -> Job.named("j")
                        .units(10)
                        .source(text)
                        .kernel("k")
                        .variant(DeviceKind.GPU, option)
                        .updates(ints, Access.slice())
                        .build());
        job.apply(Job.named("j").source(later).undivided()).build();
        job.apply(Job.named("j").source(text)).build(); // which compilers of OpenCL C 1.2 refuse
    }

    // ---- slices ----

    @Test
    void unitsMustDivideASliceWithoutASize() {
        String tail = " elements, which 10 units do not divide; give slice(elementsPerUnit)";
        HostBuffer odd = evener.allocate(ElementType.INT, 101);
        HostBuffer few = evener.allocate(ElementType.INT, 9);
        HostBuffer none = evener.allocate(ElementType.INT, 0);
        refused("argument 0 has 101" + tail, k -> k.reads(odd, Access.slice()));
        refused("argument 1 has 9" + tail, k -> k.scalar(1).writes(few, Access.slice()));
        refused("argument 0 has 0" + tail, k -> k.updates(none, Access.slice()));
    }

    @Test
    void aBufferMustHoldAllUnits() {
        refused(
                "argument 0 has 100 elements, but 10 units of 11 need more",
                k -> k.chunkView().reads(ints, Access.slice(11)));
        refused(
                "argument 0 has 100 elements, but 10 units of 101 need more",
                k -> k.chunkView().reads(ints, Access.slice(101)));
        refused(
                "argument 0 has 100 elements, but 10 units of 9223372036854775807 need more",
                k -> k.chunkView().reads(ints, Access.slice(Long.MAX_VALUE)));
        assertThrows(IllegalArgumentException.class, () -> Access.slice(0));
        assertThrows(IllegalArgumentException.class, () -> Access.slice(-1));
    }

    @Test
    void sizesOfSlicesAreWorkedOut() {
        Job job = job().kernel("k")
                .reads(ints, Access.slice())
                .reads(other, Access.slice(3))
                .build();
        List<Argument> arguments = JobSpec.of(job).phases().get(0).arguments();
        assertEquals(Access.slice(10), ((Argument.Buffer) arguments.get(0)).access());
        assertEquals(Access.slice(3), ((Argument.Buffer) arguments.get(1)).access());
    }

    @Test
    void aJobWithoutUnitsTakesAnyBuffer() {
        HostBuffer none = evener.allocate(ElementType.INT, 0);
        Job job = Job.named("j")
                .units(0)
                .source("")
                .kernel("k")
                .reads(none, Access.slice())
                .reads(ints, Access.slice(Long.MAX_VALUE))
                .jvm(c -> {})
                .build();
        evener.submit(job).join();
    }

    // ---- halos ----

    @Test
    void halosAreReadWithTheirViewStart() {
        HostBuffer few = evener.allocate(ElementType.INT, 9);
        refused(
                "argument 0 has a halo, but no viewStart(buffer) tells the kernel where in its view the chunk begins",
                k -> k.chunkView().reads(ints, Access.slice().halo(1, 1)));
        Job sees = job().kernel("k").reads(ints, Access.slice().halo(1, 1)).build();
        assertTrue(JobSpec.of(sees).space().seesJob(), "or the kernel sees its job, where it needs none");
        String notRead = "argument 1 is the view start of a buffer that this kernel does not read with"
                + " slice(...).halo(before, after)";
        refused(notRead, k -> k.reads(ints, Access.slice()).viewStart(ints));
        refused(notRead, k -> k.reads(ints, Access.slice().halo(1, 1)).viewStart(other));
        refused(
                "argument 2 is the view start of one buffer that arguments 0 and 1 both read with a halo; read it once,"
                        + " with the larger halo",
                k -> k.reads(ints, Access.slice().halo(1, 1))
                        .reads(ints, Access.slice().halo(2, 2))
                        .viewStart(ints));
        refused(
                "argument 0 has 9 elements, but 10 units of 1 need more",
                k -> k.reads(few, Access.slice(1).halo(1, 1)).viewStart(few));
        refused(
                "argument 2 and argument 0 are one buffer and one of them writes it; give it once with updates(), or use"
                        + " two buffers",
                k -> k.reads(ints, Access.slice().halo(1, 1)).viewStart(ints).writes(ints, Access.slice()));
        String written = " takes no halo: two devices would write the units where they overlap; read one buffer with"
                + " slice(...).halo(before, after) and write another with slice(...)";
        refusedAtOnce(
                "kernel k, argument 0: writes" + written,
                () -> job().kernel("k").writes(ints, Access.slice().halo(0, 1)));
        refusedAtOnce(
                "kernel k, argument 0: updates" + written,
                () -> job().kernel("k").updates(ints, Access.slice().halo(0, 1)));
        assertThrows(IllegalArgumentException.class, () -> Access.slice().halo(-1, 0));
        assertThrows(IllegalArgumentException.class, () -> Access.slice().halo(0, -1));
    }

    @Test
    void viewStartsKnowTheirArgument() {
        Job job = job().kernel("k")
                .viewStart(other)
                .reads(ints, Access.slice())
                .reads(other, Access.slice().halo(2, 3))
                .build();
        List<Argument> arguments = JobSpec.of(job).phases().get(0).arguments();
        assertEquals(new Argument.ViewStart(other.all(), 2), arguments.get(0));
        assertEquals(new Access.Halo(10, 2, 3), ((Argument.Buffer) arguments.get(2)).access());
        // The JVM lane's chunks know it without being told.
        Job.named("j")
                .units(10)
                .kernel("k")
                .reads(ints, Access.slice().halo(1, 1))
                .jvm(c -> {})
                .build();
    }

    // ---- two dimensions ----

    @Test
    void rowsAreUnits() {
        Job job = job().range(7, 20).kernel("k").reads(ints, Access.slice()).build();
        assertEquals(20, job.units());
        assertEquals(
                new Space(List.of(7L, 20L, 1L), List.of(0L, 0L, 0L), 2, 1, true),
                JobSpec.of(job).space());
        Job back = job().range(7, 20).units(10).kernel("k").build();
        assertEquals(10, back.units());
        assertEquals(1, JobSpec.of(back).space().dimensions());
        assertEquals(0, job().range(0, 20).kernel("k").build().units());
        refusedAtOnce("sizes of a range must not be negative, not -1", () -> job().range(7, -1));
    }

    @Test
    void rowsHaveAtLeastOneWorkItemForEachColumn() {
        Variant wide = Variant.plain().withGroupSize(16);
        for (Variant fit : List.of(wide, Variant.itemsPerUnit(2).withGroupSize(16))) {
            job().range(7, 20).kernel("k").variant(DeviceKind.GPU, fit).build();
        }
        for (Variant unfit : List.of(Variant.unitsPerItem(2).withGroupSize(16), wide.withGroupsPerComputeUnit(1))) {
            job().kernel("k").variant(DeviceKind.GPU, unfit).build();
            refused(
                    "the variant for GPU devices sets units per item or groups per compute unit, but a range of several"
                            + " dimensions has at least one work-item for each place; only options, a group size and items"
                            + " per unit may be set, which are rows of them",
                    k -> k.range(7, 20).variant(DeviceKind.GPU, unfit));
        }
    }

    // ---- granules ----

    @Test
    void aGranuleFitsItsJob() {
        assertEquals(1, JobSpec.of(job().kernel("k").build()).granule());
        assertEquals(10, JobSpec.of(job().granule(10).kernel("k").build()).granule());
        refusedAtOnce("a granule needs at least 1 unit, not 0", () -> job().granule(0));
        refusedAtOnce(
                "a granule of 11 units is larger than the job of 10, which would have no whole one",
                () -> job().granule(11).kernel("k").build());
        job().units(0).granule(11).kernel("k").build();
    }

    // ---- aliases and writers ----

    @Test
    void aWrittenBufferIsGivenOnce() {
        String tail = " are one buffer and one of them writes it; give it once with updates(), or use two buffers";
        String alike = tail.replace("give", "say jobView(), in which both parameters may have it, or give");
        refused(
                "argument 1 and argument 0" + alike,
                k -> k.chunkView().reads(ints, Access.slice()).writes(ints, Access.slice()));
        refused(
                "argument 2 and argument 0" + tail,
                k -> k.chunkView().writes(ints, Access.slice()).scalar(1).reads(ints, Access.whole()));
        refused(
                "argument 1 and argument 0" + alike,
                k -> k.chunkView().updates(ints, Access.slice()).updates(ints, Access.slice()));
        refused(
                "argument 1 and argument 0" + tail,
                k -> k.chunkView().reduces(ints, Reduction.SUM).reduces(ints, Reduction.MAX));
        refused(
                "argument 2 and argument 1" + alike,
                k -> k.chunkView()
                        .reads(ints, Access.whole())
                        .reads(ints, Access.slice())
                        .writes(ints, Access.slice()));
        // A kernel that works in place through two parameters: both are the buffer's start.
        Job inPlace = job().jobView()
                .kernel("k")
                .writes(ints, Access.slice())
                .reads(ints, Access.slice())
                .build();
        assertEquals(
                List.of(new Argument.Buffer(ints, Access.slice(10), true, true), new Argument.Again(0)),
                JobSpec.of(inPlace).phases().get(0).arguments());
    }

    @Test
    void readersMayShareABufferAndPhasesMayTakeTurns() {
        job().kernel("k")
                .reads(ints, Access.slice())
                .reads(ints, Access.whole())
                .writes(other, Access.slice())
                .kernel("l")
                .reads(other, Access.slice())
                .writes(ints, Access.slice())
                .build();
    }

    @Test
    void onlySlicesAreWritten() {
        String all =
                "argument 0 is written by all units, but two devices must not write one region: give slice(...) or another"
                        + " part for each unit, reduces(...) or accumulates(...) where units combine with atomics what they have in"
                        + " common, or make the job undivided()";
        refused(all, k -> k.writes(ints, Access.whole()));
        refused(all, k -> k.updates(ints, Access.whole()));
        Job whole = job().undivided().kernel("k").updates(ints, Access.whole()).build();
        HostBuffer longer = evener.allocate(ElementType.INT, 101);
        assertEquals(
                "job 'j', kernel k: argument 0 has 100 elements, and what replaces it must have as many, not 101",
                assertThrows(EvenerException.class, () -> whole.with(Map.of(ints, longer)))
                        .getMessage());
        refusedAtOnce(
                "kernel k, argument 0: writes takes slice(), planes or columns; results that units have in common go to"
                        + " reduces(buffer, operation) or accumulates(buffer, operation)",
                () -> job().kernel("k").writes(ints, new Access.Reduce(Reduction.SUM, false)));
        refusedAtOnce(
                "a reduction is written, not read: use reduces(buffer, operation)",
                () -> job().kernel("k").reads(ints, new Access.Reduce(Reduction.SUM, false)));
    }

    @Test
    void bitsAndWhatIsAccumulatedAreIntegers() {
        for (ElementType type : ElementType.values()) {
            HostBuffer buffer = evener.allocate(type, 4);
            for (Reduction each : Reduction.values()) {
                if (!type.isFloating() || !each.isOfBits()) {
                    job().kernel("k").reduces(buffer, each).build();
                } else {
                    refusedAtOnce(
                            "kernel k, argument 0: " + each + " of reduces needs integers, not " + type.openClName()
                                    + "; the order of floating-point operations would depend on the split",
                            () -> job().kernel("k").reduces(buffer, each));
                }
            }
            if (type.isFloating()) {
                refusedAtOnce(
                        "kernel k, argument 0: accumulates needs integers, not " + type.openClName()
                                + "; the order of floating-point operations would depend on the split",
                        () -> job().kernel("k").accumulates(buffer, Reduction.SUM));
            } else {
                job().kernel("k").accumulates(buffer, Reduction.SUM).build();
            }
        }
    }

    @Test
    void floatingReductionsNeedRoomForEachUnit() {
        HostBuffer none = evener.allocate(ElementType.FLOAT, 0);
        refused("argument 0 takes results, but has no elements", k -> k.reduces(none, Reduction.SUM));
        refused(
                "argument 1 needs host memory for 4611686018427387904 units of 100 float, more than there can be; make"
                        + " units larger",
                k -> k.units(1L << 62).scalar(1).reduces(floats, Reduction.SUM));
        job().units(1L << 62).kernel("k").reduces(ints, Reduction.SUM).build();
    }

    @Test
    void appendedResultsNeedRoomAndACount() {
        HostBuffer count = evener.allocate(ElementType.UINT, 1);
        HostBuffer two = evener.allocate(ElementType.UINT, 2);
        Job job = job().kernel("k").scalar(1).appends(ints, count, 4).build();
        List<Argument> arguments = JobSpec.of(job).phases().get(0).arguments();
        assertEquals(3, arguments.size(), "appends stands for two parameters");
        assertEquals(new Access.Append(4), ((Argument.Buffer) arguments.get(1)).access());
        assertEquals(count, ((Argument.Buffer) arguments.get(2)).buffer());
        refusedAtOnce(
                "appends needs room for at least 1 element per unit, not 0",
                () -> job().kernel("k").appends(ints, count, 0));
        refusedAtOnce(
                "the count of appends needs a buffer of 1 uint or ulong, not a buffer of 2 uint",
                () -> job().kernel("k").appends(ints, two, 1));
        refusedAtOnce(
                "the count of appends needs a buffer of 1 uint or ulong, not a buffer of 1 int",
                () -> job().kernel("k").appends(ints, evener.allocate(ElementType.INT, 1), 1));
        refusedAtOnce(
                "what is appended is written, not read: use appends(out, count, mostPerUnit)",
                () -> job().kernel("k").reads(ints, new Access.Append(1)));
        refused(
                "argument 1 and argument 0 are one buffer and one of them writes it; give it once with updates(), or use"
                        + " two buffers",
                k -> k.appends(count, count, 1));
        refused(
                "argument 1 and argument 0 are one buffer and one of them writes it; give it once with updates(), or use"
                        + " two buffers",
                k -> k.reads(ints, Access.slice()).appends(ints, count, 1));
        refused(
                "argument 0 needs host memory for 10 units of 4611686018427387904 int, more than there can be; make units"
                        + " larger",
                k -> k.appends(ints, count, 1L << 62));
    }

    // ---- closed buffers ----

    @Test
    void aClosedBufferIsRefused() {
        ints.close();
        refused("argument 1 is a closed buffer", k -> k.scalar(5).reads(ints, Access.slice()));
        assertThrows(IllegalStateException.class, () -> ints.bytes());
        assertThrows(IllegalStateException.class, () -> ints.ints());
        ints.close();
        assertTrue(ints.isClosed());
    }

    // ---- what a job holds ----

    @Test
    void phasesKeepTheirOwnArgumentsVariantsAndForms() {
        Policy policy = Policies.single();
        JvmKernel form = c -> {};
        AtomicInteger steps = new AtomicInteger();
        Job job = job().policy(policy)
                .kernel("k")
                .reads(ints, Access.whole())
                .scalar(2.5f)
                .variant(DeviceKind.GPU, Variant.itemsPerUnit(4).withGroupSize(64))
                .jvm(form)
                .hostStep(steps::incrementAndGet)
                .source(KernelSource.of("second", "more text"))
                .kernel("l")
                .chunkStart()
                .chunkUnits()
                .build();
        assertEquals("j", job.name());
        assertEquals(10, job.units());
        assertEquals(policy, JobSpec.of(job).options().policy());
        JobSpec.Phase first = JobSpec.of(job).phases().get(0);
        JobSpec.Phase second = JobSpec.of(job).phases().get(1);
        assertEquals("k", first.kernel());
        assertEquals("text", first.source().text());
        assertEquals(form, first.jvm());
        first.hostStep().accept(new HostTurn(b -> b, Set.of(), Set.of(), new Traffic()));
        assertEquals(1, steps.get());
        assertEquals(64, first.passes().get(0).variant(DeviceKind.GPU).groupSize());
        assertEquals(Variant.plain(), first.passes().get(0).variant(DeviceKind.CPU));
        assertEquals(List.of(new Argument.ChunkStart(), new Argument.ChunkUnits()), second.arguments());
        assertEquals("more text", second.source().text());
        assertNull(second.jvm());
        assertNull(second.hostStep());
        assertEquals(Variant.plain(), second.passes().get(0).variant(DeviceKind.GPU));
    }

    // ---- several kernels in a phase ----

    @Test
    void kernelsOfAPhaseKeepTheirOwnArgumentsAndVariants() {
        Temporary temporary = Temporary.perUnit(ElementType.INT, 2);
        JvmKernel form = c -> {};
        Job job = job().kernel("k")
                .writes(ints, Access.slice())
                .temporary(temporary)
                .variant(DeviceKind.GPU, Variant.groups(3).withGroupSize(64))
                .jvm(form)
                .then("l")
                .scalar(1)
                .temporary(temporary)
                .reads(other, Access.slice())
                .reads(ints, Access.slice(10))
                .then("m")
                .updates(other, Access.slice(10))
                .build();
        assertEquals(1, JobSpec.of(job).phases().size());
        JobSpec.Phase phase = JobSpec.of(job).phases().get(0);
        assertEquals("k+l+m", phase.kernel());
        assertEquals(form, phase.jvm());
        assertEquals(
                List.of(
                        new Argument.Buffer(ints, Access.slice(10), false, true),
                        new Argument.Temporary(temporary),
                        new Argument.Scalar(null, 1),
                        new Argument.Again(1),
                        new Argument.Buffer(other, Access.slice(10), true, true),
                        new Argument.Again(0),
                        new Argument.Again(4)),
                phase.arguments());
        assertEquals("kernel k, argument 1", phase.describe(1));
        assertEquals("kernel l, argument 0", phase.describe(2));
        assertEquals("kernel m, argument 0", phase.describe(6));
        assertEquals(3, phase.passes().get(0).variant(DeviceKind.GPU).groups());
        assertEquals(Variant.plain(), phase.passes().get(1).variant(DeviceKind.GPU));
        assertEquals(6, phase.passes().get(2).firstArgument());
    }

    @Test
    void eachKernelOfAPhaseIsChecked() {
        refusedAtOnce(
                "then(\"l\") was given before kernel(name); it goes on with the phase that kernel(name) begins",
                () -> job().then("l"));
        refusedAtOnce(
                "then(\"l\") was given before kernel(name); it goes on with the phase that kernel(name) begins",
                () -> job().kernel("k").hostStep(() -> {}).then("l"));
        assertThrows(NullPointerException.class, () -> job().kernel("k").then(null));
        refusedAtOnce(
                "kernel l has a Java form of its own, but a phase has one for all its kernels, and it was given already",
                () -> job().kernel("k").jvm(c -> {}).then("l").jvm(c -> {}));
        refusedIn(
                "l: argument 1 has 100 elements, but 10 units of 11 need more",
                k -> k.chunkView()
                        .reads(ints, Access.slice())
                        .then("l")
                        .scalar(1)
                        .reads(other, Access.slice(11)));
        refusedIn(
                "l: argument 1 has a halo, but no viewStart(buffer) tells the kernel where in its view the chunk begins",
                k -> halo(k).then("l").scalar(1).reads(ints, Access.slice().halo(1, 1)));
        refusedIn(
                "l: argument 0 is the view start of a buffer that this kernel does not read with"
                        + " slice(...).halo(before, after)",
                k -> halo(k).then("l").viewStart(ints));
        Job job = halo(halo(job().kernel("k")).then("l")).build();
        assertEquals(
                List.of(
                        new Argument.Buffer(ints, new Access.Halo(10, 1, 1), true, false),
                        new Argument.ViewStart(ints.all(), 0),
                        new Argument.Again(0),
                        new Argument.ViewStart(ints.all(), 0)),
                JobSpec.of(job).phases().get(0).arguments());
    }

    private JobBuilder halo(JobBuilder kernel) {
        return kernel.reads(ints, Access.slice().halo(1, 1)).viewStart(ints);
    }

    private static void refusedIn(String message, UnaryOperator<JobBuilder> phase) {
        EvenerException e = assertThrows(
                EvenerException.class, () -> phase.apply(job().kernel("k")).build());
        assertEquals("job 'j', kernel " + message, e.getMessage());
    }

    @Test
    void whatAPhaseWritesItsKernelsTouchInOneWay() {
        String differently =
                " are one buffer, which this phase writes, but they touch it in different ways, and other devices"
                        + " may be writing what one of them would see; use the same slice(...) in both, or begin a new phase with"
                        + " kernel(name)";
        refusedIn(
                "l: argument 1 and argument 0 of kernel k" + differently,
                k -> k.writes(ints, Access.slice()).then("l").scalar(1).reads(ints, Access.whole()));
        refusedIn(
                "l: argument 0 and argument 1 of kernel k" + differently,
                k -> k.scalar(1)
                        .reads(ints, Access.slice().halo(1, 1))
                        .viewStart(ints)
                        .then("l")
                        .updates(ints, Access.slice()));
        refusedIn(
                "l: argument 0 and argument 0 of kernel k" + differently,
                k -> k.writes(ints, Access.slice(2)).then("l").writes(ints, Access.slice(1)));
        // Though the writer comes last, and in both of the others it is read alone.
        refusedIn(
                "l: argument 0 and argument 0 of kernel k" + differently,
                k -> k.reads(ints, Access.slice())
                        .then("l")
                        .reads(ints, Access.whole())
                        .then("m")
                        .updates(ints, Access.slice()));
        job().kernel("k")
                .reads(ints, Access.slice())
                .then("l")
                .reads(ints, Access.whole())
                .build();
        String merged =
                " are one buffer, which is merged when the phase ends; only one kernel of a phase may have it, and"
                        + " kernel(name) begins a new phase";
        refusedIn(
                "l: argument 0 and argument 0 of kernel k" + merged,
                k -> k.reduces(ints, Reduction.SUM).then("l").reduces(ints, Reduction.SUM));
        refusedIn(
                "m: argument 0 and argument 0 of kernel k" + merged,
                k -> k.reduces(ints, Reduction.SUM).then("l").then("m").reads(ints, Access.whole()));
        HostBuffer count = evener.allocate(ElementType.UINT, 1);
        refusedIn(
                "l: argument 0 and argument 1 of kernel k" + merged,
                k -> k.appends(ints, count, 1).then("l").reads(count, Access.whole()));
        refusedIn(
                "l: argument 2 and argument 1 are one buffer and one of them writes it; say jobView(), in which both"
                        + " parameters may have it, or give it once with updates(), or use two buffers",
                k -> k.chunkView()
                        .writes(ints, Access.slice())
                        .then("l")
                        .scalar(1)
                        .reads(ints, Access.slice())
                        .updates(ints, Access.slice()));
    }

    @Test
    void temporariesHaveElements() {
        for (long none : new long[] {0, -1, Long.MAX_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> Temporary.of(ElementType.INT, none));
            assertThrows(IllegalArgumentException.class, () -> Temporary.perUnit(ElementType.INT, none));
        }
        assertEquals(12, Temporary.of(ElementType.INT, 3).bytes(100));
        assertEquals(1200, Temporary.perUnit(ElementType.INT, 3).bytes(100));
        assertEquals(
                Long.MAX_VALUE, Temporary.perUnit(ElementType.INT, 1L << 50).bytes(1 << 20));
        Temporary one = Temporary.of(ElementType.INT, 1);
        refused(
                "argument 1 and argument 0 are one temporary; give it once, or make another",
                k -> k.temporary(one).temporary(one));
        refusedAtOnce("an argument was given before kernel(name)", () -> job().temporary(one));
    }

    // ---- variants ----

    @Test
    void launchesCoverAllUnits() {
        for (int items = 1; items < 5; items++) {
            for (int units = 1; units < 5; units++) {
                for (int group : new int[] {0, 1, 16, 100}) {
                    Variant variant =
                            Variant.itemsPerUnit(items).withUnitsPerItem(units).withGroupSize(group);
                    for (long n : new long[] {1, 2, 15, 16, 17, 1000, 1L << 40}) {
                        long size = variant.globalSize(n, 4);
                        assertTrue(size * units >= n * items, variant + " launches " + size + " for " + n);
                        long excess = size - (n * items + units - 1) / units;
                        assertTrue(excess >= 0 && excess < Math.max(1, group), variant + " launches " + size);
                        assertTrue(group == 0 || size % group == 0, variant + " launches " + size);
                    }
                }
            }
        }
        assertEquals(
                4 * 3 * 16,
                Variant.plain().withGroupSize(16).withGroupsPerComputeUnit(3).globalSize(1_000_000, 4));
        assertEquals(
                16,
                Variant.plain().withGroupSize(16).withGroupsPerComputeUnit(3).globalSize(5, 4));
        assertThrows(ArithmeticException.class, () -> Variant.itemsPerUnit(3).globalSize(Long.MAX_VALUE / 2, 1));
    }

    @Test
    void variantsOutOfRangeAreRefused() {
        assertThrows(
                IllegalArgumentException.class, () -> Variant.itemsPerUnit(0).withGroupSize(1));
        assertThrows(
                IllegalArgumentException.class, () -> Variant.unitsPerItem(0).withGroupSize(1));
        assertThrows(
                IllegalArgumentException.class, () -> Variant.itemsPerUnit(1).withGroupSize(-1));
        assertThrows(IllegalArgumentException.class, () -> Variant.plain().withGroupsPerComputeUnit(1));
        assertThrows(
                IllegalArgumentException.class,
                () -> Variant.itemsPerUnit(1).withGroupSize(16).withGroupsPerComputeUnit(-1));
        assertThrows(IllegalArgumentException.class, () -> Variant.groups(0));
        assertThrows(IllegalArgumentException.class, () -> Variant.groups(1).withGroupSize(0));
        assertThrows(
                IllegalArgumentException.class,
                () -> Variant.groups(2).withGroupSize(16).withGroupsPerComputeUnit(1));
        assertThrows(IllegalArgumentException.class, () -> new Variant("", 2, 1, 16, 0, 4, 0));
        assertEquals(64, Variant.groups(4).withGroupSize(16).withOptions("-D A").globalSize(1 << 30, 8));
    }

    // ---- buffers ----

    @Test
    void buffersAreNativeOrderedPageAlignedAndOfTheirOwnSize() {
        for (ElementType type : ElementType.values()) {
            for (long elements : new long[] {0, 1, 1000, 1024, 1025}) {
                try (HostBuffer buffer = evener.allocate(type, elements)) {
                    assertEquals(elements * type.bytes(), buffer.byteSize());
                    assertEquals(buffer.byteSize(), buffer.bytes().remaining());
                    assertEquals(ByteOrder.nativeOrder(), buffer.bytes().order());
                    assertEquals(0, buffer.bytes().alignmentOffset(0, 4096));
                    assertEquals(elements, buffer.elements());
                    assertEquals(type, buffer.type());
                    assertNotSame(buffer.bytes(), buffer.bytes());
                }
            }
        }
    }

    @Test
    void impossibleBuffersAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> evener.allocate(ElementType.INT, -1));
        assertThrows(IllegalArgumentException.class, () -> evener.allocate(ElementType.INT, 1, 0));
        for (long elements : new long[] {1L << 40, 1L << 62, Long.MAX_VALUE}) {
            String message = assertThrows(EvenerException.class, () -> evener.allocate(ElementType.INT, elements))
                    .getMessage();
            assertTrue(message.contains("a buffer of " + elements + " int"), message);
        }
    }
}
