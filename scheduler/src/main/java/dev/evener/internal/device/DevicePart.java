package dev.evener.internal.device;

import dev.evener.DeviceInfo;
import dev.evener.DeviceInfo.Partitioning;
import dev.evener.EvenerException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a device's id says: which device, and which part of it.
 *
 * @param device the whole device's id
 * @param node the NUMA node, or -1
 * @param first the first of its compute units, where it is neither whole nor a node
 * @param units how many there are of them, or 0
 */
public record DevicePart(String device, int node, int first, int units) {
    private static final String NUMA = "numa";

    /** Reads a device's id. */
    public static DevicePart of(String id) {
        int colon = id.indexOf(':');
        if (colon < 0) {
            return new DevicePart(id, -1, 0, 0);
        }
        String device = id.substring(0, colon);
        String part = id.substring(colon + 1);
        if (part.startsWith(NUMA)) {
            return new DevicePart(device, Integer.parseInt(part.substring(NUMA.length())), 0, 0);
        }
        int at = part.indexOf('@');
        return new DevicePart(
                device,
                -1,
                at < 0 ? 0 : Integer.parseInt(part.substring(at + 1)),
                Integer.parseInt(at < 0 ? part : part.substring(0, at)));
    }

    /** The id that says so. */
    public String id() {
        if (isWhole()) {
            return device;
        }
        return device + ":" + (node >= 0 ? NUMA + node : units + (first == 0 ? "" : "@" + first));
    }

    /** Whether it is all of the device, not partitioned. */
    public boolean isWhole() {
        return node < 0 && units == 0;
    }

    /** Whether both may have compute units in common. */
    public boolean overlaps(DevicePart other) {
        if (!device.equals(other.device)) {
            return false;
        }
        if (node >= 0 && other.node >= 0) {
            return node == other.node;
        }
        // Nobody says which units a node has.
        return units == 0 || other.units == 0 || (first < other.first + other.units && other.first < first + units);
    }

    /**
     * The parts of a device that a selector means.
     *
     * @param part what stands behind the colon: of several counts, one
     * @param can how the device can be partitioned
     * @throws EvenerException if it cannot be partitioned so, saying what is possible
     */
    static List<DeviceInfo> choose(DeviceInfo whole, String part, Partitioning can) {
        String asked = whole.id() + ":" + part;
        List<Integer> unitsOfNodes = can.numaNodes();
        if (part.startsWith(NUMA)) {
            List<DeviceInfo> nodes = IntStream.range(0, unitsOfNodes.size())
                    .mapToObj(i -> whole.part(whole.id() + ":" + NUMA + i, unitsOfNodes.get(i)))
                    .filter(node -> part.equals(NUMA) || node.id().equals(asked))
                    .toList();
            return !nodes.isEmpty()
                    ? nodes
                    : refuse(
                            asked,
                            unitsOfNodes.isEmpty()
                                    ? "its driver does not partition it by NUMA node"
                                    : "it has " + unitsOfNodes.size() + " NUMA nodes",
                            whole,
                            can);
        }
        DevicePart chosen = part.startsWith("-")
                ? new DevicePart(whole.id(), -1, 0, whole.computeUnits() + Integer.parseInt(part))
                : of(asked);
        if (!can.byCounts()) {
            return refuse(asked, "its driver does not partition it by counts of compute units", whole, can);
        }
        if (chosen.units <= 0 || chosen.first + chosen.units > whole.computeUnits()) {
            return refuse(asked, "its compute units are " + whole.computeUnits(), whole, can);
        }
        return List.of(whole.part(chosen.id(), chosen.units));
    }

    private static List<DeviceInfo> refuse(String asked, String reason, DeviceInfo whole, Partitioning can) {
        List<String> possible = new ArrayList<>(List.of(whole.id() + " (whole)"));
        if (can.byCounts()) {
            possible.add(whole.id() + ":1 to " + whole.id() + ":" + whole.computeUnits() + " (so many compute units)");
        }
        if (!can.numaNodes().isEmpty()) {
            possible.add(whole.id() + ":" + NUMA + " (its " + can.numaNodes().size() + " NUMA nodes)");
        }
        throw new EvenerException("there is no part " + asked + " of device " + whole.id() + " (" + whole.name() + "): "
                + reason + "; it can be opened as " + String.join(", or ", possible));
    }

    /**
     * Refuses devices of which parts would be used twice.
     *
     * @throws EvenerException if two of them overlap
     */
    static void requireApart(List<DeviceInfo> devices) {
        for (int i = 0; i < devices.size(); i++) {
            for (int j = 0; j < i; j++) {
                String one = devices.get(j).id();
                String other = devices.get(i).id();
                if (of(one).overlaps(of(other))) {
                    throw new EvenerException("devices " + one + " and " + other + " overlap: open device "
                            + of(one).device() + " whole, or in parts that lie apart, such as "
                            + of(one).device() + ":1+1");
                }
            }
        }
    }
}
