package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Report;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.bench.Contender.Sample;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.bench.Result.Timed;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.StreamWorkload;
import java.io.Serial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Measures the contenders of one case on an Evener of its own: tries those that may not be able to do it, warms up, searches the best
 * static split, then measures all of them together in rounds. The split is chosen from one set of measurements and judged by another:
 * chosen and judged by the same it would owe some of its success to luck. One thread.
 */
public final class CaseRun {
    /** Rounds of what learns nothing: the first builds the kernel, and Java compiles. */
    private static final int COLD_ROUNDS = 3;

    /** Rounds between sweep and measurement, for what went cold meanwhile. */
    private static final int REWARM_ROUNDS = 2;

    private static final Pattern SAID = Pattern.compile("error: .*?(\".*\")");
    private static final long ENOUGH_NANOS = Duration.ofSeconds(2).toNanos();
    private static final int LEAST_ROUNDS = 15;
    private static final int MOST_ROUNDS = 1001;

    private final Evener evener;
    private final Case what;
    private final Setting setting;
    private final Tuning tuning;
    private final List<Entry> unfit;
    private final Random order;
    private final List<Contender> all = new ArrayList<>();
    private final List<Prepared> prepared = new ArrayList<>();
    private @Nullable Prepared base;

    /**
     * Where a case is measured.
     *
     * @param watch who hears of the jobs
     * @param tuning how primitives are tuned on devices that are open
     * @param progress told now and then in a few words what is being done
     * @param measuring run once: when everything is warm and the best static split is chosen, before the first round counts
     * @param clock in nanoseconds
     * @param policies the policy of a name, for so many devices
     */
    public record Setting(
            Watch watch,
            Function<Evener, Tuning> tuning,
            Consumer<String> progress,
            Runnable measuring,
            LongSupplier clock,
            BiFunction<String, Integer, Policy> policies) {
        /** With the system's clock and all policies there are. */
        public Setting(Watch watch, Function<Evener, Tuning> tuning, Consumer<String> progress, Runnable measuring) {
            this(watch, tuning, progress, measuring, System::nanoTime, Policies::named);
        }
    }

    /** A workload with its data, whose jobs are noted. */
    private record Prepared(PreparedWorkload workload, JobLog log) {}

    private CaseRun(Evener evener, Case what, Setting setting, List<Entry> unfit) {
        this.evener = evener;
        this.what = what;
        this.setting = setting;
        this.tuning = setting.tuning().apply(evener);
        this.unfit = unfit;
        this.order = new Random(what.request().seed());
    }

    /**
     * Measures all contenders.
     *
     * @param open opens the devices; again where a contender could not do it, which may have ended the Evener's use of a device
     * @throws EvenerException if there is no memory for it, or a job failed
     * @throws IllegalArgumentException if size and parameters do not go together
     */
    public static Result measure(Case what, Setting setting, Supplier<Evener> open) {
        List<Entry> unfit = new ArrayList<>();
        Result result = null;
        while (result == null) {
            try (Evener evener = open.get()) {
                result = new CaseRun(evener, what, setting, unfit).run();
            } catch (Unfit e) {
                unfit.add(Entry.unfit(e.name, e.role, reason(e), null));
            }
        }
        return result;
    }

    /** The first line, or what the kernel itself said when it was built. */
    private static String reason(Unfit e) {
        String message = String.valueOf(e.getMessage());
        Matcher said = SAID.matcher(message);
        return said.find() ? said.group(1) : message.lines().findFirst().orElse("");
    }

    private Result run() {
        setting.progress().accept("preparing");
        try {
            if (what.request().workload() instanceof StreamWorkload<?> work) {
                return ofStream(work);
            }
            contenders();
            return measured();
        } finally {
            prepared.forEach(one -> one.workload().close());
        }
    }

    private <S extends AutoCloseable> Result ofStream(StreamWorkload<S> work) {
        List<S> slots = work.slots(evener, what.request());
        try {
            new Placements<>(evener, work, slots, what)
                    .contenders()
                    .forEach(way -> attempt(way.name, way.role, () -> way));
            return measured();
        } finally {
            work.close(slots);
        }
    }

    private Result measured() {
        if (all.isEmpty()) {
            Entry first = unfit.get(0);
            throw new EvenerException("nothing can be measured: " + first.name() + ": " + first.problem());
        }
        long warmUpJobs = warmUp();
        StaticSweep sweep =
                new StaticSweep(evener.devices().size(), what.effort().sweepSteps(), this::race);
        if (what.effort().sweepSteps() > 0) {
            Contender best = split(sweep.search());
            all.add((int) all.stream().filter(c -> c.role == Role.SINGLE).count(), best);
        }
        int rounds = measure();
        List<Entry> entries = new ArrayList<>();
        for (Contender contender : all) {
            if (what.effort().verify()) {
                setting.progress().accept("checking " + contender.name);
                contender.verify();
            }
            entries.add(contender.entry());
        }
        entries.addAll(unfit);
        PreparedWorkload one = base == null ? null : base.workload();
        long items = one == null ? what.request().items() : one.items();
        double flops = one == null ? 0 : one.flopsPerItem();
        return new Result(what, items, flops, evener.devices(), rounds, warmUpJobs, entries, sweep.tried());
    }

    // ---- who competes ----

    private void contenders() {
        Case.Lineup lineup = what.lineup();
        if (lineup.styles().isEmpty() || !lineup.policies().isEmpty()) {
            for (int lane = 0; lane < evener.devices().size(); lane++) {
                String name = "single " + evener.devices().get(lane).id();
                all.add(contender(name, Role.SINGLE, base(), "single:" + lane));
            }
        }
        for (String policy : lineup.policies()) {
            if (!policy.equals("single")) { // the plain static one is told from the best static split
                String name = policy.equals("static") ? "static equal" : policy;
                all.add(contender(name, Role.POLICY, base(), policy));
            }
        }
        lineup.styles().forEach(s -> attempt(s.name(), Role.STYLE, s.request().tuned(tuning)));
        lineup.tunings().forEach(t -> attempt(t, Role.TUNING, what.request().tuned(Tuner.tuned(tuning, t))));
        if (!lineup.baselines().isEmpty()) {
            Contender first = contender("", Role.SINGLE, base(), "single:0");
            double bytes = first.run().bytes();
            lineup.baselines().forEach(name -> attempt(name, Role.BASELINE, () -> baseline(name, bytes)));
        }
    }

    private Contender baseline(String name, double bytes) {
        if (name.equals("jdk")) {
            Supplier<Double> work =
                    Baselines.jdk(base().workload(), what.request().workload().name(), setting.clock());
            return new Contender(name, Role.BASELINE, what.timing(), () -> Sample.of(work.get(), bytes), null);
        }
        Prepared memory = prepare(Baselines.memory(name, what.request(), bytes));
        Contender kernel = contender(name, Role.BASELINE, memory, usual());
        boolean shares = evener.devices().stream().allMatch(DeviceInfo::sharesHostMemory);
        if (!name.equals("copy") || !shares || what.timing() != Timing.WALL) {
            return kernel;
        }
        Supplier<Sample> faster = () -> {
            Sample by = kernel.run();
            double host = Baselines.hostCopy(memory.workload(), setting.clock());
            return host < by.wallNanos() ? Sample.of(host, by.bytes()) : by;
        };
        return new Contender(name, Role.BASELINE, Timing.WALL, faster, kernel::verify);
    }

    private void attempt(String name, Role role, Request request) {
        attempt(name, role, () -> contender(name, role, prepare(request), usual()));
    }

    /** Tries one and, if it is right, has it take part. */
    private void attempt(String name, Role role, Supplier<Contender> made) {
        if (unfit.stream().anyMatch(e -> e.name().equals(name))) {
            return;
        }
        setting.progress().accept("trying " + name);
        try {
            Contender tried = made.get();
            String mismatch = tried.verify();
            if (mismatch == null) {
                all.add(tried);
            } else {
                unfit.add(Entry.unfit(name, role, mismatch, false));
            }
        } catch (EvenerException | IllegalArgumentException e) {
            throw new Unfit(name, role, e);
        }
    }

    /** The policy of those that are not compared by their policies. */
    private String usual() {
        return evener.devices().size() == 1 ? "single:0" : "adaptive";
    }

    private Contender split(List<Double> fractions) {
        return contender(
                "static best",
                Role.BEST_STATIC,
                base(),
                "static:" + fractions.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }

    /** Each learns in a history of its own, so that no policy profits from what another tried. */
    private Contender contender(String name, Role role, Prepared on, String policyText) {
        PreparedWorkload workload = on.workload();
        Policy policy = setting.policies().apply(policyText, evener.devices().size());
        History history = History.inMemory();
        Supplier<Sample> work = () -> {
            Report report =
                    on.log().run(policy.name(), () -> evener.submit(workload.job(), policy, history), workload::output);
            return Sample.of(report, workload.items() * workload.bytesPerItem(report));
        };
        return new Contender(name, role, what.timing(), work, () -> {
            workload.reset();
            on.log().fresh();
            Objects.requireNonNull(work.get());
            return workload.mismatch();
        });
    }

    private Prepared base() {
        Prepared one = base;
        if (one == null) {
            one = prepare(what.request().tuned(tuning));
            base = one;
        }
        return one;
    }

    private Prepared prepare(Request request) {
        Prepared one = new Prepared(
                request.workload().prepare(evener, request),
                setting.watch().jobs(request, what.set().toString()));
        prepared.add(one);
        return one;
    }

    // ---- rounds ----

    private Rounds rounds(List<Contender> contenders) {
        return new Rounds(order, setting.clock(), contenders);
    }

    /** All build, and what learns does so; the others rest after a few rounds while there is such. Returns the turns taken. */
    private long warmUp() {
        setting.progress().accept("warming up");
        List<Contender> learning =
                all.stream().filter(c -> c.role == Role.POLICY).toList();
        Rounds rounds = rounds(all);
        int least = learning.isEmpty() ? COLD_ROUNDS : Contender.FIRST;
        while (rounds.within(least, Integer.MAX_VALUE, what.effort().warmUp().toNanos())) {
            if (rounds.run() == COLD_ROUNDS && !learning.isEmpty()) {
                rounds.drop(c -> !learning.contains(c));
            }
        }
        learning.forEach(Contender::learnt);
        return all.stream().mapToLong(Contender::turns).sum();
    }

    private List<Timed> race(List<List<Double>> splits) {
        setting.progress().accept("trying " + splits.size() + " static splits");
        List<Contender> entrants = splits.stream().map(this::split).toList();
        return StaticSweep.race(
                splits, entrants, rounds(entrants), what.effort().rounds());
    }

    /** Returns the number of rounds. */
    private int measure() {
        setting.progress().accept("measuring");
        Rounds again = rounds(all);
        for (int i = 0; i < REWARM_ROUNDS; i++) {
            again.run();
        }
        setting.measuring().run();
        Rounds rounds = rounds(all);
        int asked = what.effort().rounds();
        int done = 0;
        while (asked > 0 ? done < asked : rounds.within(LEAST_ROUNDS, MOST_ROUNDS, ENOUGH_NANOS)) {
            done = rounds.run();
            setting.progress().accept("measuring, round " + done);
        }
        return done;
    }

    /** Who hears of the jobs of an experiment: a record, charts and traces. One thread. */
    public interface Watch {
        /**
         * Has an Evener watched. One may be open at a time: what is heard from its opening to that of the next one belongs together.
         *
         * @param title what it does, in a few words
         */
        EvenerBuilder on(EvenerBuilder builder, String title);

        /**
         * Where jobs are noted that can be run again.
         *
         * @param request what they are made from
         * @param devices the selector of the Evener's devices
         */
        JobLog jobs(Request request, String devices);
    }

    /** A contender cannot do what the case asks for, and its devices have to be opened anew for the others. */
    private static final class Unfit extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1L;

        private final String name;
        private final Role role;

        Unfit(String name, Role role, RuntimeException cause) {
            super(cause.getMessage(), cause);
            this.name = name;
            this.role = role;
        }
    }
}
