package dev.evener.internal.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.LongTests;
import dev.evener.policy.Policies;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@code build()} lets pass touches its buffers and nothing else: kernels touch every element that random declarations give their
 * units, in memory behind which other memory lies that is looked at.
 */
class RandomDeclarationsTest {
    private static final int PAGE = 4096;
    private static final int MOST = 200;
    private static final KernelSource SOURCE = KernelSource.of("touch", """
            kernel void k(global int *x, ulong view, global int *seen, ulong start, long perUnit, long first, long stride,
                          long arrays, long count, long block) {
                long unit = start + get_global_id(0);
                int sum = 0;
                for (long a = 0; a < arrays; a++) {
                    for (long j = 0; j < perUnit; j++) {
                        long within = first + unit * perUnit + j, at = a * stride + within;
                        if (block > 0) at = (unit / block * arrays + a) * block * perUnit + unit % block * perUnit + j;
                        else if (within >= stride || at >= count) break;
                        at += VIEWED ? (long) (view + get_global_id(0) * perUnit) - unit * perUnit : -(long) start * perUnit;
                        sum += READ ? x[at] : 0;
                        if (WRITTEN) x[at] = unit + 7;
                    }
                }
                seen[get_global_id(0)] = sum;
            }
            """);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void kernelsTouchTheirBuffersAlone(boolean sharing) {
        try (Evener evener = Evener.builder()
                        .devices(DeviceSelector.parse("0.0,0.1"))
                        .sharedMemory(sharing)
                        .policy(Policies.guided(4))
                        .history(History.inMemory())
                        .open();
                HostBuffer seen = evener.allocate(ElementType.INT, MOST + 2)) {
            ByteBuffer memory = ByteBuffer.allocateDirect(3 * PAGE).order(ByteOrder.nativeOrder());
            IntBuffer page =
                    memory.alignedSlice(PAGE).order(ByteOrder.nativeOrder()).asIntBuffer();
            int tries = LongTests.orAll(400, 100_000);
            int ran = 0;
            for (int seed = 0; seed < tries; seed++) {
                RandomDeclaration each = RandomDeclaration.small(new Random(seed));
                if (each.units() <= MOST) {
                    ran += touch(evener, each, seen, memory, page, "seed " + seed + ": " + each) ? 1 : 0;
                }
            }
            assertTrue(ran > tries / 10, ran + " ran");
        }
    }

    private static boolean touch(
            Evener evener, RandomDeclaration each, HostBuffer seen, ByteBuffer memory, IntBuffer page, String what) {
        for (int i = 0; i < page.limit(); i++) {
            page.put(i, 1000 + i);
        }
        ByteBuffer own = memory.alignedSlice(PAGE).slice(0, (int) each.elements() * Integer.BYTES);
        try (HostBuffer x = evener.wrap(ElementType.INT, own.order(ByteOrder.nativeOrder()))) {
            Job job;
            try {
                boolean viewed = each.access() instanceof Access.Halo;
                KernelSource source = SOURCE.withMacro("VIEWED", viewed ? 1 : 0)
                        .withMacro("READ", each.read() ? 1 : 0)
                        .withMacro("WRITTEN", each.written() ? 1 : 0);
                job = each.build(
                        x,
                        source,
                        more -> (viewed ? more : more.scalar(0L))
                                .writes(seen.range(0, each.units() + 1), Access.slice(1))
                                .chunkStart()
                                .scalar(
                                        each.perUnit(),
                                        each.first(),
                                        each.stride(),
                                        each.arrays(),
                                        each.count(),
                                        each.block()));
            } catch (JobRejectedException e) {
                assertNotNull(each.outside(), () -> what + ": " + e.getMessage());
                return false;
            }
            evener.submit(job).join();
        }
        int[] sums = new int[(int) each.units()];
        for (int i = 0; i < page.limit(); i++) {
            long unit = i < each.elements() ? owner(each, i) : -1;
            assertEquals(each.written() && unit >= 0 ? (int) unit + 7 : 1000 + i, page.get(i), what + ": element " + i);
            if (unit >= 0) {
                sums[(int) unit] += each.read() ? 1000 + i : 0;
            }
        }
        for (int unit = 0; unit < sums.length; unit++) {
            assertEquals(sums[unit], seen.ints().get(unit), what + ": sum of unit " + unit);
        }
        return true;
    }

    private static long owner(RandomDeclaration each, int element) {
        for (long unit = 0; unit < each.units(); unit++) {
            if (each.has(unit, element)) {
                return unit;
            }
        }
        return -1;
    }
}
