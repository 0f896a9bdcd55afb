package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Temporary;
import dev.evener.internal.cl.ClKernel.Meaning;
import dev.evener.internal.cl.ClKernel.Parameter;
import dev.evener.internal.cl.ClKernel.Space;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is warned of, since it may be right. What is refused, {@code ArgumentTypesTest} tries on drivers. */
class ArgumentCheckTest {
    private static final Parameter VARIABLE = new Parameter(Space.GLOBAL, "float*", false);
    private static final Parameter CONST = new Parameter(Space.GLOBAL, "float*", true);
    private static final Parameter UNKNOWN = new Parameter(Space.UNKNOWN, null, null);

    /** Of a source of its own, so that nothing was warned of before. */
    private static JobSpec.Phase phase(UnaryOperator<JobBuilder> argument) {
        JobBuilder kernel = Job.named("job " + UUID.randomUUID())
                .source("")
                .units(64)
                .kernel("k")
                .groupSize(8);
        return JobSpec.of(argument.apply(kernel).build()).phases().get(0);
    }

    private static List<String> warnings(JobSpec.Phase phase, Parameter parameter) {
        return ArgumentCheck.check(phase, phase.passes().get(0), List.of(parameter), "");
    }

    @Test
    void aBufferThatIsOnlyReadByDeclarationIsWarnedOfOnce() {
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                HostBuffer buffer = evener.allocate(ElementType.FLOAT, 64)) {
            JobSpec.Phase phase = phase(k -> k.reads(buffer, Access.slice()));
            assertEquals(
                    List.of(phase.source().name()
                            + ", kernel k: argument 0 is declared with reads(...), but the kernel's"
                            + " parameter is not const; what a kernel writes there is lost on devices with memory of"
                            + " their own. Make the parameter const, or declare updates(...) or writes(...)"),
                    warnings(phase, VARIABLE));
            assertEquals(List.of(), warnings(phase, VARIABLE), "once");
            assertEquals(List.of(), warnings(phase(k -> k.reads(buffer, Access.slice())), CONST));
            assertEquals(List.of(), warnings(phase(k -> k.reads(buffer, Access.slice())), UNKNOWN));
            assertEquals(List.of(), warnings(phase(k -> k.updates(buffer, Access.slice())), VARIABLE));
            assertEquals(List.of(), warnings(phase(k -> k.writes(buffer, Access.slice())), UNKNOWN));
        }
    }

    @Test
    void aVariableThatOutlivesALaunchIsWarnedOf() {
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                HostBuffer buffer = evener.allocate(ElementType.FLOAT, 64)) {
            String text = "// " + UUID.randomUUID()
                    + "\nglobal float sum;\nkernel void k(global float *x) { x[0] = sum += 1; }";
            JobBuilder job = Job.named("state")
                    .undivided()
                    .source(KernelSource.of("state.cl", text).withOptions("-cl-std=CL3.0"))
                    .units(64)
                    .kernel("k")
                    .writes(buffer, Access.slice());
            assertEquals(
                    List.of(
                            "variable sum of source state.cl outlives a launch, and each device has its own: what one job writes"
                                    + " there, another may not read. Make it a buffer of both"),
                    warnings(JobSpec.of(job.build()).phases().get(0), VARIABLE));
        }
    }

    @Test
    void kernelsCountInWordsWhatAnyNumberIsAppendedTo() {
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                HostBuffer out = evener.allocate(ElementType.FLOAT, 64);
                HostBuffer number = evener.allocate(ElementType.ULONG, 1)) {
            JobSpec.Phase phase = phase(k -> k.appends(out, number, 1));
            Parameter words = new Parameter(Space.GLOBAL, "uint*", false);
            assertEquals(List.of(), ArgumentCheck.check(phase, phase.passes().get(0), List.of(VARIABLE, words), ""));
            Parameter longs = new Parameter(Space.GLOBAL, "ulong*", false);
            EvenerException refused = assertThrows(
                    EvenerException.class,
                    () -> ArgumentCheck.check(phase, phase.passes().get(0), List.of(VARIABLE, longs), ""));
            assertEquals(
                    "kernel k: argument 1 is a buffer of uint, but the kernel's parameter is ulong*",
                    refused.getMessage());
        }
    }

    /** Every type under every name, as if the driver had told the type; and the compiler is asked only where an answer matters. */
    @Test
    void aNameForATypeIsCheckedAsTheType() {
        try (Evener evener =
                Evener.builder().devices(DeviceSelector.parse("jvm")).open()) {
            List<UnaryOperator<JobBuilder>> arguments = new ArrayList<>(List.of(
                    k -> k.scalar((byte) 1),
                    k -> k.scalar((short) 1),
                    k -> k.scalar(1),
                    k -> k.scalar(1L),
                    k -> k.scalar(1f),
                    k -> k.scalar(1.0),
                    k -> k.chunkStart(),
                    k -> k.chunkUnits(),
                    k -> k.value(ByteBuffer.allocate(4).order(ByteOrder.nativeOrder())),
                    k -> k.value(ByteBuffer.allocate(16).order(ByteOrder.nativeOrder()))));
            for (ElementType type : ElementType.values()) {
                HostBuffer buffer = evener.allocate(type, 64);
                arguments.add(k -> k.reads(buffer, Access.slice()));
                arguments.add(k -> k.reads(buffer, Access.whole()));
                arguments.add(k -> k.local(type, 4));
                arguments.add(k -> k.temporary(Temporary.of(type, 1)));
                if (!type.isFloating()) {
                    arguments.add(k -> k.reduces(buffer, Access.Reduction.SUM));
                }
            }
            int asked = 0;
            int all = 0;
            for (String base : List.of(
                    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double")) {
                for (String width : List.of("", "2", "3", "4", "8", "16")) {
                    for (UnaryOperator<JobBuilder> argument : arguments) {
                        JobSpec.Phase phase = phase(argument);
                        boolean value = !(phase.arguments().get(0) instanceof Argument.Buffer
                                || phase.arguments().get(0) instanceof Argument.Temporary
                                || phase.arguments().get(0) instanceof Argument.Local);
                        Space space = value
                                ? Space.PRIVATE
                                : phase.arguments().get(0) instanceof Argument.Local ? Space.LOCAL : Space.GLOBAL;
                        String type = base + width;
                        String pointer = value ? "" : "*";
                        boolean[] was = {false};
                        Set<String> words = Set.of("real", "typedef", type);
                        List<Parameter> explained = ArgumentCheck.explained(
                                phase,
                                phase.passes().get(0),
                                List.of(new Parameter(space, "real" + pointer, true)),
                                name -> words,
                                name -> {
                                    was[0] = true;
                                    return new Meaning(type + pointer, 0);
                                });
                        String plain = refusal(phase, new Parameter(space, type + pointer, true));
                        String named = refusal(phase, explained.get(0));
                        assertEquals(
                                plain,
                                named.replace("real" + pointer + ", which is ", ""),
                                type + ", " + phase.arguments().get(0));
                        asked += was[0] ? 1 : 0;
                        all++;
                    }
                }
            }
            assertTrue(asked < all, "where any answer would do, none is asked for");
        }
    }

    private static String refusal(JobSpec.Phase phase, Parameter parameter) {
        try {
            return ArgumentCheck.check(phase, phase.passes().get(0), List.of(parameter), "")
                            .size() + " warnings";
        } catch (EvenerException e) {
            return String.valueOf(e.getMessage());
        }
    }

    // ---- names as drivers give them, and as they might ----

    @ParameterizedTest
    @CsvSource({
        "float*, true, 4, true, 1",
        "float4*, true, 4, true, 4",
        "uchar3*, true, 1, false, 3",
        "void*, true, 0, false, 1",
        "half8*, true, 2, true, 8",
        "ulong, false, 8, false, 1",
        "double16, false, 8, true, 16",
        "unsigned int, false, 4, false, 1",
        "unsigned, false, 4, false, 1",
        "unsigned long*, true, 8, false, 1",
        "unsigned *, true, 4, false, 1",
        "const float *restrict, true, 4, true, 1",
        "__global uint*, true, 4, false, 1",
    })
    void theLanguagesOwnTypesAreKnown(String name, boolean pointer, int bytes, boolean floating, int components) {
        assertEquals(new ArgumentCheck.Type(name, pointer, bytes, floating, components), ArgumentCheck.Type.of(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "u32", "real*", "S", "float5", "float**", "image2d_t", "Unsigned", "struct S*", "uvoid"})
    void othersAreNot(String name) {
        assertNull(ArgumentCheck.Type.of(name));
    }

    @Test
    void whatIsNotSaidIsNotKnown() {
        assertNull(ArgumentCheck.Type.of(null));
    }

    @Test
    void threeTakeTheRoomOfFour() {
        assertEquals(16, ArgumentCheck.Type.of("float3").size());
        assertEquals(8, ArgumentCheck.Type.of("int2").size());
    }
}
