package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.MadeUpDevices;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a history tells of two runtimes of one device. */
class RuntimesInHistoryTest {
    private static final DeviceInfo CPU = MadeUpDevices.cpu("1.0", MadeUpDevices.POCL);
    private static final DeviceInfo VENDORS = MadeUpDevices.gpu("0.0", MadeUpDevices.NVIDIA, "pci 1");
    private static final DeviceInfo POCLS = MadeUpDevices.gpu("1.1", MadeUpDevices.POCL, "pci 1");

    private StoredHistory history = StoredHistory.inMemory();

    private void learn(String kernel, int jobs, long units, DeviceInfo device, double nanosPerUnit) {
        JobHistory learnt = history.of(TwoDevices.job(kernel), List.of(device));
        for (int i = 0; i < jobs; i++) {
            learnt.learn(Observations.of(units, nanosPerUnit));
        }
    }

    @Test
    void jobsOfBothTellWhichIsFaster() {
        learn("a", 20, 4_000_000, VENDORS, 1);
        learn("a", 500, 4_000_000, POCLS, 1.5);
        assertEquals(1.5, history.over(VENDORS, POCLS), 0.03);
        assertEquals(1 / 1.5, history.over(POCLS, VENDORS), 0.03);
    }

    @Test
    void kindsThatOneOfThemDidTellNothing() {
        learn("a", 20, 4_000_000, VENDORS, 1);
        learn("b", 20, 4_000_000, POCLS, 9);
        assertTrue(Double.isNaN(history.over(VENDORS, POCLS)));
    }

    @Test
    void oneJobIsNoReasonToChange() {
        learn("a", 20, 4_000_000, VENDORS, 1);
        learn("a", 1, 4_000_000, POCLS, 9);
        assertTrue(Double.isNaN(history.over(VENDORS, POCLS)));
    }

    @Test
    void kindsCountByTheTimeTheyTook() {
        learn("long", 20, 40_000_000, VENDORS, 1);
        learn("long", 20, 40_000_000, POCLS, 1.5);
        learn("short", 20, 400_000, VENDORS, 1);
        learn("short", 20, 400_000, POCLS, 0.5);
        assertEquals(1.5, history.over(VENDORS, POCLS), 0.05);
    }

    /** Beside the same CPU both are slowed down alike; one that was only seen in company tells nothing of one that was only seen alone. */
    @Test
    void setsOfOneSizeAreCompared() {
        JobHistory vendors = history.of(TwoDevices.job("a"), List.of(CPU, VENDORS));
        JobHistory pocls = history.of(TwoDevices.job("a"), List.of(CPU, POCLS));
        for (int i = 0; i < 20; i++) {
            vendors.learn(Observations.of(8_000_000, 2, 1));
            pocls.learn(Observations.of(8_000_000, 2, 1.5));
        }
        assertEquals(1.5, history.over(VENDORS, POCLS), 0.05);
        learn("b", 20, 4_000_000, VENDORS, 1);
        assertEquals(1.5, history.over(VENDORS, POCLS), 0.05);
    }

    @Test
    void theFileTellsTheNextProcess(@TempDir Path folder) {
        Path file = folder.resolve("history.json");
        history = StoredHistory.at(file);
        learn("a", 20, 4_000_000, VENDORS, 1);
        learn("a", 20, 4_000_000, POCLS, 1.5);
        history.save();
        assertEquals(1.5, StoredHistory.at(file).over(VENDORS, POCLS), 0.03);
    }
}
