package dev.evener.workloads.cli;

import dev.evener.Contexts;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.History;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of every command that chooses devices. */
final class DeviceOptions {
    @Option(names = "--devices", paramLabel = "SELECTOR")
    private @Nullable String selector;

    @Mixin
    private ContextOptions contexts = new ContextOptions();

    /** Which devices share a context. */
    static final class ContextOptions {
        @Option(names = "--contexts", paramLabel = "HOW")
        private @Nullable String how;

        /** Tells an Evener that is about to be opened. */
        EvenerBuilder on(EvenerBuilder builder) {
            if (how == null) {
                return builder;
            }
            return builder.contexts(
                    switch (how) {
                        case "measured" -> Contexts.MEASURED;
                        case "shared" -> Contexts.SHARED;
                        case "own" -> Contexts.OWN;
                        default -> throw UserError.usage("--contexts: " + how + " is none of measured, shared and own");
                    });
        }
    }

    /**
     * What the choice of devices left out, in one line each; nothing where the launcher has said already that there is no
     * OpenCL and which command would change that.
     */
    static List<String> notes(Evener evener) {
        boolean onlyJvm = evener.devices().stream().allMatch(d -> d.kind() == DeviceKind.JVM);
        return onlyJvm && Boolean.getBoolean("evener.told.no.opencl") ? List.of() : evener.notes();
    }

    DeviceSelector selector() {
        String text = selector == null ? "all" : selector;
        return UserError.parsed("--devices: ", () -> DeviceSelector.parse(text));
    }

    EvenerBuilder builder() {
        return contexts.on(builder(selector, selector()));
    }

    /** Opens them: where devices were asked for, JVM threads do not stand in for them. */
    static EvenerBuilder builder(@Nullable String asked, DeviceSelector selector) {
        EvenerBuilder builder = Evener.builder().devices(selector);
        return asked == null || asked.contains("jvm") ? builder : builder.requireOpenCl();
    }

    /** Refuses at once what {@link #builder} would. */
    static void check(DeviceSelector asked) {
        if (Evener.select(asked).stream().allMatch(d -> d.kind() == DeviceKind.JVM)) {
            builder(asked.toString(), asked).history(History.inMemory()).open().close(); // which says why
        }
    }
}
