package dev.evener.internal.cl;

import dev.evener.DeviceKind;
import dev.evener.EvenerException;
import dev.evener.EvenerException.BuildFailedException;
import dev.evener.KernelSource;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import dev.evener.internal.source.SourceLines;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jocl.CL;
import org.jocl.cl_context;
import org.jocl.cl_device_id;
import org.jocl.cl_program;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The programs of one context: one object for each source, options and class of devices, built once for all devices of the
 * class (some drivers crash when one program object is built a second time), but for those that have to be kept apart ({@link
 * ProgramNumbers}). Binaries are not kept here: drivers do that. Thread-safe; they are
 * built one at a time, and a lane that needs one which is not built waits.
 */
public final class Programs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Programs.class);

    /**
     * PoCL compiles a kernel for a size of work-groups when it is first launched so, or, for the sizes that this variable
     * lists, when a program's binary is asked for.
     */
    private static final boolean ALL_GROUPS = System.getenv("POCL_BINARY_SPECIALIZE_WG") != null;

    /**
     * Has PoCL's compiler not print "1 error generated." on the process's standard error, by itself. PoCL hands on only options that
     * it knows, and takes blanks alone for what is between two; its compiler takes tabs for that too.
     */
    private static final String QUIETLY = " -D EVENER_QUIETLY\t-fno-caret-diagnostics";

    /** What stands in front of a text that may ask of its launch more than the index of its work-item. */
    private static final String TELLING =
            KernelSource.resource(Programs.class, "launch.cl").text();

    private static final Pattern OF_SOURCE = Pattern.compile("error:|Cannot find symbol|CL_INVALID_BUILD_OPTIONS");

    private final cl_context context;
    private final Map<List<String>, Built> programs =
            new ConcurrentHashMap<>(); // by source, kind of device, and options

    /** A program or the reason there is none, so that a broken source is compiled once. */
    private record Built(
            @Nullable cl_program program, @Nullable EvenerException failure) {}

    Programs(cl_context context) {
        this.context = context;
    }

    /**
     * The options with which a text is told of its launch.
     *
     * @param dimensions of the job, or 0 where the text needs nothing
     * @param along the dimension that is cut
     * @param offsets with which the job's ids begin
     */
    public static String telling(int dimensions, int along, List<Long> offsets) {
        return dimensions == 0
                ? ""
                : " -D EVENER_DIMENSIONS=" + dimensions + " -D EVENER_ALONG=" + along + " -D EVENER_FROM0="
                        + offsets.get(0) + " -D EVENER_FROM1=" + offsets.get(1) + " -D EVENER_FROM2=" + offsets.get(2);
    }

    /**
     * The program built for a class of devices.
     *
     * @param devices all devices of that class in the context, or one whose options no other has
     * @throws EvenerException if the source does not compile, with the build log
     */
    cl_program get(KernelSource source, String options, List<ClDevice> devices) {
        DeviceKind kind = devices.get(0).info().kind();
        List<String> key = List.of(source.digest(), kind.name(), options);
        Built built = programs.get(key); // a lane must not wait for what another builds, if its own is there
        if (built == null) {
            built = make(key, source, options(options, kind, devices), devices);
        }
        if (built.failure() != null) {
            throw built.failure();
        }
        return Objects.requireNonNull(built.program());
    }

    private synchronized Built make(List<String> key, KernelSource source, String options, List<ClDevice> devices) {
        Built built = programs.get(key);
        if (built == null) {
            built = build(source, options, devices);
            programs.put(key, built);
        }
        return built;
    }

    @Override
    public synchronized void close() {
        for (Built built : programs.values()) {
            if (built.program() != null) {
                release(built.program());
            }
        }
        programs.clear();
    }

    private static String options(String variantOptions, DeviceKind kind, List<ClDevice> devices) {
        // -w: PoCL's compiler prints "1 warning generated." on the process's standard error, by itself.
        String options = "-w -cl-kernel-arg-info -D EVENER_" + kind.name();
        if (!variantOptions.contains("-cl-std=")) { // twice, PoCL 6 would mix up the extensions of both
            options += LanguageVersion.STANDARD;
        }
        if (devices.stream().allMatch(ClDevice::exactDivision)) {
            options += " -cl-fp32-correctly-rounded-divide-sqrt";
        }
        long rounds = devices.stream()
                .mapToLong(d -> SelfTest.known(d).rounds())
                .min()
                .orElse(Long.MAX_VALUE);
        if (rounds < Long.MAX_VALUE) {
            options += " -D EVENER_LOOP_ROUNDS=" + rounds;
        }
        return variantOptions.isBlank() ? options : options + " " + variantOptions.trim();
    }

    /** PoCL makes its cache's folder once, and processes that build the same may take each other's files away: then it is built again. */
    private Built build(KernelSource source, String options, List<ClDevice> devices) {
        Built built = buildOnce(source, options, devices);
        EvenerException failure = built.failure();
        if (failure instanceof BuildFailedException broken && options.contains(LanguageVersion.STANDARD)) {
            Set<String> names = LanguageVersion.laterNames(source);
            if (!names.isEmpty()) {
                return buildLater(source, options, devices, names, broken);
            }
        }
        if (failure == null || !devices.get(0).compilesAtLaunch() || isOfSource(String.valueOf(failure.getMessage()))) {
            return built;
        }
        String problem =
                PoclNeeds.cacheProblem(System.getenv(), Files::isExecutable); // which makes the folder, if it can
        LOG.warn("{} is built again{}", source.name(), problem == null ? "" : "; " + problem);
        return buildOnce(source, options, devices);
    }

    /** Builds a text with names of a later language as that, where its devices have it. */
    private Built buildLater(
            KernelSource source,
            String options,
            List<ClDevice> devices,
            Set<String> names,
            BuildFailedException failure) {
        String later = LanguageVersion.latest(devices);
        List<String> variables = later == null ? List.of() : LanguageVersion.variables(source, later);
        BuildFailedException broken = failure;
        if (later != null && variables.isEmpty()) {
            Built built = buildOnce(source, options.replace(LanguageVersion.STANDARD, later), devices);
            if (!(built.failure() instanceof BuildFailedException e)) {
                return built;
            }
            broken = e;
        }
        return new Built(null, LanguageVersion.failure(source, names(devices), later, variables, names, broken));
    }

    /** Whether a failure to build is the source's, of which compilers say where, or its options'. */
    static boolean isOfSource(String failure) {
        return OF_SOURCE.matcher(failure).find() && !failure.contains("unable to rename temporary");
    }

    private Built buildOnce(KernelSource source, String options, List<ClDevice> devices) {
        long start = System.nanoTime();
        String place = "#line 1 \"" + SourceLines.displayed(source.name()) + "\"\n"; // for messages
        cl_program program =
                fromSource(source, (options.contains("EVENER_ALONG") ? TELLING : "") + place + source.text());
        int status = build(program, devices, devices.get(0).compilesAtLaunch() ? options + QUIETLY : options);
        if (status == CL.CL_INVALID_BUILD_OPTIONS) { // a PoCL that asks more of its options
            status = build(program, devices, options);
        }
        if (status == CL.CL_INVALID_VALUE && isRefused(program, devices)) {
            status = CL.CL_BUILD_PROGRAM_FAILURE; // JOCL's exceptions look for a log, which fails under -Xcheck:jni
        }
        if (status != CL.CL_SUCCESS) {
            ClFailure e = new ClFailure("building a program", status);
            EvenerException failure = BuildLog.failure(
                    source, names(devices), options, log(program, devices), e, LaunchLimits.of(devices.get(0)));
            release(program);
            return new Built(null, failure);
        }
        LOG.debug("built {} for {} in {} ms", source.name(), names(devices), (System.nanoTime() - start) / 1_000_000);
        if (ALL_GROUPS) {
            Cl.answer(
                    Long.BYTES * devices.size(),
                    (bytes, target, needed) ->
                            CL.clGetProgramInfo(program, CL.CL_PROGRAM_BINARY_SIZES, bytes, target, needed));
        }
        return new Built(program, null);
    }

    private static int build(cl_program program, List<ClDevice> devices, String options) {
        return Cl.status(() -> CL.clBuildProgram(program, devices.size(), handles(devices), options, null, null));
    }

    private cl_program fromSource(KernelSource source, String text) {
        return Cl.make(
                Kind.PROGRAM,
                "creating a program from " + source.name(),
                status -> CL.clCreateProgramWithSource(context, 1, new String[] {text}, null, status));
    }

    private static void release(cl_program program) {
        NativeLedger.freed(Kind.PROGRAM);
        Cl.succeeds(() -> CL.clReleaseProgram(program));
    }

    private static Cl.Query ask(cl_program program, ClDevice device, int what) {
        return (bytes, target, needed) ->
                CL.clGetProgramBuildInfo(program, device.handle(), what, bytes, target, needed);
    }

    /** Whether a compiler does not take it. */
    private static boolean isRefused(cl_program program, List<ClDevice> devices) {
        return devices.stream()
                .mapToInt(device -> (int) Cl.number(Integer.BYTES, 0, ask(program, device, CL.CL_PROGRAM_BUILD_STATUS)))
                .anyMatch(status -> status == CL.CL_BUILD_ERROR);
    }

    private static String log(cl_program program, List<ClDevice> devices) {
        String all = devices.stream()
                .map(device -> Cl.text(ask(program, device, CL.CL_PROGRAM_BUILD_LOG)))
                .filter(log -> log != null && !log.isBlank())
                .distinct() // equal ones once
                .collect(Collectors.joining("\n"));
        return all.isEmpty() ? "(the driver gave no build log)" : all.stripTrailing();
    }

    private static cl_device_id[] handles(List<ClDevice> devices) {
        return devices.stream().map(ClDevice::handle).toArray(cl_device_id[]::new);
    }

    private static String names(List<ClDevice> devices) {
        return String.join(", ", devices.stream().map(d -> d.info().name()).toList());
    }
}
