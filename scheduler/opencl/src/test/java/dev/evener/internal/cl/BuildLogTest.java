package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException.BuildFailedException;
import dev.evener.KernelSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What compilers say, in the forms of several drivers. */
class BuildLogTest {
    private static final KernelSource SOURCE = KernelSource.of(
            "k.cl", "kernel void step(global float *p) {\n    float half = p[0];\n    p[0] = half;\n}\n");

    private static final LaunchLimits LIMITS = new LaunchLimits(
            "a device", 49152, 1024, List.of(1024L, 1024L, 64L), 32764, 9, 65536, 1000, Long.MAX_VALUE);

    private static BuildFailedException of(String log) {
        return BuildLog.failure(SOURCE, "a device", "-w", log, new IllegalStateException("status -11"), LIMITS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<kernel>:3:8: error: use of undeclared identifier 'q'|3 8 p[0] = half;|use of undeclared identifier 'q'",
                "input.cl:3:8: fatal error: too many errors|3 8 p[0] = half;|too many errors",
                "error: /tmp/tempfile_x.cl:3:8: expected ';'|3 8 p[0] = half;|expected ';'",
                "error: /a b/tempfile_x.cl:3:8 <Spelling=/usr/include/renames.h:66:24>: call to '_cl_clamp' is ambiguous|3 8 p[0] = half;|3:8: call to 'clamp' is ambiguous",
                "error: k.cl:3:8 <Spelling=<command line>:6:11>: use of undeclared identifier 'q'|3 8 p[0] = half;|3:8: use of undeclared",
                "warning: x.cl:1:1: no|0 0 |",
                "<kernel>:2:11: error: expected identifier|2 11 float half = p[0];|'half' is a reserved word of OpenCL C: use another name",
                "<kernel>:1:13: error: conflicting types for 'step'|1 13 kernel void step(global float *p) {|'step' is a built-in function of OpenCL C: use another name",
            })
    void theFirstErrorHasAPlace(String log, String place, String said) {
        BuildFailedException e = of("In a file\n" + log + "\n<kernel>:4:1: error: another");
        String is = e.line() + " " + e.column() + " " + e.sourceLine();
        if (log.startsWith("warning")) {
            assertEquals("4 1 }", is, "a warning is none");
        } else {
            assertEquals(place, is);
            assertTrue(e.getMessage().contains("k.cl:" + e.line() + ":" + e.column() + ": "), e::getMessage);
            assertTrue(e.getMessage().contains(said), e::getMessage);
        }
    }

    /** Who calls a built-in function with wrong arguments has no name to change. */
    @Test
    void aWrongCallIsNoWrongName() {
        BuildFailedException e = of("<kernel>:3:8: error: no matching function for call to 'clamp'");
        assertFalse(e.getMessage().contains("use another name"), e::getMessage);
    }

    @Test
    void aLogWithoutAPlaceIsToldAsItIs() {
        BuildFailedException e = of("ptxas fatal: out of registers");
        assertEquals("k.cl 0 0 ", e.file() + " " + e.line() + " " + e.column() + " " + e.sourceLine());
        assertTrue(
                e.getMessage()
                        .startsWith("kernel source k.cl does not build for a device: ptxas fatal: out of registers\n"),
                e::getMessage);
        assertTrue(e.getMessage().endsWith("(status -11):\nptxas fatal: out of registers"), e::getMessage);
    }

    /** A command shows the first line alone. */
    @Test
    void theFirstLineHasTheReasonBehindAHeading() {
        String first = of("Error(s) while linking: \nCannot find symbol foo in kernel library\nDevice x failed to build"
                        + " the program\n")
                .getMessage()
                .lines()
                .findFirst()
                .orElseThrow();
        assertEquals("kernel source k.cl does not build for a device: Cannot find symbol foo in kernel library", first);
    }

    /** Nobody has seen the file that PoCL writes a text to, and its last line says nothing. */
    @Test
    void whatDriversAddIsLeftOut() {
        String message = of("error: /tmp/p c/tempfile_Ab1.cl:3:8: expected ';'\nerror: k.cl:4:1"
                        + " <Spelling=/root/.cache/pocl/kcache/tempfile_cd.cl:9:1>: another\nDevice pthread failed to build the"
                        + " program\n1 error generated.\n")
                .getMessage();
        assertFalse(message.contains("tempfile_cd") || message.contains("failed to build the program"), message);
        assertTrue(message.endsWith("k.cl:4:1 <Spelling=k.cl:9:1>: another"), message);
    }

    /** What an assembler finds has no place, and no name of a limit that anybody could ask a device for. */
    @Test
    void aLimitThatAnAssemblerFindsIsNamed() {
        BuildFailedException e = of(
                "ptxas error   : Formal parameter space overflowed (32776 bytes required, max 32764 bytes allowed) in function k\n");
        assertTrue(e.getMessage().contains("CL_DEVICE_MAX_PARAMETER_SIZE is 32764"), e::getMessage);
        e = of("ptxas application ptx input, line 802; error   : Entry function 'k' uses too much parameter space"
                + " (0x8000 bytes, 0x7ffc max).\n"); // of an H100
        assertTrue(e.getMessage().contains("CL_DEVICE_MAX_PARAMETER_SIZE is 32764"), e::getMessage);
        e = of("ptxas error   : Entry function 'k' uses too much shared data (0x20000 bytes, 0xc000 max)\n");
        assertTrue(e.getMessage().contains("CL_DEVICE_LOCAL_MEM_SIZE is 49152"), e::getMessage);
    }
}
