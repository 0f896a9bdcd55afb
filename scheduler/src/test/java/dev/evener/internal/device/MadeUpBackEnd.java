package dev.evener.internal.device;

import dev.evener.DeviceInfo;
import dev.evener.DeviceInfo.Partitioning;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Offers devices that need not be there, and opens none.
 *
 * @param problem why there are no others; empty if nothing is wrong
 */
public record MadeUpBackEnd(
        List<DeviceInfo> devices,
        String problem,
        Function<DeviceInfo, Partitioning> parts,
        Function<DeviceInfo, @Nullable String> faults,
        Function<DeviceInfo, @Nullable DeviceSpeed> speeds)
        implements BackEnd {

    /** Some that are whole and sound, and that nobody has measured. */
    public MadeUpBackEnd(List<DeviceInfo> devices, String problem) {
        this(devices, problem, device -> Partitioning.NONE, device -> null, device -> null);
    }

    @Override
    public List<DeviceInfo> devices(List<String> problems) {
        if (!problem.isEmpty()) {
            problems.add(problem);
        }
        return devices;
    }

    @Override
    public Partitioning partitioning(DeviceInfo device) {
        return parts.apply(device);
    }

    @Override
    public @Nullable String fault(DeviceInfo device) {
        return faults.apply(device);
    }

    @Override
    public @Nullable DeviceSpeed speed(DeviceInfo device) {
        return speeds.apply(device);
    }
}
