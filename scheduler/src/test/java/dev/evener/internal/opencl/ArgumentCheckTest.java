package dev.evener.internal.opencl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.internal.JobSpec;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jocl.CL;
import org.junit.jupiter.api.Test;

/** What is warned of, since it may be right. What is refused, {@code ArgumentTypesTest} tries on drivers. */
class ArgumentCheckTest {
    private static final ClParameter VARIABLE = new ClParameter(CL.CL_KERNEL_ARG_ADDRESS_GLOBAL, "float*", false);
    private static final ClParameter CONST = new ClParameter(CL.CL_KERNEL_ARG_ADDRESS_GLOBAL, "float*", true);
    private static final ClParameter UNKNOWN = new ClParameter(0, null, null);

    /** Of a source of its own, so that nothing was warned of before. */
    private static JobSpec.Phase phase(UnaryOperator<Job.Builder> argument) {
        Job.Builder kernel =
                Job.named("job " + UUID.randomUUID()).source("").units(64).kernel("k");
        return JobSpec.of(argument.apply(kernel).build()).phases().get(0);
    }

    private static List<String> warnings(JobSpec.Phase phase, ClParameter parameter) {
        return ArgumentCheck.check(phase, phase.passes().get(0), List.of(parameter));
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
}
