package dev.evener.internal.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which names a text may use, however it has them. */
class SourceNamesTest {
    private static SourceNames names(String text) {
        return SourceNames.of(text, "-cl-std=CL3.0 -D K=3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "int f() { return get_global_size(0); }",
                "#define SIZE get_global_size",
                "#if 0\nget_num_groups\n#endif",
                "get_wo\\\nrk_dim()",
                "get_global_/**/size get_global_offset (0)",
                "#define A(x) get_##x\nA(group_id)",
                "#define A(x, y) x %:%: y\nA(get_, work_dim)",
                "#define A(x, y, z) x##y##z\nA(get, _gro, up_id)",
                "#include <of_the_compiler.h>",
            })
    void aTextMayAskOfItsLaunch(String text) {
        assertEquals(true, names(text).mayAskOfLaunch(), text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "get_global_id(0)",
                "// get_global_size(0)\n/* get_group_id */",
                "printf(\"get_global_size\");",
                "get_global_sizes(0); forget_global_size();",
                "#define A(x) x##2\nA(float)",
                "#define A(x) get_##x\nA(nothing)",
                "// over lines \\\nget_global_size(0)",
            })
    void aTextAsksNothing(String text) {
        assertEquals(false, names(text).mayAskOfLaunch(), text);
    }

    @Test
    void optionsMayHaveTheNames() {
        assertEquals(true, SourceNames.of("ASK(0)", "-D ASK=get_num_groups").mayAskOfLaunch());
        assertEquals(true, SourceNames.of("", "-include x.h").mayAskOfLaunch());
        assertEquals(
                false, SourceNames.of("ASK(0)", "-D ASK=get_global_id -I x").mayAskOfLaunch());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "global int a; global float b[3] = {1, 2, 3}; kernel void k() { int local_one = 1; }|a b",
                "int a = 3, b;|a",
                "kernel void k() { static global int kept; static const int no = 3; }|kept",
                "static global int s;|s",
                "struct S { int x; } v; struct T { int y; }; global struct T w;|v w",
                "void f(int); int g(global int *p) { return 1; } global int *after;|after",
                "constant int a = 1; __constant float t[] = {1}; const int c = 2; global const int d = 3;|''",
                "typedef struct { int x; } S; typedef int I; enum { ONE, TWO }; enum E { THREE };|''",
                "static inline int f(int x) { return x; } extern int g(int); const sampler_t s = 1;|''",
                "kernel void k(global int *x) __attribute__((reqd_work_group_size(1, 1, 1))) { int i = 3; }|''",
                "kernel void k(global int *x) { for (int i = 0; i < 3; i++) { int j; } }|''",
            })
    void whatOutlivesALaunchIsFound(String text, String variables) {
        assertEquals(variables, String.join(" ", names(text).variables()), text);
        assertEquals(List.of(), SourceNames.of(text, "-cl-std=CL1.2").variables());
    }
}
