package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceProbe;
import dev.evener.DeviceSelector;
import dev.evener.EvenerException;
import dev.evener.Partitioning;
import dev.evener.internal.DeviceChoice;
import dev.evener.internal.Processors;
import dev.evener.internal.jvm.JvmLane;
import dev.evener.internal.jvm.JvmProbe;
import dev.evener.internal.run.Lane;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The devices of this machine, OpenCL's and the JVM lane: listed, chosen, opened, measured. Stateless; any thread. */
public final class Devices {
    private Devices() {}

    /** All of them, under every runtime. */
    public static List<DeviceInfo> all() {
        List<DeviceInfo> all = new ArrayList<>(OpenCl.devices());
        all.add(jvm());
        return all;
    }

    private static DeviceInfo jvm() {
        return JvmLane.describe(Processors.count());
    }

    /**
     * Those that a selector means.
     *
     * @throws EvenerException if it names what is not there
     */
    public static DeviceChoice choose(DeviceSelector selector) {
        String problem = OpenCl.problem();
        return DeviceChoice.of(
                selector,
                OpenCl.devices(),
                jvm(),
                problem == null ? "" : problem,
                Devices::partitioning,
                device -> OpenCl.fault(device.id()));
    }

    /** How one of them can be opened in parts. */
    public static Partitioning partitioning(DeviceInfo device) {
        return OpenCl.partitioning(device.id());
    }

    /**
     * A lane for each, in their order.
     *
     * @throws EvenerException if one cannot be opened
     */
    public static List<Lane> open(
            List<DeviceInfo> chosen, @Nullable Path programs, boolean ofAllDrivers, OpenCl.Options options) {
        List<String> openCl = chosen.stream()
                .filter(d -> d.kind() != DeviceKind.JVM)
                .map(DeviceInfo::id)
                .toList();
        Map<String, Lane> byId = OpenCl.open(openCl, programs, ofAllDrivers, options).stream()
                .collect(Collectors.toMap(lane -> lane.device().id(), Function.identity()));
        List<Lane> lanes = new ArrayList<>();
        for (DeviceInfo device : chosen) {
            Lane lane = byId.get(device.id());
            lanes.add(lane != null ? lane : new JvmLane(device.computeUnits()));
        }
        return lanes;
    }

    /** Measures each; see {@link dev.evener.EvenerBuilder#probe}. */
    public static List<DeviceProbe> probe(DeviceSelector selector, boolean allowSharing, Consumer<String> progress) {
        List<DeviceProbe> probes = new ArrayList<>();
        for (DeviceInfo device : choose(selector).devices()) {
            String id = device.id();
            Consumer<String> named = what -> progress.accept("device " + id + ": " + what);
            try {
                probes.add(
                        device.kind() == DeviceKind.JVM
                                ? JvmProbe.measure(device, named)
                                : OpenCl.probe(id, allowSharing, named));
            } catch (EvenerException e) {
                throw new EvenerException("device " + id + " could not be measured: " + e.getMessage(), e);
            }
        }
        return probes;
    }
}
