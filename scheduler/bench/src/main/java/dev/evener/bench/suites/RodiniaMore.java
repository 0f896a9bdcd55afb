package dev.evener.bench.suites;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Rodinia.FOLDER;
import static dev.evener.bench.suites.Rodinia.any;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Variant;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Rodinia's OpenCL programs that {@link Rodinia} leaves. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class RodiniaMore {
    private RodiniaMore() {}

    static List<Program> programs() {
        return List.of(
                new Program("Rodinia", "cfd", RodiniaMore::cfd),
                new Program("Rodinia", "lavaMD", RodiniaMore::lavaMd),
                new Program("Rodinia", "srad", RodiniaMore::srad),
                new Program("Rodinia", "streamcluster", RodiniaMore::streamcluster));
    }

    private static ByteBuffer struct(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
    }

    /** The kernel takes a buffer of any type for bytes; Evener wants a buffer of them, here over the same memory. */
    private static void memset(Run run, HostBuffer buffer, int groupSize) {
        try (HostBuffer bytes = run.evener.wrap(ElementType.BYTE, buffer.bytes())) {
            run.kernel("memset_kernel")
                    .units(bytes.elements())
                    .jobView()
                    .groupSize(groupSize)
                    .writes(bytes, slice(1))
                    .value(struct(2))
                    .scalar((int) bytes.elements())
                    .run();
        }
    }

    private static void cfd(Run run) {
        int n = run.pick(192, 5 * 192, 20 * 192);
        run.file(FOLDER + "cfd/Kernels.cl");
        HostBuffer far = run.floats("far", 5, i -> i == 0 ? 1.4 : i == 1 ? 1.68 : i == 4 ? 3.508 : 0);
        HostBuffer[] farFlux = new HostBuffer[4];
        for (int k = 0; k < 4; k++) {
            int seed = k;
            farFlux[k] = run.floats("flux" + k, 3, i -> any(i + 3 * seed, 100) * 0.01);
        }
        HostBuffer areas = run.floats("areas", n, i -> 1 + any(i, 100) * 0.01);
        HostBuffer neighbours = run.ints("neighbours", 4 * n, i -> any(i, n + 2) - 2);
        HostBuffer normals = run.floats("normals", 12 * n, i -> any(i, 100) * 0.002 - 0.1);
        HostBuffer variables = run.floats("variables", 5 * n, i -> 0);
        HostBuffer old = run.floats("old", 5 * n, i -> 0);
        HostBuffer fluxes = run.floats("fluxes", 5 * n, i -> 0);
        HostBuffer factors = run.floats("factors", n, i -> 9);
        for (HostBuffer each : List.of(variables, old, fluxes)) {
            run.kernel("initialize_variables")
                    .units(n)
                    .groupSize(192)
                    .writes(each, slice(1).planes(5))
                    .reads(far, whole())
                    .scalar(n)
                    .run();
        }
        memset(run, factors, 192);
        for (int step = 0; step < 2; step++) {
            old.put(0, variables.floats());
            run.kernel("compute_step_factor")
                    .units(n)
                    .groupSize(192)
                    .reads(variables, slice(1).planes(5))
                    .reads(areas, slice(1))
                    .writes(factors, slice(1))
                    .scalar(n)
                    .run();
            for (int j = 0; j < 3; j++) {
                run.kernel("compute_flux")
                        .units(n)
                        .groupSize(192)
                        .reads(neighbours, slice(1).planes(4))
                        .reads(normals, slice(1).planes(12))
                        .reads(variables, whole())
                        .reads(far, whole())
                        .writes(fluxes, slice(1).planes(5))
                        .reads(farFlux[0], whole())
                        .reads(farFlux[1], whole())
                        .reads(farFlux[2], whole())
                        .reads(farFlux[3], whole())
                        .scalar(n)
                        .run();
                run.kernel("time_step")
                        .units(n)
                        .groupSize(192)
                        .scalar(j, n)
                        .reads(old, slice(1).planes(5))
                        .writes(variables, slice(1).planes(5))
                        .reads(factors, slice(1))
                        .reads(fluxes, slice(1).planes(5))
                        .run();
            }
        }
    }

    private static void lavaMd(Run run) {
        int particles = 100; // of a box
        int boxBytes = 656;
        int edge = run.pick(1, 2, 3);
        int boxes = edge * edge * edge;
        run.file(FOLDER + "lavaMD/kernel/kernel_gpu_opencl.cl");
        HostBuffer box = run.buffer("boxes", ElementType.BYTE, (long) boxBytes * boxes);
        for (int i = 0; i < boxes; i++) {
            int at = i * boxBytes;
            int count = 0;
            for (int other = 0; other < boxes; other++) {
                if (other != i && near(i, other, edge)) {
                    Run.bytes(box).putInt(at + 32 + 24 * count + 12, other);
                    Run.bytes(box).putLong(at + 32 + 24 * count + 16, (long) other * particles);
                    count++;
                }
            }
            Run.bytes(box)
                    .putInt(at + 12, i)
                    .putLong(at + 16, (long) i * particles)
                    .putInt(at + 24, count);
        }
        run.kernel("kernel_gpu_opencl")
                .units(boxes)
                .jobView()
                .variant(Variant.itemsPerUnit(128).withGroupSize(128))
                .value(struct(4).putFloat(0, 0.5f))
                .value(struct(56).putLong(16, boxes))
                .reads(box, whole())
                .reads(run.floats("positions", 4 * particles * boxes, i -> any(i, 10) * 0.1 + 0.1), whole())
                .reads(run.floats("charges", particles * boxes, i -> any(i, 10) * 0.1 + 0.1), whole())
                .updates(run.floats("forces", 4 * particles * boxes, i -> 0), slice(4 * particles))
                .run();
    }

    private static boolean near(int one, int other, int edge) {
        int square = edge * edge;
        return Math.abs(one % edge - other % edge) <= 1
                && Math.abs(one / edge % edge - other / edge % edge) <= 1
                && Math.abs(one / square - other / square) <= 1;
    }

    private static void srad(Run run) {
        int rows = run.pick(20, 67, 120); // one behind the other in a column
        int columns = run.pick(24, 41, 100);
        long n = (long) rows * columns;
        int items = 256;
        run.file(FOLDER + "srad/kernel/kernel_gpu_opencl.cl", FOLDER + "srad");
        HostBuffer image = run.floats("I", (int) n, i -> any(i, 20) == 0 ? 300 + any(i, 9) : 100 + any(i, 5));
        HostBuffer up = run.ints("iN", rows, i -> Math.max(0, i - 1));
        HostBuffer down = run.ints("iS", rows, i -> Math.min(rows - 1, i + 1));
        HostBuffer left = run.ints("jW", columns, i -> Math.max(0, i - 1));
        HostBuffer right = run.ints("jE", columns, i -> Math.min(columns - 1, i + 1));
        HostBuffer[] d = new HostBuffer[4];
        for (int k = 0; k < 4; k++) {
            d[k] = run.floats("d" + k, (int) n, i -> 0);
        }
        HostBuffer c = run.floats("c", (int) n, i -> 0);
        HostBuffer sums = run.floats("sums", (int) n, i -> 0);
        HostBuffer squares = run.floats("squares", (int) n, i -> 0);
        run.kernel("extract_kernel")
                .units(n)
                .jobView()
                .groupSize(items)
                .scalar(n)
                .updates(image, slice(1))
                .run();
        for (int step = 0; step < 2; step++) {
            run.kernel("prepare_kernel")
                    .units(n)
                    .jobView()
                    .groupSize(items)
                    .scalar(n)
                    .reads(image, slice(1))
                    .writes(sums, slice(1))
                    .writes(squares, slice(1))
                    .run();
            reduce(run, n, items, sums, squares);
            float mean = sums.floats().get(0) / n;
            float q = (squares.floats().get(0) / n - mean * mean) / (mean * mean);
            run.kernel("srad_kernel")
                    .units(n)
                    .jobView()
                    .groupSize(items)
                    .scalar(0.5f, rows, columns, n)
                    .reads(up, whole())
                    .reads(down, whole())
                    .reads(right, whole())
                    .reads(left, whole())
                    .writes(d[0], slice(1))
                    .writes(d[1], slice(1))
                    .writes(d[2], slice(1))
                    .writes(d[3], slice(1))
                    .scalar(q)
                    .writes(c, slice(1))
                    .reads(image, slice(1).halo(rows, rows))
                    .run();
            run.kernel("srad2_kernel")
                    .units(n)
                    .jobView()
                    .groupSize(items)
                    .scalar(0.5f, rows, columns, n)
                    .reads(up, whole())
                    .reads(down, whole())
                    .reads(right, whole())
                    .reads(left, whole())
                    .reads(d[0], slice(1))
                    .reads(d[1], slice(1))
                    .reads(d[2], slice(1))
                    .reads(d[3], slice(1))
                    .reads(c, slice(1).halo(1, rows))
                    .updates(image, slice(1))
                    .run();
        }
        run.kernel("compress_kernel")
                .units(n)
                .jobView()
                .groupSize(items)
                .scalar(n)
                .updates(image, slice(1))
                .run();
    }

    /** Sums lie ever farther apart; a unit is a group, which leaves its sum where its part begins. */
    private static void reduce(Run run, long n, int items, HostBuffer sums, HostBuffer squares) {
        int apart = 1;
        for (long left = n; left > 1; left = (left + items - 1) / items) {
            int groups = (int) ((left + items - 1) / items);
            run.kernel("reduce_kernel")
                    .units(groups)
                    .jobView()
                    .variant(Variant.itemsPerUnit(items).withGroupSize(items))
                    .scalar(n, left, apart)
                    .updates(sums, slice((long) items * apart))
                    .updates(squares, slice((long) items * apart))
                    .scalar(groups)
                    .run();
            apart *= items;
        }
    }

    private static void streamcluster(Run run) {
        int points = run.pick(256, 5 * 256, 20 * 256); // whole groups: they have a barrier behind the guard
        int dimensions = 8;
        int centers = 4;
        run.file(FOLDER + "streamcluster/Kernels.cl");
        HostBuffer point = run.buffer("points", ElementType.BYTE, 24L * points);
        for (int i = 0; i < points; i++) {
            Run.bytes(point).putFloat(24 * i, 1 + any(i, 3)).putLong(24 * i + 8, any(i, centers));
            Run.bytes(point).putFloat(24 * i + 16, any(i, 100) * 0.02f);
        }
        HostBuffer coordinates = run.floats("coordinates", points * dimensions, i -> any(i, 1000) * 0.001);
        HostBuffer table = run.ints("table", points, i -> i % centers);
        HostBuffer work = run.floats("work", (centers + 1) * points, i -> 1);
        HostBuffer switched = run.buffer("switched", ElementType.BYTE, points);
        for (long x = 0; x < 3; x++) {
            memset(run, switched, 256);
            memset(run, work, 256);
            run.kernel("pgain_kernel")
                    .units(points)
                    .groupSize(256)
                    .reads(point, slice(24))
                    .reads(coordinates, whole())
                    .updates(work, slice(centers + 1))
                    .reads(table, whole())
                    .updates(switched, slice(1))
                    .local(ElementType.FLOAT, dimensions)
                    .scalar(points, dimensions, x * 7, centers)
                    .run();
        }
    }
}
