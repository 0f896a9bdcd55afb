package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.image.Sampler;
import dev.evener.policy.Policies;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arguments whose types are not those of the kernel's parameters, on both platforms. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArgumentTypesTest {
    private static final String[] DEVICES = {"0.0", "1.0"};

    private static final String NAMED = "real again numbers either word count";

    private static final List<String> PARAMETERS = Stream.of(
                    parameters(
                            "%s",
                            "int uint unsigned char4 short2 long ulong uint2 pair float2 float ushort float4 sampler_t"),
                    parameters("%s", NAMED),
                    parameters("read_only %s", "image1d_t image2d_t image2d_array_t image3d_t"),
                    Stream.of(
                            "write_only image2d_t",
                            "global float *",
                            "local float *",
                            "__global const struct corners *"),
                    parameters(
                            "__global %s *",
                            NAMED + " float float4 void pair uchar4 int uint int2 long short char16 NUMBER"),
                    parameters(
                            "__constant %s *",
                            NAMED + " float float4 void pair uchar4 uint int2 long short char16 NUMBER"),
                    parameters("__global const %s *", NAMED + " float int uint uint4 ulong short long float4 NUMBER"),
                    parameters("__global const %s *", "quad pair word_or_pair"),
                    parameters("__local %s *", NAMED))
            .flatMap(each -> each)
            .toList();

    /** One text for all, as what a compiler takes of each is its own headers. */
    private static final String SOURCE = """
            typedef struct { int a; float b; } pair;
            struct corners { float4 one, other; };
            typedef union { uint a; pair b; } word_or_pair;
            typedef float real;
            typedef uint word;
            #define NUMBER float
            #define JOIN(a, b) a##b
            typedef real again;
            typedef NUMBER numbers;
            typedef JOIN(ulo, ng) count;
            typedef JOIN(NUMB, ER) quad __attribute__((ext_vector_type(4)));
            #ifdef WIDE
            typedef int either;
            #else
            typedef float either;
            #endif
            """
            + PARAMETERS.stream()
                    .map(each -> "__kernel void " + kernel(each) + "(" + each + " p) {}\n")
                    .collect(Collectors.joining());

    private final Evener[] eveners = new Evener[DEVICES.length];

    @BeforeAll
    void open() {
        for (int i = 0; i < DEVICES.length; i++) {
            eveners[i] = Evener.builder()
                    .firstRunChecked(false) // kernels that do nothing
                    .devices(DeviceSelector.parse(DEVICES[i]))
                    .policy(Policies.fixed())
                    .history(History.inMemory())
                    .open();
        }
    }

    @AfterAll
    void close() {
        for (Evener evener : eveners) {
            evener.close();
        }
    }

    /** A kernel with one parameter of this type, given this. */
    private static Job job(String parameter, UnaryOperator<JobBuilder> argument) {
        assertTrue(PARAMETERS.contains(parameter), parameter);
        return argument.apply(Job.named("types").source(SOURCE).units(64).kernel(kernel(parameter)))
                .build();
    }

    private static String kernel(String parameter) {
        return "k" + PARAMETERS.indexOf(parameter);
    }

    /** Of each of these types, which blanks part. */
    private static Stream<String> parameters(String form, String types) {
        return Arrays.stream(types.split(" ", -1)).map(form::formatted);
    }

    private void accepted(String parameter, UnaryOperator<JobBuilder> argument) {
        for (Evener evener : eveners) {
            evener.submit(job(parameter, argument)).join();
        }
    }

    private void refused(String reason, String parameter, UnaryOperator<JobBuilder> argument) {
        for (Evener evener : eveners) {
            DeviceInfo device = evener.devices().get(0);
            CompletionException e = assertThrows(
                    CompletionException.class,
                    () -> evener.submit(job(parameter, argument)).join(),
                    parameter);
            assertEquals(
                    "job 'types' failed on device " + device.id() + " (" + device.name() + "): kernel "
                            + kernel(parameter) + ": argument 0 is " + reason,
                    e.getCause().getMessage());
        }
    }

    private HostBuffer buffer(ElementType type) {
        return eveners[0].allocate(type, 1024);
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT, float",
        "FLOAT, float4",
        "FLOAT, void",
        "FLOAT, pair",
        "FLOAT, real",
        "BYTE, uchar4",
        "BYTE, pair",
        "INT, uint",
        "UINT, int2",
        "UINT, word",
        "ULONG, long",
        "USHORT, short",
        "UBYTE, char16",
        "FLOAT, again",
        "FLOAT, numbers",
        "FLOAT, either",
        "ULONG, count",
        "FLOAT, NUMBER",
    })
    void buffersOfTheSameKindAreAccepted(ElementType type, String parameter) {
        accepted("__global " + parameter + " *", k -> k.reads(buffer(type), Access.slice()));
        accepted("__constant " + parameter + " *", k -> k.reads(buffer(type), Access.whole()));
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT, int",
        "FLOAT, uint4",
        "INT, float",
        "LONG, int",
        "UINT, ulong",
        "USHORT, uint",
        "FLOAT, short",
        "DOUBLE, float",
        "DOUBLE, long",
        "UBYTE, uint",
        "BYTE, float4",
        "INT, NUMBER",
    })
    void buffersOfAnotherKindAreRefused(ElementType type, String parameter) {
        refused(
                "a buffer of " + type.openClName() + ", but the kernel's parameter is "
                        + parameter.replace("NUMBER", "float") + "*",
                "__global const " + parameter + " *",
                k -> k.reads(buffer(type), Access.slice()));
    }

    /** Names that only the compiler can explain, in any way that a text has them: once they were found by their values. */
    @ParameterizedTest
    @CsvSource({
        "real, float",
        "again, float",
        "numbers, float",
        "either, float",
        "word, uint",
        "count, ulong",
    })
    void aNameIsWhatItStandsFor(String name, String type) {
        String is = ", but the kernel's parameter is " + name + "%s, which is " + type + "%<s";
        boolean floating = type.equals("float");
        if (type.equals("ulong")) {
            accepted(name, k -> k.scalar(5L));
            accepted(name, k -> k.chunkUnits());
            refused("a scalar of type int" + String.format(is, ""), name, k -> k.scalar(5));
        } else {
            accepted(name, k -> k.scalar(floating ? 5f : (Number) 5));
            refused(
                    "a scalar of type " + (floating ? "int" : "float") + String.format(is, ""),
                    name,
                    k -> k.scalar(floating ? 5 : (Number) 5f));
        }
        ElementType other = floating ? ElementType.INT : ElementType.FLOAT;
        refused(
                "a buffer of " + other.openClName() + String.format(is, "*"),
                "__global const " + name + " *",
                k -> k.reads(buffer(other), Access.slice()));
        refused(
                "local memory of " + other.openClName() + String.format(is, "*"),
                "__local " + name + " *",
                k -> k.groupSize(8).local(other, 8));
    }

    @Test
    void aVectorBehindANameIsOne() {
        refused(
                "a buffer of which each unit has 4 bytes, but the kernel's parameter is quad*, which is float4* of 16: give slice(4)"
                        + " and as many units as there are vectors, or a Variant with unitsPerItem",
                "__global const quad *",
                k -> k.reads(buffer(ElementType.FLOAT), Access.slice(1)));
        accepted("__global const quad *", k -> k.reads(buffer(ElementType.FLOAT), Access.slice(4)));
    }

    @ParameterizedTest
    @CsvSource({"pair *, 8, 2", "struct corners *, 32, 8", "word_or_pair *, 8, 2"})
    void aUnitHasAllOfAStruct(String type, int bytes, int slice) {
        refused(
                "a buffer of which each unit has 4 bytes, but the kernel's parameter is " + type.replace(" *", "*")
                        + " of " + bytes + ": give slice(" + slice
                        + ") and as many units as there are structs, or a Variant with unitsPerItem",
                "__global const " + type,
                k -> k.reads(buffer(ElementType.FLOAT), Access.slice(1)));
        accepted("__global const " + type, k -> k.reads(buffer(ElementType.FLOAT), Access.slice(slice)));
        accepted("__global const " + type, k -> k.reads(buffer(ElementType.FLOAT), Access.whole()));
    }

    /** PoCL ends the process when one of them is given anything else. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "read_only image2d_t",
                "write_only image2d_t",
                "read_only image2d_array_t",
                "read_only image3d_t",
                "sampler_t"
            })
    void anImageOrSamplerIsNothingElse(String parameter) {
        String give = parameter.equals("sampler_t")
                ? "sampler(...)"
                : "an Image of that kind, made by Evener.image(...) or over a buffer";
        String reason = "no " + parameter.replaceAll(".* ", "") + ", as the kernel's parameter is: give " + give;
        refused(reason, parameter, k -> k.reads(buffer(ElementType.FLOAT), Access.slice()));
        refused(reason, parameter, k -> k.scalar(1L));
        refused(reason, parameter, k -> k.value(ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder())));
        refused(reason, parameter, k -> k.temporary(Temporary.of(ElementType.FLOAT, 1)));
    }

    private JobBuilder image(JobBuilder k, boolean written) {
        Image<HostBuffer> image = Image.of(buffer(ElementType.FLOAT), ImageFormat.R_FLOAT, 16, 64);
        return written ? k.writes(image, Access.slice()) : k.reads(image, Access.slice());
    }

    @Test
    void anImageIsReadAndWrittenAsTheKernelSays() {
        accepted("read_only image2d_t", k -> image(k, false));
        accepted("write_only image2d_t", k -> image(k, true));
        accepted("sampler_t", k -> k.sampler(Sampler.nearest()));
        refused(
                "declared to be written, but the kernel's parameter is read_only: declare reads(...)",
                "read_only image2d_t",
                k -> image(k, true));
        refused(
                "declared to be read only, but the kernel's parameter is write_only: declare writes(...) or updates(...)",
                "write_only image2d_t",
                k -> image(k, false));
    }

    @Test
    void anImageGoesNowhereElse() {
        String buffer = ": give a buffer, as an image's pixels(), or a scalar";
        String kind = ": give an Image of that kind, made by Evener.image(...) or over a buffer";
        for (String parameter : List.of("global float *", "float", "local float *", "float4")) {
            String type = parameter.replaceAll("global |local ", "").replace(" *", "*");
            refused(
                    "of type image2d_t, but the kernel's parameter is " + type + buffer,
                    parameter,
                    k -> image(k, false));
            refused(
                    "of type sampler_t, but the kernel's parameter is " + type + buffer,
                    parameter,
                    k -> k.sampler(Sampler.nearest()));
        }
        refused(
                "of type image2d_t, but the kernel's parameter is image3d_t" + kind,
                "read_only image3d_t",
                k -> image(k, false));
        refused(
                "of type image2d_t, but the kernel's parameter is sampler_t: give sampler(...)",
                "sampler_t",
                k -> image(k, false));
        refused(
                "no image1d_t, as the kernel's parameter is, which jobs have not: let the kernel have a buffer, or an"
                        + " image2d_t",
                "read_only image1d_t",
                k -> k.reads(buffer(ElementType.FLOAT), Access.slice()));
    }

    @Test
    void whatAKernelIsDeclaredToWriteIsNotConst() {
        String constant = "declared to be written, but the kernel's parameter is const";
        String parameter = "__global const float *";
        refused(constant, parameter, k -> k.writes(buffer(ElementType.FLOAT), Access.slice()));
        refused(constant, parameter, k -> k.updates(buffer(ElementType.FLOAT), Access.slice()));
        refused(constant, parameter, k -> k.reduces(buffer(ElementType.FLOAT), Reduction.SUM));
        accepted(parameter, k -> k.reads(buffer(ElementType.FLOAT), Access.slice()));
        accepted("__global float *", k -> k.reads(buffer(ElementType.FLOAT), Access.slice()));
    }

    /** What stands at two places of a phase is one argument of it, which is written because the other kernel does. */
    @Test
    void whatOneKernelOfAPhaseOnlyReadsAnotherMayWrite() {
        String source = """
                kernel void look(global const float *p, global float *q) { q[get_global_id(0)] = p[get_global_id(0)]; }
                kernel void change(global float *p) { p[get_global_id(0)] += 1; }
                """;
        for (Evener evener : eveners) {
            HostBuffer p = buffer(ElementType.FLOAT), q = buffer(ElementType.FLOAT);
            evener.submit(Job.named("two")
                            .source(source)
                            .units(128)
                            .kernel("look")
                            .reads(p, Access.slice())
                            .writes(q, Access.slice())
                            .then("change")
                            .updates(p, Access.slice())
                            .then("look")
                            .reads(p, Access.slice())
                            .writes(q, Access.slice())
                            .build())
                    .join();
            assertEquals(1f, q.floats().get(127));
        }
    }

    @Test
    void whatUnitsWriteIsOfTheBuffersType() {
        accepted("__global float *", k -> k.reduces(buffer(ElementType.FLOAT), Reduction.SUM));
        refused(
                "a buffer of float, but the kernel's parameter is int*",
                "__global int *",
                k -> k.reduces(buffer(ElementType.FLOAT), Reduction.SUM));
        refused(
                "a buffer of uint, but the kernel's parameter is float*",
                "__global float *",
                k -> k.reduces(buffer(ElementType.UINT), Reduction.SUM));
    }

    @Test
    void scalarsOfTheSameSizeAndKindAreAccepted() {
        for (String parameter : new String[] {"int", "uint", "unsigned", "word", "char4", "short2"}) {
            accepted(parameter, k -> k.scalar(5));
        }
        for (String parameter : new String[] {"long", "ulong", "uint2", "pair", "float2"}) {
            accepted(parameter, k -> k.scalar(5L));
        }
        accepted("float", k -> k.scalar(5f));
        accepted("real", k -> k.scalar(5f));
        accepted("uint", k -> k.chunkUnits());
        accepted("int", k -> k.chunkUnits());
        accepted("ulong", k -> k.chunkUnits());
        accepted("ulong", k -> k.chunkStart());
        accepted("long", k -> k.chunkStart());
    }

    @Test
    void otherScalarsAreRefused() {
        String but = ", but the kernel's parameter is ";
        refused("a scalar of type int" + but + "ulong", "ulong", k -> k.scalar(5));
        refused("a scalar of type int" + but + "float", "float", k -> k.scalar(5));
        refused("a scalar of type int" + but + "ushort", "ushort", k -> k.scalar(5));
        refused("a scalar of type long" + but + "int", "int", k -> k.scalar(5L));
        refused("a scalar of type float" + but + "int", "int", k -> k.scalar(5f));
        refused("a scalar of type double" + but + "float", "float", k -> k.scalar(5.0));
        refused("a scalar of type double" + but + "ulong", "ulong", k -> k.scalar(5.0));
        refused("the chunk's number of units, a uint or ulong" + but + "float", "float", k -> k.chunkUnits());
        refused("the chunk's first unit, a ulong" + but + "uint", "uint", k -> k.chunkStart());
    }
}
