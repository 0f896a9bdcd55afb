package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.DeviceProbe;
import dev.evener.Partitioning;
import dev.evener.internal.DevicePart;
import dev.evener.internal.PageLocked;
import dev.evener.internal.UserFolders;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClLibrary;
import dev.evener.internal.cl.Fission;
import dev.evener.internal.cl.Inventory;
import dev.evener.internal.cl.ProgramCache;
import dev.evener.internal.cl.SelfTest;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.run.Lane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way into OpenCL for the rest of the runtime: what devices there are, and lanes over chosen ones. Thread-safe. */
public final class OpenCl {
    private static final Logger LOG = LoggerFactory.getLogger(OpenCl.class);

    private static final AtomicBoolean ADVISED = new AtomicBoolean();

    private OpenCl() {}

    /**
     * What lanes are told when they are opened.
     *
     * @param allowSharing false to move data through transfers even where memory could be shared
     * @param bindCores whether lanes that compute in their own thread may take a core for themselves
     * @param mostForCopies bytes of a device's memory in which it may keep copies of host buffers between chunks
     * @param pieceBytes bytes that each piece of a chunk moves, however few; 0 for what suits the chunk
     * @param pinnedFrom fewest bytes of a piece of host memory for which pages are locked; {@link Long#MAX_VALUE} for never
     * @param checked whether lanes look for mistakes of their kernels ({@link CheckedChunk})
     */
    public record Options(
            boolean allowSharing,
            boolean bindCores,
            long mostForCopies,
            long pieceBytes,
            long pinnedFrom,
            boolean checked) {
        /** Below, a driver's own copy of pageable memory is as good, and locking wastes the rest of a page. */
        public static final long WORTH_PINNING = 64 << 10;

        /** Memory is shared where it can be, and no core is bound. */
        public static Options usual() {
            return new Options(true, false, Long.MAX_VALUE, 0, WORTH_PINNING, false);
        }

        /** The same, but with transfers to every device. */
        public Options copying() {
            return new Options(false, bindCores, mostForCopies, pieceBytes, pinnedFrom, checked);
        }
    }

    /** Every OpenCL device of the machine, in the order its library lists them; empty if there is none. */
    public static List<DeviceInfo> devices() {
        return Inventory.devices().stream().map(ClDevice::info).toList();
    }

    /** How a device that {@link #devices} lists can be opened in parts; a part of one cannot. */
    public static Partitioning partitioning(String id) {
        return whole(id).map(Fission::partitioning).orElse(Partitioning.NONE);
    }

    /**
     * What a device that {@link #devices} lists got wrong in its self-test, or null if it passed. The test is run when the
     * device's driver is first seen by this user, and takes some milliseconds and the time of building its program.
     */
    public static @Nullable String fault(String id) {
        return whole(id).map(OpenCl::verdict).map(SelfTest.Verdict::problem).orElse(null);
    }

    private static Optional<ClDevice> whole(String id) {
        return Inventory.devices().stream()
                .filter(device -> device.info().id().equals(id))
                .findFirst();
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
    public static List<Lane> open(List<String> ids, @Nullable Path programs, boolean ofAllDrivers, Options options) {
        Map<String, List<String>> byPlatform = new LinkedHashMap<>();
        for (String id : ids) {
            byPlatform
                    .computeIfAbsent(id.substring(0, id.indexOf('.')), p -> new ArrayList<>())
                    .add(id);
        }
        List<ClDevice> known = Inventory.devices();
        ProgramCache cache = new ProgramCache(programs, ofAllDrivers);
        Map<String, Lane> lanes = new LinkedHashMap<>();
        try {
            for (List<String> platform : byPlatform.values()) {
                Set<String> whole =
                        platform.stream().map(id -> DevicePart.of(id).device()).collect(Collectors.toSet());
                known.stream().filter(d -> whole.contains(d.info().id())).forEach(OpenCl::verdict);
                List<ClDevice> devices = Fission.open(platform, known);
                advise(devices);
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
        ClDevice device = Fission.open(List.of(id), Inventory.devices()).get(0);
        try (DeviceMeasurement measurement = new DeviceMeasurement(device, allowSharing, progress)) {
            return measurement.measure();
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
            List<ClDevice> devices, ProgramCache cache, Options options, Map<String, Lane> lanes) {
        ContextMemory context = new ContextMemory(new ClContext(devices, cache));
        context.retain(); // until all lanes hold it, so that a lane that fails to open does not leave it behind
        try {
            for (ClDevice device : devices) {
                ClLane lane = new ClLane(context, device, options);
                LOG.debug("lane on {}", lane.device());
                lanes.put(device.info().id(), lane);
            }
        } finally {
            context.release();
        }
    }

    /**
     * Tells an embedding application, once, what PoCL would do to its JVM: nothing a library can prevent after the process has
     * started. The {@code evener} launcher does.
     */
    private static void advise(List<ClDevice> devices) {
        boolean pocl = devices.stream().anyMatch(d -> d.platformVersion().contains("PoCL"));
        if (pocl && !signalsAreChained() && ADVISED.compareAndSet(false, true)) {
            LOG.warn("PoCL takes signal handlers of the JVM away: a division by zero may be a number in Java, and with"
                    + " PoCL 5 the process may end while a kernel is compiled; start Java with"
                    + " LD_PRELOAD=$JAVA_HOME/lib/libjsig.so");
        }
    }

    private static boolean signalsAreChained() {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.anyMatch(line -> line.endsWith("/libjsig.so"));
        } catch (IOException | RuntimeException e) { // not Linux: nothing is known of such trouble there
            return true;
        }
    }
}
