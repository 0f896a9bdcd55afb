package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.history.History;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.experiment.Comparer;
import dev.evener.workloads.experiment.Comparison;
import dev.evener.workloads.experiment.Scenario;
import dev.evener.workloads.experiment.Setup;
import dev.evener.workloads.experiment.file.ResultsFile;
import dev.evener.workloads.experiment.file.SetupDigest;
import dev.evener.workloads.workload.Request;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Makes comparisons one after another, on devices that stay open while that makes no difference: where there are faults,
 * which count chunks, each comparison opens them anew. One thread.
 */
final class CompareRun implements AutoCloseable {
    private final CliCommand command;
    private final TuningOption tuning;
    private final CompareReport report;
    private final ProgressLine progress;
    private final Watching watch;
    private final boolean table;
    private final boolean explain;
    private final Map<DeviceSelector, List<DeviceInfo>> devices = new HashMap<>();
    private final Set<DeviceSelector> noted = new HashSet<>();
    private @Nullable Open open;

    /** Devices that are open, and what they were opened for. */
    private record Open(Evener evener, Setup setup, Tuning tuned, AtomicBoolean measuring) {}

    /**
     * @param watch who hears of the jobs
     * @param table whether to print a table for each comparison
     * @param explain whether to print each policy's reasons below it
     */
    CompareRun(
            CliCommand command,
            TuningOption tuning,
            CompareReport report,
            Watching watch,
            boolean table,
            boolean explain) {
        this.command = command;
        this.tuning = tuning;
        this.report = report;
        this.watch = watch;
        this.progress = new ProgressLine(command.err(), !command.quiet());
        this.table = table;
        this.explain = explain;
    }

    /**
     * Makes them all; those that fail cost a line.
     *
     * @param kept where comparisons are found that were made before, and kept; null to make all and keep none
     * @return how many were made before
     * @throws EvenerException if a device is not there
     */
    int run(List<Setup> setups, @Nullable ResultsFile kept) {
        for (Setup setup : setups) { // what is not there is said before anything runs
            devices.computeIfAbsent(setup.set(), Evener::select);
        }
        int before = 0;
        int number = 0;
        for (Setup setup : setups) {
            number++;
            List<DeviceInfo> own = devices.getOrDefault(setup.set(), List.of());
            String digest = SetupDigest.of(setup, own, List.of(Version.text(), "tuned " + tuning.wanted()));
            Optional<Comparison> found = kept == null ? Optional.empty() : find(kept, digest, setup, own);
            if (found.isPresent()) {
                before++;
                tell(setup, found.get());
            } else {
                String place = kept == null ? "" : number + " of " + setups.size() + ": ";
                Comparison made = make(setup, place);
                if (made != null && kept != null && made.mismatches().isEmpty()) {
                    keep(kept, digest, setup, made);
                }
            }
        }
        return before;
    }

    private static Optional<Comparison> find(ResultsFile kept, String digest, Setup setup, List<DeviceInfo> devices) {
        try {
            return kept.find(digest, setup, devices);
        } catch (DocumentException e) {
            throw UserError.failed(e.getMessage());
        }
    }

    private static void keep(ResultsFile kept, String digest, Setup setup, Comparison made) {
        try {
            kept.keep(digest, setup, made);
        } catch (IOException e) {
            throw UserError.failed("the results could not be kept: " + UserError.reason(e));
        }
    }

    private @Nullable Comparison make(Setup setup, String place) {
        Request task = setup.request();
        String what = CompareText.title(setup);
        Open on = opened(setup);
        Request tuned = task.tuned(on.tuned());
        Comparer comparer = new Comparer(
                on.evener(),
                setup.settings(),
                doing -> progress.show(place + what + ": " + doing),
                watch.jobs(tuned, setup.set().toString()),
                () -> on.measuring().set(true));
        try {
            Comparison comparison = comparer.compare(tuned);
            progress.clear();
            watch.view().keep(what, on.evener().devices());
            comparison.mismatches().forEach(m -> fail(what + ", " + m));
            comparison
                    .recovered()
                    .forEach((failure, contenders) ->
                            say(what + ", " + String.join(", ", contenders) + ": " + EvenerCommand.oneLine(failure)));
            tell(setup, comparison);
            return comparison;
        } catch (EvenerException | IllegalArgumentException e) { // the latter where size and parameters do not fit
            progress.clear();
            if (command.verbose()) {
                e.printStackTrace(command.err());
            }
            fail(what + ": " + EvenerCommand.oneLine(String.valueOf(e.getMessage())));
            return null;
        }
    }

    private void tell(Setup setup, Comparison comparison) {
        report.add(setup, comparison);
        if (table) {
            command.out().println(CompareText.table(setup, comparison));
            if (explain) {
                command.out().print(CompareText.explanations(comparison));
            }
            command.out().flush();
        }
    }

    private void fail(String message) {
        report.fail(message);
        say(message);
    }

    private void say(String message) {
        command.err().println("evener: " + message);
        command.err().flush();
    }

    /** The devices, with a history that begins empty and is forgotten: figures must not hang on earlier runs. */
    private Open opened(Setup setup) {
        Open now = open;
        if (now != null && alike(now.setup(), setup)) {
            return now;
        }
        close();
        AtomicBoolean measuring = new AtomicBoolean();
        Evener.Builder builder = Evener.builder()
                .devices(setup.set())
                .history(History.inMemory())
                .bindCores(true);
        if (setup.chunkDeadline() != null) {
            builder.chunkDeadline(setup.chunkDeadline());
        }
        for (String fault : setup.scenario().faults()) {
            if (setup.scenario().from() == Scenario.From.MEASUREMENT) {
                builder.inject(fault, measuring::get);
            } else {
                builder.inject(fault);
            }
        }
        Evener evener = watch.record().on(watch.view().on(builder)).open();
        if (noted.add(setup.set()) && !command.quiet()) {
            DeviceOptions.notes(evener).forEach(this::say);
        }
        Open opened = new Open(evener, setup, tuning.on(evener, command), measuring);
        open = opened;
        return opened;
    }

    private static boolean alike(Setup one, Setup other) {
        return one.scenario().faults().isEmpty()
                && other.scenario().faults().isEmpty()
                && one.set().equals(other.set());
    }

    @Override
    public void close() {
        Open now = open;
        open = null;
        if (now != null) {
            now.evener().close();
        }
    }
}
