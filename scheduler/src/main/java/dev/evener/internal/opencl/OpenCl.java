package dev.evener.internal.opencl;

import dev.evener.DeviceInfo;
import dev.evener.DeviceProbe;
import dev.evener.Partitioning;
import dev.evener.internal.DevicePart;
import dev.evener.internal.PageLocked;
import dev.evener.internal.UserFolders;
import dev.evener.internal.run.Lane;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way into OpenCL for the rest of the runtime: what devices there are, and lanes over chosen ones. Thread-safe. */
public final class OpenCl {
    private static final Logger LOG = LoggerFactory.getLogger(OpenCl.class);

    private OpenCl() {}

    /** Every OpenCL device of the machine, in the order its library lists them; empty if there is none. */
    public static List<DeviceInfo> devices() {
        return ClInventory.devices().stream().map(ClDevice::info).toList();
    }

    /** How a device that {@link #devices} lists can be opened in parts; a part of one cannot. */
    public static Partitioning partitioning(String id) {
        return ClInventory.devices().stream()
                .filter(device -> device.info().id().equals(id))
                .findFirst()
                .map(ClFission::partitioning)
                .orElse(Partitioning.NONE);
    }

    /**
     * What a device that {@link #devices} lists got wrong in its self-test, or null if it passed. The test is run when the
     * device's driver is first seen by this user, and takes some milliseconds and the time of building its program.
     */
    public static @Nullable String fault(String id) {
        return ClInventory.devices().stream()
                .filter(device -> device.info().id().equals(id))
                .findFirst()
                .map(OpenCl::verdict)
                .map(SelfTest.Verdict::problem)
                .orElse(null);
    }

    private static SelfTest.Verdict verdict(ClDevice device) {
        return SelfTest.of(device, UserFolders.cache().resolve("drivers"));
    }

    /** Why there is no OpenCL at all, or null if its library was found. */
    public static @Nullable String problem() {
        return ClLibrary.problem();
    }

    /**
     * Opens a lane on each of these devices, with one shared context for each platform.
     *
     * @param ids ids of devices that {@link #devices} lists, and of parts of them
     * @param programs folder of the program cache, or null for none
     * @param ofAllDrivers whether it is for drivers too that have a cache of their own
     */
    public static List<Lane> open(
            List<String> ids, @Nullable Path programs, boolean ofAllDrivers, LaneOptions options) {
        Map<String, List<String>> byPlatform = new LinkedHashMap<>();
        for (String id : ids) {
            byPlatform
                    .computeIfAbsent(id.substring(0, id.indexOf('.')), p -> new ArrayList<>())
                    .add(id);
        }
        List<ClDevice> known = ClInventory.devices();
        ProgramCache cache = new ProgramCache(programs, ofAllDrivers);
        Map<String, Lane> lanes = new LinkedHashMap<>();
        try {
            for (List<String> platform : byPlatform.values()) {
                Set<String> whole =
                        platform.stream().map(id -> DevicePart.of(id).device()).collect(Collectors.toSet());
                known.stream().filter(d -> whole.contains(d.info().id())).forEach(OpenCl::verdict);
                List<ClDevice> devices = ClFission.open(platform, known);
                PoclAdvice.give(devices);
                openGroup(devices, cache, options, lanes);
            }
        } catch (RuntimeException e) {
            lanes.values().forEach(Lane::close);
            throw e;
        }
        return ids.stream().map(lanes::get).toList();
    }

    /**
     * Measures a device, in a context and by the thread of its own caller.
     *
     * @param id of a device that {@link #devices} lists, or of a part of one
     * @param allowSharing false to measure transfers even where memory could be shared
     * @param progress told what is being measured
     */
    public static DeviceProbe probe(String id, boolean allowSharing, Consumer<String> progress) {
        ClDevice device = ClFission.open(List.of(id), ClInventory.devices()).get(0);
        try (ClProbe probe = new ClProbe(device, ProgramCache.none(), allowSharing, progress)) {
            return probe.measure();
        }
    }

    /**
     * Page-locked memory for what the first of these lanes with memory of its own is sent; null if there is no such lane, or
     * if they were opened without. It ends with the lanes.
     */
    public static @Nullable PageLocked pageLocked(List<Lane> lanes) {
        for (Lane lane : lanes) {
            if (lane instanceof ClLane openCl && openCl.pinned() != null) {
                return openCl.pinned();
            }
        }
        return null;
    }

    private static void openGroup(
            List<ClDevice> devices, ProgramCache cache, LaneOptions options, Map<String, Lane> lanes) {
        ClGroup group = new ClGroup(devices, cache);
        group.retain(); // until all lanes hold it, so that a lane that fails to open does not leave it behind
        try {
            for (ClDevice device : devices) {
                ClLane lane = new ClLane(group, device, options);
                LOG.debug("lane on {}", lane.device());
                lanes.put(device.info().id(), lane);
            }
        } finally {
            group.release();
        }
    }
}
