package dev.evener.internal.cl;

import dev.evener.internal.files.PlainFiles;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jocl.CL;
import org.jspecify.annotations.Nullable;

/**
 * What a device takes of one launch. Every launch is compared with it before the driver is called, because not all drivers do that:
 * PoCL ends the process where groups have more local memory than the device, where the private memory of a group is larger than the
 * stack of the thread that runs it, and where a kernel's name makes no name of a file. Immutable; any thread.
 *
 * @param device as messages name it
 * @param localBytes {@code CL_DEVICE_LOCAL_MEM_SIZE}, of a group
 * @param groupItems {@code CL_DEVICE_MAX_WORK_GROUP_SIZE}
 * @param itemSizes {@code CL_DEVICE_MAX_WORK_ITEM_SIZES}, of a group in each dimension
 * @param parameterBytes {@code CL_DEVICE_MAX_PARAMETER_SIZE}, of all arguments together
 * @param constantArguments {@code CL_DEVICE_MAX_CONSTANT_ARGS}
 * @param constantBytes {@code CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE}
 * @param nameLength letters of a kernel's name
 * @param stackBytes of the thread that runs a group, on whose stack the driver has the private memory of all of the group's work-items;
 *     {@link Long#MAX_VALUE} if it has that elsewhere, or tells nothing of it
 */
public record LaunchLimits(
        String device,
        long localBytes,
        long groupItems,
        List<Long> itemSizes,
        long parameterBytes,
        long constantArguments,
        long constantBytes,
        int nameLength,
        long stackBytes) {
    /**
     * Of the thread of a lane whose device runs groups there: room for groups of 128 whose work-items have arrays of half a megabyte.
     * Address space alone, until it is used.
     */
    public static final long STACK_BYTES = 64L << 20;

    /** More bytes than any device has. */
    static final long MUCH = 1L << 48;

    private static final int DIMENSIONS = 3;

    /** PoCL writes {@code NAME.so}, and Linux has names of 255 bytes at most. */
    private static final int POCL_NAME_LENGTH = 255 - ".so".length();

    /** Stack that is not the kernel's: the frames of the JVM and of the driver below, and the zones that the JVM guards. */
    private static final long NOT_THE_KERNELS = 256 << 10;

    /** The stack of a thread where the process has no limit: what glibc takes on x86-64. */
    private static final long UNLIMITED_STACK = 2L << 20;

    /** What the driver tells of a device; where it tells nothing there is no limit. */
    static LaunchLimits of(ClDevice device) {
        ByteBuffer sizes = Cl.deviceAnswer(device.handle(), CL.CL_DEVICE_MAX_WORK_ITEM_SIZES, DIMENSIONS * Long.BYTES);
        return new LaunchLimits(
                device.id() + " (" + device.info().name() + ")",
                limit(device, CL.CL_DEVICE_LOCAL_MEM_SIZE),
                limit(device, CL.CL_DEVICE_MAX_WORK_GROUP_SIZE),
                IntStream.range(0, DIMENSIONS)
                        .mapToObj(i -> sizes == null ? Long.MAX_VALUE : sizes.getLong(i * Long.BYTES))
                        .toList(),
                limit(device, CL.CL_DEVICE_MAX_PARAMETER_SIZE),
                limit(device, CL.CL_DEVICE_MAX_CONSTANT_ARGS),
                limit(device, CL.CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE),
                device.compilesAtLaunch() ? POCL_NAME_LENGTH : Integer.MAX_VALUE,
                device.compilesAtLaunch()
                        ? (device.runsGroupsInCaller() ? STACK_BYTES : stackOfThreads(Path.of("/proc/self/limits")))
                                - NOT_THE_KERNELS
                        : Long.MAX_VALUE);
    }

    private static long limit(ClDevice device, int what) {
        return Cl.devicePositive(device.handle(), what, Long.MAX_VALUE);
    }

    /** The stack that a thread has which asks for none: the process's limit, as it was when that began. */
    static long stackOfThreads(Path limits) {
        try {
            return PlainFiles.text(limits, 1 << 16)
                    .lines()
                    .filter(line -> line.startsWith("Max stack size"))
                    .map(line ->
                            line.substring("Max stack size".length()).trim().split("\\s+", 2)[0])
                    .map(soft -> soft.equals("unlimited") ? UNLIMITED_STACK : Long.parseLong(soft))
                    .findFirst()
                    .orElse(UNLIMITED_STACK);
        } catch (IOException | NumberFormatException e) { // not Linux
            return UNLIMITED_STACK;
        }
    }

    // ---- comparisons ----

    /** @throws LaneFailure if the device cannot have a kernel of that name */
    void requireName(String kernel) {
        require(kernel, "its name", kernel.length(), "letters", "a file's name has room for", nameLength);
    }

    /**
     * The most work-items of a group of a kernel, whatever their dimensions.
     *
     * @param kernelItems {@code CL_KERNEL_WORK_GROUP_SIZE}
     * @param privateBytes of each work-item, as far as known
     */
    long mostItems(long kernelItems, long privateBytes) {
        return Math.max(1, Math.min(kernelItems, stackBytes / Math.max(1, privateBytes)));
    }

    /**
     * Compares a launch.
     *
     * @param group work-items in each dimension; null where the driver chooses
     * @param kernelItems {@code CL_KERNEL_WORK_GROUP_SIZE}
     * @param privateBytes of each work-item, as far as known
     * @param local bytes of a group: the kernel's own, and all arguments
     * @param parameters bytes of all arguments
     * @throws LaneFailure if it is more than the device takes; the message names the limit and both numbers
     */
    void require(
            String kernel, long @Nullable [] group, long kernelItems, long privateBytes, long local, long parameters) {
        for (int i = 0; group != null && i < group.length; i++) {
            if (group[i] > itemSizes.get(i)) { // or the texts would be made each time
                String limit = "CL_DEVICE_MAX_WORK_ITEM_SIZES[" + i + "] is";
                require(kernel, "a group in dimension " + i, group[i], "work-items", limit, itemSizes.get(i));
            }
        }
        long items = items(group);
        require(kernel, "a group", items, "work-items", "CL_DEVICE_MAX_WORK_GROUP_SIZE is", groupItems);
        require(kernel, "a group", items, "work-items", "CL_KERNEL_WORK_GROUP_SIZE is", kernelItems);
        String ofGroup = "bytes of local memory (the kernel's own and local arguments)";
        require(kernel, "a group", local, ofGroup, "CL_DEVICE_LOCAL_MEM_SIZE is", localBytes);
        long privates = saturated(items, privateBytes);
        if (privates > stackBytes) {
            String arrays = "bytes of private arrays (" + items + " work-items of " + privateBytes + ")";
            String limit = "the stack of the thread that runs it has room for";
            require(kernel, "a group", privates, arrays, limit, stackBytes);
        }
        require(kernel, "its arguments", parameters, "bytes", "CL_DEVICE_MAX_PARAMETER_SIZE is", parameterBytes);
    }

    private static long items(long @Nullable [] group) {
        long items = 1;
        for (int i = 0; group != null && i < group.length; i++) {
            items = saturated(items, group[i]);
        }
        return items;
    }

    /**
     * What a launch needs that the driver refused for want of resources, in words: of which of them there is too little it does not say.
     *
     * @param ownLocal bytes of local memory that are no argument, or more
     * @param local bytes of local arguments
     */
    String figures(
            String kernel,
            long @Nullable [] group,
            long kernelItems,
            long privateBytes,
            long ownLocal,
            long local,
            long parameters) {
        List<String> all = new ArrayList<>();
        all.add((group == null ? "groups whose size the driver chooses" : "groups of " + items(group) + " work-items")
                + limit("CL_KERNEL_WORK_GROUP_SIZE", kernelItems));
        all.add(local + " bytes of local arguments beside " + ownLocal + " of the kernel's own"
                + limit("CL_DEVICE_LOCAL_MEM_SIZE", localBytes)
                + ", of which a driver may keep some");
        all.add(privateBytes + " bytes of private memory each");
        all.add(parameters + " bytes of arguments" + limit("CL_DEVICE_MAX_PARAMETER_SIZE", parameterBytes));
        return "kernel " + kernel + " on device " + device + " has " + String.join("; ", all)
                + ". Give it smaller groups, less local memory or smaller private arrays";
    }

    private static String limit(String name, long value) {
        return value == Long.MAX_VALUE ? "" : " (" + name + " is " + value + ")";
    }

    /**
     * Compares the arguments that a kernel has in constant memory.
     *
     * @param arguments how many
     * @param largest bytes of the largest
     */
    void requireConstants(String kernel, int arguments, long largest) {
        String pointers = "pointers to __constant";
        require(kernel, "its parameters", arguments, pointers, "CL_DEVICE_MAX_CONSTANT_ARGS is", constantArguments);
        String limit = "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE is";
        require(kernel, "a __constant argument", largest, "bytes", limit, constantBytes);
    }

    private static long saturated(long one, long other) {
        return other > 0 && one > Long.MAX_VALUE / other ? Long.MAX_VALUE : one * other;
    }

    private void require(String kernel, String who, long has, String what, String limit, long most) {
        if (has > most) {
            String shown = kernel.length() > POCL_NAME_LENGTH ? kernel.substring(0, 20) + "..." : kernel;
            throw new LaneFailure(
                    Kind.BUILD,
                    "kernel " + shown + ": " + who + " would have " + has + " " + what + ", but on device " + device
                            + " " + limit + " " + most);
        }
    }
}
