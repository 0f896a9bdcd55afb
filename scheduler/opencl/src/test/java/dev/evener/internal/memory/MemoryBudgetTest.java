package dev.evener.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.MadeUpBuffers;
import dev.evener.Temporary;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many units a chunk may have on a device of 16 KiB of which 6 KiB may be one allocation. */
class MemoryBudgetTest {
    private static final int TOTAL = 12 << 10;
    private static final int SLICES = 4 << 10;
    private static final int LARGEST = 6 << 10;
    private static final MemoryBudget BUDGET = new MemoryBudget("7.0", TOTAL, 8 << 10, SLICES, LARGEST);

    private Evener evener;

    @BeforeEach
    void open() {
        evener = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open();
    }

    @AfterEach
    void close() {
        evener.close();
    }

    private static JobBuilder job(long units) {
        return Job.named("budget").units(units).kernel("k").jvm(c -> {});
    }

    private static long most(JobBuilder job) {
        return BUDGET.mostUnits(JobSpec.of(job.build()).phases().get(0), false);
    }

    private HostBuffer bytes(long count) {
        return evener.allocate(ElementType.UBYTE, count);
    }

    @Test
    void aChunkOfABufferInSegmentsIsOneAllocation() {
        MemoryBudget large = new MemoryBudget("7.0", TOTAL, 8 << 10, 10 << 10, LARGEST);
        for (int segment : new int[] {4 << 10, 8 << 10, 100_000}) {
            try (HostBuffer bytes = MadeUpBuffers.inSegments(ElementType.UBYTE, 100_000, segment)) {
                JobBuilder job = job(100_000).reads(bytes, Access.slice());
                JobSpec.Phase phase = JobSpec.of(job.build()).phases().get(0);
                assertEquals(LARGEST, large.mostUnits(phase, false), "segments of " + segment);
                assertEquals(SLICES, most(job));
            }
        }
    }

    @Test
    void temporariesCountAndWhatStandsAtSeveralPlacesCountsOnce() {
        Temporary perUnit = Temporary.perUnit(ElementType.UBYTE, 3);
        HostBuffer bytes = bytes(100_000);
        JobBuilder job = job(100_000)
                .reads(bytes, Access.slice())
                .temporary(perUnit)
                .then("l")
                .reads(bytes, Access.slice())
                .temporary(perUnit)
                .temporary(Temporary.of(ElementType.UBYTE, LARGEST));
        assertEquals(SLICES / 4, most(job));
        JobSpec.Phase phase = JobSpec.of(job.build()).phases().get(0);
        assertEquals(SLICES / 3, BUDGET.mostUnits(phase, true));
        JobSpec.Phase without = JobSpec.of(
                        job(10).reads(bytes(10), Access.slice()).build())
                .phases()
                .get(0);
        assertEquals(Long.MAX_VALUE, BUDGET.mostUnits(without, true));
        JobSpec.Phase tooLarge = JobSpec.of(job(10).temporary(Temporary.of(ElementType.UBYTE, LARGEST + 1))
                        .build())
                .phases()
                .get(0);
        LaneFailure e = assertThrows(LaneFailure.class, () -> BUDGET.mostUnits(tooLarge, true));
        assertEquals(LaneFailure.Kind.MEMORY, e.kind());
    }

    @Test
    void slicesShareTheirPart() {
        assertEquals(SLICES, most(job(100_000).reads(bytes(100_000), Access.slice())));
        assertEquals(
                SLICES / 5,
                most(job(1000)
                        .reads(bytes(1000), Access.slice())
                        .writes(evener.allocate(ElementType.INT, 1000), Access.slice())));
        assertEquals(Long.MAX_VALUE, most(job(1000).scalar(1)));
    }

    @Test
    void whatEveryChunkNeedsCountsToo() {
        // 12 KiB less 6 KiB and 4 KiB leave 2 KiB for slices.
        assertEquals(
                2048 / 4,
                most(job(1000)
                        .reads(bytes(LARGEST), Access.whole())
                        .reduces(evener.allocate(ElementType.INT, 1024), Reduction.SUM)
                        .updates(evener.allocate(ElementType.INT, 1000), Access.slice())));
        assertEquals(Long.MAX_VALUE, most(job(1000).reads(bytes(LARGEST), Access.whole())));
    }

    @Test
    void halosCountOnceAChunk() {
        HostBuffer rows = bytes(100 * 100);
        // Rows of 100 bytes, 30 of them around: one allocation holds 61.
        assertEquals(31, most(job(100).reads(rows, Access.slice().halo(10, 20)).viewStart(rows)));
        HostBuffer more = bytes(100 * 100);
        assertEquals(
                20,
                most(job(100).reads(rows, Access.slice().halo(10, 31))
                        .viewStart(rows)
                        .reads(more, Access.slice())));
    }

    @Test
    void whatFindsNoRoomIsRefusedWithItsSize() {
        assertEquals(
                "one unit of kernel k needs 6145 bytes, and device 7.0 has 6144 in one allocation; make units, or the"
                        + " buffers that every unit sees, smaller",
                refusal(job(1).reads(bytes(LARGEST + 1), Access.whole())));
        assertEquals(
                "one unit of kernel k needs 5000 bytes, and device 7.0 has 4096 for a chunk; make units, or the buffers"
                        + " that every unit sees, smaller",
                refusal(job(1).reads(bytes(5000), Access.slice())));
        HostBuffer rows = bytes(100 * 1000); // of which a unit sees seven
        assertEquals(
                "one unit of kernel k needs 7000 bytes, and device 7.0 has 6144 in one allocation; make units, or the"
                        + " buffers that every unit sees, smaller",
                refusal(job(100).reads(rows, Access.slice().halo(3, 3)).viewStart(rows)));
        assertEquals(
                "one unit of kernel k needs 12289 bytes, and device 7.0 has 12288 for a chunk; make units, or the buffers"
                        + " that every unit sees, smaller",
                refusal(job(1).reads(bytes(LARGEST), Access.whole())
                        .reads(bytes(LARGEST), Access.whole())
                        .updates(bytes(1), Access.slice())));
    }

    private static String refusal(JobBuilder job) {
        EvenerException refused = assertThrows(LaneFailure.class, () -> most(job));
        return refused.getMessage();
    }
}
