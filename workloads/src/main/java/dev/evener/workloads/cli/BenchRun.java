package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.testing.Faults;
import dev.evener.workloads.bench.BenchReport;
import dev.evener.workloads.bench.Case;
import dev.evener.workloads.bench.CaseRun;
import dev.evener.workloads.bench.Result;
import dev.evener.workloads.bench.ResultsFile;
import dev.evener.workloads.cli.Screen.ProgressLine;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** Measures cases one after another, each on devices that are opened for it. One thread. */
final class BenchRun {
    /** Tells a process that {@link #inProcesses} started which one it is, from 1. */
    private static final String PROCESS = "dev.evener.bench.process";

    /** Options that are for the process that starts others. */
    private static final Set<String> OF_THE_FIRST = Set.of(
            "--processes", "--out", "--fresh", "--quiet", "--json", "--csv", "--markdown", "--report", "--details");

    private final BenchCommand command;
    private final RecordOptions.Session watch;
    private final BenchReport report;
    private final Consumer<Result> told;
    private final ProgressLine progress;
    private final Map<DeviceSelector, List<DeviceInfo>> devices = new HashMap<>();
    private final Set<DeviceSelector> noted = new HashSet<>();

    /**
     * @param watch who hears of the jobs
     * @param report takes what goes wrong
     * @param told takes each result
     */
    BenchRun(BenchCommand command, RecordOptions.Session watch, BenchReport report, Consumer<Result> told) {
        this.command = command;
        this.watch = watch;
        this.report = report;
        this.told = told;
        this.progress = command.progress();
    }

    /**
     * Each device of cases that are for each alone, those of one set of devices together.
     *
     * @throws EvenerException if a device is not there
     */
    static List<Case> each(List<Case> cases) {
        Map<DeviceSelector, List<DeviceInfo>> selected = new HashMap<>();
        Map<DeviceSelector, List<Case>> sets = new LinkedHashMap<>();
        for (Case each : cases) {
            List<DeviceInfo> devices = selected.computeIfAbsent(each.set(), Evener::select);
            boolean standsIn =
                    devices.get(0).kind() == DeviceKind.JVM; // perhaps, which is noted where the set is opened
            List<DeviceSelector> own = each.alone() && !standsIn
                    ? devices.stream().map(d -> DeviceSelector.parse(d.id())).toList()
                    : List.of(each.set());
            own.forEach(
                    set -> sets.computeIfAbsent(set, s -> new ArrayList<>()).add(each.on(set, false, each.scenario())));
        }
        return sets.values().stream().flatMap(List::stream).toList();
    }

    /**
     * Has as many processes as asked for measure the same, one after another. Each keeps its results in the file.
     *
     * @param command what is run, whose options they get but for what is written in the end
     */
    static void inProcesses(MeasuringCommand command, int count, Path file, boolean fresh) {
        List<String> words = new ArrayList<>();
        command.typed().matchedPositionals().forEach(each -> words.addAll(each.originalStringValues()));
        for (OptionSpec option : command.typed().matchedOptions()) {
            if (!OF_THE_FIRST.contains(option.longestName())) {
                option.originalStringValues()
                        .forEach(value ->
                                words.add(option.longestName() + (option.arity().max() == 0 ? "" : "=" + value)));
            }
        }
        ProgressLine line = command.progress();
        for (int number = 1; number <= count; number++) {
            line.show("process " + number + " of " + count);
            List<String> all = new ArrayList<>(List.of("bench", "--quiet", "--out=" + file));
            all.addAll(fresh && number == 1 ? List.of("--fresh") : List.of());
            all.addAll(words);
            OwnProcess.run(List.of("-D" + PROCESS + "=" + number), all, Writer.nullWriter(), said -> {
                line.clear();
                command.err().println(said);
            });
        }
        line.clear();
    }

    private static String digest(Case what, List<DeviceInfo> own, boolean untuned, int process) {
        List<String> more = new ArrayList<>(List.of(EvenerCommand.version(), "tuned " + !untuned));
        more.addAll(process == 1 ? List.of() : List.of("process " + process)); // the first is one that is alone
        return what.digest(own, more);
    }

    /**
     * Takes what processes have measured; what one of them lacks is reported in a line.
     *
     * @param kept where they kept it
     */
    void together(List<Case> cases, ResultsFile kept, int count) {
        for (Case what : cases) {
            List<DeviceInfo> own = devices.computeIfAbsent(what.set(), Evener::select);
            List<Result> all = new ArrayList<>();
            for (int number = 1; number <= count; number++) {
                kept.find(digest(what, own, command.untuned, number), what, own).ifPresent(all::add);
            }
            if (all.size() < count) {
                fail(what.title() + ": measured by " + all.size() + " of " + count + " processes");
            }
            if (!all.isEmpty()) {
                told.accept(Result.together(all));
            }
        }
    }

    /**
     * Measures them all; those that fail are reported in a line.
     *
     * @param kept where results are found that were measured before, and kept; null to measure all and keep none
     * @return how many were measured before
     * @throws IOException if a result could not be kept
     */
    int run(List<Case> cases, @Nullable ResultsFile kept) throws IOException {
        int before = 0;
        int number = 0;
        for (Case what : cases) {
            number++;
            List<DeviceInfo> own = devices.computeIfAbsent(what.set(), Evener::select);
            String digest = digest(what, own, command.untuned, Integer.getInteger(PROCESS, 1));
            Optional<Result> found = kept == null ? Optional.empty() : kept.find(digest, what, own);
            if (found.isPresent()) {
                before++;
                told.accept(found.get());
            } else {
                String place = cases.size() == 1 ? "" : number + " of " + cases.size() + ": ";
                Result made = measure(what, place);
                if (made != null && kept != null && made.mismatches().isEmpty()) {
                    kept.keep(digest, made);
                }
            }
        }
        return before;
    }

    private @Nullable Result measure(Case what, String place) {
        AtomicBoolean measuring = new AtomicBoolean();
        CaseRun.Setting setting = new CaseRun.Setting(
                watch,
                command::tuning,
                doing -> progress.show(place + what.title() + ": " + doing),
                () -> measuring.set(true));
        try {
            Result result = CaseRun.measure(what, setting, () -> open(what, measuring::get));
            progress.clear();
            command.report.keep(what.title());
            result.mismatches().forEach(m -> fail(what.title() + ", " + m));
            result.recovered()
                    .forEach((failure, names) ->
                            command.warn(List.of(what.title() + ", " + String.join(", ", names) + ": " + failure)));
            told.accept(result);
            return result;
        } catch (EvenerException | IllegalArgumentException e) { // the latter where size and parameters do not fit
            progress.clear();
            if (command.verbose()) {
                e.printStackTrace(command.err());
            }
            fail(what.title() + ": " + EvenerCommand.oneLine(String.valueOf(e.getMessage())));
            return null;
        }
    }

    private void fail(String message) {
        report.failures().add(message);
        command.warn(List.of(message));
    }

    /** The devices, with a history that begins empty and is forgotten: figures must not hang on earlier runs. */
    private Evener open(Case what, BooleanSupplier measuring) {
        EvenerBuilder builder =
                command.contexts.on(Evener.builder().devices(what.set()).history(History.inMemory()));
        if (what.effort().chunkDeadline() != null) {
            builder.chunkDeadline(what.effort().chunkDeadline());
        }
        BooleanSupplier begun = what.scenario().from() == Case.Scenario.From.START ? Faults.atOnce() : measuring;
        what.scenario().faults().forEach(fault -> Faults.inject(builder, fault, begun));
        Evener evener = watch.on(what.timed(builder)).open();
        if (noted.add(what.set())) {
            command.notes(evener);
        }
        return evener;
    }
}
