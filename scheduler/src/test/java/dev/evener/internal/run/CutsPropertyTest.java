package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.MadeUpDevices;
import dev.evener.ManagedBuffer;
import dev.evener.Variant;
import dev.evener.internal.job.JobSpec;
import dev.evener.policy.Costs;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Where a job is cut: every unit in one lane, every cut where every device can begin. */
class CutsPropertyTest {
    private static final List<DeviceKind> KINDS = List.of(DeviceKind.values());
    private static Evener evener;

    @BeforeContainer
    static void open() {
        evener = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open();
    }

    @AfterContainer
    static void close() {
        evener.close();
    }

    // ---- granules ----

    /** A buffer of which each unit touches this much. */
    private record Slice(ElementType type, int perUnit) {}

    /** A kernel's launch: so many items for each unit, or units for each item. */
    private record Launch(boolean itemsPerUnit, int many, int group) {
        Variant variant() {
            return itemsPerUnit
                    ? Variant.itemsPerUnit(many).withGroupSize(group)
                    : Variant.unitsPerItem(many).withGroupSize(group);
        }
    }

    @Provide
    Arbitrary<List<Slice>> slices() {
        return Combinators.combine(
                        Arbitraries.of(ElementType.class),
                        Arbitraries.integers().between(1, 60))
                .as(Slice::new)
                .list()
                .ofMaxSize(3);
    }

    /** One for each kind of device. */
    @Provide
    Arbitrary<Map<DeviceKind, Launch>> launches() {
        return Combinators.combine(
                        Arbitraries.of(true, false),
                        Arbitraries.integers().between(1, 9),
                        Arbitraries.of(0, 1, 2, 8, 24, 64, 256))
                .as(Launch::new)
                .list()
                .ofSize(KINDS.size())
                .map(launches ->
                        IntStream.range(0, KINDS.size()).boxed().collect(Collectors.toMap(KINDS::get, launches::get)));
    }

    @Provide
    Arbitrary<List<DeviceInfo>> devices() {
        return Combinators.combine(
                        Arbitraries.of(DeviceKind.class),
                        Arbitraries.integers().between(0, 12),
                        Arbitraries.of(0, 32, 64, 128, 256),
                        Arbitraries.of(0, 1, 3, 8, 16, 32, 64))
                .as((kind, log, cacheLine, multiple) ->
                        MadeUpDevices.device("0.0", "p", "d", kind, 1 << log, cacheLine, multiple, "x"))
                .withoutEdgeCases() // with those of the other parameters, too many combinations
                .list()
                .ofMinSize(1)
                .ofMaxSize(5);
    }

    @Property(tries = 1000)
    void everyMultipleOfTheGranuleIsALegalCutAndNoSmallerNumberWouldDo(
            @ForAll("slices") List<Slice> slices,
            @ForAll("launches") Map<DeviceKind, Launch> launches,
            @ForAll("devices") List<DeviceInfo> devices,
            @ForAll @LongRange(min = 1, max = 1L << 24) long multiple) {
        List<ManagedBuffer> buffers = new ArrayList<>();
        JobBuilder builder = Job.named("cut").units(2).chunkView().source("").kernel("k");
        for (Slice slice : slices) {
            ManagedBuffer buffer = evener.allocateManaged(slice.type(), 2L * slice.perUnit());
            buffers.add(buffer);
            builder.reads(buffer, Access.slice(slice.perUnit()));
        }
        for (DeviceKind kind : KINDS) {
            builder.variant(kind, launches.get(kind).variant());
        }
        Job job = builder.build();
        try {
            long granule = Granules.unitsPerGranule(JobSpec.of(job), devices);
            assertTrue(granule >= 1);
            assertTrue(legal(slices, launches, devices, granule * multiple), "cut at " + multiple + " x " + granule);
            // Legal cuts are the multiples of the least one, so it is enough to try the granule's greatest divisors.
            for (long rest = granule, p = 2; rest > 1; p++) {
                if (rest % p == 0) {
                    assertFalse(
                            legal(slices, launches, devices, granule / p), granule / p + " would do for " + granule);
                    while (rest % p == 0) {
                        rest /= p;
                    }
                }
            }
        } finally {
            buffers.forEach(ManagedBuffer::close);
        }
    }

    private static boolean legal(
            List<Slice> slices, Map<DeviceKind, Launch> launches, List<DeviceInfo> devices, long cut) {
        for (DeviceInfo device : devices) {
            for (Slice slice : slices) {
                long origin = cut * slice.perUnit() * slice.type().bytes();
                if (origin % device.alignmentBytes() != 0 || origin % Math.max(1, device.cacheLineBytes()) != 0) {
                    return false;
                }
            }
            Launch launch = launches.get(device.kind());
            if (!launch.itemsPerUnit() && cut % launch.many() != 0) {
                return false; // half an item
            }
            long items = launch.itemsPerUnit() ? cut * launch.many() : cut / launch.many();
            if (items % (launch.group() > 0 ? launch.group() : Math.max(1, device.workGroupMultiple())) != 0) {
                return false; // half a group
            }
        }
        return true;
    }

    // ---- shares ----

    /** What a lane takes. */
    private record Lane(double fixed, double perUnit) {}

    @Provide
    Arbitrary<List<Lane>> lanes() {
        return Combinators.combine(powersOfTen(0, 10), powersOfTen(-6, 9))
                .as(Lane::new)
                .withoutEdgeCases()
                .list()
                .ofMinSize(1)
                .ofMaxSize(12);
    }

    @Provide
    Arbitrary<double[]> densities() {
        return powersOfTen(-2, 2).array(double[].class).ofMaxSize(64);
    }

    private static Arbitrary<Double> powersOfTen(int least, int most) {
        return Arbitraries.doubles().between(least, most).map(exponent -> Math.pow(10, exponent));
    }

    @Provide
    Arbitrary<Policy> policies() {
        return Arbitraries.of(Policies.names()).map(Policies::named);
    }

    /** Every policy there is a name for. */
    @Property(tries = 3000)
    void everyGranuleIsInOneLane(
            @ForAll("policies") Policy policy,
            @ForAll("lanes") List<Lane> lanes,
            @ForAll("densities") double[] densities,
            @ForAll boolean known,
            @ForAll @LongRange(min = 0, max = 1L << 44) long units,
            @ForAll @IntRange(min = 1, max = 1 << 20) int least) {
        long granule = least;
        while (Granules.count(units, granule) > Integer.MAX_VALUE) { // as the pool's are
            granule *= 2;
        }
        long granules = Granules.count(units, granule);
        Costs costs = Costs.of(
                        (double) units,
                        lanes.stream().mapToDouble(Lane::fixed).toArray(),
                        lanes.stream().mapToDouble(Lane::perUnit).toArray())
                .costing(densities);
        long[] shares = policy.plan((known ? costs : costs.unknown()).snapshot(granules, granule))
                .shares();
        int[] bounds = Granules.bounds(granules, lanes.size(), shares, policy.name());
        assertEquals(0, bounds[0]);
        for (int lane = 0; lane < lanes.size(); lane++) {
            assertEquals(shares[lane], bounds[lane + 1] - bounds[lane], "granules of lane " + lane);
        }
        assertEquals(granules, bounds[lanes.size()]);
    }
}
