package dev.evener.internal.cl;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Launches at each limit of a device and beyond it, in one process, which drivers may end: all have to be right or refused with the
 * limit's name. Run by {@code LaunchLimitsTest}; on any host by
 *
 * <pre>java -cp CLASSES:TEST-CLASSES:LIBRARIES dev.evener.internal.cl.LaunchLimitsProgram DEVICES [RANDOM-LAUNCHES]</pre>
 *
 * with the devices as {@code --devices} has them. Its last line is {@code N launches, N right, N refused, 0 wrong}, and its exit code 0, if
 * nothing was wrong.
 */
public final class LaunchLimitsProgram {
    private static final String LOCAL_ARGUMENT = """
            kernel void k(global int *out, local int *l) {
                int i = get_local_id(0) + get_local_size(0) * get_local_id(1), n = get_local_size(0) * get_local_size(1);
                l[i] = i;
                barrier(CLK_LOCAL_MEM_FENCE);
                out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = l[n - 1 - i];
            }
            """;
    private static final String LOCAL_ARRAY = """
            kernel void k(global int *out) {
                local int l[BYTES / 4];
                int i = get_local_id(0), n = get_local_size(0);
                l[BYTES / 4 - 1 - i] = i;
                barrier(CLK_LOCAL_MEM_FENCE);
                out[get_global_id(0)] = l[BYTES / 4 - n + i];
            }
            """;
    private static final String TWO_ARRAYS = """
            kernel void k(global int *out) {
                local int one[64], l[BYTES / 4];
                int i = get_local_id(0), n = get_local_size(0);
                one[i] = n;
                l[BYTES / 4 - 1 - i] = i;
                barrier(CLK_LOCAL_MEM_FENCE);
                out[get_global_id(0)] = l[BYTES / 4 - one[n - 1 - i] + i];
            }
            """;
    private static final String HIDDEN_ARRAY = """
            #ifndef HIDDEN
            #define HIDDEN
            #define SHARED(type, name, n) __local type name[n]
            typedef struct { int i[4]; } four;
            kernel void other(global int *out) { local int l[100 << 20]; l[*out] = 1; *out = l[2]; }
            kernel void k(global int *out) {
            #if BYTES > 0
                SHARED(four, l, BYTES / sizeof(four));
            #else
                SHARED(four, l, 100 << 20);
            #endif
                int i = get_local_id(0), n = get_local_size(0);
                l[i].i[3] = n - 1 - i;
                barrier(CLK_LOCAL_MEM_FENCE);
                out[get_global_id(0)] = l[i].i[3];
            }
            #endif
            """;
    private static final String PRIVATE_ARRAY = """
            #define ELEMENTS (BYTES / sizeof(int))
            kernel void k(global int *out, int step) {
                int a[ELEMENTS];
                int i = get_global_id(0), at = 0;
                for (int j = 0; j < ELEMENTS; j++) { a[j] = (j + i) % ELEMENTS; }
                barrier(CLK_GLOBAL_MEM_FENCE);
                for (int j = 0; j < step; j++) { at = a[at] % ELEMENTS; }
                out[i] = a[at];
            }
            """;

    /** In front of what a refusal has to say, where it may be launched as well and be right. */
    private static final String MAYBE = "?";

    private final Evener evener;
    private final DeviceInfo device;
    private final LaunchLimits limits;
    private final HostBuffer out;
    private int launches;
    private int right;
    private int refused;
    private int wrong;

    private LaunchLimitsProgram(Evener evener, DeviceInfo device) {
        this.evener = evener;
        this.device = device;
        this.limits = LaunchLimits.of(ClDevice.all().stream()
                .filter(each -> each.info().id().equals(device.id()))
                .findFirst()
                .orElseThrow());
        this.out = evener.allocate(ElementType.INT, 1 << 14);
    }

    public static void main(String[] arguments) {
        int wrong = 0;
        int launches = 0;
        int right = 0;
        int refused = 0;
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse(arguments[0]))
                .history(History.inMemory())
                .open()) {
            for (DeviceInfo device : evener.devices()) {
                if (device.kind() != DeviceKind.JVM) {
                    LaunchLimitsProgram program = new LaunchLimitsProgram(evener, device);
                    System.out.println(device.id() + " " + device.name() + ": " + program.limits);
                    program.all(arguments.length > 1 ? Integer.parseInt(arguments[1]) : 50);
                    launches += program.launches;
                    right += program.right;
                    refused += program.refused;
                    wrong += program.wrong;
                }
            }
        }
        System.out.println(launches + " launches, " + right + " right, " + refused + " refused, " + wrong + " wrong");
        System.exit(wrong);
    }

    private void all(int random) {
        long local = limits.localBytes();
        int most = (int) Math.min(limits.groupItems(), 1 << 14);
        boolean keepsNone =
                limits.stackBytes() < Long.MAX_VALUE; // of PoCL's; NVIDIA's driver refuses the launch of all of it
        groups(64, local / 4, keepsNone ? null : MAYBE + "CL_DEVICE_LOCAL_MEM_SIZE is " + local);
        groups(64, local / 4 + 1, "CL_DEVICE_LOCAL_MEM_SIZE is " + local);
        groups(64, 1L << 40, "CL_DEVICE_LOCAL_MEM_SIZE is " + local);
        groups(64, Long.MAX_VALUE, "CL_DEVICE_LOCAL_MEM_SIZE is " + local);
        groups(most + 1, most + 1, "CL_DEVICE_MAX_WORK_ITEM_SIZES");
        if (limits.itemSizes().get(0) > most) {
            groups(2 * most, 2L * most, "CL_DEVICE_MAX_WORK_GROUP_SIZE is " + most);
        }
        attempt(
                "groups in two dimensions",
                KernelSource.of("local", LOCAL_ARGUMENT),
                0,
                job -> job.range(most, 1)
                        .kernel("k")
                        .groupSize(most, 2)
                        .writes(out, Access.slice(most))
                        .local(ElementType.INT, items -> 1),
                "CL_DEVICE_MAX_WORK_GROUP_SIZE is " + most,
                i -> 0);
        array(LOCAL_ARRAY, 64, 1024, job -> job, null);
        if (limits.stackBytes() == Long.MAX_VALUE) { // not PoCL's: refused by the compiler, or as much as is asked for
            array(LOCAL_ARRAY, 64, 2 * local, job -> job, MAYBE + "CL_DEVICE_LOCAL_MEM_SIZE is " + local);
        } else {
            array(LOCAL_ARRAY, 64, 2 * local, job -> job, "CL_DEVICE_LOCAL_MEM_SIZE is " + local);
            array(
                    LOCAL_ARRAY.replace("global int *out", "global int *out, local int *more"),
                    64,
                    local - 512,
                    job -> job.local(ElementType.INT, 256),
                    "CL_DEVICE_LOCAL_MEM_SIZE is " + local);
            array(TWO_ARRAYS, 16, local - 256, job -> job, null);
            array(TWO_ARRAYS, 16, local - 252, job -> job, "CL_DEVICE_LOCAL_MEM_SIZE is " + local);
            // What the text hides from all but a compiler.
            array(HIDDEN_ARRAY, 64, 2 * local, job -> job, "CL_DEVICE_LOCAL_MEM_SIZE is " + local);
            array(HIDDEN_ARRAY, 64, local / 2, job -> job, null);
        }
        refusedOpen();

        // The filter of a published program: 16 KiB of each work-item.
        array(PRIVATE_ARRAY, 64, 16L << 10, job -> job.scalar(3), null);
        array(PRIVATE_ARRAY, 0, 16L << 10, job -> job.scalar(3), null);
        long stack = limits.stackBytes();
        if (stack < Long.MAX_VALUE) {
            array(PRIVATE_ARRAY, 0, 256L << 10, job -> job.scalar(3), null);
            array(PRIVATE_ARRAY, most, 256, job -> job.scalar(3), null);
            array(PRIVATE_ARRAY, most, (stack / most + 1024) & ~1023, job -> job.scalar(3), "has room for " + stack);
            array(PRIVATE_ARRAY, 64, (stack / 64 + 1024) & ~1023, job -> job.scalar(3), "has room for " + stack);
            array(PRIVATE_ARRAY, 1, (stack + 1024) & ~1023, job -> job.scalar(3), "has room for " + stack);
        }

        for (int letters : new int[] {100, 252, 253, 255, 256, 300, 2000}) {
            String name = "k".repeat(letters);
            boolean fits = letters <= limits.nameLength();
            attempt(
                    "name of " + letters + " letters",
                    KernelSource.of("name", "kernel void " + name + "(global int *out) { out[get_global_id(0)] = 7; }"),
                    64,
                    job -> job.units(64).kernel(name).writes(out, Access.slice(1)),
                    fits ? null : "has room for " + limits.nameLength(),
                    i -> 7);
        }

        int vectors = (int) (Math.min(limits.parameterBytes(), 1 << 16) - 8) / 128; // of 16 longs each
        String parameters = "CL_DEVICE_MAX_PARAMETER_SIZE is " + limits.parameterBytes();
        vectors(vectors, MAYBE + parameters); // NVIDIA's assembler takes less than its driver tells
        vectors(vectors + 1, parameters);
        constants();
        Random any = new Random(57);
        for (int i = 0; i < random; i++) {
            int items = 1 + any.nextInt(any.nextBoolean() ? 64 : 2 * most);
            long elements = Math.max(items, (long) (any.nextDouble() * 2 * local / 4));
            String limit = items > limits.itemSizes().get(0)
                    ? "CL_DEVICE_MAX_WORK_ITEM_SIZES"
                    : items > most
                            ? "CL_DEVICE_MAX_WORK_GROUP_SIZE"
                            : elements * 4 > local ? "CL_DEVICE_LOCAL_MEM_SIZE" : null;
            groups(limit == null ? 1 << any.nextInt(7) : items, elements, limit);
        }
    }

    private void groups(int items, long elements, @Nullable String limit) {
        attempt(
                "groups of " + items + " with " + elements + " elements",
                KernelSource.of("local", LOCAL_ARGUMENT),
                items,
                job -> job.units(items)
                        .jobView()
                        .kernel("k")
                        .groupSize(items)
                        .writes(out, Access.slice(1))
                        .local(ElementType.INT, elements),
                limit,
                i -> items - 1 - i);
    }

    private void array(String text, int items, long bytes, UnaryOperator<JobBuilder> more, @Nullable String limit) {
        int units = Math.max(256, items);
        attempt(
                (text.contains("local") ? "local" : "private") + " array of " + bytes + " bytes in groups of " + items,
                KernelSource.of("array", text).withMacro("BYTES", bytes),
                units,
                job -> {
                    JobBuilder with = job.units(units).jobView().kernel("k");
                    with = items > 0 ? with.groupSize(items) : with;
                    return more.apply(with.writes(out, Access.slice(1)));
                },
                limit,
                text.equals(PRIVATE_ARRAY) ? i -> walk(i, (int) (bytes / 4)) : i -> items - 1 - i % items);
    }

    private static int walk(int item, int elements) {
        int at = 0;
        for (int j = 0; j < 4; j++) {
            at = (at + item) % elements;
        }
        return at;
    }

    private void vectors(int count, @Nullable String limit) {
        StringBuilder text = new StringBuilder("kernel void k(global int *out");
        StringBuilder sum = new StringBuilder("0");
        for (int i = 0; i < count; i++) {
            text.append(", long16 v").append(i);
            sum.append(" + v").append(i).append(".s3");
        }
        text.append(") { out[get_global_id(0)] = ").append(sum).append("; }");
        attempt(
                "arguments of " + (8 + 128 * count) + " bytes",
                KernelSource.of("values", text.toString()),
                64,
                job -> {
                    JobBuilder with = job.units(64).kernel("k").writes(out, Access.slice(1));
                    ByteBuffer vector = ByteBuffer.allocate(128).order(ByteOrder.nativeOrder());
                    vector.putLong(3 * Long.BYTES, 5);
                    for (int i = 0; i < count; i++) {
                        with = with.value(vector);
                    }
                    return with;
                },
                limit,
                i -> 5 * count);
    }

    private void refusedOpen() {
        for (int form = 0; form < 3; form++) {
            int kind = form;
            attempt(
                    "local memory in groups of any size " + kind,
                    kind < 2
                            ? KernelSource.of("local", LOCAL_ARGUMENT)
                            : KernelSource.of("array", LOCAL_ARRAY).withMacro("BYTES", 1024),
                    64,
                    job -> {
                        JobBuilder with = job.units(64).jobView().kernel("k").writes(out, Access.slice(1));
                        return kind == 0
                                ? with.local(ElementType.INT, 32)
                                : kind == 1 ? with.local(ElementType.INT, items -> items) : with;
                    },
                    "give groupSize(n)",
                    i -> 0);
        }
    }

    private void constants() {
        if (limits.constantArguments() < 1000) {
            for (long count : new long[] {limits.constantArguments(), limits.constantArguments() + 1}) {
                StringBuilder text = new StringBuilder("kernel void k(global int *out");
                StringBuilder sum = new StringBuilder("0");
                for (int i = 0; i < count; i++) {
                    text.append(", constant int *c").append(i);
                    sum.append(" + c").append(i).append("[0]");
                }
                try (HostBuffer one = evener.allocate(ElementType.INT, 1)) {
                    one.ints().put(0, 1);
                    attempt(
                            count + " constant arguments",
                            KernelSource.of("constants", text + ") { out[get_global_id(0)] = " + sum + "; }"),
                            64,
                            job -> {
                                JobBuilder with = job.units(64).kernel("k").writes(out, Access.slice(1));
                                for (int i = 0; i < count; i++) {
                                    with = with.reads(one, Access.whole());
                                }
                                return with;
                            },
                            count > limits.constantArguments() ? "CL_DEVICE_MAX_CONSTANT_ARGS" : null,
                            i -> (int) count);
                }
            }
        }
        if (limits.constantBytes() <= 1 << 28) {
            for (long bytes : new long[] {limits.constantBytes(), limits.constantBytes() + 4}) {
                try (HostBuffer all = evener.allocate(ElementType.INT, bytes / 4)) {
                    all.ints().put((int) (bytes / 4) - 1, 5);
                    KernelSource source = KernelSource.of(
                            "constant",
                            "kernel void k(global int *out, constant int *c) {" + " out[get_global_id(0)] = c["
                                    + (bytes / 4 - 1) + "]; }");
                    attempt(
                            "a constant buffer of " + bytes + " bytes",
                            source,
                            64,
                            job -> job.units(64)
                                    .kernel("k")
                                    .writes(out, Access.slice(1))
                                    .reads(all, Access.whole()),
                            bytes > limits.constantBytes()
                                    ? "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE is " + limits.constantBytes()
                                    : null,
                            i -> 5);
                }
            }
            // A slice is no reason to refuse: its chunks are small enough.
            int n = 1 << 14;
            try (HostBuffer all = evener.allocate(ElementType.INT, n * (limits.constantBytes() / n + 1))) {
                long each = all.elements() / n;
                attempt(
                        "a constant slice",
                        KernelSource.of(
                                "slice",
                                "kernel void k(global int *out, constant int *c) {"
                                        + " out[get_global_id(0)] = c[get_global_id(0)]; }"),
                        n,
                        job -> job.units(n)
                                .chunkView()
                                .kernel("k")
                                .writes(out, Access.slice(1))
                                .reads(all, Access.slice(each)),
                        null,
                        i -> 0);
            }
        }
    }

    private interface Expected {
        int of(int item);
    }

    /** @param limit what the refusal has to say, {@link #MAYBE} before it; null if the launch has to be right */
    private void attempt(
            String what,
            KernelSource source,
            int units,
            UnaryOperator<JobBuilder> described,
            @Nullable String limit,
            Expected expected) {
        launches++;
        if (Boolean.getBoolean("verbose")) {
            System.out.println(what);
        }
        String found = null;
        for (int i = 0; i < units; i++) {
            out.ints().put(i, -1);
        }
        try {
            Job job = described
                    .apply(Job.named("limits").source(source))
                    .devices(DeviceSelector.parse(device.id()))
                    .build();
            evener.submit(job).join();
            for (int i = 0; i < units && found == null; i++) {
                if (out.ints().get(i) != expected.of(i)) {
                    found = "element " + i + " is " + out.ints().get(i) + ", not " + expected.of(i);
                }
            }
            boolean may = limit == null || limit.startsWith(MAYBE);
            right += found == null && may ? 1 : 0;
            found = found == null && !may ? "it was launched" : found;
        } catch (CompletionException | EvenerException e) {
            Throwable cause = e instanceof CompletionException ? e.getCause() : e;
            boolean named = limit != null && String.valueOf(cause.getMessage()).contains(limit.replace(MAYBE, ""));
            refused += named ? 1 : 0;
            found = named ? null : "it says " + cause;
        }
        if (found != null) {
            wrong++;
            System.out.println("WRONG: " + what + (limit == null ? "" : ", beyond " + limit) + ": " + found);
        }
        if (evener.health().quarantined().containsKey(device.id())) {
            wrong++;
            System.out.println("WRONG: " + what + ": the device is quarantined");
        }
    }
}
