package dev.evener;

import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The phase that a {@link Job.Builder} is at: its passes but the last one, its arguments so far, and its last pass. Between
 * two phases there is none. Not thread-safe.
 */
final class PhaseDraft {
    private final String job;
    private List<JobSpec.Pass> passes = new ArrayList<>();
    private List<JobSpec.Argument> arguments = new ArrayList<>();
    private @Nullable String kernel;
    private int firstArgument;
    private Map<DeviceKind, Variant> variants = new EnumMap<>(DeviceKind.class);
    private @Nullable JvmKernel jvm;

    /** @param job its name, for messages */
    PhaseDraft(String job) {
        this.job = job;
    }

    /** Begins a phase with its first kernel; the one before must have ended. */
    void begin(String function) {
        kernel = function;
    }

    /** Goes on with another kernel. */
    void then(String function) {
        if (kernel == null) {
            throw refused("then(\"" + function + "\") was given before kernel(name); it goes on with the phase that"
                    + " kernel(name) begins");
        }
        endPass(kernel);
        kernel = function;
    }

    void variant(DeviceKind kind, Variant variant) {
        requireKernel("variant");
        variants.put(kind, variant);
    }

    void jvm(JvmKernel form) {
        requireKernel("jvm");
        if (jvm != null && !passes.isEmpty()) {
            throw refused(
                    "kernel " + kernel + " has a Java form of its own, but a phase has one for all its kernels, and"
                            + " it was given already");
        }
        jvm = form;
    }

    void add(JobSpec.Argument argument) {
        requireKernel("an argument");
        arguments.add(argument);
    }

    /** @throws EvenerException if there is no phase; the message names what was given too early */
    void requireKernel(String what) {
        if (kernel == null) {
            throw refused(what + " was given before kernel(name)");
        }
    }

    /** The phase, which has ended; null if there is none. */
    JobSpec.@Nullable Phase end(
            @Nullable KernelSource source, @Nullable Runnable combine, @Nullable List<ManagedBuffer> combineWrites) {
        if (kernel == null) {
            return null;
        }
        endPass(kernel);
        JobSpec.Phase ended = new JobSpec.Phase(passes, source, arguments, jvm, combine, combineWrites);
        kernel = null;
        passes = new ArrayList<>();
        arguments = new ArrayList<>();
        firstArgument = 0;
        jvm = null;
        return ended;
    }

    private void endPass(String function) {
        Set<Integer> written = new HashSet<>();
        for (int i = firstArgument; i < arguments.size(); i++) {
            if (arguments.get(i) instanceof JobSpec.Argument.Buffer b && b.written()) {
                written.add(i - firstArgument);
            }
        }
        passes.add(new JobSpec.Pass(function, variants, firstArgument, arguments.size() - firstArgument, written));
        firstArgument = arguments.size();
        variants = new EnumMap<>(DeviceKind.class);
    }

    private EvenerException refused(String reason) {
        return new EvenerException("job '" + job + "': " + reason);
    }
}
