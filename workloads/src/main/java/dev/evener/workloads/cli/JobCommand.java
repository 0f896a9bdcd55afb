package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.workloads.cli.report.WarmUp;
import java.time.Duration;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What runs jobs on data that are given: warmed up, repeated, compared with a reference.
 *
 * <p>The warm-up is the work itself, once, and for a second more where it is repeated for measuring; frames that are mapped once are
 * not warmed up for. By then drivers have compiled
 * what they compile only at a launch, memory has been touched, and the JVM has compiled what a job needs; before, its compiler
 * threads compete with CPU devices.
 */
abstract class JobCommand extends MeasuringCommand {
    private static final int MOST_RUNS = 1_000_000;
    private static final Duration WARM_UP = Duration.ofSeconds(1);

    @Mixin
    final DeviceOptions devices = new DeviceOptions();

    @Mixin
    final PolicyOptions policy = new PolicyOptions();

    @Option(names = "--explain")
    private boolean explain;

    @Option(names = "--repeat", paramLabel = "N")
    int repeat = 1;

    @Option(names = "--cold")
    boolean cold;

    @Option(names = "--verify")
    boolean verify;

    @Option(names = "--checked")
    private boolean checked;

    private volatile boolean warm;

    /** Finds what is wrong about the options before any device is opened. */
    final void checkOptions() {
        UserError.checkCount("--repeat", repeat, MOST_RUNS);
        policy.check();
    }

    /** Opens the devices, and returns the exit code of the work on them. */
    final int onDevices(String command, BiFunction<Evener, RecordOptions.Session, Integer> work) {
        EvenerBuilder builder = devices.builder();
        if (checked) {
            if (policy.given()) {
                throw UserError.usage("--checked gives every device an equal share; leave out --policy and --split");
            }
            cold = true;
            builder.checked();
        }
        try (RecordOptions.Session session = record.begin(command, report);
                Evener evener =
                        session.on(faults.on(builder, () -> cold || warm)).open()) {
            notes(evener);
            return work.apply(evener, session);
        }
    }

    /**
     * Warms up, if that is wanted.
     *
     * @param work done at least once
     */
    final void warmUp(Runnable work) {
        if (!cold && !warm) {
            work.run(); // which builds programs, and may take seconds by itself
            long start = System.nanoTime();
            while (repeat > 1 && System.nanoTime() - start < WARM_UP.toNanos()) {
                work.run();
            }
        }
        warm();
    }

    /** From now on it counts. */
    final void warm() {
        warm = true;
    }

    final WarmUp warmUp(long buildNanos, long times) {
        return new WarmUp(cold, buildNanos, times);
    }

    /** Tells people and programs what came out. */
    final void tell(Supplier<String> text, Supplier<String> explanation, Supplier<Map<String, Object>> json) {
        String line = "checked: every kernel keeps to what is declared; times are those of checking";
        tell(
                report,
                () -> text.get() + (checked ? line + System.lineSeparator() : "") + (explain ? explanation.get() : ""),
                json);
    }
}
