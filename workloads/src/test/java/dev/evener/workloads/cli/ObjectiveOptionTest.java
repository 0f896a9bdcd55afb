package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.event.RunEvent;
import dev.evener.policy.Power;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --objective}: by watts of a machine file, or measured, or refused with the reason. */
class ObjectiveOptionTest {
    @TempDir
    Path folder;

    private Path machine(String... watts) throws IOException {
        String[] units = {"1000", "2000", "2500"};
        String devices = IntStream.range(0, watts.length)
                .mapToObj(i -> "{\"id\": \"0." + i + "\", \"kind\": \"cpu\", \"memory\": \"m" + i + "\"" + watts[i]
                        + ", \"kernels\": {\"*\": {\"nanosPerUnit\": " + units[i] + "}}}")
                .collect(Collectors.joining(", "));
        return Files.writeString(
                folder.resolve("machine.json"),
                "{\"format\": \"evener-machine\", \"version\": 1, \"devices\": [" + devices + "]}");
    }

    private Path trace() throws IOException {
        return Files.writeString(
                folder.resolve("jobs.csv"),
                "arrival_seconds,seconds,processors\n"
                        + IntStream.range(0, 60)
                                .mapToObj(i -> 10 * i + ",0.004,256\n")
                                .collect(Collectors.joining()));
    }

    private double[] secondsAndJoules(Path machine, String... options) throws IOException {
        Object[] words = new Object[options.length + 6];
        System.arraycopy(new Object[] {"simulate", trace(), "--machine", machine, "--json", "-"}, 0, words, 0, 6);
        System.arraycopy(options, 0, words, 6, options.length);
        Map<String, Object> json = InProcess.run(words).json();
        double running = ReportSchema.objects(json, "outcomes").stream()
                .mapToDouble(each -> ((Number) each.get("endedSeconds")).doubleValue()
                        - ((Number) each.get("startedSeconds")).doubleValue())
                .sum();
        double idle = 20 * ((Number) json.get("makespanSeconds")).doubleValue(); // which is the same for all
        return new double[] {running, ((Number) json.get("joules")).doubleValue() - idle + 20 * running};
    }

    /** Each is least by what it keeps least: of the times of jobs, the energy meanwhile, and the product. */
    @Test
    void eachKeepsItsOwnLeast() throws IOException {
        Path machine = machine(
                ", \"idleWatts\": 10, \"busyWatts\": 400",
                ", \"idleWatts\": 5, \"busyWatts\": 60",
                ", \"idleWatts\": 5, \"busyWatts\": 330");
        double[] time = secondsAndJoules(machine);
        double[] energy = secondsAndJoules(machine, "--objective", "energy");
        double[] product = secondsAndJoules(machine, "--policy", "adaptive:edp");
        assertTrue(time[0] < product[0] && product[0] < energy[0], () -> time[0] + " " + product[0] + " " + energy[0]);
        assertTrue(energy[1] < product[1] && product[1] < time[1], () -> energy[1] + " " + product[1] + " " + time[1]);
        assertTrue(product[0] * product[1] < Math.min(time[0] * time[1], energy[0] * energy[1]));
    }

    @Test
    void machinesWithoutWattsAreRefused() throws IOException {
        Path machine = machine(", \"idleWatts\": 10, \"busyWatts\": 400", "");
        InProcess.run("simulate", trace(), "--machine", machine, "--objective", "energy")
                .refused(1, "--objective energy: nothing says what 0.1 draws: give it idleWatts and busyWatts");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "run fma --objective joules|--objective: objective 'joules' is not one of time, energy, edp",
                "run fma --objective edp --policy static|--objective is for --policy adaptive, not for static",
                "run fma --objective edp --split 0.5,0.5|--objective is for --policy adaptive, not for --split",
                "simulate --machines 2 --objective edp|--objective",
                "replay x.record --objective edp|--energy and --objective go with logs and tables",
            })
    void whatDoesNotGoTogetherIsRefused(String words, String message) {
        InProcess.run((Object[]) words.split(" ", -1)).refused(2, message);
    }

    /** As its counters say, this machine measures or refuses. */
    @Test
    void withoutCountersItIsRefusedWithTheReason() {
        boolean any;
        try (EnergyMeter meter = EnergyMeter.open()) {
            any = meter.read().total() != null;
        }
        if (!any) {
            InProcess.run("run", "saxpy", "--size", "4Ki", "--devices", "jvm", "--objective", "energy")
                    .refused(1, "--objective energy: nothing counts energy here: no counters of processors (RAPL) in ");
        }
    }

    /** A counter that goes up with what a device computes: 200 W while it is at work, and nothing else. */
    @Test
    void powersAreMeasured() throws IOException {
        Path zone = Files.createDirectories(folder.resolve("intel-rapl:0"));
        Files.writeString(zone.resolve("name"), "package-0\n");
        Files.writeString(zone.resolve("max_energy_range_uj"), "1000000000000\n");
        Path counter = Files.writeString(zone.resolve("energy_uj"), "0\n");
        double[] joules = new double[1];
        boolean[] counts = {true};
        try (EnergyMeter meter = new EnergyMeter(folder, List.of("there-is-no-such-program"), System::nanoTime);
                Evener evener = Evener.builder()
                        .devices(DeviceSelector.parse("jvm"))
                        .listener(event -> {
                            if (event instanceof RunEvent.Chunk chunk && counts[0]) {
                                synchronized (joules) {
                                    joules[0] += 200 * (chunk.end() - chunk.start()) / 1e9;
                                    write(counter, joules[0]);
                                }
                            }
                        })
                        .open()) {
            Map<String, Power> powers = meter.powers(evener);
            assertEquals(1, powers.size());
            Power power = powers.values().iterator().next();
            assertEquals(0, power.idleWatts());
            assertTrue(power.busyWatts() > 20 && power.busyWatts() < 250, power::toString);
            counts[0] = false;
            String message = assertThrows(IllegalStateException.class, () -> meter.powers(evener))
                    .getMessage();
            assertTrue(message.startsWith("nothing that is counted draws more while "), message);
        }
    }

    private static void write(Path counter, double joules) {
        try { // at once, as its reader is another thread
            Path next = Files.writeString(counter.resolveSibling("next"), Math.round(joules * 1e6) + "\n");
            Files.move(next, counter, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
