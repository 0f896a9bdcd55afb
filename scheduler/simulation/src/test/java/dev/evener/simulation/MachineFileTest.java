package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MachineFileTest {
    @TempDir
    Path folder;

    private Path file;
    private Machine machine;

    @BeforeEach
    void write() throws IOException {
        file = folder.resolve("machine.json");
        KernelModel kernel = KernelModel.of(1234.5, 6.25)
                .withSpread(0.05)
                .withWave(64)
                .withLaunch(1, 2, 3)
                .withSlowdown(1.5);
        KernelModel.Launch copying =
                new KernelModel.Launch(0.5, Times.of(1), 0.25, Times.of(2), Times.of(4), Times.of(3), Times.of(7));
        machine = new Machine(
                List.of(
                        Beds.device("0.0", kernel.withBytesPerUnit(4, 8)).withWake(9),
                        Beds.device("0.1", kernel.withLaunch(copying))
                                .withLink(new Link(10, 1e9, 2e9, 0.5, new Times(List.of(0.75, 1.25)), "bus", List.of())
                                        .behind(new Link.Hop("port", 3e9, 4e9), new Link.Hop("switch", 5e9, 6e9)))
                                .withMemory("own")
                                .withAhead(1)),
                Map.of("k", new KernelWork(List.of(1.0, 2.5, 0.5), 77, 0.25)),
                Map.of("adaptive", Times.of(33), "static", new Times(List.of(5.0, 6.0))));
        machine.write(file);
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        Machine read = Machine.read(file);
        assertEquals(machine.kernels(), read.kernels());
        assertEquals(machine.planNanos(), read.planNanos());
        assertEquals(2, read.devices().size());
        for (int i = 0; i < 2; i++) {
            DeviceModel a = machine.devices().get(i);
            DeviceModel b = read.devices().get(i);
            assertEquals(a.device().identity(), b.device().identity());
            assertEquals(a.device().id(), b.device().id());
            assertEquals(a.device().roughSpeed(), b.device().roughSpeed());
            assertEquals(a.kernels(), b.kernels());
            assertEquals(a.link(), b.link());
            assertEquals(a.memory(), b.memory());
            assertEquals(a.wakeNanos(), b.wakeNanos());
            assertEquals(a.ahead(), b.ahead());
        }
        Path again = folder.resolve("again.json");
        read.write(again);
        assertEquals(Files.readString(file), Files.readString(again));
    }

    @Test
    void littleNeedsToBeSaid() throws IOException {
        Files.writeString(
                file,
                "{\"format\":\"evener-machine\",\"version\":1,\"devices\":[{\"id\":\"0.0\",\"kind\":\"gpu\","
                        + "\"kernels\":{\"k\":{\"nanosPerUnit\":2}}}]}");
        Machine read = Machine.read(file);
        assertEquals(KernelModel.of(0, 2), read.devices().get(0).kernels().get("k"));
        assertEquals(Link.NONE, read.devices().get(0).link());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "evener-machine | something | it is no such file",
                "\"version\" : 1 | \"version\" : 2 | it has version 2",
                "\"nanosPerUnit\" : 6.25 | \"nanosPerUnit\" : -1 | devices[0].kernels.k: nanosPerUnit is -1.0",
                "\"nanosPerUnit\" : 6.25 | \"nanosPerUnit\" : \"x\" | devices[0].kernels.k.nanosPerUnit must be a number",
                "\"nanosPerUnit\" : 6.25 | \"nanosperunit\" : 6.25 | devices[0].kernels.k.nanosperunit means nothing here",
                "\"nanosPerUnit\" : 6.25 | \"nanosPerUnit\" : null | devices[0].kernels.k.nanosPerUnit is null",
                "\"factor\" : [ 0.95, 1.05 ] | \"factor\" : [ 2, 1 ] | devices[0].kernels.k.factor: a quantile is 1.0",
                "\"noticeNanos\" : 3.0 | \"noticeNanos\" : -3 | devices[0].kernels.k: noticeNanos is -3.0",
                "\"slowdown\" : 1.5 | \"slowdown\" : 0.5 | slowdown is 0.5",
                "\"overlap\" : 0.5 | \"overlap\" : 1.5 | devices[1].link: overlap is 1.5",
                "\"id\" : \"0.1\" | \"id\" : \"0.0\" | two devices with the id 0.0",
                "\"factor\" : [ 0.75, 1.25 ] | \"factor\" : \"x\" | devices[1].link.factor must be a number",
                "\"gapNanos\" : 4.0 | \"gapNanos\" : -4 | devices[1].kernels.k: gapNanos is -4.0",
                "\"adaptive\" : 33.0 | \"adaptive\" : -1 | adaptive is -1.0",
                "\"adaptive\" : 33.0 | \"adaptive\" : {} | planNanos.adaptive must be a number",
                "\"kind\" : \"cpu\" | \"kind\" : \"fpga\" | devices[0].kind is 'fpga'",
                "\"hostNanos\" : 77.0 | \"hostNanos\" : [] | kernels.k.hostNanos must be a number",
                "\"profile\" : [ 1.0 | \"profile\" : [ -1 | profile is -1.0",
                "\"devices\" : [ | \"devices\" : 3, \"x\" : [ | \"devices\" must be a list",
                "} | x | "
            })
    void whatIsWrongIsSaid(String part, String instead, String message) throws IOException {
        String text = Files.readString(file);
        assertTrue(text.contains(part), text);
        int at = text.indexOf(part);
        Files.writeString(file, text.substring(0, at) + instead + text.substring(at + part.length()));
        String said =
                assertThrows(EvenerException.class, () -> Machine.read(file)).getMessage();
        assertTrue(said.startsWith("machine file " + file + ": "), said);
        assertTrue(said.contains(message == null ? "" : message), said);
    }
}
