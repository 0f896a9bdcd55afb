package dev.evener.internal.lane;

import dev.evener.Contexts;
import dev.evener.DeviceInfo;
import dev.evener.DeviceInfo.Partitioning;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.EvenerException;
import dev.evener.internal.PageLocked;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ContextTrial;
import dev.evener.internal.cl.Fission;
import dev.evener.internal.cl.SelfTest;
import dev.evener.internal.device.DeviceChoice;
import dev.evener.internal.device.DevicePart;
import dev.evener.internal.files.UserFolders;
import dev.evener.internal.jvm.JvmLane;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.run.Lane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The devices of this machine, OpenCL's and the JVM lane: listed, chosen, opened. Thread-safe. */
public final class Devices {
    private static final Logger LOG = LoggerFactory.getLogger(Devices.class);
    private static final AtomicBoolean ADVISED = new AtomicBoolean();

    private static volatile int zero; // of which compilers must not know

    private Devices() {}

    /**
     * What lanes are told when they are opened.
     *
     * @param allowSharing false to move data through transfers even where memory could be shared
     * @param mostForCopies bytes of a device's memory in which it may keep copies of host buffers between chunks
     * @param pieceBytes bytes that each piece of a chunk moves, however few; 0 for what suits the chunk
     * @param contexts which devices of a platform share a context
     * @param pinnedFrom fewest bytes of a piece of host memory for which pages are locked; {@link Long#MAX_VALUE} for never
     * @param checking what looks for mistakes of kernels; null for not
     */
    public record Options(
            boolean allowSharing,
            long mostForCopies,
            long pieceBytes,
            long pinnedFrom,
            Contexts contexts,
            @Nullable CheckingMode checking) {
        /** Memory is shared where it can be. */
        public static Options usual() {
            return new Options(true, Long.MAX_VALUE, 0, PageLocked.LEAST, Contexts.MEASURED, null);
        }

        /** The same, but with transfers to every device. */
        public Options copying() {
            return new Options(false, mostForCopies, pieceBytes, pinnedFrom, contexts, checking);
        }
    }

    // ---- which there are ----

    /** All of them, under every runtime, in the order in which the OpenCL library lists them; the JVM lane last. */
    public static List<DeviceInfo> all() {
        List<DeviceInfo> all = new ArrayList<>();
        ClDevice.all().forEach(device -> all.add(device.info()));
        all.add(jvm());
        return all;
    }

    private static DeviceInfo jvm() {
        return JvmLane.describe(Runtime.getRuntime().availableProcessors());
    }

    /**
     * Those that a selector means. Tests OpenCL devices whose driver this user sees for the first time, which takes a second
     * for each, and a minute for one that hangs.
     *
     * @param inJobs how many times as fast one device was as another in jobs, or NaN; asked only of those that are the same hardware
     * @throws EvenerException if it names what is not there
     */
    public static DeviceChoice choose(DeviceSelector selector, ToDoubleBiFunction<DeviceInfo, DeviceInfo> inJobs) {
        List<String> problems = new ArrayList<>();
        return DeviceChoice.of(
                selector,
                ClDevice.all(problems).stream().map(ClDevice::info).toList(),
                jvm(),
                String.join("; ", problems),
                Devices::partitioning,
                device -> whole(device).map(each -> test(each).problem()).orElse(null),
                device -> whole(device).map(each -> test(each).speed()).orElse(null),
                inJobs);
    }

    /** How one of them can be opened in parts; a part of one cannot. */
    public static Partitioning partitioning(DeviceInfo device) {
        return whole(device).map(Fission::partitioning).orElse(Partitioning.NONE);
    }

    private static Optional<ClDevice> whole(DeviceInfo info) {
        return ClDevice.all().stream()
                .filter(device -> device.info().id().equals(info.id()))
                .findFirst();
    }

    private static SelfTest.Verdict test(ClDevice device) {
        return SelfTest.of(device, UserFolders.cache().resolve("drivers"));
    }

    // ---- opened ----

    /**
     * What was opened.
     *
     * @param lanes one for each device, in their order
     * @param contexts ids of the OpenCL devices that share a context, for each context
     * @param notes why devices of a platform do not all share one, in a line each
     */
    public record Opened(List<Lane> lanes, List<List<String>> contexts, List<String> notes) {}

    /**
     * Opens a lane for each.
     *
     * @throws EvenerException if one cannot be opened
     */
    public static Opened open(List<DeviceInfo> chosen, Options options) {
        Map<String, List<String>> byPlatform = new LinkedHashMap<>();
        for (DeviceInfo device : chosen) {
            if (device.kind() != DeviceKind.JVM) {
                String platform = device.id().substring(0, device.id().indexOf('.'));
                byPlatform.computeIfAbsent(platform, p -> new ArrayList<>()).add(device.id());
            }
        }
        Map<String, Lane> lanes = new HashMap<>();
        List<List<String>> contexts = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        try {
            List<ClDevice> known = byPlatform.isEmpty() ? List.of() : ClDevice.all();
            for (List<String> ids : byPlatform.values()) {
                List<ClDevice> whole = known.stream()
                        .filter(d -> ids.stream()
                                .anyMatch(id -> DevicePart.of(id)
                                        .device()
                                        .equals(d.info().id())))
                        .toList();
                whole.forEach(Devices::test);
                boolean apart = options.contexts() == Contexts.MEASURED && hasCost(whole, notes);
                for (List<ClDevice> group : groups(Fission.open(ids, known), options.contexts(), apart)) {
                    contexts.add(group.stream().map(d -> d.info().id()).toList());
                    openGroup(group, options, lanes);
                }
            }
        } catch (RuntimeException e) {
            lanes.values().forEach(Lane::close);
            throw e;
        }
        List<Lane> inOrder = chosen.stream()
                .map(d -> d.kind() == DeviceKind.JVM ? new JvmLane(d.computeUnits()) : lanes.get(d.id()))
                .toList();
        return new Opened(inOrder, contexts, notes);
    }

    /** Whether a discrete device of these would pay for sharing a context. Found with two of them, so that others of their kind are as they are. */
    private static boolean hasCost(List<ClDevice> ofPlatform, List<String> notes) {
        List<ClDevice> discreteFirst = ofPlatform.stream()
                .sorted(Comparator.comparing(d -> d.info().sharesHostMemory()))
                .toList();
        if (ofPlatform.size() < 2 || discreteFirst.get(0).info().sharesHostMemory()) {
            return false;
        }
        ClDevice one = discreteFirst.get(0);
        ClDevice other = discreteFirst.get(1);
        ContextTrial.Verdict verdict =
                ContextTrial.of(one, other, UserFolders.cache().resolve("drivers"));
        if (!verdict.isFree()) {
            notes.add("discrete devices such as " + one.info().id() + " have a context each: " + verdict.reason());
        }
        return !verdict.isFree();
    }

    /** Those that share a context, in their order. */
    static List<List<ClDevice>> groups(List<ClDevice> devices, Contexts how, boolean discreteApart) {
        List<List<ClDevice>> groups = new ArrayList<>();
        List<ClDevice> together = new ArrayList<>();
        for (ClDevice device : devices) {
            if (how == Contexts.OWN || (discreteApart && !device.info().sharesHostMemory())) {
                groups.add(List.of(device));
            } else {
                if (together.isEmpty()) {
                    groups.add(together);
                }
                together.add(device);
            }
        }
        return groups;
    }

    private static void openGroup(List<ClDevice> devices, Options options, Map<String, Lane> lanes) {
        ContextMemory context = new ContextMemory(new ClContext(devices));
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

    /**
     * What is at stake where a driver has taken signal handlers of this JVM, which is logged once; null where none has. PoCL takes them
     * as long as the process lives, and no library can prevent that after the start. The {@code evener} launcher does.
     *
     * @param used the devices that were opened
     */
    public static @Nullable String signalProblem(List<DeviceInfo> used) {
        boolean pocl = used.stream().anyMatch(device -> device.platform().equals("Portable Computing Language"));
        boolean taken = isDividedByZero();
        if (!taken && (!pocl || signalsAreChained())) {
            return null;
        }
        String problem = (taken ? "an OpenCL driver has taken" : "PoCL takes")
                + " signal handlers of this JVM: a division by zero "
                + (taken ? "is" : "may be")
                + " a number in all Java code of this process, with PoCL 5 the process may end while a kernel is"
                + " compiled; start Java with LD_PRELOAD=$JAVA_HOME/lib/libjsig.so";
        if (ADVISED.compareAndSet(false, true)) {
            LOG.error(problem);
        }
        return problem;
    }

    private static boolean isDividedByZero() {
        try {
            LOG.debug("1 / 0 is {}", 1 / zero);
            return true;
        } catch (ArithmeticException e) { // as it should be
            return false;
        }
    }

    private static boolean signalsAreChained() {
        String preloaded = System.getenv("LD_PRELOAD"); // the list of what is mapped is long
        if (preloaded != null && preloaded.contains("libjsig.so")) {
            return true;
        }
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.anyMatch(line -> line.endsWith("/libjsig.so"));
        } catch (IOException | RuntimeException e) { // not Linux: nothing is known of such trouble there
            return true;
        }
    }
}
