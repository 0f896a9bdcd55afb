package dev.evener;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.internal.job.JobSpec;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntBinaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What kernels see of which nobody says it: the simplest ones, whose index is a value, once had each chunk's in silence, and so had those
 * whose questions stood where a pattern for words did not see them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DefaultViewTest {
    private static final int N = 5000;

    /** What a work-item writes, in one line, of its index {@code i} and, in {@code SIZE} and so on, of its launch; {@code n} items. */
    private record Line(String name, String value, IntBinaryOperator expected) {
        private String kernel() {
            return "kernel void " + name + "(global const int *x, global int *out) { int i = ID(0); out[i] = " + value
                    + "; }\n";
        }
    }

    private static final List<Line> LINES = List.of(
            new Line("iota", "i", (i, n) -> i),
            new Line("ramp", "x[i] + 3 * i", (i, n) -> 7 * i + 3 * i),
            new Line("seed", "(int) (i * 747796405u + 2891336453u)", (i, n) -> i * 747796405 + (int) 2891336453L),
            new Line("coordinate", "i % 37 * 1000 + i / 37", (i, n) -> i % 37 * 1000 + i / 37),
            new Line("comparison", "i < LIMIT ? 1 : 2", (i, n) -> i < 3000 ? 1 : 2),
            new Line("mirrored", "SIZE(0) - 1 - i", (i, n) -> n - 1 - i),
            new Line("portion", "i * 100 / SIZE(0)", (i, n) -> i * 100 / n),
            new Line("of_group", "GROUP(0) * get_local_size(0) + get_local_id(0)", (i, n) -> i),
            new Line("rounded", "GROUPS(0) * get_local_size(0) >= SIZE(0)", (i, n) -> 1),
            new Line("linear", "LINEAR()", (i, n) -> i),
            new Line("dimensions", "OFFSET(0) + DIMENSIONS()", (i, n) -> 1));

    private static final Map<String, String> QUESTIONS = Map.of(
            "ID", "global_id",
            "SIZE", "global_size",
            "GROUP", "group_id",
            "GROUPS", "num_groups",
            "LINEAR", "global_linear_id",
            "OFFSET", "global_offset",
            "DIMENSIONS", "work_dim");

    /** Where a text has its questions. */
    private enum Hidden {
        NOWHERE,
        BEHIND_MACROS,
        IN_AN_INCLUDED_TEXT,
        IN_A_HEADER_OF_THE_COMPILER,
        IN_OPTIONS,
        PASTED,
        PASTED_OF_MACROS,
        CONTINUED,
        IN_A_FUNCTION,
        IN_A_MACRO_FOR_ALL;

        /** In a short run each line in some places, and some lines in each: a device compiles each anew. */
        private List<Line> lines() {
            int first = List.of(values()).indexOf(this);
            List<Line> some = new ArrayList<>();
            for (int i = LongTests.ASKED_FOR ? 0 : first % 5; i < LINES.size(); i += LongTests.orAll(5, 1)) {
                some.add(LINES.get(i));
            }
            return some;
        }

        private KernelSource source(Line line, Path folder) throws IOException {
            String kernels = line.kernel();
            StringBuilder defined = new StringBuilder("#define LIMIT 3000\n");
            StringBuilder options = new StringBuilder("-D LIMIT=3000");
            StringBuilder functions = new StringBuilder();
            for (Map.Entry<String, String> question : QUESTIONS.entrySet()) {
                String of = question.getKey();
                String name = "get_" + question.getValue();
                defined.append("#define ").append(of).append(' ').append(name).append('\n');
                options.append(" -D ").append(of).append('=').append(name);
                String d =
                        question.getKey().equals("LINEAR") || question.getKey().equals("DIMENSIONS") ? "" : "d";
                functions.append("int " + of + "(" + (d.isEmpty() ? "void" : "int d") + ");\nint " + of + "("
                        + (d.isEmpty() ? "void" : "int d") + ") { return " + name + "(" + d + "); }\n");
            }
            UnaryOperator<String> named = form -> {
                String is = kernels;
                for (Map.Entry<String, String> question : QUESTIONS.entrySet()) {
                    is = is.replaceAll("\\b" + question.getKey() + "\\b", form.replace("*", question.getValue()));
                }
                return "#define LIMIT 3000\n" + is;
            };
            Files.writeString(folder.resolve("hidden.h"), defined);
            KernelSource including = KernelSource.of("lines", "#include \"hidden.h\"\n" + kernels);
            return switch (this) {
                case NOWHERE -> KernelSource.of("lines", named.apply("get_*"));
                case BEHIND_MACROS -> KernelSource.of("lines", defined + kernels);
                case IN_AN_INCLUDED_TEXT -> including.withIncludes(Map.of("hidden.h", defined.toString()));
                case IN_A_HEADER_OF_THE_COMPILER -> including.withOptions("-I " + folder);
                case IN_OPTIONS -> KernelSource.of("lines", kernels).withOptions(options.toString());
                case PASTED -> KernelSource.of("lines", "#define ASK(of) get_##of\n" + named.apply("ASK(*)"));
                case PASTED_OF_MACROS ->
                    KernelSource.of("lines", "#define ASK(a, of) a##of\n" + named.apply("ASK(get, _*)"));
                case CONTINUED -> KernelSource.of("lines", named.apply("g\\\\\net_\\\\\n*"));
                case IN_A_FUNCTION -> KernelSource.of("lines", "#define LIMIT 3000\n" + functions + kernels);
                case IN_A_MACRO_FOR_ALL -> {
                    String all = kernels.replaceAll("kernel void (\\w+)\\(.*?\\) \\{(.*)\\}\n", "KERNEL($1, $2)\n");
                    yield KernelSource.of(
                            "lines",
                            defined
                                    + "#define KERNEL(name, body) kernel void name(global const int *x, global int *out) { body }\n"
                                    + all);
                }
            };
        }
    }

    private final List<Evener> runtimes = new ArrayList<>();

    @BeforeAll
    void open() {
        runtimes.add(open("0.0,0.1"));
        if (LongTests.ASKED_FOR) {
            runtimes.add(open("0.0"));
            runtimes.add(open("all"));
        }
    }

    private static Evener open(String devices) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .history(History.inMemory())
                .open();
    }

    @AfterAll
    void close() {
        runtimes.forEach(Evener::close);
    }

    @ParameterizedTest
    @EnumSource
    void anIndexIsTheJobsWhereverTheTextHasIt(Hidden where, @TempDir Path folder) throws IOException {
        List<Policy> policies = new ArrayList<>();
        for (String name : Policies.names()) {
            policies.add(Policies.named(name));
        }
        for (Evener evener : runtimes) {
            try (HostBuffer x = evener.allocate(ElementType.INT, N);
                    HostBuffer out = evener.allocate(ElementType.INT, N)) {
                for (int i = 0; i < N; i++) {
                    x.ints().put(i, 7 * i);
                }
                for (Line line : where.lines()) {
                    KernelSource source = where.source(line, folder);
                    for (int p = 0; p < LongTests.orAll(1, policies.size()); p++) {
                        Policy policy = LongTests.ASKED_FOR ? policies.get(p) : Policies.fixed();
                        for (boolean said : new boolean[] {false, true}) {
                            JobBuilder job =
                                    Job.named("line").source(source).units(N).policy(policy);
                            Job built = (said ? job.jobView() : job)
                                    .kernel(line.name())
                                    .reads(x, slice())
                                    .writes(out, slice())
                                    .build();
                            evener.submit(built).join();
                            int[] found = new int[N];
                            out.ints().get(found);
                            int[] expected = new int[N];
                            for (int i = 0; i < N; i++) {
                                expected[i] = line.expected.applyAsInt(i, N);
                            }
                            assertArrayEquals(
                                    expected, found, where + ", " + line.name() + ", " + policy + ", said " + said);
                        }
                    }
                }
            }
        }
    }

    private boolean seesJob(String text) {
        Evener evener = runtimes.get(0);
        try (HostBuffer x = evener.allocate(ElementType.FLOAT, 400);
                HostBuffer y = evener.allocate(ElementType.FLOAT, 100)) {
            Job job = Job.named("view")
                    .units(100)
                    .source(text)
                    .kernel("k")
                    .reads(x, slice())
                    .updates(y, slice())
                    .scalar(2f)
                    .build();
            return JobSpec.of(job).space().seesJob();
        }
    }

    private static String kernel(String body) {
        return "kernel void k(global const float4 *x, global float *y, float a) { " + body + " }";
    }

    /** They take less memory in the chunk's view, and cannot tell. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "y[get_global_id(0)] += a;",
                "int i = get_global_id(0); y[i] = a * y[i] + x[i].x;",
                "const size_t i = get_global_id(0); y[i] = dot(x[i], x[i]); if (y[i] < 0) return; y[i] = sqrt(y[i]);",
                "size_t i = (size_t) get_global_id( 0 ); for (int k = 0; k < 4; k++) y[ i ] += k * PI; /* y[0] = i */",
                "uint i = get_global_id(0);\n#pragma unroll\nfor (int k = 0; k < 4; k++) y[i] += twice(a); // i < 7\n",
            })
    void kernelsThatCannotTellSeeChunks(String body) {
        String front =
                "#define PI 3.14f\n#define REST get\nfloat twice(float v);\nfloat twice(float v) { return 2 * v; }\n";
        assertEquals(false, seesJob(front + kernel(body)), body);
        String scalar = "kernel void k(global const float *x, global float *y, float a)";
        for (String four : List.of("x[4 * i]", "x[i * 4 + 3]", "x[4*i + j]")) {
            String text = scalar + " { int j = 2; int i = get_global_id(0); y[i] = " + four + "; }";
            assertEquals(false, seesJob(text), text);
        }
    }

    /** Each can tell, or is not proven not to. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "int i = get_global_id(0); y[i] = i;",
                "int i = get_global_id(0); y[i] = y[i + 1];",
                "int i = get_global_id(0); y[i] = a; i++;",
                "int i = get_global_id(0); y[i] = a; int *p = &i; *p = 3; y[i] = 2;",
                "int i = get_global_id(0), j = i; y[j] = a;",
                "char i = get_global_id(0); y[i] = a;",
                "float i = get_global_id(0); y[(int) i] = a;",
                "y[get_global_id(0)] = get_global_id(0);",
                "y[get_global_id(1)] = a;",
                "y[get_global_id(0)] = get_local_id(0);",
                "int i = get_global_id(0); y[i] = twice(i);",
                "int i = get_global_id(0); y[i] = y - x;",
                "int i = get_global_id(0); global float *p = &y[i]; p[0] = p - y;",
                "int i = get_global_id(0); global float *p = & (y[i]); p[1] = a;",
                "int i = get_global_id(0); vstore4(x[i], i, y);",
                "int i = get_global_id(0); y[i] = y[0];",
                "int i = get_global_id(0); y[i] = a; { int i = 3; y[i] = a; }",
                "int i = get_global_id(0); float y[4]; y[i] = a;",
                "int i = get_global_id(0); constant float *t = table; y[i] = t[i];",
                "int i = get_global_id(0); y[i] = table[i];",
                "int i = get_global_id(0); y[i] = 0; barrier(CLK_LOCAL_MEM_FENCE);",
                "int i = get_global_id(0); local float t[64]; t[0] = y[i];",
                "int i = get_global_id(0); y[i] = me();",
                "int i = get_global_id(0); y[i] = VALUE;",
                "int i = get_global_id(0); y[i] = work_group_reduce_add(x[i].x);",
                "int i = get_global_id(0);\n#if 0\n}\n#endif\ny[i] = i;",
                "int i = get_global_id(0); y[i] = x[2 * i].x;",
                "int i = get_global_id(0); y[i % 64] = a;",
                "int i = get_global_id(0); y[i] = a; printf(\"%d\", i);",
            })
    void whatIsNotProvenSeesTheJob(String body) {
        String front = "constant float table[2] = {1, 2};\n#define VALUE i\nfloat twice(float v) { return 2 * v; }\n"
                + (body.contains("me()") ? "int me(void) { return get_global_id(0); }\n" : "");
        assertEquals(true, seesJob(front + kernel(body)), body);
    }

    @Test
    void aTextThatIsNotSeenAsAWholeSeesTheJob() {
        String plain = kernel("int i = get_global_id(0); y[i] += a * x[i].x;");
        assertEquals(false, seesJob(plain));
        for (String text : List.of(
                "#include <some.h>\n" + plain,
                "#define J(a, b) a##b\n" + plain,
                plain + plain.replace("+= a * x[i].x", "= i"), // of which conditions may choose one
                "#if 0\n" + plain + "\n#endif\n#define KERNEL(n) void n\nKERNEL(k)();",
                plain.replace("+= a", "+= i\\\n *"),
                plain.replace("float4", "quad"),
                "typedef float4 quad;\n" + plain.replace("float4", "quad"),
                plain.replace("float4", "float8"),
                "kernel void other(global int *x) { x[0] = 1; } " + plain.replace("+= a", "+= a; other(x); y[i] += 1"),
                "int me(void) { return get_global_size(0); } " + plain)) {
            assertEquals(true, seesJob(text), text);
        }
    }
}
