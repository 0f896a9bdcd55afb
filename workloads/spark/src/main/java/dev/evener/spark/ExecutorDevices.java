package dev.evener.spark;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From the GPU addresses that Spark gave an executor to devices: by UUID, else by PCI place, or an id of this node such as
 * {@code 0.1}. An index is taken for a place in the order of the PCI bus, with a warning, and refused where
 * {@code CUDA_VISIBLE_DEVICES} makes two orders of one. Stateless.
 */
final class ExecutorDevices {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutorDevices.class);

    private ExecutorDevices() {}

    /**
     * What to open.
     *
     * @param wanted {@link EvenerPlugin#DEVICES}, empty if it is not set
     * @param gpus Spark's addresses, none if it gave no GPUs
     * @param devices all that this process sees
     * @throws EvenerException if an address is none of a device here; it names both lists
     */
    static DeviceSelector selector(
            String wanted, List<String> gpus, List<DeviceInfo> devices, Map<String, String> environment) {
        if (gpus.isEmpty()) {
            return wanted.isEmpty() ? DeviceSelector.all() : DeviceSelector.parse(wanted);
        }
        DeviceSelector own = DeviceSelector.ids(gpus.stream()
                .map(address -> id(address, gpus, devices, environment))
                .toList());
        // Unlike ids, this leaves out what fails its self-test.
        return DeviceSelector.where(d -> own.matches(d)
                || (!wanted.isEmpty()
                        && d.kind() != DeviceKind.GPU
                        && DeviceSelector.parse(wanted).matches(d)));
    }

    private static String id(
            String address, List<String> gpus, List<DeviceInfo> devices, Map<String, String> environment) {
        for (String id : List.of("uuid:" + address, "pci:" + address, address)) {
            DeviceSelector one = parsed(id);
            if (one != null && devices.stream().anyMatch(d -> d.kind() != DeviceKind.JVM && one.matches(d))) {
                return id;
            }
        }
        String both = "Spark gave this executor the GPUs " + gpus + ", and OpenCL has " + list(devices);
        if (!address.matches("\\d{1,4}")) {
            throw new EvenerException(both + ": " + address + " is none of them");
        }
        if (environment.containsKey("CUDA_VISIBLE_DEVICES")) {
            throw new EvenerException(
                    both + ": the index " + address
                            + " may count other GPUs than are visible here (CUDA_VISIBLE_DEVICES); have the discovery script print UUIDs");
        }
        List<DeviceInfo> inOrder = devices.stream()
                .filter(d -> d.kind() == DeviceKind.GPU)
                .sorted(Comparator.comparing(d -> String.valueOf(d.pci())))
                .toList();
        if (Integer.parseInt(address) >= inOrder.size()) {
            throw new EvenerException(both + ": there is no GPU with the index " + address);
        }
        DeviceInfo device = inOrder.get(Integer.parseInt(address));
        LOG.warn(
                "GPU address {} is an index: taken for {} by the order of PCI places; have the discovery script print UUIDs",
                address,
                list(List.of(device)));
        return device.id();
    }

    private static @Nullable DeviceSelector parsed(String id) {
        try {
            return DeviceSelector.ids(List.of(id));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Prints what a discovery script of Spark's has to: devices of a kind as addresses that {@link #selector} knows. */
    public static void main(String[] kind) {
        System.out.println("{\"name\": \"gpu\", \"addresses\": " + addresses(Evener.discover(), kind[0]) + "}");
    }

    static String addresses(List<DeviceInfo> devices, String kind) {
        return devices.stream()
                .filter(d -> d.kind().name().equalsIgnoreCase(kind))
                .map(d -> d.uuid() != null ? "GPU-" + d.uuid() : d.pci() != null ? d.pci() : d.id())
                .distinct()
                .collect(Collectors.joining("\", \"", "[\"", "\"]"))
                .replace("[\"\"]", "[]");
    }

    /** Devices for a message. */
    static String list(List<DeviceInfo> devices) {
        return devices.stream()
                .map(d -> d.id() + " " + d.name() + (d.uuid() == null ? "" : " GPU-" + d.uuid())
                        + (d.pci() == null ? "" : " " + d.pci()))
                .collect(Collectors.joining(", ", "[", "]"));
    }
}
