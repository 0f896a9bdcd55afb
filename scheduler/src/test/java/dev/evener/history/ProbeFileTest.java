package dev.evener.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.evener.DeviceInfo;
import dev.evener.DeviceProbe;
import dev.evener.DeviceProbe.Figure;
import dev.evener.DeviceProbe.Transfers;
import dev.evener.MadeUpDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What devices were measured to do is kept beside the history, and no state of that file does harm. */
class ProbeFileTest {
    private static final DeviceInfo CPU = MadeUpDevices.cpu("0.0", MadeUpDevices.POCL);
    private static final DeviceInfo GPU = MadeUpDevices.gpu("1.0", MadeUpDevices.NVIDIA, "pci 1");

    @TempDir
    Path folder;

    private Path history() {
        return folder.resolve("sub/history.json");
    }

    private Path file() {
        return folder.resolve("sub/probes.json");
    }

    private static Figure figure(double median) {
        return new Figure(median, 0.25, 7);
    }

    /** With figures that survive being written as seconds. */
    static DeviceProbe probe(DeviceInfo device) {
        Transfers transfers =
                device.sharesHostMemory() ? null : new Transfers(figure(10e9), figure(18e9), figure(20e9));
        return new DeviceProbe(device.identity(), figure(16_000), figure(4e12), figure(3e12), transfers, transfers);
    }

    private void keepBoth() {
        History history = History.at(history());
        history.keep(probe(CPU));
        history.keep(probe(GPU));
        history.save();
    }

    @Test
    void whatWasKeptIsFoundAgain() {
        assertNull(History.at(history()).probe(CPU));
        keepBoth();
        History again = History.at(history());
        assertEquals(probe(CPU), again.probe(CPU));
        assertEquals(probe(GPU), again.probe(GPU));
        assertNull(again.probe(MadeUpDevices.cpu("0.1", MadeUpDevices.POCL)), "another device");
        again.keep(new DeviceProbe(CPU.identity(), figure(1000), figure(1e9), figure(2e9), null, null));
        again.save();
        assertEquals(1000, History.at(history()).probe(CPU).launchNanos().median(), 1e-9);
        assertEquals(probe(GPU), History.at(history()).probe(GPU));
    }

    @Test
    void theDriverIsPartOfTheIdentity() {
        keepBoth();
        DeviceInfo updated = new DeviceInfo(
                CPU.id(),
                CPU.platform(),
                CPU.name(),
                CPU.kind(),
                "2.0",
                4,
                1L << 30,
                1L << 28,
                128,
                64,
                16,
                1000,
                true,
                "cpu");
        assertNull(History.at(history()).probe(updated));
    }

    @Test
    void nothingIsWrittenThatDidNotChange() throws IOException {
        keepBoth();
        Files.delete(file());
        History.at(history()).save();
        assertFalse(Files.exists(file()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\'',
            value = {
                "\"version\" : 1; \"version\" : 2",
                "evener-probes; evener-history",
                "\"devices\" : [; \"devices\" : [ 3,",
                "\"median\" : 1.6E-5; \"median\" : 0",
                "\"median\" : 1.6E-5; \"median\" : -1",
                "\"median\" : 1.6E-5; \"median\" : \"fast\"",
                "\"samples\" : 7; \"samples\" : 0",
                "\"spread\" : 0.25; \"spread\" : 1e200",
                "toDeviceBytesPerSecond; upBytesPerSecond",
                "\"pageable\" : {; \"pageable\" : 3, \"x\" : {",
            })
    void aFileThatCannotBeUnderstoodIsSetAside(String from, String to) throws IOException {
        keepBoth();
        String good = Files.readString(file());
        String bad = good.replace(from, to);
        assertNotEquals(good, bad, "the damage did nothing");
        Files.writeString(file(), bad);

        History history = History.at(history());

        assertNull(history.probe(CPU));
        assertNull(history.probe(GPU));
        assertFalse(Files.exists(file()));
        assertEquals(bad, Files.readString(folder.resolve("sub/probes.json.damaged")));
        keepBoth();
        assertEquals(probe(GPU), History.at(history()).probe(GPU));
    }
}
