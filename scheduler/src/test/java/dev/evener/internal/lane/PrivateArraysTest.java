package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.internal.NativeLedger;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateArraysTest {
    @Test
    void everyArrayOfAWorkItemIsFound() {
        assertEquals(List.of("float[4096]"), of("float a[4096];"));
        assertEquals(List.of("float[4096]", "float[N]", "float[2][N+1]"), of("float a[4096], b [N], c, d[2][N + 1];"));
        assertEquals(List.of("const uchar[3]"), of("const uchar a[3] = {1, f(2, 3), 3}, *b = x;"));
        assertEquals(List.of("unsigned int[M*K]"), of("unsigned  int a[M * K] ;"));
        assertEquals(List.of("struct s[7]"), of("struct s a[7];"));
        assertEquals(
                List.of("int[8]", "float4[9]"),
                of("if (x) { int a[8]; } else { for (int i = 0; i < 3; i++) { float4 b[9]; } }"));
        assertEquals(List.of("int[2]"), of("for (int a[2], i = 0; i < 2; i++) { }"));
        assertEquals(List.of("__private int[5]"), of("__private int a[5];"));
    }

    @Test
    void nothingElseIs() {
        for (String body : List.of(
                "",
                "local float a[16]; __local int b[3][4];",
                "constant int a[] = {1}; __constant int b[2] = {1, 2};",
                "x[1] = y[2];",
                "int i = x[3];",
                "return x[1];",
                "else x[1] = 2;",
                "x[i]++; f(x[2], y);",
                "case 3: x[1] = 4;",
                "global int *p = x + y[3];",
                "// int a[3];\n /* float b[4]; */",
                "#define A int a[3]; \\\n int b[4];\n")) {
            assertEquals(List.of(), of(body), body);
        }
    }

    /** A kernel does not have the arrays of others, but may call any function. */
    @Test
    void ofTheKernelAndOfFunctions() {
        String text = """
                typedef struct { int many[100]; } s;
                constant int table[] = {1, 2, 3};
                int f(int x) { int of_f[3]; return of_f[x]; }
                __kernel void other(global int *x) { int of_other[5]; }
                __attribute__((reqd_work_group_size(64, 1, 1))) kernel void k(global int *x, local int (*y)[4]) { int of_k[7]; }
                """;
        assertEquals(List.of("int[3]", "int[7]"), PrivateArrays.of(text, "k"));
        assertEquals(List.of("int[3]", "int[5]"), PrivateArrays.of(text, "other"));
        assertEquals(List.of(), PrivateArrays.of("kernel void k(global int *x) { *x = 1; }", "k"));
        assertEquals(List.of(), PrivateArrays.of("kernel void k(global int *x) { x[0] = (", "k"));
    }

    /**
     * A compiler that knows nothing of what the preprocessor leaves out was asked array by array, by every context: eleven programs built
     * for one. One is enough to ask of all that a kernel may have, and the next context knows.
     */
    @ParameterizedTest
    @ValueSource(strings = {"0.0", "0.1"})
    void theCompilerIsAskedOnce(String device) {
        StringBuilder text =
                new StringBuilder("#define ROWS 3\n#ifdef WIDE\n#define COLUMNS 4\n#endif\n#define USED 8\n");
        for (int i = 0; i < 5; i++) {
            text.append("#ifdef WIDE\nint f" + i
                    + "(int x) { int a[COLUMNS][ROWS]; a[0][0] = x; return a[0][0]; }\n#endif\n");
        }
        text.append(
                        "kernel void k(global int *x) { int a[USED]; a[x[0] & 7] = 3; x[get_global_id(0)] = a[x[0] & 7]; } // ")
                .append(device);
        for (int context = 0; context < 2; context++) {
            try (Evener evener = Evener.builder()
                            .devices(DeviceSelector.parse(device))
                            .history(History.inMemory())
                            .open();
                    HostBuffer x = evener.allocate(ElementType.INT, 64)) {
                long before = programs();
                evener.submit(Job.named("asks")
                                .units(64)
                                .source(text.toString())
                                .kernel("k")
                                .updates(x, Access.slice())
                                .build())
                        .join();
                assertEquals(3, x.ints().get(5));
                assertEquals(context == 0 ? 2 : 1, programs() - before, "programs, of which one may ask");
            }
        }
    }

    private static long programs() {
        return NativeLedger.live().getOrDefault(NativeLedger.Kind.PROGRAM, 0L);
    }

    private static List<String> of(String body) {
        return PrivateArrays.of("kernel void k(global int *x, global int *y) { " + body + "\n }", "k");
    }
}
