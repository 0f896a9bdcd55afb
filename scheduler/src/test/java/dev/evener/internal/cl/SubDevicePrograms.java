package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.KernelSource;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Run by {@code SubDevicesTest}, in a process whose first device is a CPU of two compute units that can be partitioned. */
class SubDevicePrograms {
    private static final KernelSource SOURCE =
            KernelSource.of("programs", "__kernel void first(__global int *x) { *x = 1; }");

    /** With PoCL 4 and 5, launches of one program on two parts of a CPU end the process, in most runs. */
    @ParameterizedTest
    @CsvSource({
        "OpenCL 3.0 PoCL 3.1+debian  Linux, 1",
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
                    context.kernel(SOURCE, "", part.info(), "first").release();
                }
            }
            assertEquals(programs, live() - before);
        }
        assertEquals(before, live());
    }

    private static long live() {
        return NativeLedger.live().getOrDefault(Kind.PROGRAM, 0L).longValue();
    }
}
