package dev.evener.internal.device;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.EvenerException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Which devices a selector means. The words take each piece of hardware once: where several runtimes offer it, under the one
 * measured to be fastest, in jobs where the history knows what jobs take under both, else in its self-test. Of those that are {@linkplain #AS_FAST as fast} it is the one in whose platform most such devices share
 * a context, or else the one that is usually fastest. Devices of one platform are never taken for one another, so that a platform set
 * up to offer one CPU as several devices gives several lanes; it is not compared by what one of them does.
 *
 * @param devices the chosen ones, in listing order (for explicit ids, in the order given)
 * @param notes one line for each piece of hardware that was left out somewhere, and why
 * @param warnings what whoever uses the devices has to be told of that, in the log too: what is missing or not sound
 * @param lacks whether there are fewer devices than were meant: some hardware under no runtime, a platform that fails, or JVM threads
 *     that stand in for all of it
 */
public record DeviceChoice(List<DeviceInfo> devices, List<String> notes, List<String> warnings, boolean lacks) {
    /** Why there is no OpenCL where it is not installed; any other reason is one that installing it does not help. */
    public static final String NO_LIBRARY = "no OpenCL library could be loaded";

    private static final String STANDS_IN = ": working on JVM threads";

    /** Runtimes of which neither is more times faster than this are as fast: measured while others work, they differ by as much. */
    private static final double AS_FAST = 1.1;

    public DeviceChoice {
        devices = List.copyOf(devices);
        notes = List.copyOf(notes);
        warnings = List.copyOf(warnings);
    }

    /** Logs what has to be told. */
    public void warn(Logger log) {
        warnings.forEach(log::warn);
    }

    /** Why OpenCL devices were meant and JVM threads stand in for them; null if they do not. */
    public @Nullable String withoutOpenCl() {
        boolean without = devices.size() == 1 && devices.get(0).kind() == DeviceKind.JVM && !notes.isEmpty();
        return without ? reason(notes) : null;
    }

    private static String reason(List<String> notes) {
        return String.join("; ", notes).replace(STANDS_IN, "");
    }

    /**
     * Resolves a selector.
     *
     * @param backEnd what there is; asked for faults only of those that would be used, for speeds only of those that
     *     another
     *     runtime offers too, and for parts only of those that shall be opened so
     * @param jvm the JVM lane
     * @param inJobs how many times as fast one was as another in jobs, or NaN, in which case the speeds tell
     * @throws EvenerException if the selector names what is not there
     */
    public static DeviceChoice of(
            DeviceSelector selector,
            BackEnd backEnd,
            DeviceInfo jvm,
            ToDoubleBiFunction<DeviceInfo, DeviceInfo> inJobs) {
        List<String> problems = new ArrayList<>();
        List<DeviceInfo> openCl = backEnd.devices(problems);
        String openClProblem = String.join("; ", problems);
        Measured measured = new Measured(backEnd, inJobs);
        List<String> notes = new ArrayList<>();
        if (selector instanceof DeviceSelector.Ids ids) {
            List<DeviceInfo> named = explicit(ids.ids(), openCl, jvm, openClProblem, measured);
            for (DeviceInfo device : openCl) {
                boolean used = named.stream().anyMatch(d -> isOf(d, device));
                String wrong = used ? backEnd.fault(device) : null;
                if (wrong != null) {
                    notes.add("device " + device.id() + " (" + device.platform()
                            + ") failed its self-test, and is used only because it was asked for by its id: "
                            + wrong);
                }
            }
            return new DeviceChoice(named, notes, notes, false);
        }
        DeviceSelector.Word words =
                selector instanceof DeviceSelector.Word given ? given : (DeviceSelector.Word) DeviceSelector.all();
        String word = words.word();
        if (word.equals("jvm")) {
            return new DeviceChoice(List.of(jvm), List.of(), List.of(), false);
        }
        List<DeviceInfo> sound = new ArrayList<>(openCl);
        if (selector instanceof DeviceSelector.Where where) {
            sound.removeIf(where.meant().negate());
        }
        List<String> doubles = new ArrayList<>();
        List<DeviceInfo> chosen = eachPhysicalOnce(words, sound, measured, doubles);
        while (chosen.removeIf(device -> isFaulty(device, backEnd, sound, notes))) {
            doubles.clear(); // another runtime may take its place
            chosen = eachPhysicalOnce(words, sound, measured, doubles);
        }
        String faults = String.join("; ", notes);
        if (!openCl.isEmpty() && !openClProblem.isEmpty()) {
            notes.add(openClProblem);
        }
        List<String> warnings = List.copyOf(notes);
        notes.addAll(doubles);
        if (chosen.isEmpty() && word.equals("gpu")) {
            throw new EvenerException(
                    faults.isEmpty()
                            ? "no OpenCL GPU was found; 'evener devices' lists what there is" + because(openClProblem)
                            : "no OpenCL GPU can be used: " + faults);
        }
        if (chosen.isEmpty() && selector instanceof DeviceSelector.Where) {
            throw new EvenerException("no OpenCL device is one of " + selector + "; there are "
                    + openCl.stream().map(DeviceInfo::id).toList()
                    + (faults.isEmpty() ? because(openClProblem) : ": " + faults));
        }
        Set<String> used = chosen.stream().map(DeviceInfo::physical).collect(Collectors.toSet());
        // A platform that fails is mostly PoCL, of which nobody expects GPUs.
        boolean lacks = (!openClProblem.isEmpty() && !word.equals("gpu"))
                || openCl.stream().anyMatch(d -> selector.matches(d) && !used.contains(d.physical()));
        String part = words.part();
        if (!part.isEmpty()) {
            List<String> ids = partsOfCpus(selector, part, chosen);
            List<DeviceInfo> parts = explicit(ids, chosen, jvm, "", measured);
            return new DeviceChoice(parts, notes, warnings, lacks);
        }
        if (!chosen.isEmpty()) {
            for (DeviceInfo d : chosen) {
                int most = jvm.computeUnits();
                if (d.kind() == DeviceKind.CPU && d.computeUnits() > most) {
                    notes.add(
                            "device %s (%s) works with %d threads where this process may use %d processors; limit PoCL's by"
                                            .formatted(d.id(), d.platform(), d.computeUnits(), most)
                                    + " POCL_MAX_PTHREAD_COUNT=%d and POCL_CPU_MAX_CU_COUNT, or open a part, %s:%d"
                                            .formatted(most, d.id(), most));
                }
            }
            return new DeviceChoice(chosen, notes, warnings, lacks);
        }
        String none = !openCl.isEmpty()
                ? "no OpenCL device can be used"
                : openClProblem.isEmpty() ? "no OpenCL device was found" : openClProblem;
        boolean mayInstall = openClProblem.isEmpty() || openClProblem.equals(NO_LIBRARY);
        notes.add(none
                + STANDS_IN
                + (mayInstall ? " (install an OpenCL runtime such as pocl-opencl-icd for more speed)" : ""));
        String warning = "working on JVM threads: " + reason(notes);
        return new DeviceChoice(List.of(jvm), notes, List.of(warning), true);
    }

    private static String because(String openClProblem) {
        return openClProblem.isEmpty() ? "" : " (" + openClProblem + ")";
    }

    private static boolean isFaulty(DeviceInfo device, BackEnd backEnd, List<DeviceInfo> sound, List<String> notes) {
        String wrong = backEnd.fault(device);
        if (wrong == null) {
            return false;
        }
        sound.remove(device);
        notes.add("device " + device.id() + " (" + device.platform()
                + ") failed its self-test and is left out; --devices " + device.id() + " insists: " + wrong);
        return true;
    }

    /** Whether a device is another or a part of it. */
    private static boolean isOf(DeviceInfo device, DeviceInfo whole) {
        return device.kind() != DeviceKind.JVM
                && DevicePart.of(device.id()).device().equals(whole.id());
    }

    private static List<String> partsOfCpus(DeviceSelector selector, String part, List<DeviceInfo> devices) {
        if (devices.stream().noneMatch(d -> d.kind() == DeviceKind.CPU)) {
            throw new EvenerException(
                    "devices '" + selector
                            + "' want a part of each OpenCL CPU device, of which there is none; 'evener devices' lists what there is");
        }
        List<String> ids = devices.stream()
                .map(d -> d.kind() == DeviceKind.CPU ? d.id() + ":" + part : d.id())
                .toList();
        return ((DeviceSelector.Ids) DeviceSelector.ids(ids)).ids();
    }

    private static List<DeviceInfo> explicit(
            List<String> ids, List<DeviceInfo> openCl, DeviceInfo jvm, String openClProblem, Measured measured) {
        Map<String, DeviceInfo> byId = new LinkedHashMap<>();
        openCl.forEach(d -> byId.put(d.id(), d));
        byId.put(jvm.id(), jvm);
        List<DeviceInfo> chosen = new ArrayList<>();
        for (String id : ids) {
            if (id.startsWith("uuid:") || id.startsWith("pci:")) {
                List<DeviceInfo> named = openCl.stream()
                        .filter(DeviceSelector.ids(List.of(id))::matches)
                        .toList();
                DeviceInfo best = asFast(named, measured).stream()
                        .min(usuallyBetter(openCl))
                        .orElseThrow(() -> new EvenerException("there is no device " + id + "; there are "
                                + openCl.stream()
                                        .map(d -> d.id() + " (uuid:" + d.uuid() + ", pci:" + d.pci() + ")")
                                        .collect(Collectors.joining(", "))
                                + because(openClProblem)));
                if (chosen.contains(best) || ids.contains(best.id())) {
                    throw new EvenerException(
                            "device selector '" + String.join(",", ids) + "' names device " + best.id() + " twice");
                }
                chosen.add(best);
                continue;
            }
            int colon = id.indexOf(':');
            DeviceInfo device = byId.get(colon < 0 ? id : id.substring(0, colon));
            if (device == null) {
                throw new EvenerException("there is no device " + id + "; there are " + String.join(", ", byId.keySet())
                        + because(openClProblem));
            }
            if (colon < 0) {
                chosen.add(device);
            } else {
                chosen.addAll(
                        DevicePart.choose(device, id.substring(colon + 1), measured.backEnd.partitioning(device)));
            }
        }
        DevicePart.requireApart(chosen);
        return chosen;
    }

    /** Those that a word means, each piece of hardware once. */
    private static List<DeviceInfo> eachPhysicalOnce(
            DeviceSelector word, List<DeviceInfo> all, Measured measured, List<String> notes) {
        List<DeviceInfo> devices = all.stream().filter(word::matches).toList();
        List<DeviceInfo> fast = asFast(devices, measured);
        Comparator<DeviceInfo> better = usuallyBetter(fast);
        Map<String, DeviceInfo> best = new HashMap<>();
        for (DeviceInfo device : fast) {
            best.merge(device.physical(), device, (a, b) -> better.compare(b, a) < 0 ? b : a);
        }
        List<DeviceInfo> kept = new ArrayList<>();
        for (DeviceInfo device : devices) {
            DeviceInfo winner = best.get(device.physical());
            if (platform(winner).equals(platform(device))) {
                kept.add(device);
            } else {
                String compared = areCompared(winner, device, devices) ? measured.beside(winner, device) : "";
                long joined = fast.stream()
                        .filter(d -> platform(d).equals(platform(winner)))
                        .count();
                notes.add("device " + device.id() + " (" + device.platform() + ") is the same hardware as "
                        + winner.id() + " (" + winner.platform()
                        + (joined > 1 ? ", in one context with " + (joined - 1) + " more" : "")
                        + compared + ")"
                        + " and is left out; --devices " + device.id() + " insists");
            }
        }
        return kept;
    }

    /** Those of whose hardware no other runtime was measured to be faster. */
    private static List<DeviceInfo> asFast(List<DeviceInfo> devices, Measured measured) {
        return devices.stream()
                .filter(device -> devices.stream()
                        .filter(other -> areCompared(other, device, devices))
                        .noneMatch(other -> measured.isFaster(other, device)))
                .toList();
    }

    /** Whether they are one piece of hardware, which each of two platforms offers as one device. */
    private static boolean areCompared(DeviceInfo one, DeviceInfo other, List<DeviceInfo> devices) {
        return one.physical().equals(other.physical())
                && !platform(one).equals(platform(other))
                && offered(one, devices) + offered(other, devices) == 2;
    }

    /** As how many devices its platform offers its hardware. */
    private static long offered(DeviceInfo device, List<DeviceInfo> devices) {
        return devices.stream()
                .filter(d ->
                        d.physical().equals(device.physical()) && platform(d).equals(platform(device)))
                .count();
    }

    /** What devices did in their self-tests, and, which counts where it is known, in jobs. */
    private record Measured(BackEnd backEnd, ToDoubleBiFunction<DeviceInfo, DeviceInfo> inJobs) {
        /** One that could not be measured is taken to be slower than one that was. */
        boolean isFaster(DeviceInfo one, DeviceInfo other) {
            double faster = inJobs.applyAsDouble(one, other);
            if (!Double.isNaN(faster)) {
                return faster > AS_FAST;
            }
            DeviceSpeed its = backEnd.speed(one);
            DeviceSpeed others = backEnd.speed(other);
            return its != null && (others == null || its.over(others) > AS_FAST);
        }

        /** How one was measured beside another, for people; empty if it was not. */
        String beside(DeviceInfo one, DeviceInfo other) {
            double faster = inJobs.applyAsDouble(one, other);
            DeviceSpeed its = backEnd.speed(one);
            DeviceSpeed others = backEnd.speed(other);
            return (Double.isNaN(faster) ? "" : String.format(Locale.ROOT, ", %.2f times as fast in jobs", faster))
                    + (its == null || others == null ? "" : ", " + its.beside(others));
        }
    }

    private static Comparator<DeviceInfo> usuallyBetter(List<DeviceInfo> devices) {
        Map<String, Integer> joined = new HashMap<>();
        devices.forEach(d -> joined.merge(platform(d), 1, Integer::sum));
        return Comparator.<DeviceInfo>comparingInt(d -> -joined.get(platform(d)))
                .thenComparingInt(DeviceChoice::rank)
                .thenComparing(DeviceChoice::platform);
    }

    private static String platform(DeviceInfo device) {
        return device.id().substring(0, device.id().indexOf('.'));
    }

    /** Usual order of speed on the same hardware: the vendor's own runtime, PoCL, Mesa's. */
    private static int rank(DeviceInfo device) {
        String name = device.platform().toLowerCase(Locale.ROOT);
        if (name.contains("rusticl")) {
            return 2;
        }
        if (name.contains("clover") || name.contains("oclgrind")) {
            return 3;
        }
        return name.contains("portable computing language") ? 1 : 0;
    }
}
