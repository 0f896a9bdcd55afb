package dev.evener.kernels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.InTurn;
import dev.evener.internal.NativeLedger;
import dev.evener.kernels.TestBed;
import dev.evener.testing.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Many items with random times in their stages, from several threads, while devices fail, items fail and items are cancelled:
 * every item ends, right or as told, no slot is ever used by two, and nothing native is left.
 */
@Timeout(900)
@InTurn(2)
class PipelineStressTest {
    private static final int ITEMS = 600;

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0.0,0.1; 0.0; 0.1; ''",
                "0.0,0.1; 0.0; 0.1; lane=1,chunk=40,fault=error",
                "0.0,0.1; 0.0; all; lane=0,chunk=40,fault=error",
                "0.0,0.1; all; all; lane=1,chunk=100,fault=die",
                "0.0,0.1,1.0,jvm; 0.0,1.0; 0.1,jvm; lane=2,chunk=60,fault=die",
                "0.0,0.1,1.0,jvm; jvm; all; lane=0,chunk=30,fault=error",
            })
    void everyItemEnds(String devices, String first, String second, String fault) throws InterruptedException {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        EvenerBuilder builder = TestBed.builder(devices);
        if (!fault.isEmpty()) {
            Faults.inject(builder, fault);
        }
        AtomicInteger right = new AtomicInteger();
        try (Evener evener = builder.open()) {
            List<CompletableFuture<ItemReport>> all = new ArrayList<>();
            PipelineReport report;
            try (Pipeline<TestSlot> pipeline = Pipeline.over(evener, 5, () -> new TestSlot(evener))
                    .stage("first", DeviceSelector.parse(first), slot -> {
                        if (slot.number % 50 == 7) {
                            throw new IllegalArgumentException("told to");
                        }
                        return slot.first();
                    })
                    .stage("second", DeviceSelector.parse(second), TestSlot::second)
                    .host("check", 2, (slot, reports) -> {
                        slot.check();
                        right.incrementAndGet();
                    })
                    .open()) {
                List<Thread> feeders = new ArrayList<>();
                for (int f = 0; f < 3; f++) {
                    int from = f * ITEMS / 3;
                    Thread feeder = new Thread(() -> feed(pipeline, from, all));
                    feeders.add(feeder);
                    feeder.start();
                }
                for (Thread feeder : feeders) {
                    feeder.join();
                }
                pipeline.drain();
                report = pipeline.report();
            }
            assertEquals(ITEMS, all.size());
            int done = 0;
            for (CompletableFuture<ItemReport> future : all) {
                assertTrue(future.isDone());
                done += future.isCompletedExceptionally() ? 0 : 1;
            }
            assertEquals(done, report.items());
            assertEquals(ITEMS - done, report.failed());
            assertTrue(right.get() >= done, "every result was checked");
            assertTrue(done >= ITEMS * 8 / 10, done + " of " + ITEMS);
        }
        assertEquals(before, NativeLedger.live());
    }

    private static void feed(Pipeline<TestSlot> pipeline, int from, List<CompletableFuture<ItemReport>> all) {
        Random random = new Random(from);
        for (int i = from; i < from + ITEMS / 3; i++) {
            try {
                TestSlot slot = pipeline.acquire().fill(i);
                slot.firstRounds = random.nextInt(500);
                slot.secondRounds = random.nextInt(500);
                CompletableFuture<ItemReport> future = pipeline.submit(slot);
                synchronized (all) {
                    all.add(future);
                }
                if (random.nextInt(20) == 0) {
                    Thread.sleep(0, random.nextInt(500_000));
                    future.cancel(true);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
