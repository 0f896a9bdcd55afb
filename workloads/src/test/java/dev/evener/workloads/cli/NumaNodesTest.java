package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of nodes, on hosts made up of files as Linux has them. */
class NumaNodesTest {
    @TempDir
    Path sys;

    private final List<DeviceInfo> devices = List.of(
            device("0.0", null),
            device("1.0", "0000:3B:00.0"),
            device("1.1", "0000:af:00.0"),
            device("1.2", "0000:d8:00.0"));

    private static DeviceInfo device(String id, String pci) {
        return new DeviceInfo(
                id, "platform", "name", DeviceKind.GPU, "1", 1, 1, 1, 128, 64, 1, 1, false, "physical", null, pci);
    }

    private void nodes(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            Files.createDirectories(sys.resolve("devices/system/node/node" + i));
        }
        Files.writeString(sys.resolve("devices/system/node/online"), "0-" + (count - 1));
    }

    private void isAt(String pci, int node) throws IOException {
        Path folder = Files.createDirectories(sys.resolve("bus/pci/devices").resolve(pci));
        Files.writeString(folder.resolve("numa_node"), node + "\n");
    }

    @Test
    void eachDeviceHasItsNodeWhereThereAreSeveral() throws IOException {
        nodes(2);
        isAt("0000:3b:00.0", 0);
        isAt("0000:af:00.0", 1);
        isAt("0000:d8:00.0", -1); // nobody knows
        assertEquals(
                "this host has 2 NUMA nodes; nearest are 1.0 to node 0, 1.1 to node 1; for one of them alone, numactl"
                        + " --cpunodebind=NODE --membind=NODE keeps threads and memory there",
                NumaNodes.note(devices, sys));
    }

    @Test
    void nothingIsSaidWhereThereIsOneOrNobodyTells() throws IOException {
        assertNull(NumaNodes.note(devices, sys), "no Linux");
        nodes(1);
        isAt("0000:3b:00.0", 0);
        assertNull(NumaNodes.note(devices, sys), "one node");
        nodes(2);
        isAt("0000:3b:00.0", -1);
        assertNull(NumaNodes.note(devices, sys), "a virtual machine that hides it");
    }
}
