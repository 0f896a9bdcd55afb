package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.MadeUpDevices;
import dev.evener.ManagedBuffer;
import dev.evener.Variant;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where a job may be cut, and that it is cut nowhere else. */
class GranulesTest {

    @Test
    void everyCutIsLegalForEveryBufferAndDevice() {
        Random random = new Random(1);
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open()) {
            for (int round = 0; round < 2000; round++) {
                List<ManagedBuffer> buffers = new ArrayList<>();
                List<DeviceInfo> devices = new ArrayList<>();
                int lanes = 1 + random.nextInt(5);
                for (int i = 0; i < lanes; i++) {
                    DeviceKind kind = any(random, DeviceKind.values());
                    devices.add(MadeUpDevices.device(
                            "0." + i,
                            "p",
                            "d",
                            kind,
                            1 << random.nextInt(10),
                            random.nextInt(4) == 0 ? 0 : 32 << random.nextInt(3),
                            1 + random.nextInt(64),
                            "x"));
                }
                Job job = anyJob(random, evener, buffers);
                checkCuts(job, devices, random);
                buffers.forEach(ManagedBuffer::close);
            }
        }
    }

    private static Job anyJob(Random random, Evener evener, List<ManagedBuffer> buffers) {
        int units = random.nextInt(50);
        JobBuilder job = Job.named("cut").units(units).chunkView().source("");
        int phases = 1 + random.nextInt(2);
        for (int p = 0; p < phases; p++) {
            job.kernel("k" + p);
            int arguments = random.nextInt(4);
            for (int a = 0; a < arguments; a++) {
                ElementType type = any(random, ElementType.values());
                int perUnit = 1 + random.nextInt(random.nextBoolean() ? 4 : 40);
                ManagedBuffer buffer =
                        evener.allocateManaged(type, Math.max(1, (long) units * perUnit + random.nextInt(3)));
                buffers.add(buffer);
                job.reads(buffer, random.nextInt(5) == 0 ? Access.whole() : Access.slice(perUnit));
            }
            for (DeviceKind kind : DeviceKind.values()) {
                int group = random.nextInt(3) == 0 ? 0 : 1 << random.nextInt(8);
                int many = 1 + random.nextInt(9);
                job.variant(
                        kind,
                        random.nextBoolean()
                                ? Variant.itemsPerUnit(many).withGroupSize(group)
                                : Variant.unitsPerItem(many).withGroupSize(group));
            }
        }
        return job.build();
    }

    private static <T> T any(Random random, T[] values) {
        return values[random.nextInt(values.length)];
    }

    private static void checkCuts(Job job, List<DeviceInfo> devices, Random random) {
        long granule = Granules.unitsPerGranule(JobSpec.of(job), devices);
        assertTrue(granule >= 1);
        for (int i = 0; i < devices.size(); i++) {
            assertLegal(job, devices, random.nextInt(1_000_000) * granule);
        }
    }

    private static void assertLegal(Job job, List<DeviceInfo> devices, long cut) {
        for (JobSpec.Phase phase : JobSpec.of(job).phases()) {
            for (DeviceInfo device : devices) {
                for (Argument argument : phase.arguments()) {
                    if (argument instanceof Argument.Buffer b && b.access() instanceof Access.Slice s) {
                        long origin =
                                cut * s.elementsPerUnit() * b.buffer().type().bytes();
                        assertEquals(0, origin % device.alignmentBytes(), "sub-buffer at " + origin + " on " + device);
                        assertEquals(
                                0,
                                origin % Math.max(1, device.cacheLineBytes()),
                                "cache line at " + origin + " on " + device);
                    }
                }
                Variant variant = phase.passes().get(0).variant(device.kind());
                assertEquals(0, cut * variant.itemsPerUnit() % variant.unitsPerItem(), "half an item at " + cut);
                long items = cut * variant.itemsPerUnit() / variant.unitsPerItem();
                long group = variant.groupSize() > 0 ? variant.groupSize() : device.workGroupMultiple();
                assertEquals(0, items % group, "half a group at " + cut + " on " + device);
            }
        }
    }

    /** Where memory would have it cut in a few places only, it is cut where kernels may be, if that costs no more than a copy. */
    @Test
    void aJobOfFewAlignedPartsIsCutFiner() {
        try (Evener evener =
                Evener.builder().devices(DeviceSelector.parse("jvm")).open()) {
            List<DeviceInfo> devices = List.of(MadeUpDevices.device("0.0", "p", "d", DeviceKind.CPU, 128, 64, 1, "x"));
            HostBuffer rows = evener.allocate(ElementType.BYTE, 50 * 1000);
            Job few = Job.named("few")
                    .units(1000)
                    .source("")
                    .chunkView()
                    .kernel("k")
                    .reads(rows, Access.slice(50))
                    .build();
            assertEquals(1, Granules.unitsPerGranule(JobSpec.of(few), devices), "64 of 50 bytes are 25 lines");
            Job many = Job.named("many")
                    .units(25000)
                    .source("")
                    .chunkView()
                    .kernel("k")
                    .reads(rows, Access.slice(2))
                    .build();
            assertEquals(64, Granules.unitsPerGranule(JobSpec.of(many), devices));
            ManagedBuffer kept = evener.allocateManaged(ElementType.BYTE, 50 * 1000);
            Job stays = Job.named("kept")
                    .units(1000)
                    .source("")
                    .chunkView()
                    .kernel("k")
                    .updates(kept, Access.slice(50))
                    .build();
            assertEquals(64, Granules.unitsPerGranule(JobSpec.of(stays), devices), "a part of what stays on devices");
            Job sees = Job.named("sees")
                    .units(1000)
                    .source("")
                    .jobView()
                    .kernel("k")
                    .updates(kept, Access.slice(50))
                    .build();
            assertEquals(1, Granules.unitsPerGranule(JobSpec.of(sees), devices), "kernels see all of it");
        }
    }

    @Test
    void granulesCountsTheShortOne() {
        assertEquals(0, Granules.count(0, 7));
        assertEquals(1, Granules.count(1, 7));
        assertEquals(1, Granules.count(7, 7));
        assertEquals(2, Granules.count(8, 7));
        assertEquals(Long.MAX_VALUE, Granules.count(Long.MAX_VALUE, 1));
        assertEquals((1L << 62), Granules.count(Long.MAX_VALUE, 2));
    }

    @Test
    void sharesThatDoNotCoverTheJobAreRefused() {
        assertRefused("shared out 9 of 10 granules", 4, 5);
        assertRefused("gave lane 1 7 of 10 granules after 4 were given away", 4, 7);
        assertRefused("gave lane 0 -1 of 10 granules", -1, 11);
        assertRefused("gave lane 1 9223372036854775807 of 10", 4, Long.MAX_VALUE);
        assertRefused("gave shares to 1 lanes, but there are 2", 10);
        assertRefused("gave shares to 3 lanes, but there are 2", 4, 4, 2);
    }

    private static void assertRefused(String reason, long... shares) {
        String message = assertThrows(EvenerException.class, () -> Granules.bounds(10, 2, shares, "odd"))
                .getMessage();
        assertTrue(message.startsWith("policy odd "), message);
        assertTrue(message.contains(reason), message);
    }

    @Test
    void unitsWithoutACommonBoundaryAreRefused() {
        // The least common multiple of these odd groups is beyond 63 bits.
        JobBuilder job = Job.named("odd").units(0).source("");
        for (int prime : new int[] {65521, 65519, 65497, 65479}) {
            job.kernel("k").variant(DeviceKind.CPU, Variant.itemsPerUnit(1).withGroupSize(prime));
        }
        Job built = job.build();
        String message = assertThrows(
                        EvenerException.class,
                        () -> Granules.unitsPerGranule(JobSpec.of(built), List.of(MadeUpDevices.cpu("0.0", "p"))))
                .getMessage();
        assertTrue(message.startsWith("job 'odd': no common boundary"), message);
    }
}
