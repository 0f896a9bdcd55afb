package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.testing.Faults;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Managed buffers on devices that fail: what is left of them is right, and what is not is said to be lost. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailingManagedBufferTest {
    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    /** A device fails while it updates what only it has, after a job in which it computed some of it. */
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void aDeviceThatFailsLosesNothingOfWhatIsMirrored(boolean mirrored) {
        EvenerBuilder builder =
                Faults.inject(ManagedBufferTest.discrete("0.0,0.1"), "lane=0,job=1,chunk=0,fault=error");
        try (Evener evener = builder.open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, ManagedBufferTest.N);
            ManagedBuffer table = evener.allocateManaged(ElementType.INT, 64);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, ManagedBufferTest.N);
            if (mirrored) {
                b.mirror();
            }
            int[] values = IntStream.range(0, ManagedBufferTest.N).toArray();
            ManagedBufferTest.fill(a, values);
            ManagedBufferTest.fill(table, new int[64]);
            Policy half = Policies.fixed(0.5, 0.5);
            evener.submit(ManagedBufferTest.scale(a, b), half).join();
            JobFuture updates = evener.submit(ManagedBufferTest.add(b, table), half);
            if (mirrored) {
                assertEquals(1, updates.join().failures().size());
                assertArrayEquals(ManagedBufferTest.scaled(values), ManagedBufferTest.content(b));
            } else {
                assertThrows(CompletionException.class, updates::join);
                assertThrows(DataLostException.class, () -> ManagedBufferTest.content(b));
            }
        }
    }

    /** Buffers of both kinds, jobs, scopes and cancels: every value is the sequential one. */
    @ParameterizedTest
    @CsvSource({
        "5, '0.0,0.1,jvm', 1000000000, 'lane=0,chunk=20,fault=error lane=1,chunk=90,fault=error lane=0,chunk=200,fault=error'",
        "6, '0.0,0.1', 200000, 'lane=1,chunk=30,fault=alloc lane=0,chunk=60,fault=error'",
        "7, '0.0,0.1,jvm', 1000000000, 'lane=0,chunk=15,fault=hang:3 lane=1,chunk=60,fault=error'",
        "11, '0.0,0.1,jvm', 140000, 'lane=0,chunk=90,fault=error'",
    })
    void everyValueIsTheSequentialOneOrSaidToBeLost(long seed, String devices, long room, String faults) {
        EvenerBuilder builder = ManagedBufferTest.discrete(devices).mirrorBytes(room);
        if (faults.contains("hang")) {
            builder.chunkDeadline(Duration.ofMillis(500));
        }
        for (String fault : faults.split(" ", -1)) {
            Faults.inject(builder, fault);
        }
        ManagedBufferTest.runPrograms(builder, seed, true);
    }
}
