package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.evener.Job;
import dev.evener.MadeUpDevices;
import dev.evener.internal.job.JobBuffers;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import dev.evener.policy.Snapshot.LaneView;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What many kinds of jobs cost: counts and bytes, no times. */
class ManyKindsTest {
    private static final int MANY = 10_000;
    private static final int MOST = 100;
    private static final long UNITS = 1 << 20;

    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("history.json");
    }

    /** Whose clock stands still, so that it is saved when a test says so. */
    private StoredHistory open(int most) {
        return new StoredHistory(file(), () -> 1, most);
    }

    private static Job job(int kind) {
        return HistoryTest.job("kernel" + kind);
    }

    private static JobHistory known(StoredHistory history, int kind) {
        return history.of(job(kind), TwoDevices.BOTH);
    }

    private static void learn(StoredHistory history, int from, int to) {
        for (int kind = from; kind < to; kind++) {
            for (int i = 0; i < 2; i++) { // the first one is cold, and tells nothing of sets
                HistoryTest.learn(history, job(kind), UNITS, 5, 7);
            }
        }
    }

    static long allocated(Runnable run) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(self);
        run.run();
        return threads.getThreadAllocatedBytes(self) - before;
    }

    // ---- learning ----

    /** The 257th once ended learning for all. */
    @ParameterizedTest
    @ValueSource(ints = {100, 256, 257, MANY})
    void allButTheFirstJobOfAKindFindWhatWasLearnt(int kinds) {
        StoredHistory history = StoredHistory.inMemory();
        List<JobHistory> first = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (int kind = 0; kind < kinds; kind++) {
                JobHistory found = known(history, kind);
                if (round == 0) {
                    first.add(found);
                }
                assertSame(first.get(kind), found);
                assertEquals(round, found.model(UNITS).jobs());
                found.learn(Observations.of(UNITS, 5, 7));
            }
        }
    }

    @Test
    void ofTooManyKindsTheOneThatWasUsedLongestAgoIsDropped() {
        StoredHistory history = open(MOST);
        learn(history, 0, MOST);
        JobHistory late = known(history, 3);
        known(history, 0);
        learn(history, MOST, MOST + 2);
        history.save();
        for (StoredHistory each : List.of(history, open(MOST))) {
            assertEquals(List.of(1, 2), unknown(each, MOST + 2));
        }
        learn(history, MOST + 2, 2 * MOST + 2);
        late.learn(Observations.of(UNITS, 5, 7)); // the end of a long job
        history.save();
        assertEquals(IntStream.range(0, MOST + 2).boxed().toList(), unknown(history, 2 * MOST + 2));
        assertEquals(IntStream.range(0, MOST + 2).boxed().toList(), unknown(open(MOST), 2 * MOST + 2));
    }

    /** Asks in an order in which asking drops none that are asked for later. */
    private static List<Integer> unknown(StoredHistory history, int kinds) {
        Set<String> names = new HashSet<>();
        history.entries().forEach(each -> names.add(each.kernels().get(0)));
        return IntStream.range(0, kinds)
                .filter(kind -> !names.contains("kernel" + kind))
                .boxed()
                .toList();
    }

    @Test
    void theFileDropsTheSame() throws IOException {
        StoredHistory other = open(MOST);
        for (int saves = 1; saves <= 20; saves++) {
            StoredHistory history = open(MOST);
            learn(history, 50 * saves, 50 * saves + 50);
            history.save();
            learn(other, 0, 1);
            other.save();
        }
        List<Integer> dropped = IntStream.range(1, 1051 - MOST).boxed().toList();
        assertEquals(dropped, unknown(other, 1050));
        assertEquals(dropped, unknown(open(MOST), 1050));
        assertTrue(Files.readAllLines(file()).size() < 3 * MOST, "lines of " + Files.size(file()) + " bytes");
    }

    /** Jobs may be for any of the devices. */
    @Test
    void whatIsKnownOnManyListsOfDevicesIsBounded() {
        StoredHistory history = StoredHistory.inMemory();
        for (int i = 0; i < 100; i++) {
            history.of(job(0), List.of(TwoDevices.CPU, MadeUpDevices.gpu("1." + i, MadeUpDevices.NVIDIA, "pci " + i)));
        }
        JobHistory both = history.of(job(0), TwoDevices.BOTH);
        assertSame(both, history.of(job(0), TwoDevices.BOTH));
        assertSame(both, history.of(job(0), TwoDevices.BOTH));
    }

    // ---- bytes ----

    @Test
    void aSaveCostsWhatHasChanged() throws IOException {
        int many = MANY / 2;
        StoredHistory history = open(StoredHistory.KINDS);
        learn(history, 0, many);
        history.save();
        long all = Files.size(file());
        learn(history, 17, 18);
        long garbage = allocated(history::save);
        long written = Files.size(file()) - all;
        assertTrue(written > 0 && written < 4096, written + " bytes");
        assertTrue(garbage < 1_000_000, garbage + " bytes");
        assertEquals(4, known(open(StoredHistory.KINDS), 17).model(UNITS).jobs());

        // What is superseded outweighs the rest some time.
        learn(history, 0, many - 300);
        history.save();
        assertTrue(Files.size(file()) > 1.9 * all);
        for (int i = 0; i < 50 && Files.size(file()) > 1.9 * all; i++) {
            learn(history, 20 * i, 20 * i + 20);
            garbage = allocated(history::save);
            assertTrue(garbage < 10_000_000, garbage + " bytes");
        }
        assertTrue(Files.size(file()) < 1.1 * all, Files.size(file()) + " bytes");
        assertEquals(8, known(open(StoredHistory.KINDS), 17).model(UNITS).jobs());
        assertEquals(2, known(open(StoredHistory.KINDS), many - 1).model(UNITS).jobs());

        learn(history, 18, 19);
        StoredHistory other = open(StoredHistory.KINDS);
        learn(other, 19, 20);
        other.save();
        garbage = allocated(history::save);
        assertTrue(garbage < 1_000_000, garbage + " bytes with what another process saved");
        assertEquals(8, known(history, 19).model(UNITS).jobs());
    }

    @Test
    void aFileStaysAsSmallAsWhatItHolds() throws IOException {
        StoredHistory history = open(StoredHistory.KINDS);
        long most = 0;
        for (int i = 0; i < 500; i++) {
            learn(history, 0, 2);
            history.save();
            most = Math.max(most, Files.size(file()));
        }
        assertTrue(most < 100_000, most + " bytes");
    }

    /** A history of 64 MiB was once thrown away by what had written it. */
    @Test
    void whatWasWrittenIsReadWhateverItsSize() throws IOException {
        StoredHistory history = open(StoredHistory.KINDS);
        for (int kind = 0; kind < 80; kind++) {
            HistoryTest.learn(history, HistoryTest.job(kind + "k".repeat(1 << 20)), UNITS, 5, 7);
        }
        history.save();
        assertTrue(Files.size(file()) > 80 << 20);
        StoredHistory read = open(StoredHistory.KINDS);
        for (int kind = 0; kind < 80; kind++) {
            Job job = HistoryTest.job(kind + "k".repeat(1 << 20));
            assertTrue(read.of(job, TwoDevices.BOTH).model(UNITS).known());
        }
    }

    @Test
    void aKindTakesLittleMemory() {
        StoredHistory history = StoredHistory.inMemory();
        runTwice(history, 0, 100); // classes, and what all kinds share
        long before = heap();
        runTwice(history, 100, MANY + 100);
        long each = (heap() - before) / MANY;
        assertTrue(each <= 8192, each + " bytes");
        assertTrue(known(history, 0).model(UNITS).known());
    }

    private static final JobBuffers NO_DATA = new JobBuffers(Set.of(), Set.of(), Set.of(), false, false, Map.of());

    /** With plans for the next jobs, as the runtime makes them. */
    private static void runTwice(StoredHistory history, int from, int to) {
        learn(history, from, to);
        Policy policy = Policies.adaptive();
        List<LaneView> lanes = List.of(new LaneView("0.0", true), new LaneView("1.0", true));
        for (int kind = from; kind < to; kind++) {
            JobHistory known = known(history, kind);
            HistorySnapshot model = known.model(UNITS);
            Plan plan = policy.plan(new Snapshot(64, UNITS / 64, lanes, model, 0));
            known.planAhead(new JobHistory.Planned(policy, UNITS, 64, TwoDevices.AB, NO_DATA, plan, model), 0, 1);
        }
    }

    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
