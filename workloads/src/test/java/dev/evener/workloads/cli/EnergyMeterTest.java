package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Energy from counters that go round and from power over time, and what is said where there are neither. */
class EnergyMeterTest {
    private static final List<String> NOBODY = List.of("there-is-no-such-program");

    @TempDir
    Path folder;

    private Path zone(String zone, String name, long microjoules) throws IOException {
        Path own = Files.createDirectories(folder.resolve(zone));
        Files.writeString(own.resolve("name"), name + "\n");
        Files.writeString(own.resolve("max_energy_range_uj"), "1000000000\n");
        return Files.writeString(own.resolve("energy_uj"), microjoules + "\n");
    }

    /** Packages count, their parts and the whole platform do not, as they would twice; one counter goes round. */
    @Test
    void countersGoRound() throws IOException {
        Path first = zone("intel-rapl:0", "package-0", 999_000_000);
        Path second = zone("intel-rapl:1", "package-1", 5_000_000);
        Path part = zone("intel-rapl:0:0", "core", 0);
        Path all = zone("intel-rapl:2", "psys", 0);
        try (EnergyMeter meter = new EnergyMeter(folder, NOBODY, System::nanoTime)) {
            Files.writeString(first, "4000000");
            Files.writeString(second, "8000000");
            Files.writeString(part, "7000000");
            Files.writeString(all, "7000000");
            EnergyMeter.Reading taken = meter.read();
            assertEquals(Map.of("package-0", 5.0, "package-1", 3.0), taken.joules());
            assertEquals(8.0, taken.total());
            assertTrue(
                    taken.text().startsWith("energy: 8.000 J (package-0 5.000, package-1 3.000); no power of GPUs"),
                    taken.text());
        }
    }

    /** Watts at moments: the mean of two between them, and the last one since. What is no number is passed over. */
    @Test
    void powerIsSummedUpOverTime() {
        AtomicLong now = new AtomicLong(1);
        try (EnergyMeter meter = new EnergyMeter(folder.resolve("nothing"), NOBODY, now::get)) {
            meter.hear("0, 100.0");
            meter.hear("1, 50");
            now.addAndGet(2_000_000_000);
            meter.hear("0, 200.0");
            meter.hear("1, [N/A]");
            now.addAndGet(1_000_000_000);
            EnergyMeter.Reading taken = meter.read();
            assertEquals(300 + 200, taken.joules().get("GPU 0"), 1e-9);
            assertEquals(150, taken.joules().get("GPU 1"), 1e-9);
        }
    }

    /** A program that tells power line by line is heard, and ended with the meter. */
    @Test
    void aProgramIsHeard() {
        List<String> program = List.of("sh", "-c", "echo '0, 10.5'; exec sleep 100");
        try (EnergyMeter meter = new EnergyMeter(folder, program, System::nanoTime)) {
            assertEquals(Set.of("GPU 0"), meter.read().joules().keySet());
        }
    }

    @Test
    void withoutCountersItIsSaid() {
        try (EnergyMeter meter = new EnergyMeter(folder, NOBODY, System::nanoTime)) {
            EnergyMeter.Reading taken = meter.read();
            assertNull(taken.total());
            assertTrue(
                    taken.text().startsWith("energy: not known; no counters of processors (RAPL) in "), taken.text());
        }
    }

    @Test
    void runTellsItIfItIsAsked() {
        Cli.Result run = InProcess.run("run", "saxpy", "--size", "4Ki", "--devices", "jvm", "--energy")
                .done();
        assertTrue(run.out().contains("energy: "), run::out);
        Map<String, Object> json = InProcess.run(
                        "run", "saxpy", "--size", "4Ki", "--devices", "jvm", "--energy", "--json", "-")
                .json();
        assertTrue(json.containsKey("joules") && json.containsKey("joulesBy"), json::toString);
    }
}
