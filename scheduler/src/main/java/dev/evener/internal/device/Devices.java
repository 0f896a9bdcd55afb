package dev.evener.internal.device;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.internal.jvm.JvmLane;
import dev.evener.internal.run.Lane;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.ToDoubleBiFunction;

/** The devices of this machine, the back-end's and the JVM lane: listed, chosen, opened. Thread-safe. */
public final class Devices {
    /** The one there is; where its module is missing, one without devices. */
    public static final BackEnd BACK_END = ServiceLoader.load(BackEnd.class, BackEnd.class.getClassLoader())
            .findFirst()
            .orElse(Devices::none);

    private Devices() {}

    private static List<DeviceInfo> none(List<String> problems) {
        problems.add("OpenCL's module is missing (add dev.evener:evener-opencl to the class path or module path)");
        return List.of();
    }

    /** All of them, under every runtime, in the order in which the OpenCL library lists them; the JVM lane last. */
    public static List<DeviceInfo> all() {
        List<DeviceInfo> all = new ArrayList<>(BACK_END.devices(new ArrayList<>()));
        all.add(jvm());
        return all;
    }

    private static DeviceInfo jvm() {
        return JvmLane.describe(Runtime.getRuntime().availableProcessors());
    }

    /**
     * Those that a selector means. Tests OpenCL devices whose driver this user sees for the first time, which takes a
     * second for each, and a minute for one that hangs.
     *
     * @param inJobs how many times as fast one device was as another in jobs, or NaN; asked only of those that are the
     *     same hardware
     * @throws dev.evener.EvenerException if it names what is not there
     */
    public static DeviceChoice choose(DeviceSelector selector, ToDoubleBiFunction<DeviceInfo, DeviceInfo> inJobs) {
        return DeviceChoice.of(selector, BACK_END, jvm(), inJobs);
    }

    /**
     * Opens a lane for each.
     *
     * @throws dev.evener.EvenerException if one cannot be opened
     */
    public static BackEnd.Opened open(List<DeviceInfo> chosen, BackEnd.Options options) {
        BackEnd.Opened opened = BACK_END.open(
                chosen.stream().filter(d -> d.kind() != DeviceKind.JVM).toList(), options);
        Iterator<Lane> its = opened.lanes().iterator();
        List<Lane> inOrder = chosen.stream()
                .map(d -> d.kind() == DeviceKind.JVM ? new JvmLane(d.computeUnits()) : its.next())
                .toList();
        return new BackEnd.Opened(inOrder, opened.contexts(), opened.notes(), opened.pageLocked());
    }
}
