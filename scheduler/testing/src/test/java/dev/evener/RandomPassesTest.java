package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Access.Reduction;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.testing.Faults;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random jobs of random phases of random chains of kernels over a few buffers and temporaries, on lanes that share, copy,
 * are few or fail. Whatever is sent once too few, fetched too early or saved not at all is found by a plain computation of
 * the same, one kernel after the other over all units.
 */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RandomPassesTest {
    private static final int JOBS = LongTests.orAll(15, 60);
    private static final int GROUP = 16;

    private static final KernelSource SOURCE = KernelSource.of("random passes", """
            __kernel void fill(__global int *to, ulong first, int by) {
                to[get_global_id(0)] = (int) (first + get_global_id(0)) * by;
            }
            __kernel void copy(__global const int *from, __global int *to, int by) {
                to[get_global_id(0)] = from[get_global_id(0)] * by + 1;
            }
            __kernel void stir(__global const int *from, __global int *to, int by) {
                to[get_global_id(0)] = to[get_global_id(0)] * by + from[get_global_id(0)];
            }
            __kernel void partner(__global const int *from, __global int *to, uint units) { // of two units, the other
                size_t i = get_global_id(0);
                to[i] = to[i] * 3 + from[min((uint) i ^ 1, units - 1)];
            }
            __kernel void bins(__global const int *from, __global int *bins) {
                atomic_add(bins + (from[get_global_id(0)] & 15), 1);
            }
            __kernel void look(__global int *to, __global const int *table, int mask) {
                to[get_global_id(0)] += table[to[get_global_id(0)] & mask];
            }
            """);

    private final Random random = new Random();
    private Evener evener;
    private int units;
    private List<Place> buffers = List.of();
    private HostBuffer bins;
    private int[] binsExpected = {};

    /** What kernels work on: a buffer with what it should hold, or, without a buffer, a temporary. */
    private static final class Place {
        private final HostBuffer buffer;
        private final Temporary temporary;
        private final int[] expected;

        Place(HostBuffer buffer, Temporary temporary, int[] expected) {
            this.buffer = buffer;
            this.temporary = temporary;
            this.expected = expected;
        }

        HostBuffer buffer() {
            return buffer;
        }

        Temporary temporary() {
            return temporary;
        }

        int[] expected() {
            return expected;
        }
    }

    /** One kernel: what it does to a chunk, of which it is given its places and where in the job it begins. */
    private interface Step {
        void run(int[][] places, int[] bins, int[] table, long first);
    }

    @ParameterizedTest
    @CsvSource({
        "1, '0.0,0.1', true, 1000000000, 60000, '', 0",
        "2, '0.0,0.1', false, 1000000000, 60000, '', 0",
        "3, '0.0,0.1', false, 30000, 60000, '', 0",
        "4, '0.0,0.1,1.0', false, 1000000000, 60000, '', 0",
        "5, '0.0,1.0,jvm', true, 1000000000, 60000, 'lane=0,chunk=20,fault=error lane=2,chunk=50,fault=error', 0",
        "6, '0.0,0.1', false, 20000, 60000, 'lane=1,chunk=30,fault=alloc lane=0,chunk=60,fault=slow:3x', 0",
        "7, '0.0,0.1,jvm', true, 1000000000, 6000, 'lane=0,chunk=15,fault=hang:8 lane=1,chunk=60,fault=error', 0",
        "8, '0.0,0.1', false, 1000000000, 60000, '', 1",
        "9, '0.0,0.1,1.0', false, 30000, 60000, '', 700",
        "10, '0.0,0.1,jvm', false, 20000, 60000, 'lane=1,chunk=30,fault=alloc lane=0,chunk=60,fault=error', 300",
    })
    void everyChainComputesWhatPlainLoopsDo(
            long seed,
            String devices,
            boolean sharing,
            long mirrorBytes,
            long chunkMillis,
            String faults,
            long pieceBytes) {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        random.setSeed(seed);
        EvenerBuilder builder = Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .sharedMemory(sharing)
                .history(History.inMemory())
                .segmentBytes(16 << 10)
                .mirrorBytes(mirrorBytes)
                .pieceBytes(pieceBytes);
        Arrays.stream(faults.split(" ", -1)).filter(f -> !f.isEmpty()).forEach(f -> Faults.inject(builder, f));
        evener = builder.open();
        try {
            for (int i = 0; i < JOBS; i++) {
                if (i % 15 == 0) { // others, of another size
                    closeAll();
                    allocate();
                }
                job("job " + i + " of seed " + seed, Duration.ofMillis(chunkMillis));
            }
        } finally {
            evener.close();
        }
        assertEquals(before, NativeLedger.live());
    }

    private void allocate() {
        units = GROUP * (30 + random.nextInt(300)) + (random.nextBoolean() ? 0 : random.nextInt(GROUP));
        buffers = new ArrayList<>();
        for (int b = 0; b < 3; b++) {
            HostBuffer made = evener.allocate(ElementType.INT, units, 1);
            int[] values = random.ints(units).toArray();
            Ints.putAll(made, values);
            buffers.add(new Place(made, null, values));
        }
        bins = evener.allocate(ElementType.INT, 16);
        binsExpected = new int[16];
    }

    private void closeAll() {
        buffers.forEach(b -> b.buffer().close());
        if (bins != null) {
            bins.close();
        }
    }

    private void job(String name, Duration chunkDeadline) {
        JobBuilder job = Job.named(name).source(SOURCE).units(units).granule(2).policy(policy());
        if (random.nextInt(4) == 0 || chunkDeadline.toMillis() < 60_000) {
            job.chunkDeadline(chunkDeadline);
        }
        for (int phases = 1 + random.nextInt(3); phases > 0; phases--) {
            phase(job);
        }
        Report report =
                evener.submit(job.build()).orTimeout(600, TimeUnit.SECONDS).join();
        for (Place each : buffers) {
            assertArrayEquals(each.expected(), Ints.first(each.buffer(), units), report::toString);
        }
        assertArrayEquals(binsExpected, Ints.first(bins, 16), report::toString);
    }

    private Policy policy() {
        int lanes = evener.devices().size();
        return switch (random.nextInt(5)) {
            case 0 -> Policies.single(random.nextInt(lanes));
            case 1 -> Policies.guided(4 + random.nextInt(20));
            case 2 -> Policies.stealing(4 + random.nextInt(20));
            default -> Policies.fixed(random.doubles(lanes, 1, 100).toArray());
        };
    }

    /** A chain of kernels, of which the scalar model runs one after the other over all units, and the Java form over a chunk. */
    private void phase(JobBuilder job) {
        List<Place> places = new ArrayList<>(buffers);
        for (int t = 0; t < 2; t++) {
            Temporary memory = random.nextBoolean()
                    ? Temporary.perUnit(ElementType.INT, 1 + random.nextInt(3))
                    : Temporary.of(ElementType.INT, units);
            places.add(new Place(null, memory, new int[units]));
        }
        Set<Integer> undefined = new HashSet<>(Set.of(3, 4));
        boolean reduces = random.nextBoolean();
        boolean reduced = false;
        List<Step> steps = new ArrayList<>();
        int[] arguments = new int[buffers.size()]; // where the Java form finds each buffer
        Arrays.fill(arguments, -1);
        int[] argument = {0};
        Set<Integer> written = new HashSet<>();
        int binsArgument = -1;
        int passes = 1 + random.nextInt(5);
        for (int p = 0; p < passes; p++) {
            int kind = random.nextInt(6);
            int from = any(undefined);
            int to = kind < 2 ? random.nextInt(5) : any(undefined);
            int by = random.nextInt(7) - 3;
            if (kind > 0 && to == from) {
                to = (from + 1) % buffers.size();
            }
            int source = from;
            int target = to;
            if ((kind == 4 && (reduced || !reduces)) || (kind == 5 && reduces)) {
                kind = 0; // bins are merged at the end: only one kernel may have them
            }
            switch (kind) {
                case 0 -> {
                    begin(job, p, "fill");
                    give(job, places, to, false, true, arguments, argument);
                    job.chunkStart().scalar(by);
                    argument[0] += 2;
                    steps.add((at, b, t, first) -> Arrays.setAll(at[target], i -> (int) (first + i) * by));
                    undefined.remove(to);
                }
                case 1 -> {
                    begin(job, p, "copy");
                    give(job, places, from, true, false, arguments, argument);
                    give(job, places, to, false, true, arguments, argument);
                    job.scalar(by);
                    argument[0]++;
                    steps.add((at, b, t, first) -> Arrays.setAll(at[target], i -> at[source][i] * by + 1));
                    undefined.remove(to);
                }
                case 2 -> {
                    begin(job, p, "stir");
                    give(job, places, from, true, false, arguments, argument);
                    give(job, places, to, true, true, arguments, argument);
                    job.scalar(by);
                    argument[0]++;
                    steps.add((at, b, t, first) -> Arrays.setAll(at[target], i -> at[target][i] * by + at[source][i]));
                }
                case 3 -> {
                    begin(job, p, "partner");
                    give(job, places, from, true, false, arguments, argument);
                    give(job, places, to, true, true, arguments, argument);
                    job.chunkUnits();
                    argument[0]++;
                    steps.add((at, b, t, first) -> Arrays.setAll(
                            at[target], i -> at[target][i] * 3 + at[source][Math.min(i ^ 1, at[source].length - 1)]));
                }
                case 4 -> {
                    begin(job, p, "bins");
                    give(job, places, from, true, false, arguments, argument);
                    job.reduces(bins, Reduction.SUM);
                    binsArgument = argument[0]++;
                    steps.add((at, b, t, first) -> Arrays.stream(at[source]).forEach(v -> b[v & 15]++));
                    reduced = true;
                }
                default -> {
                    begin(job, p, "look");
                    give(job, places, to, true, true, arguments, argument);
                    job.reads(bins, Access.whole()).scalar(15);
                    binsArgument = argument[0];
                    argument[0] += 2;
                    steps.add((at, b, t, first) ->
                            Arrays.setAll(at[target], i -> at[target][i] + t[at[target][i] & 15]));
                }
            }
            if (kind != 4) {
                written.add(to);
            }
        }
        int bin = binsArgument;
        boolean merged = reduced;
        job.jvm(chunk -> {
            int[][] at = new int[5][chunk.units()];
            for (int b = 0; b < arguments.length; b++) {
                if (arguments[b] >= 0) {
                    chunk.buffer(arguments[b]).asIntBuffer().get(0, at[b]);
                }
            }
            int[] table = new int[16];
            if (bin >= 0) {
                chunk.buffer(bin).asIntBuffer().get(0, table);
            }
            int[] counts = merged ? table : new int[16];
            steps.forEach(step -> step.run(at, counts, table, chunk.firstUnit()));
            for (int b = 0; b < arguments.length; b++) {
                if (arguments[b] >= 0 && written.contains(b)) {
                    chunk.buffer(arguments[b]).asIntBuffer().put(0, at[b]);
                }
            }
            if (merged) {
                IntBuffer partial = chunk.buffer(bin).asIntBuffer();
                partial.put(0, counts);
            }
        });
        int[][] all = places.stream().map(Place::expected).toArray(int[][]::new);
        int[] counts = reduced ? new int[16] : binsExpected;
        steps.forEach(step -> step.run(all, counts, binsExpected, 0));
        binsExpected = counts;
    }

    /** A place that holds something. */
    private int any(Set<Integer> undefined) {
        int place = random.nextInt(5);
        return undefined.contains(place) ? random.nextInt(3) : place;
    }

    private static void begin(JobBuilder job, int pass, String kernel) {
        if (pass == 0) {
            job.kernel(kernel);
        } else {
            job.then(kernel);
        }
    }

    private static void give(
            JobBuilder job, List<Place> places, int place, boolean read, boolean written, int[] arguments, int[] next) {
        Place given = places.get(place);
        if (given.buffer() == null) {
            job.temporary(given.temporary());
        } else if (!written) {
            job.reads(given.buffer(), Access.slice());
        } else if (read) {
            job.updates(given.buffer(), Access.slice());
        } else {
            job.writes(given.buffer(), Access.slice());
        }
        if (place < arguments.length) {
            arguments[place] = next[0];
        }
        next[0]++;
    }
}
