package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.internal.cl.ClKernel.Parameter;
import dev.evener.internal.cl.ClKernel.Space;
import dev.evener.internal.job.JobSpec;
import java.util.List;
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
        JobBuilder kernel =
                Job.named("job " + UUID.randomUUID()).source("").units(64).kernel("k");
        return JobSpec.of(argument.apply(kernel).build()).phases().get(0);
    }

    private static List<String> warnings(JobSpec.Phase phase, Parameter parameter) {
        return ArgumentCheck.check(phase, phase.passes().get(0), List.of(parameter), type -> 0);
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
    void kernelsCountInWordsWhatAnyNumberIsAppendedTo() {
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                HostBuffer out = evener.allocate(ElementType.FLOAT, 64);
                HostBuffer number = evener.allocate(ElementType.ULONG, 1)) {
            JobSpec.Phase phase = phase(k -> k.appends(out, number, 1));
            Parameter words = new Parameter(Space.GLOBAL, "uint*", false);
            assertEquals(
                    List.of(), ArgumentCheck.check(phase, phase.passes().get(0), List.of(VARIABLE, words), type -> 0));
            Parameter longs = new Parameter(Space.GLOBAL, "ulong*", false);
            EvenerException refused = assertThrows(
                    EvenerException.class,
                    () -> ArgumentCheck.check(phase, phase.passes().get(0), List.of(VARIABLE, longs), type -> 0));
            assertEquals(
                    "kernel k: argument 1 is a buffer of uint, but the kernel's parameter is ulong*",
                    refused.getMessage());
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
