package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.HostBuffer;
import java.util.ArrayList;
import java.util.List;

/** PolyBench-ACC's OpenCL programs; here those of linear algebra without solvers. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class PolyBench {
    static final String FOLDER = "PolyBench-ACC/OpenCL/";
    private static final String KERNELS = FOLDER + "linear-algebra/kernels/";

    private PolyBench() {}

    static List<Program> programs() {
        List<Program> all = new ArrayList<>(List.of(
                new Program("PolyBench", "gemm", PolyBench::gemm),
                new Program("PolyBench", "syrk", PolyBench::syrk),
                new Program("PolyBench", "syr2k", PolyBench::syr2k),
                new Program("PolyBench", "2mm", PolyBench::mm2),
                new Program("PolyBench", "3mm", PolyBench::mm3),
                new Program("PolyBench", "doitgen", PolyBench::doitgen),
                new Program("PolyBench", "gemver", PolyBench::gemver),
                new Program("PolyBench", "gesummv", PolyBench::gesummv),
                new Program("PolyBench", "atax", PolyBench::atax),
                new Program("PolyBench", "bicg", PolyBench::bicg),
                new Program("PolyBench", "mvt", PolyBench::mvt)));
        all.addAll(PolyBenchMore.programs());
        return all;
    }

    /** Any numbers, but the same each time: from 0.125 on, so that they may divide. */
    static HostBuffer some(Run run, String name, int count) {
        return run.floats(name, count, i -> Rodinia.any(i + count, 101) * 0.0625 + 0.125);
    }

    private static void gemm(Run run) {
        int ni = run.pick(24, 77, 160);
        int nj = run.pick(40, 101, 192);
        int nk = run.pick(16, 35, 96);
        run.file(KERNELS + "gemm/gemm.cl");
        run.kernel("gemm")
                .range(nj, ni)
                .groupSize(32, 8)
                .reads(some(run, "a", ni * nk), slice(nk))
                .reads(some(run, "b", nk * nj), whole())
                .updates(some(run, "c", ni * nj), slice(nj))
                .scalar(1.5f, 0.75f, ni, nj, nk)
                .run();
    }

    // In syrk and syr2k, the kernels take rows of nj results and rows of ni numbers that they come from.

    private static void syrk(Run run) {
        int ni = run.pick(16, 35, 96);
        int nj = run.pick(40, 101, 192);
        run.file(KERNELS + "syrk/syrk.cl");
        run.kernel("syrk_kernel")
                .range(nj, nj)
                .groupSize(32, 8)
                .reads(some(run, "a", nj * ni), whole())
                .updates(some(run, "c", nj * nj), slice(nj))
                .scalar(1.5f, 0.75f, ni, nj)
                .run();
    }

    private static void syr2k(Run run) {
        int ni = run.pick(16, 35, 96);
        int nj = run.pick(40, 101, 192);
        run.file(KERNELS + "syr2k/syr2k.cl");
        run.kernel("syr2k_kernel")
                .range(nj, nj)
                .groupSize(32, 8)
                .reads(some(run, "a", nj * ni), whole())
                .reads(some(run, "b", nj * ni), whole())
                .updates(some(run, "c", nj * nj), slice(nj))
                .scalar(1.5f, 0.75f, ni, nj)
                .run();
    }

    private static void mm2(Run run) {
        int ni = run.pick(24, 77, 160);
        int nj = run.pick(40, 101, 192);
        int nk = run.pick(16, 35, 96);
        int nl = run.pick(32, 67, 128);
        run.file(KERNELS + "2mm/2mm.cl");
        HostBuffer tmp = some(run, "tmp", ni * nj);
        run.kernel("mm2_kernel1")
                .range(nj, ni)
                .groupSize(32, 8)
                .writes(tmp, slice(nj))
                .reads(some(run, "A", ni * nk), slice(nk))
                .reads(some(run, "B", nk * nj), whole())
                .scalar(ni, nj, nk, nl, 1.5f, 0.75f)
                .run();
        run.kernel("mm2_kernel2")
                .range(nl, ni)
                .groupSize(32, 8)
                .reads(tmp, slice(nj))
                .reads(some(run, "C", nj * nl), whole())
                .updates(some(run, "D", ni * nl), slice(nl))
                .scalar(ni, nj, nk, nl, 1.5f, 0.75f)
                .run();
    }

    private static void mm3(Run run) {
        int ni = run.pick(24, 77, 160);
        int nj = run.pick(40, 101, 192);
        int nk = run.pick(16, 35, 96);
        int nl = run.pick(32, 67, 128);
        int nm = run.pick(8, 31, 64);
        run.file(KERNELS + "3mm/3mm.cl");
        HostBuffer e = some(run, "E", ni * nj);
        HostBuffer f = some(run, "F", nj * nl);
        product(run, "mm3_kernel1", some(run, "A", ni * nk), some(run, "B", nk * nj), e, ni, nj, nk);
        product(run, "mm3_kernel2", some(run, "C", nj * nm), some(run, "D", nm * nl), f, nj, nl, nm);
        product(run, "mm3_kernel3", e, f, some(run, "G", ni * nl), ni, nl, nj);
    }

    private static void product(
            Run run, String kernel, HostBuffer a, HostBuffer b, HostBuffer out, int rows, int width, int inner) {
        run.kernel(kernel)
                .range(width, rows)
                .groupSize(32, 8)
                .reads(a, slice(inner))
                .reads(b, whole())
                .writes(out, slice(width))
                .scalar(rows, width, inner)
                .run();
    }

    private static void doitgen(Run run) {
        int nr = run.pick(2, 5, 8);
        int nq = run.pick(24, 77, 96);
        int np = run.pick(32, 51, 128);
        run.file(KERNELS + "doitgen/doitgen.cl");
        HostBuffer a = some(run, "A", nr * nq * np);
        HostBuffer c4 = some(run, "C4", np * np);
        HostBuffer sum = some(run, "sum", nr * nq * np);
        for (int r = 0; r < nr; r++) {
            int plane = r * nq * np;
            run.kernel("doitgen_kernel1")
                    .range(np, nq)
                    .groupSize(32, 8)
                    .scalar(nr, nq, np)
                    .reads(a, slice(np).from(plane))
                    .reads(c4, whole())
                    .writes(sum, slice(np).from(plane))
                    .scalar(r)
                    .run();
            run.kernel("doitgen_kernel2")
                    .range(np, nq)
                    .groupSize(32, 8)
                    .scalar(nr, nq, np)
                    .writes(a, slice(np).from(plane))
                    .reads(c4, whole())
                    .reads(sum, slice(np).from(plane))
                    .scalar(r)
                    .run();
        }
    }

    private static void gemver(Run run) {
        int n = run.pick(64, 601, 1100);
        run.file(KERNELS + "gemver/gemver.cl");
        HostBuffer a = some(run, "A", n * n);
        HostBuffer x = some(run, "x", n);
        run.kernel("gemver_kernel1")
                .range(n, n)
                .groupSize(32, 8)
                .updates(a, slice(n))
                .reads(some(run, "v1", n), whole())
                .reads(some(run, "v2", n), whole())
                .reads(some(run, "u1", n), slice(1))
                .reads(some(run, "u2", n), slice(1))
                .scalar(n)
                .run();
        run.kernel("gemver_kernel2")
                .units(n)
                .groupSize(256)
                .reads(a, columns(n))
                .updates(x, slice(1))
                .reads(some(run, "y", n), whole())
                .reads(some(run, "z", n), slice(1))
                .scalar(0.75f, n)
                .run();
        run.kernel("gemver_kernel3")
                .units(n)
                .groupSize(256)
                .reads(a, slice(n))
                .reads(x, whole())
                .updates(some(run, "w", n), slice(1))
                .scalar(1.5f, n)
                .run();
    }

    private static void gesummv(Run run) {
        int n = run.pick(64, 601, 1100);
        run.file(KERNELS + "gesummv/gesummv.cl");
        run.kernel("gesummv_kernel")
                .units(n)
                .groupSize(256)
                .reads(some(run, "A", n * n), slice(n))
                .reads(some(run, "B", n * n), slice(n))
                .reads(some(run, "x", n), whole())
                .updates(some(run, "y", n), slice(1))
                .updates(some(run, "tmp", n), slice(1))
                .scalar(1.5f, 0.75f, n)
                .run();
    }

    private static void atax(Run run) {
        run.file(KERNELS + "atax/atax.cl");
        int nx = run.pick(64, 601, 1100);
        int ny = run.pick(48, 777, 900);
        HostBuffer a = some(run, "A", nx * ny);
        HostBuffer tmp = run.floats("tmp", nx, i -> 0);
        run.kernel("atax_kernel1")
                .units(nx)
                .groupSize(256)
                .reads(a, slice(ny))
                .reads(some(run, "x", ny), whole())
                .updates(tmp, slice(1))
                .scalar(nx, ny)
                .run();
        run.kernel("atax_kernel2")
                .units(ny)
                .groupSize(256)
                .reads(a, columns(ny))
                .updates(run.floats("y", ny, i -> 0), slice(1))
                .reads(tmp, whole())
                .scalar(nx, ny)
                .run();
    }

    private static void bicg(Run run) {
        run.file(KERNELS + "bicg/bicg.cl");
        int nx = run.pick(64, 601, 1100);
        int ny = run.pick(48, 777, 900);
        HostBuffer a = some(run, "A", nx * ny);
        run.kernel("bicgKernel1")
                .units(nx)
                .groupSize(256)
                .reads(a, slice(ny))
                .reads(some(run, "p", ny), whole())
                .writes(some(run, "q", nx), slice(1))
                .scalar(nx, ny)
                .run();
        run.kernel("bicgKernel2")
                .units(ny)
                .groupSize(256)
                .reads(a, columns(ny))
                .reads(some(run, "r", nx), whole())
                .writes(some(run, "s", ny), slice(1))
                .scalar(nx, ny)
                .run();
    }

    private static void mvt(Run run) {
        run.file(KERNELS + "mvt/mvt.cl");
        int n = run.pick(64, 601, 1100);
        HostBuffer a = some(run, "A", n * n);
        run.kernel("mvt_kernel1")
                .units(n)
                .groupSize(256)
                .reads(a, slice(n))
                .updates(some(run, "x1", n), slice(1))
                .reads(some(run, "y1", n), whole())
                .scalar(n)
                .run();
        run.kernel("mvt_kernel2")
                .units(n)
                .groupSize(256)
                .reads(a, columns(n))
                .updates(some(run, "x2", n), slice(1))
                .reads(some(run, "y2", n), whole())
                .scalar(n)
                .run();
    }
}
