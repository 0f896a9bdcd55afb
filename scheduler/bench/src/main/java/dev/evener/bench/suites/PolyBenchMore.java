package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.PolyBench.FOLDER;
import static dev.evener.bench.suites.PolyBench.some;

import dev.evener.HostBuffer;
import java.util.List;

/** PolyBench-ACC's OpenCL programs of data mining, solvers and stencils. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class PolyBenchMore {
    private static final int STEPS = 3; // of iterative programs

    private PolyBenchMore() {}

    static List<Program> programs() {
        return List.of(
                new Program("PolyBench", "correlation", PolyBenchMore::correlation),
                new Program("PolyBench", "covariance", PolyBenchMore::covariance),
                new Program("PolyBench", "gramschmidt", PolyBenchMore::gramschmidt),
                new Program("PolyBench", "lu", PolyBenchMore::lu),
                new Program("PolyBench", "adi", PolyBenchMore::adi),
                new Program("PolyBench", "jacobi-1d", PolyBenchMore::jacobi1d),
                new Program("PolyBench", "jacobi-2d", PolyBenchMore::jacobi2d),
                new Program("PolyBench", "fdtd-2d", PolyBenchMore::fdtd2d),
                new Program("PolyBench", "convolution-2d", PolyBenchMore::convolution2d),
                new Program("PolyBench", "convolution-3d", PolyBenchMore::convolution3d));
    }

    private static void mean(Run run, HostBuffer mean, HostBuffer data, int m, int n) {
        run.kernel("mean_kernel")
                .units(m)
                .groupSize(256)
                .writes(mean, slice(1))
                .reads(data, columns(m))
                .scalar((float) n, m, n)
                .run();
    }

    /** A unit writes a row and a column of a symmetric matrix, of which no other unit's are parts. */
    private static void symmetric(Run run, String kernel, HostBuffer data, int m, int n) {
        run.kernel(kernel)
                .units(m)
                .undivided()
                .groupSize(256)
                .updates(some(run, "symmat", m * m), whole())
                .reads(data, whole())
                .scalar(m, n)
                .run();
    }

    private static void correlation(Run run) {
        int m = run.pick(40, 301, 600);
        int n = run.pick(32, 67, 80);
        run.file(FOLDER + "datamining/correlation/correlation.cl");
        HostBuffer data = some(run, "data", m * n);
        HostBuffer mean = some(run, "mean", m);
        HostBuffer std = some(run, "std", m);
        mean(run, mean, data, m, n);
        run.kernel("std_kernel")
                .units(m)
                .groupSize(256)
                .reads(mean, slice(1))
                .writes(std, slice(1))
                .reads(data, columns(m))
                .scalar((float) n, 0.005f, m, n)
                .run();
        run.kernel("reduce_kernel")
                .range(m, n)
                .groupSize(32, 8)
                .reads(mean, whole())
                .reads(std, whole())
                .updates(data, slice(m))
                .scalar((float) n, m, n)
                .run();
        symmetric(run, "corr_kernel", data, m, n);
    }

    private static void covariance(Run run) {
        int m = run.pick(40, 301, 600);
        int n = run.pick(32, 67, 80);
        run.file(FOLDER + "datamining/covariance/covariance.cl");
        HostBuffer data = some(run, "data", m * n);
        HostBuffer mean = some(run, "mean", m);
        mean(run, mean, data, m, n);
        run.kernel("reduce_kernel")
                .range(m, n)
                .groupSize(32, 8)
                .reads(mean, whole())
                .updates(data, slice(m))
                .scalar(m, n)
                .run();
        symmetric(run, "covar_kernel", data, m, n);
    }

    private static void gramschmidt(Run run) {
        int ni = run.pick(48, 333, 600);
        int nj = run.pick(40, 301, 700);
        run.file(FOLDER + "linear-algebra/solvers/gramschmidt/gramschmidt.cl");
        HostBuffer a = some(run, "a", ni * nj);
        HostBuffer r = some(run, "r", nj * nj);
        HostBuffer q = some(run, "q", ni * nj);
        for (int k = 0; k < STEPS; k++) {
            // One work-item does it all.
            run.kernel("gramschmidt_kernel1")
                    .units(256)
                    .undivided()
                    .groupSize(256)
                    .reads(a, whole())
                    .updates(r, whole())
                    .reads(q, whole())
                    .scalar(k, ni, nj)
                    .run();
            run.kernel("gramschmidt_kernel2")
                    .units(ni)
                    .groupSize(256)
                    .reads(a, slice(nj))
                    .reads(r, whole())
                    .updates(q, slice(nj))
                    .scalar(k, ni, nj)
                    .run();
            run.kernel("gramschmidt_kernel3")
                    .units(nj - (k + 1))
                    .groupSize(256)
                    .updates(a, columns(nj).from(k + 1))
                    .updates(r, slice(1).from(k * nj + k + 1))
                    .reads(q, whole())
                    .scalar(k, ni, nj)
                    .run();
        }
    }

    private static void lu(Run run) {
        int n = run.pick(40, 301, 700);
        run.file(FOLDER + "linear-algebra/solvers/lu/lu.cl");
        HostBuffer a = some(run, "A", n * n);
        for (int k = 0; k < STEPS; k++) {
            run.kernel("lu_kernel1")
                    .units(n - (k + 1))
                    .groupSize(256)
                    .updates(a, slice(1).from(k * n + k + 1).alsoReads(k * n + k, 1))
                    .scalar(k, n)
                    .run();
            run.kernel("lu_kernel2")
                    .range(n - (k + 1), n - (k + 1))
                    .groupSize(32, 8)
                    .updates(a, slice(n).from((k + 1) * n).alsoReads(k * n, n))
                    .scalar(k, n)
                    .run();
        }
    }

    private static void adi(Run run) {
        int n = run.pick(20, 301, 600);
        run.file(FOLDER + "stencils/adi/adi.cl");
        HostBuffer a = some(run, "A", n * n);
        HostBuffer b = run.floats("B", n * n, i -> i % 29 * 0.5 + 64);
        HostBuffer x = some(run, "X", n * n);
        run.kernel("adi_kernel1")
                .units(n)
                .groupSize(256)
                .reads(a, slice(n))
                .updates(b, slice(n))
                .updates(x, slice(n))
                .scalar(n)
                .run();
        for (String kernel : List.of("adi_kernel2", "adi_kernel3")) {
            run.kernel(kernel)
                    .units(n)
                    .groupSize(256)
                    .reads(a, slice(n))
                    .reads(b, slice(n))
                    .updates(x, slice(n))
                    .scalar(n)
                    .run();
        }
        for (int i1 = 1; i1 <= STEPS; i1++) {
            run.kernel("adi_kernel4")
                    .units(n)
                    .groupSize(256)
                    .reads(a, columns(n))
                    .updates(b, columns(n))
                    .updates(x, columns(n))
                    .scalar(i1, n)
                    .run();
        }
        run.kernel("adi_kernel5")
                .units(n)
                .groupSize(256)
                .reads(a, columns(n))
                .reads(b, columns(n))
                .updates(x, columns(n))
                .scalar(n)
                .run();
        for (int i1 = 0; i1 < STEPS; i1++) {
            run.kernel("adi_kernel6")
                    .units(n)
                    .groupSize(256)
                    .reads(a, columns(n))
                    .reads(b, columns(n))
                    .updates(x, columns(n))
                    .scalar(i1, n)
                    .run();
        }
    }

    private static void jacobi1d(Run run) {
        int n = run.pick(512, 1301, 10_000);
        run.file(FOLDER + "stencils/jacobi-1d-imper/jacobi1D.cl");
        HostBuffer a = some(run, "A", n);
        HostBuffer b = some(run, "B", n);
        for (int t = 0; t < STEPS; t++) {
            run.kernel("runJacobi1D_kernel1")
                    .units(n)
                    .groupSize(256)
                    .reads(a, slice(1).halo(1, 1))
                    .updates(b, slice(1))
                    .scalar(n)
                    .run();
            run.kernel("runJacobi1D_kernel2")
                    .units(n)
                    .groupSize(256)
                    .updates(a, slice(1))
                    .reads(b, slice(1))
                    .scalar(n)
                    .run();
        }
    }

    private static void jacobi2d(Run run) {
        int n = run.pick(32, 101, 320);
        run.file(FOLDER + "stencils/jacobi-2d-imper/jacobi2D.cl");
        HostBuffer a = some(run, "A", n * n);
        HostBuffer b = some(run, "B", n * n);
        for (int t = 0; t < STEPS; t++) {
            run.kernel("runJacobi2D_kernel1")
                    .range(n, n)
                    .groupSize(32, 8)
                    .reads(a, slice(n).halo(1, 1))
                    .updates(b, slice(n))
                    .scalar(n)
                    .run();
            run.kernel("runJacobi2D_kernel2")
                    .range(n, n)
                    .groupSize(32, 8)
                    .updates(a, slice(n))
                    .reads(b, slice(n))
                    .scalar(n)
                    .run();
        }
    }

    private static void fdtd2d(Run run) {
        int nx = run.pick(24, 101, 320);
        int ny = run.pick(32, 77, 256);
        run.file(FOLDER + "stencils/fdtd-2d/fdtd2d.cl");
        HostBuffer fict = some(run, "fict", STEPS);
        HostBuffer ex = some(run, "ex", nx * ny);
        HostBuffer ey = some(run, "ey", nx * ny);
        HostBuffer hz = some(run, "hz", nx * ny);
        for (int t = 0; t < STEPS; t++) {
            run.kernel("fdtd_kernel1")
                    .range(ny, nx)
                    .groupSize(32, 8)
                    .reads(fict, whole())
                    .reads(ex, slice(ny))
                    .updates(ey, slice(ny))
                    .reads(hz, slice(ny).halo(1, 0))
                    .scalar(t, nx, ny)
                    .run();
            run.kernel("fdtd_kernel2")
                    .range(ny, nx)
                    .groupSize(32, 8)
                    .updates(ex, slice(ny))
                    .reads(ey, slice(ny))
                    .reads(hz, slice(ny))
                    .scalar(nx, ny)
                    .run();
            run.kernel("fdtd_kernel3")
                    .range(ny, nx)
                    .groupSize(32, 8)
                    .reads(ex, slice(ny))
                    .reads(ey, slice(ny).halo(0, 1))
                    .updates(hz, slice(ny))
                    .scalar(nx, ny)
                    .run();
        }
    }

    private static void convolution2d(Run run) {
        int ni = run.pick(24, 101, 320);
        int nj = run.pick(32, 77, 256);
        run.file(FOLDER + "stencils/convolution-2d/2DConvolution.cl");
        run.kernel("Convolution2D_kernel")
                .range(nj, ni)
                .groupSize(32, 8)
                .reads(some(run, "A", ni * nj), slice(nj).halo(1, 1))
                .updates(some(run, "B", ni * nj), slice(nj))
                .scalar(ni, nj)
                .run();
    }

    private static void convolution3d(Run run) {
        int ni = run.pick(4, 5, 8);
        int nj = run.pick(8, 40, 96); // whole groups: those beyond would write 0 into another's row
        int nk = run.pick(32, 96, 128);
        run.file(FOLDER + "stencils/convolution-3d/3DConvolution.cl");
        HostBuffer a = some(run, "A", ni * nj * nk);
        HostBuffer b = some(run, "B", ni * nj * nk);
        for (int i = 1; i < ni - 1; i++) {
            run.kernel("Convolution3D_kernel")
                    .range(nk, nj)
                    .groupSize(32, 8)
                    .reads(a, slice(nk).planes(ni).halo(1, 1))
                    .writes(b, slice(nk).from(i * nj * nk))
                    .scalar(ni, nj, nk, i)
                    .run();
        }
    }
}
