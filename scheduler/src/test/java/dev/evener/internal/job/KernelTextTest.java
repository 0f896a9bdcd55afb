package dev.evener.internal.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.KernelSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelTextTest {
    private static final String SOURCE = """
            float mean(local const float *of, int n) { return of[0] / n; } /* a helper */
            kernel void sums(global const float *in, global float *out, local float *memory) {
                memory[0] = in[0];
                out[0] = mean(memory, 1);
            }
            kernel void tiles(global const float *in, global float *out) {
                __local float tile[64];
                tile[get_local_id(0)] = in[0];
                out[0] = tile[0];
            }
            // kernel void told(global float *out) { local int here; }
            kernel void told(global float *out) { out[get_global_id(0)] = 1; /* nothing local */ }
            """;

    /**
     * NVIDIA's driver says of kernels without any that they have some. Guards against a group size that is asked for because
     * another kernel of the text has local memory.
     */
    @ParameterizedTest
    @CsvSource({"sums, false", "tiles, true", "told, false", "absent, true"})
    void localsAreLookedForInTheKernel(String kernel, boolean has) {
        assertEquals(has, KernelText.mayHaveLocals(KernelSource.of("locals", SOURCE), kernel));
    }

    /** Of macros only those hide one that the kernel names, or that others stand for which it names. */
    @ParameterizedTest
    @CsvSource({
        "#define SHARED local, true",
        "#define SHARED __local float, true",
        "#define OTHER local:#define SHARED OTHER, true",
        "#define OTHER __local:#define SHARED(n) A(n):#define A(n) OTHER float x[n], true",
        "#define SHARED private:#define OTHER local, false",
        "#define LIMIT 3, false",
        "#define A(x) local##x, true",
        "#include \"some.h\", true"
    })
    void aMacroMayHideOne(String macros, boolean has) {
        String hides = "kernel void hides(global float *out) { SHARED t[3]; out[0] = t[1]; }\n";
        KernelSource source = KernelSource.of("macro", macros.replace(':', '\n') + "\n" + SOURCE + hides);
        assertEquals(has, KernelText.mayHaveLocals(source, "hides"));
        boolean unknown = macros.contains("##") || macros.contains("include");
        assertEquals(unknown, KernelText.mayHaveLocals(source, "told"));
    }
}
