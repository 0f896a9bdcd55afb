package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Access.Reduction;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.testing.Faults;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random jobs over a few host buffers that live long: random phases, accesses, splits, sizes, host
 * steps and writes by the host in between. Whatever a device wrongly trusts spoils all that follows, and is found by a plain
 * computation of the same.
 */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RandomResidencyTest {
    private static final int JOBS = LongTests.orAll(30, 150);
    private static final int BINS = 16;

    /** Of a fixed size, because PoCL compiles a kernel anew for each. */
    private static final int GROUP = 16;

    private static final KernelSource SOURCE = KernelSource.of("random", """
            __kernel void stir(__global const int *x, __global int *y, __global const int *table, int mask) {
                size_t i = get_global_id(0);
                y[i] = y[i] * 31 + x[i] + table[x[i] & mask];
            }
            __kernel void blur(__global const int *x, ulong start, ulong first, int units, __global int *y) {
                size_t i = get_global_id(0);
                __global const int *at = x + start + i;
                int sum = 0;
                for (int d = -1; d <= 2; d++) {
                    long unit = (long) (first + i) + d;
                    if (unit >= 0 && unit < units) sum += (d + 2) * at[d];
                }
                y[i] = sum;
            }
            __kernel void spread(__global const int *x, __global int *triple) {
                size_t i = get_global_id(0);
                for (int c = 0; c < 3; c++) triple[i * 3 + c] = triple[i * 3 + c] * 5 + x[i] * (c + 1);
            }
            __kernel void gather(__global const int *triple, __global int *x) {
                size_t i = get_global_id(0);
                x[i] = triple[i * 3] + triple[i * 3 + 1] * 3 + triple[i * 3 + 2] * 7;
            }
            __kernel void bins(__global const int *x, __global int *bins) { atomic_add(bins + (x[get_global_id(0)] & 15), 1); }
            """);

    private final Random random = new Random();
    private Evener evener;
    private List<Mirrored> flat = List.of(); // one int a unit
    private Mirrored triple;
    private Mirrored table; // seen by all units
    private Mirrored bins;
    private int units;
    private Duration chunkDeadline = Duration.ZERO;
    private boolean inPieces;

    /** A buffer and what it must hold. */
    private record Mirrored(HostBuffer buffer, List<int[]> holder) {
        int[] expected() {
            return holder.get(0);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, '0.0,0.1', 1000000000, 60000, '', 0",
        "2, '0.0,0.1', 30000, 60000, '', 0",
        "3, '0.0,0.1,1.0', 1000000000, 60000, '', 0",
        "4, '0.0,jvm', 1000000000, 60000, '', 0",
        "5, '0.0,0.1,jvm', 1000000000, 60000, 'lane=0,chunk=20,fault=error lane=1,chunk=90,fault=error', 0",
        "6, '0.0,0.1', 20000, 60000, 'lane=1,chunk=30,fault=alloc lane=0,chunk=60,fault=slow:3x', 0",
        "7, '0.0,0.1,jvm', 1000000000, 6000, 'lane=0,chunk=15,fault=hang:8 lane=1,chunk=60,fault=error', 0",
        "8, '0.0,0.1', 1000000000, 60000, '', 1",
        "9, '0.0,0.1', 30000, 60000, '', 500",
        "10, '0.0,0.1,1.0', 25000, 6000, 'lane=0,chunk=15,fault=hang:8 lane=1,chunk=60,fault=error', 1000",
    })
    void everyJobComputesWhatPlainLoopsDo(
            long seed, String devices, long mirrorBytes, long chunkMillis, String faults, long pieceBytes) {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        random.setSeed(seed);
        inPieces = pieceBytes > 0;
        chunkDeadline = Duration.ofMillis(chunkMillis);
        EvenerBuilder builder = Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .sharedMemory(false)
                .history(History.inMemory())
                .segmentBytes(16 << 10)
                .mirrorBytes(mirrorBytes)
                .pieceBytes(pieceBytes)
                .pinnedFrom(0);
        for (String fault : faults.split(" ", -1)) {
            if (!fault.isEmpty()) {
                Faults.inject(builder, fault);
            }
        }
        evener = builder.open();
        try {
            allocate();
            for (int i = 0; i < JOBS; i++) {
                if (random.nextInt(30) == 0) { // others, of another size
                    closeAll();
                    allocate();
                }
                hostWrites();
                job("job " + i + " of seed " + seed);
            }
        } finally {
            evener.close();
        }
        assertEquals(before, NativeLedger.live());
    }

    private void allocate() {
        units = GROUP * (30 + random.nextInt(200));
        flat = List.of(make(units, 1), make(units, 1), make(units, 1));
        triple = make(units * 3, 3);
        table = make(64, 1);
        bins = make(BINS, 1);
    }

    private Mirrored make(int elements, int perUnit) {
        boolean wraps = inPieces && elements <= 4096 && random.nextBoolean(); // goes through page-locked memory
        HostBuffer buffer = wraps
                ? evener.wrap(
                        ElementType.INT,
                        ByteBuffer.allocateDirect(4 * elements + 8192)
                                .alignedSlice(4096)
                                .limit(4 * elements)
                                .order(ByteOrder.nativeOrder()))
                : evener.allocate(ElementType.INT, elements, perUnit);
        int[] values = random.ints(elements).toArray();
        Ints.putAll(buffer, values);
        return new Mirrored(buffer, new ArrayList<>(List.of(values)));
    }

    private List<Mirrored> all() {
        List<Mirrored> all = new ArrayList<>(flat);
        all.addAll(List.of(triple, table, bins));
        return all;
    }

    private void closeAll() {
        all().forEach(b -> b.buffer().close());
    }

    private Mirrored any(List<Mirrored> of) {
        return of.get(random.nextInt(of.size()));
    }

    /** The application writes a few elements. */
    private void hostWrites() {
        for (int i = random.nextInt(3); i > 0; i--) {
            Write write = write();
            write.toHost();
            write.expect();
        }
    }

    private record Write(Mirrored to, int index, int value) {
        void toHost() {
            Ints.put(to.buffer(), index, value);
        }

        void expect() {
            to.expected()[index] = value;
        }
    }

    private Write write() {
        Mirrored to = any(all());
        return new Write(to, random.nextInt(to.expected().length), random.nextInt());
    }

    private void job(String name) {
        JobBuilder job = Job.named(name).source(SOURCE).units(units).policy(policy());
        if (random.nextInt(4) == 0 || chunkDeadline.toMillis() < 60_000) {
            job.chunkDeadline(chunkDeadline); // writes nothing to the host before a chunk counts
        }
        for (int phase = 1 + random.nextInt(4); phase > 0; phase--) {
            phase(job);
            job.variant(DeviceKind.CPU, Variant.itemsPerUnit(1).withGroupSize(GROUP));
            job.variant(DeviceKind.GPU, Variant.itemsPerUnit(1).withGroupSize(GROUP));
            step(job);
        }
        Report report =
                evener.submit(job.build()).orTimeout(600, TimeUnit.SECONDS).join();
        for (Mirrored each : all()) {
            assertArrayEquals(each.expected(), Ints.first(each.buffer(), each.expected().length), report::toString);
        }
    }

    private Policy policy() {
        int lanes = evener.devices().size();
        return switch (random.nextInt(6)) {
            case 0 -> Policies.single(random.nextInt(lanes));
            case 1 -> Policies.guided(4 + random.nextInt(20));
            case 2 -> Policies.stealing(4 + random.nextInt(20));
            case 3 -> Policies.history();
            default -> Policies.fixed(random.doubles(lanes, 1, 100).toArray());
        };
    }

    private void step(JobBuilder job) {
        int kind = random.nextInt(6);
        if (kind > 2) {
            return;
        }
        List<Write> writes = new ArrayList<>();
        for (int i = kind == 0 ? 0 : 1 + random.nextInt(2); i > 0; i--) {
            writes.add(write());
        }
        writes.forEach(Write::expect);
        Runnable step = () -> writes.forEach(Write::toHost);
        if (kind == 2) {
            job.hostStep(step);
        } else {
            job.hostStep(step, writes.stream().map(w -> w.to().buffer()).toArray(HostBuffer[]::new));
        }
    }

    private void phase(JobBuilder job) {
        Mirrored x = any(flat);
        Mirrored y = flat.get((flat.indexOf(x) + 1 + random.nextInt(2)) % 3);
        switch (random.nextInt(5)) {
            case 0 -> stir(job, x, y, random.nextBoolean() ? table : bins);
            case 1 -> blur(job, x, y);
            case 2 -> spread(job, x);
            case 3 -> gather(job, y);
            default -> bins(job, x);
        }
    }

    private static void stir(JobBuilder job, Mirrored x, Mirrored y, Mirrored table) {
        int mask = table.expected().length - 1;
        job.kernel("stir")
                .reads(x.buffer(), Access.slice())
                .updates(y.buffer(), Access.slice())
                .reads(table.buffer(), Access.whole())
                .scalar(mask)
                .jvm(c -> {
                    IntBuffer xs = c.buffer(0).asIntBuffer();
                    IntBuffer ys = c.buffer(1).asIntBuffer();
                    IntBuffer values = c.buffer(2).asIntBuffer();
                    for (int i = 0; i < c.units(); i++) {
                        ys.put(i, ys.get(i) * 31 + xs.get(i) + values.get(xs.get(i) & mask));
                    }
                });
        for (int i = 0; i < x.expected().length; i++) {
            int value = x.expected()[i];
            y.expected()[i] = y.expected()[i] * 31 + value + table.expected()[value & mask];
        }
    }

    private void blur(JobBuilder job, Mirrored x, Mirrored y) {
        int count = units;
        job.kernel("blur")
                .reads(x.buffer(), Access.slice().halo(1, 2))
                .viewStart(x.buffer())
                .chunkStart()
                .scalar(count)
                .writes(y.buffer(), Access.slice())
                .jvm(c -> {
                    IntBuffer xs = c.buffer(0).asIntBuffer();
                    for (int i = 0; i < c.units(); i++) {
                        int sum = 0;
                        for (int d = -1; d <= 2; d++) {
                            long unit = c.firstUnit() + i + d;
                            if (unit >= 0 && unit < count) {
                                sum += (d + 2) * xs.get(c.viewStart(0) + i + d);
                            }
                        }
                        c.buffer(4).asIntBuffer().put(i, sum);
                    }
                });
        for (int i = 0; i < count; i++) {
            int sum = 0;
            for (int d = -1; d <= 2; d++) {
                sum += i + d >= 0 && i + d < count ? (d + 2) * x.expected()[i + d] : 0;
            }
            y.expected()[i] = sum;
        }
    }

    private void spread(JobBuilder job, Mirrored x) {
        job.kernel("spread")
                .reads(x.buffer(), Access.slice())
                .updates(triple.buffer(), Access.slice())
                .jvm(c -> {
                    IntBuffer xs = c.buffer(0).asIntBuffer();
                    IntBuffer triples = c.buffer(1).asIntBuffer();
                    for (int i = 0; i < c.units() * 3; i++) {
                        triples.put(i, triples.get(i) * 5 + xs.get(i / 3) * (i % 3 + 1));
                    }
                });
        int[] triples = triple.expected();
        for (int i = 0; i < triples.length; i++) {
            triples[i] = triples[i] * 5 + x.expected()[i / 3] * (i % 3 + 1);
        }
    }

    private void gather(JobBuilder job, Mirrored x) {
        job.kernel("gather")
                .reads(triple.buffer(), Access.slice())
                .writes(x.buffer(), Access.slice())
                .jvm(c -> {
                    IntBuffer triples = c.buffer(0).asIntBuffer();
                    IntBuffer xs = c.buffer(1).asIntBuffer();
                    for (int i = 0; i < c.units(); i++) {
                        xs.put(i, triples.get(i * 3) + triples.get(i * 3 + 1) * 3 + triples.get(i * 3 + 2) * 7);
                    }
                });
        int[] triples = triple.expected();
        for (int i = 0; i < x.expected().length; i++) {
            x.expected()[i] = triples[i * 3] + triples[i * 3 + 1] * 3 + triples[i * 3 + 2] * 7;
        }
    }

    private void bins(JobBuilder job, Mirrored x) {
        job.kernel("bins")
                .reads(x.buffer(), Access.slice())
                .reduces(bins.buffer(), Reduction.SUM)
                .jvm(c -> {
                    IntBuffer xs = c.buffer(0).asIntBuffer();
                    IntBuffer counts = c.buffer(1).asIntBuffer();
                    for (int i = 0; i < c.units(); i++) {
                        counts.put(xs.get(i) & 15, counts.get(xs.get(i) & 15) + 1);
                    }
                });
        Arrays.fill(bins.expected(), 0);
        for (int value : x.expected()) {
            bins.expected()[value & 15]++;
        }
    }
}
