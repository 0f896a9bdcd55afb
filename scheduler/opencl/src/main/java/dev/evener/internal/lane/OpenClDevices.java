package dev.evener.internal.lane;

import dev.evener.Contexts;
import dev.evener.DeviceInfo;
import dev.evener.DeviceInfo.Partitioning;
import dev.evener.internal.PageLocked;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ContextTrial;
import dev.evener.internal.cl.Fission;
import dev.evener.internal.cl.SelfTest;
import dev.evener.internal.device.BackEnd;
import dev.evener.internal.device.DevicePart;
import dev.evener.internal.device.DeviceSpeed;
import dev.evener.internal.files.UserFolders;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.memory.PinnedMemories;
import dev.evener.internal.memory.PinnedMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The OpenCL devices of this machine. */
public final class OpenClDevices implements BackEnd {
    private static final Logger LOG = LoggerFactory.getLogger(OpenClDevices.class);
    private static final AtomicBoolean ADVISED = new AtomicBoolean();

    private static volatile int zero; // of which compilers must not know

    @Override
    public List<DeviceInfo> devices(List<String> problems) {
        return ClDevice.all(problems).stream().map(ClDevice::info).toList();
    }

    @Override
    public Partitioning partitioning(DeviceInfo device) {
        return ClDevice.find(device.id()).map(Fission::partitioning).orElse(Partitioning.NONE);
    }

    @Override
    public @Nullable String fault(DeviceInfo device) {
        return ClDevice.find(device.id()).map(each -> test(each).problem()).orElse(null);
    }

    @Override
    public @Nullable DeviceSpeed speed(DeviceInfo device) {
        return ClDevice.find(device.id()).map(each -> test(each).speed()).orElse(null);
    }

    @Override
    public boolean canCheck() {
        return CheckingMode.find().isPresent();
    }

    private static SelfTest.Verdict test(ClDevice device) {
        return SelfTest.of(device, UserFolders.cache().resolve("drivers"));
    }

    // ---- opened ----

    @Override
    public Opened open(List<DeviceInfo> chosen, Options options) {
        Map<String, List<String>> byPlatform = new LinkedHashMap<>();
        for (DeviceInfo device : chosen) {
            String platform = device.id().substring(0, device.id().indexOf('.'));
            byPlatform.computeIfAbsent(platform, p -> new ArrayList<>()).add(device.id());
        }
        Map<String, ClLane> lanes = new HashMap<>();
        List<List<String>> contexts = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        try {
            List<ClDevice> known = byPlatform.isEmpty() ? List.of() : ClDevice.all();
            for (List<String> ids : byPlatform.values()) {
                List<String> parted =
                        ids.stream().map(id -> DevicePart.of(id).device()).toList();
                List<ClDevice> whole =
                        known.stream().filter(d -> parted.contains(d.id())).toList();
                whole.forEach(OpenClDevices::test);
                boolean apart = options.contexts() == Contexts.MEASURED && hasCost(whole, notes);
                for (List<ClDevice> group : groups(Fission.open(ids, known), options.contexts(), apart)) {
                    contexts.add(group.stream().map(d -> d.id()).toList());
                    openGroup(group, options, lanes);
                }
            }
        } catch (RuntimeException e) {
            lanes.values().forEach(ClLane::close);
            throw e;
        }
        List<ClLane> inOrder = chosen.stream().map(d -> lanes.get(d.id())).toList();
        List<ClLane> discrete =
                inOrder.stream().filter(lane -> lane.pinned() != null).toList();
        List<PinnedMemory> pinned = discrete.stream() // of one driver: to others it may be as other memory
                .filter(lane ->
                        lane.device().platform().equals(discrete.get(0).device().platform()))
                .map(ClLane::pinned)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        PageLocked pageLocked = pinned.isEmpty() ? null : new PinnedMemories(pinned);
        return new Opened(List.copyOf(inOrder), contexts, notes, pageLocked);
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
            notes.add("discrete devices such as " + one.id() + " have a context each: " + verdict.reason());
        }
        return !verdict.isFree();
    }

    /** Those that share a context, in their order. */
    static List<List<ClDevice>> groups(List<ClDevice> devices, Contexts how, boolean discreteApart) {
        Map<Object, List<ClDevice>> groups = devices.stream()
                .collect(Collectors.groupingBy(
                        device -> how == Contexts.OWN
                                        || (discreteApart && !device.info().sharesHostMemory())
                                ? device
                                : how,
                        LinkedHashMap::new,
                        Collectors.toList()));
        return List.copyOf(groups.values());
    }

    private static void openGroup(List<ClDevice> devices, Options options, Map<String, ClLane> lanes) {
        ContextMemory context = new ContextMemory(new ClContext(devices));
        context.retain(); // until all lanes hold it, so that a lane that fails to open does not leave it behind
        try {
            for (ClDevice device : devices) {
                ClLane lane = new ClLane(context, device, options);
                LOG.debug("lane on {}", lane.device());
                lanes.put(device.id(), lane);
            }
        } finally {
            context.release();
        }
    }

    /**
     * PoCL takes them as long as the process lives, and no library can prevent that after the start. The {@code evener}
     * launcher does.
     */
    @Override
    public @Nullable String signalProblem(List<DeviceInfo> used) {
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
