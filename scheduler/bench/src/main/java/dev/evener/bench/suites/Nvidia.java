package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Inputs.group;
import static dev.evener.bench.suites.Inputs.noise;
import static dev.evener.bench.suites.Inputs.roundUp;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import java.util.List;

/** NVIDIA's samples: vectors, matrices, random numbers. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class Nvidia {
    static final String SUITE = "Nvidia";
    static final String FOLDER = "nvidia-opencl-examples/OpenCL/src/";

    private Nvidia() {}

    static List<Program> programs() {
        return List.of(
                new Program(SUITE, "oclVectorAdd", Nvidia::vectorAdd),
                new Program(SUITE, "oclDotProduct", Nvidia::dotProduct),
                new Program(SUITE, "oclMatVecMul", Nvidia::matVecMul),
                new Program(SUITE, "oclMatrixMul", Nvidia::matrixMul),
                new Program(SUITE, "oclTranspose", Nvidia::transpose),
                new Program(SUITE, "oclBlackScholes", Nvidia::blackScholes),
                new Program(SUITE, "oclMersenneTwister", Nvidia::mersenneTwister),
                new Program(SUITE, "oclQuasirandomGenerator", Nvidia::quasirandom),
                new Program(SUITE, "oclCopyComputeOverlap", Nvidia::hypot),
                new Program(SUITE, "oclSimpleMultiGPU", Nvidia::simpleMultiGpu),
                new Program(SUITE, "oclNbody", Nvidia::nbody));
    }

    private static void vectorAdd(Run run) {
        int n = run.pick(1000, 11_444, 100_000);
        run.file(FOLDER + "oclVectorAdd/VectorAdd.cl");
        HostBuffer a = run.floats("a", n, Inputs::noise);
        HostBuffer b = run.floats("b", n, i -> noise(-i));
        HostBuffer c = run.floats("c", n, i -> 0);
        run.kernel("VectorAdd")
                .units(n)
                .groupSize(256)
                .reads(a, slice(1))
                .reads(b, slice(1))
                .writes(c, slice(1))
                .scalar(n)
                .run();
    }

    private static void dotProduct(Run run) {
        int n = run.pick(1000, 12_777, 60_000);
        run.file(FOLDER + "oclDotProduct/DotProduct.cl");
        HostBuffer a = run.floats("a", 4 * n, Inputs::noise);
        HostBuffer b = run.floats("b", 4 * n, i -> noise(-i));
        HostBuffer c = run.floats("c", n, i -> 0);
        run.kernel("DotProduct")
                .units(n)
                .groupSize(256)
                .reads(a, slice(4))
                .reads(b, slice(4))
                .writes(c, slice(1))
                .scalar(n)
                .run();
    }

    private static void matVecMul(Run run) {
        int width = run.pick(64, 111, 500);
        int height = run.pick(100, 333, 1000);
        run.file(FOLDER + "oclMatVecMul/oclMatVecMul.cl");
        HostBuffer m = run.floats("M", width * height, Inputs::noise);
        HostBuffer v = run.floats("V", width, i -> noise(-i));
        for (int i = 0; i < 2; i++) {
            HostBuffer w = run.floats("W" + i, height, j -> 0);
            run.kernel("MatVecMulUncoalesced" + i)
                    .units(height)
                    .jobView() // which Evener does not see the need of where the index is that of a loop
                    .groupSize(256)
                    .reads(m, slice(width))
                    .reads(v, whole())
                    .scalar(width, height)
                    .writes(w, slice(1))
                    .run();
        }
        // The last one, Coalesced3, wants warps of 32 in step, which a CPU does not have.
        for (int i = 0; i < 3; i++) {
            HostBuffer w = run.floats("Wc" + i, height, j -> 0);
            run.kernel("MatVecMulCoalesced" + i)
                    .units(height)
                    .jobView()
                    .variant(group(256))
                    .reads(m, slice(width))
                    .reads(v, whole())
                    .scalar(width, height)
                    .writes(w, slice(1))
                    .local(ElementType.FLOAT, 256)
                    .run();
        }
    }

    private static void matrixMul(Run run) {
        int wa = run.pick(32, 48, 160);
        int wb = run.pick(16, 80, 192);
        int ha = run.pick(32, 77, 208);
        run.source(run.file(FOLDER + "oclMatrixMul/matrixMul.cl").withMacro("BLOCK_SIZE", 16));
        HostBuffer a = run.floats("A", wa * roundUp(ha, 16), Inputs::noise); // whole tiles are read
        HostBuffer b = run.floats("B", wb * wa, i -> noise(-i));
        HostBuffer c = run.floats("C", wb * ha, i -> 0);
        run.kernel("matrixMul")
                .range(wb, ha)
                .jobView()
                .groupSize(16, 16)
                .writes(c, slice(wb))
                .reads(a, slice(wa))
                .reads(b, whole())
                .local(ElementType.FLOAT, 256)
                .local(ElementType.FLOAT, 256)
                .scalar(wa, wb, ha)
                .run();
    }

    private static void transpose(Run run) {
        int width = run.pick(32, 83, 256);
        int height = run.pick(48, 101, 300);
        run.file(FOLDER + "oclTranspose/transpose.cl");
        HostBuffer in = run.floats("idata", width * height, Inputs::noise);
        HostBuffer copy = run.floats("copy", width * height, i -> 0);
        HostBuffer naive = run.floats("naive", width * height, i -> 0);
        HostBuffer tiled = run.floats("tiled", width * height, i -> 0);
        run.kernel("simple_copy")
                .range(width, height)
                .groupSize(16, 16)
                .writes(copy, slice(width))
                .reads(in, slice(width))
                .scalar(0, width, height)
                .run();
        run.kernel("transpose_naive")
                .range(width, height)
                .groupSize(16, 16)
                .writes(naive, columns(height))
                .reads(in, slice(width))
                .scalar(0, width, height)
                .run();
        run.kernel("transpose")
                .range(width, height)
                .groupSize(16, 16)
                .writes(tiled, columns(height))
                .reads(in, slice(width))
                .scalar(0, width, height)
                .local(ElementType.FLOAT, 16 * 17)
                .run();
    }

    private static void blackScholes(Run run) {
        int n = run.pick(1000, 7777, 40_000);
        run.file(FOLDER + "oclBlackScholes/BlackScholes.cl");
        HostBuffer call = run.floats("call", n, i -> 0);
        HostBuffer put = run.floats("put", n, i -> 0);
        HostBuffer price = run.floats("S", n, i -> 5 + 25 * noise(i));
        HostBuffer strike = run.floats("X", n, i -> 1 + 99 * noise(-i));
        HostBuffer years = run.floats("T", n, i -> 0.25 + 9.75 * noise(3 * i));
        run.kernel("BlackScholes")
                .units(n)
                .jobView()
                .groupSize(128)
                .writes(call, slice(1))
                .writes(put, slice(1))
                .reads(price, slice(1))
                .reads(strike, slice(1))
                .reads(years, slice(1))
                .scalar(0.02f, 0.30f, n)
                .run();
    }

    private static void mersenneTwister(Run run) {
        int lanes = 4096; // as the text has it
        int each = run.pick(2, 6, 20);
        run.file(FOLDER + "oclMersenneTwister/MersenneTwister.cl");
        HostBuffer random = run.floats("d_Rand", lanes * each, i -> 0);
        HostBuffer parameters = run.ints("d_MT", 4 * lanes, i -> Inputs.bits(i, Integer.MAX_VALUE));
        run.kernel("MersenneTwister")
                .units(lanes)
                .groupSize(128)
                .writes(random, columns(lanes))
                .reads(parameters, slice(4))
                .scalar(each)
                .run();
        run.kernel("BoxMuller")
                .units(lanes)
                .groupSize(128)
                .updates(random, columns(lanes))
                .scalar(each)
                .run();
    }

    private static void quasirandom(Run run) {
        int n = run.pick(1024, 3001, 20_000);
        run.file(FOLDER + "oclQuasirandomGenerator/QuasirandomGenerator.cl");
        HostBuffer out = run.floats("d_Output", 3 * n, i -> 0);
        HostBuffer inverse = run.floats("inverse", 3 * n, i -> 0);
        HostBuffer table = run.ints("c_Table", 3 * 31, i -> Inputs.bits(i, Integer.MAX_VALUE));
        run.kernel("QuasirandomGenerator")
                .range(n, 3)
                .along(0)
                .groupSize(128, 3)
                .writes(out, slice(1).planes(3))
                .reads(table, whole())
                .scalar(0, n)
                .run();
        run.kernel("InverseCND")
                .units(3 * n)
                .jobView()
                .groupSize(128)
                .writes(inverse, slice(1))
                .scalar(3 * n, 0, 1)
                .run();
    }

    private static void hypot(Run run) {
        int half = run.pick(256, 1501, 10_000);
        run.file(FOLDER + "oclCopyComputeOverlap/VectorHypot.cl");
        HostBuffer a = run.floats("A", 8 * half, Inputs::noise);
        HostBuffer b = run.floats("B", 8 * half, i -> noise(-i));
        HostBuffer out = run.floats("Hypot", 8 * half, i -> 0);
        for (int from = 0; from < 2 * half; from += half) {
            run.kernel("VectorHypot")
                    .units(half)
                    .jobView()
                    .groupSize(256)
                    .reads(a, slice(4).from(4 * from))
                    .reads(b, slice(4).from(4 * from))
                    .writes(out, slice(4).from(4 * from))
                    .scalar(from, 2, from + half)
                    .run();
        }
    }

    private static void simpleMultiGpu(Run run) {
        int threads = run.pick(256, 768, 2048);
        int n = threads * run.pick(4, 7, 20) + run.pick(0, 5, 0);
        run.file(FOLDER + "oclSimpleMultiGPU/simpleMultiGPU.cl");
        HostBuffer sums = run.floats("d_Result", threads, i -> 0);
        HostBuffer in = run.floats("d_Input", n, Inputs::noise);
        run.kernel("reduce")
                .units(threads)
                .jobView()
                .groupSize(256)
                .writes(sums, slice(1))
                .reads(in, n % threads == 0 ? columns(threads) : whole())
                .scalar(n)
                .run();
    }

    private static void nbody(Run run) {
        int n = run.pick(256, 448, 1024);
        run.source(run.file(FOLDER + "oclNbody/oclNbodyKernel.cl")
                .withMacro("REAL", "float")
                .withMacro("REAL3", "float3")
                .withMacro("REAL4", "float4")
                .withMacro("ZERO3", "{0.0f, 0.0f, 0.0f}")
                .withMacro("mul24(a, b)", "((a) * (b))")); // which compilers of today refuse for a size_t
        HostBuffer oldAt = run.floats("oldPos", 4 * n, i -> i % 4 == 3 ? 1 : 2 * noise(i) - 1);
        HostBuffer oldSpeed = run.floats("oldVel", 4 * n, i -> i % 4 == 3 ? 1 : noise(-i) - 0.5);
        HostBuffer newAt = run.floats("newPos", 4 * n, i -> 0);
        HostBuffer newSpeed = run.floats("newVel", 4 * n, i -> 0);
        for (int step = 0; step < 3; step++) {
            boolean even = step % 2 == 0;
            run.kernel("integrateBodies_noMT")
                    .range(n, 1)
                    .along(0)
                    .jobView()
                    .groupSize(64, 1)
                    .writes(even ? newAt : oldAt, slice(4))
                    .writes(even ? newSpeed : oldSpeed, slice(4))
                    .reads(even ? oldAt : newAt, whole())
                    .reads(even ? oldSpeed : newSpeed, slice(4))
                    .scalar(0.016f, 1.0f, 0.01f, n)
                    .local(ElementType.FLOAT, 4 * 64)
                    .run();
        }
    }
}
