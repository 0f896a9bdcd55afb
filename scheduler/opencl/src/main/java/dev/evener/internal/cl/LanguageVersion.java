package dev.evener.internal.cl;

import dev.evener.EvenerException.BuildFailedException;
import dev.evener.KernelSource;
import dev.evener.internal.source.SourceNames;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jocl.CL;
import org.jspecify.annotations.Nullable;

/**
 * The version of OpenCL C that a text is built as, where nobody says one: 1.2, in which all devices agree; where it
 * does not build so and has names that came with later ones, the latest that the device has.
 */
final class LanguageVersion {
    static final String STANDARD = " -cl-std=CL1.2";

    private static final Pattern LATER = Pattern.compile("\\b(?:get_(?:global|local)_linear_id|get_enqueued_local_size"
            + "|get_\\w*sub_group\\w*|sub_group_\\w+|work_group_\\w+|memory_(?:order|scope)_\\w+|atomic_u?(?:int|long)"
            + "|atomic_(?:init|load|store|exchange|compare_exchange|fetch|flag)\\w*|atomic_work_item_fence)\\b");

    private LanguageVersion() {}

    /** Names of a text that came later than the standard version, in the order of letters. */
    static Set<String> laterNames(KernelSource source) {
        String code = SourceNames.of(source.text(), source.options()).code();
        return LATER.matcher(code).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The latest version that all of these devices have, as an option; null if it is the standard one. */
    static @Nullable String latest(List<ClDevice> devices) {
        List<@Nullable String> each = devices.stream()
                .map(device -> latest(
                        Cl.deviceText(device.handle(), CL.CL_DEVICE_VERSION),
                        Cl.deviceText(device.handle(), CL.CL_DEVICE_OPENCL_C_VERSION)))
                .toList();
        return each.stream().allMatch(Objects::nonNull) ? Collections.min(each) : null;
    }

    /**
     * @param device {@code OpenCL 3.0 ...}: from 3.0 on, devices have that language as well as the one that they tell
     * @param language {@code OpenCL C 1.2 ...}
     */
    static @Nullable String latest(@Nullable String device, @Nullable String language) {
        if (device != null && device.matches("OpenCL [3-9]\\..*")) {
            return " -cl-std=CL3.0";
        }
        return language != null && language.matches("OpenCL C 2\\..*") ? " -cl-std=CL2.0" : null;
    }

    /** Variables that a later version lets a text have, of which each device has its own: only who asks for it gets that. */
    static List<String> variables(KernelSource source, String later) {
        return SourceNames.of(source.text(), source.options() + later).variables();
    }

    /** The failure of a text with later names, in which the first line says what the device lacks. */
    static BuildFailedException failure(
            KernelSource source,
            String on,
            @Nullable String later,
            List<String> variables,
            Set<String> names,
            BuildFailedException failure) {
        String has = later == null
                ? "which has no OpenCL C later than 1.2"
                : variables.isEmpty()
                        ? "which has not all of that in" + later.replaceAll(".*CL", " OpenCL C ")
                        : "and with variables that outlive a launch (" + String.join(", ", variables)
                                + "), of which each device has its own: make them buffers, or ask for it by"
                                + " withOptions(\"" + later.trim() + "\")";
        return new BuildFailedException(
                "kernel source " + source.name() + " needs a later OpenCL C, for " + String.join(", ", names) + ", on "
                        + on + ", " + has + "\n" + failure.getMessage(),
                failure,
                failure.log(),
                failure.file(),
                failure.line(),
                failure.column(),
                failure.sourceLine());
    }
}
