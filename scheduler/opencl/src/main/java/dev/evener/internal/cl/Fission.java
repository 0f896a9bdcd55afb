package dev.evener.internal.cl;

import dev.evener.DeviceInfo.Partitioning;
import dev.evener.EvenerException;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.device.DevicePart;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jocl.CL;
import org.jocl.cl_device_id;
import org.jocl.cl_device_partition_property;

/** Opens devices, and parts of devices as sub-devices. Stateless; any thread. */
public final class Fission {
    private static final long[] NUMA = {CL.CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL.CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0
    };

    private Fission() {}

    /** How a device can be partitioned. */
    public static Partitioning partitioning(ClDevice whole) {
        cl_device_id handle = whole.handle();
        List<Long> ways = ways(handle);
        boolean byCounts = ways.contains((long) CL.CL_DEVICE_PARTITION_BY_COUNTS);
        boolean numa = ways.contains((long) CL.CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
                && (Cl.deviceNumber(handle, CL.CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 0)
                                & CL.CL_DEVICE_AFFINITY_DOMAIN_NUMA)
                        != 0;
        int most = (int) Math.min(
                whole.info().computeUnits(), Cl.deviceNumber(handle, CL.CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 0));
        List<Integer> nodes = numa ? unitsOfNodes(whole, most) : List.of();
        return byCounts || !nodes.isEmpty() ? new Partitioning(most, byCounts, nodes) : Partitioning.NONE;
    }

    /** Of each NUMA node: known only once they are sub-devices. */
    private static List<Integer> unitsOfNodes(ClDevice whole, int most) {
        try {
            cl_device_id[] nodes = partition(whole.handle(), NUMA, most);
            List<Integer> units = Stream.of(nodes).map(Fission::units).toList();
            Stream.of(nodes).forEach(Fission::release);
            return units;
        } catch (ClFailure e) { // a machine without several nodes, perhaps
            return List.of();
        }
    }

    /** The ways in which a device can be partitioned, and zeroes. */
    private static List<Long> ways(cl_device_id device) {
        ByteBuffer ways =
                Cl.deviceAnswer(device, CL.CL_DEVICE_PARTITION_PROPERTIES, 16 * Long.BYTES); // there are three
        return IntStream.range(0, ways == null ? 0 : 16)
                .mapToObj(i -> ways.getLong(i * Long.BYTES))
                .toList();
    }

    /**
     * Partitions a device. To be called only where the device offers the first of the properties: Rusticl has no such call, and
     * the process ends.
     *
     * @param properties how, up to and including the zero that ends them
     * @param most how many parts that gives, or more
     */
    private static cl_device_id[] partition(cl_device_id device, long[] properties, int most) {
        cl_device_partition_property how = new cl_device_partition_property();
        for (int i = 0; i < properties.length; i += 2) { // JOCL takes pairs, and adds a zero
            how.addProperty(properties[i], i + 1 < properties.length ? properties[i + 1] : 0);
        }
        cl_device_id[] parts = new cl_device_id[most];
        int[] count = new int[1];
        Cl.check("partitioning a device", () -> CL.clCreateSubDevices(device, how, most, parts, count));
        cl_device_id[] made = Arrays.copyOf(parts, Math.min(most, count[0]));
        for (int i = 0; i < made.length; i++) {
            NativeLedger.made(NativeLedger.Kind.SUB_DEVICE);
        }
        return made;
    }

    private static int units(cl_device_id device) {
        return (int) Cl.deviceNumber(device, CL.CL_DEVICE_MAX_COMPUTE_UNITS, 1);
    }

    /**
     * Devices by their ids, in that order. Those that are parts must be {@link #release released}.
     *
     * @param known all whole devices
     */
    public static List<ClDevice> open(List<String> ids, List<ClDevice> known) {
        Map<String, ClDevice> whole = new LinkedHashMap<>();
        known.forEach(d -> whole.put(d.id(), d));
        Map<String, ClDevice> opened = new HashMap<>();
        Map<String, List<DevicePart>> parts = new LinkedHashMap<>();
        for (String id : ids) {
            DevicePart part = DevicePart.of(id);
            ClDevice device = whole.get(part.device());
            if (device == null) {
                throw new EvenerException("there is no device " + id + "; there are " + whole.keySet());
            }
            if (part.isWhole()) {
                opened.put(id, device);
            } else {
                parts.computeIfAbsent(part.device(), d -> new ArrayList<>()).add(part);
            }
        }
        try {
            parts.forEach((device, wanted) -> split(whole.get(device), wanted, opened));
        } catch (RuntimeException e) {
            release(opened.values());
            throw e;
        }
        return ids.stream().map(opened::get).toList();
    }

    /** By one call for all parts of a device: the parts of two calls would begin with the same compute unit. */
    private static void split(ClDevice whole, List<DevicePart> wanted, Map<String, ClDevice> opened) {
        int most = partitioning(whole).maxParts();
        boolean numa = wanted.get(0).node() >= 0;
        List<DevicePart> all = numa ? nodes(whole, most) : withGaps(wanted);
        if (all.size() > most) {
            throw new EvenerException("device " + whole.id() + " cannot be split into " + all.size()
                    + " parts, the units between those that are wanted included: its driver allows " + most);
        }
        cl_device_id[] handles = partition(whole.handle(), numa ? NUMA : counts(all), all.size());
        for (int i = 0; i < handles.length; i++) {
            if (wanted.contains(all.get(i))) {
                String id = all.get(i).id();
                opened.put(id, whole.part(handles[i], whole.info().part(id, units(handles[i]))));
            } else {
                release(handles[i]);
            }
        }
    }

    private static List<DevicePart> nodes(ClDevice whole, int most) {
        return IntStream.range(0, most)
                .mapToObj(i -> new DevicePart(whole.id(), i, 0, 0))
                .toList();
    }

    /** The parts in the order of their units, and between them what lies there: counts leave nothing out. */
    static List<DevicePart> withGaps(List<DevicePart> wanted) {
        List<DevicePart> all = new ArrayList<>();
        int next = 0;
        for (DevicePart part :
                wanted.stream().sorted(Comparator.comparing(DevicePart::first)).toList()) {
            if (part.first() > next) {
                all.add(new DevicePart(part.device(), -1, next, part.first() - next));
            }
            all.add(part);
            next = part.first() + part.units();
        }
        return all;
    }

    private static long[] counts(List<DevicePart> parts) {
        long[] properties = new long[parts.size() + 3];
        properties[0] = CL.CL_DEVICE_PARTITION_BY_COUNTS;
        for (int i = 0; i < parts.size(); i++) {
            properties[i + 1] = parts.get(i).units();
        }
        return properties; // a zero ends the counts, a second one the properties
    }

    /** Releases those of some devices that are parts; after everything that was made for them. */
    static void release(Collection<ClDevice> devices) {
        devices.stream().filter(ClDevice::isPart).forEach(device -> release(device.handle()));
    }

    private static void release(cl_device_id subDevice) {
        NativeLedger.freed(NativeLedger.Kind.SUB_DEVICE);
        Cl.succeeds(() -> CL.clReleaseDevice(subDevice));
    }
}
