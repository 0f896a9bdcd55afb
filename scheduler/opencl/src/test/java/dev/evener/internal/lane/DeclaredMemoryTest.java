package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClKernel;
import dev.evener.internal.source.SourceNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeclaredMemoryTest {
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
        assertEquals(List.of("int[3]", "int[7]"), privates(text, "k"));
        assertEquals(List.of("int[3]", "int[5]"), privates(text, "other"));
        assertEquals(List.of(), privates("kernel void k(global int *x) { *x = 1; }", "k"));
        assertEquals(List.of(), privates("kernel void k(global int *x) { x[0] = (", "k"));
    }

    @Test
    void localMemoryIsFoundAsItIsDeclared() {
        assertEquals(List.of("struct { local float a[16], b; }"), locals("local float a[16], b;"));
        assertEquals(
                List.of("struct { volatile __local int b[3][4]; }"), locals("static volatile __local\n int b[3][4];"));
        assertEquals(List.of("struct { SHARED float a[2]; }"), locals("SHARED float a[2];"));
        assertEquals(List.of("struct { TILE(a, 9); }"), locals("if (x) return; TILE(a, 9);"));
        for (String body : List.of(
                "local int *p = y;",
                "local int * p; POINTER q;",
                "x[0] = *(local int *) y;",
                "f((__local int *) y);",
                "barrier(CLK_LOCAL_MEM_FENCE);",
                "x[0] = AT(1);",
                "// local int a[3];\n /* local float b[4]; */")) {
            assertEquals(List.of(), locals(body), body);
        }
    }

    /**
     * Guards against a driver's or a compiler's word that does not come: what the text tells is what PoCL 3.1 tells, which is one that
     * does, whatever hides it.
     */
    @Test
    void whatTheCompilerWorksOutIsWhatTheDriverTells() {
        String text = """
                #ifndef GUARD
                #define GUARD
                #define SHARED __local
                #define TILE(type, name, n) SHARED type name[n]
                #define TWICE(type, name) kernel void name##_##type(global int *x) { local type t[3]; t[1] = 1; x[0] = t[1]; }
                #ifdef WIDE
                typedef double real;
                #else
                typedef float real;
                #endif
                enum { SIDE = 16 };
                typedef struct { char c; int4 v; } s;
                int f(int i) { int a[SIDE]; a[i] = 1; return a[i + 1]; }
                kernel void plain(global int *x, local int *l) { l[0] = f(x[0]); x[0] = l[0]; }
                kernel __attribute__((reqd_work_group_size(4, 1, 1))) void square(global int *x) {
                    local real t[SIDE][SIDE + 1];
                #if defined(WIDE) && SIDE_OF_WIDE > 3
                    local char more[SIDE_OF_WIDE * 100];
                    more[x[1]] = 1;
                    t[0][1] = more[x[0]];
                #else
                    local char less[8];
                    less[x[1]] = 1;
                    t[0][1] = less[x[0]];
                #endif
                    for (int i = 0; i < 3; i++) { t[i][i] = i; }
                    x[0] = t[1][0];
                }
                __kernel void macros(global int *x) __attribute__((vec_type_hint(int))) {
                    SHARED s many[5], more[2];
                    TILE(uchar, tile, 100);
                    local int count[4];
                    local int *p = count + x[1];
                    tile[x[1]] = 1; more[x[1]].v = 2; many[x[2]].v.y = 3;
                    *p = tile[2] + more[1].v.x; x[0] = count[x[3]] + many[1].v.y;
                }
                #endif
                """;
        String options = "-D WIDE -D SIDE_OF_WIDE=5";
        ClDevice device = ClDevice.all().get(0);
        try (ClContext context = new ClContext(List.of(device))) {
            for (String kernel : List.of("square", "macros")) {
                DeclaredMemory declared = DeclaredMemory.of(text, options);
                KernelSource asking = KernelSource.of("declared", declared.asking());
                long bytes = Objects.requireNonNull(
                                context.demanded(declared.asks(kernel), asking, options, device.info()))[1]
                        - 1;
                KernelSource source = KernelSource.of("declared", text);
                try (ClKernel built = context.kernel(source, options, device.info(), kernel)) {
                    assertEquals(built.toldLocalBytes(), bytes, kernel);
                    assertTrue(bytes > 0);
                }
            }
        }
    }

    /** What numbers in the text tell needs no compiler, which takes as long for it as for the program. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "float[4096] | 16384",
                "float3[2][0x10u] | 512",
                "const uchar[3] | 3",
                "unsigned int[TILE * (TILE + 1)] | 1088",
                "REAL[1 << 3] | 64",
                "int[SIDES] | 128",
                "int[(20 - TILE) / 2 % 3] | 8",
                "struct { local float a[TILE], b, c[2][3]; } | 92",
                "struct { volatile __local unsigned char b[3][4]; } | 12",
                "struct { SHARED float a[2]; } | NaN",
                "struct { local s a[2]; } | NaN",
                "struct s[7] | NaN",
                "s[7] | NaN",
                "float*[7] | NaN",
                "float[N] | NaN",
                "float[SIDES - 1] | NaN",
                "float[WAYS] | 24",
                "float[16 + OFFSET] | NaN",
                "float[TILE - 17] | NaN",
                "float[sizeof(int)] | NaN",
                "float[SQUARE(3)] | NaN",
                "float[TILE ? 3 : 4] | NaN",
                "float[LOOP] | NaN",
                "float[1.5] | NaN",
                "float[08] | NaN",
            })
    void numbersInTheTextTell(String type, double bytes) {
        Map<String, String> macros = SourceNames.of(
                        "#define REAL double\n#define SQUARE(x) x * x\n#define LOOP LOOP\n"
                                + "#ifndef SIDES\n#define SIDES 16\n#endif\n"
                                + "#define WAYS 2 * 3\n#define WAYS (5)\n#define OFFSET 4\n#define OFFSET -1\n",
                        "-DTILE=16 -D SIDES=32")
                .macros();
        assertEquals(bytes, MostBytes.of(type, macros), type);
    }

    /** Never less than the compiler says, and the same where no macro has two meanings. */
    @Test
    void numbersInTheTextTellWhatTheCompilerDoes() {
        Random random = new Random(7);
        StringBuilder text = new StringBuilder("#define THREE 3\n#define SUM (THREE + 4)\n#ifndef GIVEN\n"
                + "#define GIVEN 9\n#endif\n#define OWN float4\n");
        List<String> types = List.of("char", "ushort", "float", "int3", "OWN", "double2", "unsigned int", "const long");
        List<Double> told = new ArrayList<>();
        Map<String, String> macros =
                SourceNames.of(text.toString(), "-DGIVEN=2").macros();
        while (told.size() < 60) {
            String type = types.get(random.nextInt(types.size()));
            String size = expression(random, 3);
            double most = MostBytes.of(type + "[2][" + size + "]", macros);
            if (most > 0) { // an array of nothing is none
                text.append("kernel void k" + told.size() + "(global int *x) { " + type + " a[2][" + size
                        + "]; x[0] = (int) sizeof(a); }\n");
                told.add(most);
            }
        }
        ClDevice device = ClDevice.all().get(0);
        DeclaredMemory declared = DeclaredMemory.of(text.toString(), "-DGIVEN=2");
        KernelSource asking = KernelSource.of("sizes", declared.asking());
        int less = 0;
        try (ClContext context = new ClContext(List.of(device))) {
            for (int i = 0; i < told.size(); i++) {
                String kernel = "k" + i;
                assertEquals(told.get(i), declared.atMost(declared.privates(kernel)));
                double exact = Objects.requireNonNull(
                                context.demanded(declared.asks(kernel), asking, "-DGIVEN=2", device.info()))[0]
                        - 1;
                boolean twice = declared.privates(kernel).stream()
                        .anyMatch(name ->
                                Objects.requireNonNull(declared.types.get(name)).contains("GIVEN"));
                assertTrue(exact == told.get(i) || (twice && exact < told.get(i)), kernel + " " + exact + " " + text);
                less += exact < told.get(i) ? 1 : 0;
            }
        }
        assertTrue(less > 0 && less < 30, "bounds that are not exact: " + less);
    }

    private static String expression(Random random, int depth) {
        List<String> atoms = List.of("THREE", "SUM", "GIVEN", "1", "5u", "0x11", "2UL");
        if (depth == 0 || random.nextInt(4) == 0) {
            return atoms.get(random.nextInt(atoms.size()));
        }
        List<String> operators = List.of("+", "+", "-", "*", "/", "%", "<<", ">>");
        String one = expression(random, depth - 1);
        String other = expression(random, depth - 1);
        String operator = operators.get(random.nextInt(operators.size()));
        String both = one + " " + operator + " " + (operator.contains("<") || operator.contains(">") ? "1" : other);
        return random.nextBoolean() ? "(" + both + ")" : both;
    }

    private static List<String> of(String body) {
        return privates("kernel void k(global int *x, global int *y) {\n" + body + "\n }", "k");
    }

    private static List<String> locals(String body) {
        String macros = """
                #define SHARED __local
                #define TILE(n, m) local int n[m]
                #define POINTER local int *
                #define AT(i) ((local int *) y)[i]
                """;
        return sizes("LOCAL", macros + "kernel void k(global int *x, local int *y) { " + body + "\n }", "k");
    }

    private static List<String> privates(String text, String kernel) {
        return sizes("PRIVATE", text, kernel);
    }

    private static List<String> sizes(String kind, String text, String kernel) {
        DeclaredMemory declared = DeclaredMemory.of(text, "");
        return (kind.equals("LOCAL") ? declared.locals(kernel) : declared.privates(kernel))
                .stream()
                        .map(name -> {
                            Matcher size = Pattern.compile("#define " + name + " sizeof\\((.*)\\)\n")
                                    .matcher(declared.text.toString());
                            assertTrue(size.find(), declared.text.toString());
                            return size.group(1);
                        })
                        .toList();
    }

    /**
     * A compiler that knows nothing of what the preprocessor leaves out was asked array by array, by every context: eleven programs built
     * for one. One is enough to ask of all that a source's kernels may have, and the next context knows. Where numbers tell
     * none asks.
     */
    @ParameterizedTest
    @CsvSource({"0.0,enum { USED = 8 };,1", "0.1,enum { USED = 8 };,1", "0.0,#define USED 8,0"})
    void theCompilerIsAskedOnce(String device, String used, int asking) {
        StringBuilder text =
                new StringBuilder("#define ROWS 3\n#ifdef WIDE\n#define COLUMNS 4\n#endif\n" + used + "\n");
        for (int i = 0; i < 5; i++) {
            text.append("#ifdef WIDE\nint f" + i
                    + "(int x) { int a[COLUMNS][ROWS]; a[0][0] = x; return a[0][0]; }\n#endif\n");
        }
        for (String kernel : List.of("k", "j")) {
            text.append("kernel void " + kernel
                    + "(global int *x) { int a[USED]; a[x[0] & 7] = 3; x[get_global_id(0)] = a[x[0] & 7]; } // "
                    + device
                    + "\n");
        }
        for (int context = 0; context < 2; context++) {
            try (Evener evener = Evener.builder()
                            .devices(DeviceSelector.parse(device))
                            .history(History.inMemory())
                            .open();
                    HostBuffer x = evener.allocate(ElementType.INT, 64)) {
                long before = programs();
                for (String kernel : List.of("k", "j")) {
                    evener.submit(Job.named("asks")
                                    .units(64)
                                    .source(text.toString())
                                    .kernel(kernel)
                                    .updates(x, Access.slice())
                                    .build())
                            .join();
                }
                assertEquals(3, x.ints().get(5));
                assertEquals(context == 0 ? 1 + asking : 1, programs() - before, "programs, of which one may ask");
            }
        }
    }

    /**
     * Drivers keep nothing of what does not build: what did not, as it had nothing to tell or a loop's hint outside of its function, was
     * built again in every context of every process.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "#ifdef WIDE\n int a[3]; a[1] = 2; x[0] = a[x[1]];\n#endif",
                "#pragma unroll\n for (int i = 0; i < 3; i++) { int a[4]; a[i] = x[i]; x[1] = a[x[2]]; }",
                " # pragma unroll 2\n for (int i = 0; i < 3; i++) { x[i] = 1; }\n#ifdef WIDE\n local int a[4]; a[1] = x[0];\n#endif",
                "#pragma OPENCL FP_CONTRACT OFF\n float a[5]; a[1] = 2; x[0] = a[x[1]];"
            })
    void whatAsksBuilds(String body) {
        String text = "kernel void other(global int *x) { int b[9]; b[1] = 2; x[0] = b[x[1]]; }\n"
                + "kernel void k(global int *x) {\n" + body + "\n}";
        ClDevice device = ClDevice.all().get(0);
        DeclaredMemory declared = DeclaredMemory.of(text, "");
        KernelSource asking = KernelSource.of("asking", declared.asking());
        try (ClContext context = new ClContext(List.of(device))) {
            for (String options : List.of("", "-D WIDE")) {
                assertNotNull(context.demanded(declared.asks("k"), asking, options, device.info()), declared.asking());
                long[] others = context.demanded(declared.asks("other"), asking, options, device.info());
                assertEquals(1 + 9 * 4, Objects.requireNonNull(others)[0]);
            }
        }
    }

    private static long programs() {
        return NativeLedger.live().getOrDefault(NativeLedger.Kind.PROGRAM, 0L);
    }
}
