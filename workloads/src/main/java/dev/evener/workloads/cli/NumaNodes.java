package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.internal.files.PlainFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a host has several nodes of memory and processors, the one that each GPU is nearest to, as Linux tells by the GPU's place on the
 * bus. Java cannot bind a thread to a node: a page lies on the node of the thread that touches it first. Stateless; any thread.
 */
final class NumaNodes {
    private static final Logger LOG = LoggerFactory.getLogger(NumaNodes.class);

    private NumaNodes() {}

    /**
     * A line that says which devices are near which node; null where there is one node, or nothing is told.
     *
     * @param sys {@code /sys}
     */
    static @Nullable String note(List<DeviceInfo> devices, Path sys) {
        long nodes = count(sys.resolve("devices/system/node"));
        List<String> near = new ArrayList<>();
        for (DeviceInfo device : nodes > 1 ? devices : List.<DeviceInfo>of()) {
            int node = nodeOf(device, sys);
            if (node >= 0) {
                near.add(device.id() + " to node " + node);
            }
        }
        return near.isEmpty()
                ? null
                : "this host has " + nodes + " NUMA nodes; nearest are " + String.join(", ", near)
                        + "; for one of them alone, numactl --cpunodebind=NODE --membind=NODE keeps threads and memory there";
    }

    private static long count(Path folder) {
        try (Stream<Path> each = Files.list(folder)) {
            return each.filter(node -> node.getFileName().toString().matches("node[0-9]+"))
                    .count();
        } catch (NoSuchFileException | NotDirectoryException e) { // not Linux, or a container that hides it
            return 0;
        } catch (IOException e) {
            LOG.debug("the host's nodes are not known", e);
            return 0;
        }
    }

    /** -1 if it is not known, which Linux says so too. */
    private static int nodeOf(DeviceInfo device, Path sys) {
        String pci = device.pci();
        if (pci == null) {
            return -1;
        }
        Path file = sys.resolve("bus/pci/devices")
                .resolve(pci.toLowerCase(Locale.ROOT))
                .resolve("numa_node");
        try {
            return Integer.parseInt(PlainFiles.text(file, 1 << 10).strip());
        } catch (IOException | NumberFormatException e) {
            LOG.debug("the node of device {} is not known", device.id(), e);
            return -1;
        }
    }
}
