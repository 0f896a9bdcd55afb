package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.KernelSource;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Run by {@code SubDevicesTest}, in a process whose first device is a CPU of two compute units that can be partitioned. */
class SubDevicePrograms {
    private static final KernelSource SOURCE =
            KernelSource.of("programs", "__kernel void first(__global int *x) { *x = 1; }");

    /** With PoCL before 6, launches of one kernel on two parts of a CPU may end the process. */
    @ParameterizedTest
    @CsvSource({
        "OpenCL 1.2 another 1.8  Linux, 1",
        "OpenCL 3.0 PoCL 3.1+debian  Linux, 2",
        "OpenCL 3.0 PoCL 4.0  Linux, 2",
        "OpenCL 3.0 PoCL 5.0+debian  Linux, 2",
        "OpenCL 3.0 PoCL 6.0+debian  Linux, 1",
        "OpenCL 3.0 PoCL 15.0  Linux, 1"
    })
    void partsShareAProgramWhereTheDriverAllows(String platformVersion, long programs) {
        long before = live();
        List<ClDevice> parts = Fission.open(List.of("0.0:1", "0.0:1@1"), ClDevice.all()).stream()
                .map(part -> new ClDevice(
                        part.platform(), part.handle(), part.info(), part.exactDivision(), platformVersion))
                .toList();
        try (ClContext context = new ClContext(parts)) {
            for (int round = 0; round < 2; round++) {
                for (ClDevice part : parts) {
                    context.kernel(SOURCE, "", part.info(), "first").close();
                }
            }
            assertEquals(programs, live() - before);
        }
        assertEquals(before, live());
    }

    /** Users of one driver at the same time have numbers of their own, the lowest, by which PoCL finds what it has built. */
    @Test
    void whoeverBeginsHasTheLowestNumberThatIsFree() {
        ClDevice whole = ClDevice.all().get(0);
        ClDevice pocl = new ClDevice(
                whole.platform(), whole.handle(), whole.info(), whole.exactDivision(), "OpenCL 3.0 PoCL 5.0+debian");
        assertEquals(List.of(0, 1, 2), List.of(take(pocl), take(pocl), take(pocl)));
        ProgramNumbers.giveBack(pocl, 1);
        assertEquals(List.of(1, 3), List.of(take(pocl), take(pocl)));
        for (int i = 0; i < 4; i++) {
            ProgramNumbers.giveBack(pocl, i);
        }
        assertEquals(0, take(pocl));
        ProgramNumbers.giveBack(pocl, 0);
        assertEquals("", ProgramNumbers.option(0));
        assertEquals(" -D EVENER_PART=3", ProgramNumbers.option(3));
    }

    private static int take(ClDevice device) {
        return ProgramNumbers.take(device);
    }

    private static long live() {
        return NativeLedger.live().getOrDefault(Kind.PROGRAM, 0L).longValue();
    }
}
