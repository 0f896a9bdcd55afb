package dev.evener.policy;

import dev.evener.policy.CostModel.Exploration;
import dev.evener.policy.CostModel.Forecast;
import dev.evener.policy.CostModel.LaneCost;
import dev.evener.policy.Decision.Candidate;
import dev.evener.policy.Decision.Lane;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The set of lanes that the {@link CostModel} expects to be done first, or to cost least by another {@link Objective},
 * shares of the work that make them finish together, and stealing to correct what the model got wrong.
 *
 * <p><b>Candidates</b> are the single lanes and the fastest two, three and so on, without those that would have
 * nothing to do: their number grows with the lanes, not with the sets of lanes there are. One device is a legal
 * answer, for devices that share cores or memory may be faster alone, and a short job may be done before a second
 * device has begun.
 *
 * <p><b>The choice</b> is the least expected time, unless another set may be faster: one whose time, less {@value
 * Pace#SURE} standard deviations of the difference, or {@code sqrt(ln jobs)} where it never ran, is below the best
 * one's, or the best one with a lane more, should that be as fast as it may. Such a look is the idea of optimism in
 * the face of uncertainty (Lai and Robbins, Asymptotically Efficient Adaptive Allocation Rules, 1985; Auer,
 * Cesa-Bianchi and Fischer, Finite-time Analysis of the Multiarmed Bandit Problem, 2002). It is paid for, at what it
 * really cost, though no more than the best set takes, out of a budget: {@value #BUDGET} of the time that all jobs of
 * the kind took, and the time of {@value #GRACE} job to begin with. The lanes of the best set stand by, and take the
 * work over when a look would cost more: one at a set that never ran and is expected to, after the time that they take
 * themselves. Looks are {@value #SPACING} jobs apart, so that no series of them holds up a user, and ever further
 * apart as the jobs become more, unless the set is within one standard deviation of the best one and may be better by
 * {@value #ALIKE}: a look that surprised is followed by another one. As the model's evidence fades, what has not run
 * for long becomes uncertain again, and is looked at again.
 *
 * <p><b>Where jobs wait</b>, what counts is the mean time until each of them is done. Taken to be like this one, they
 * may be done one after another on the best set, or each whole by the lane that is done with it first (list
 * scheduling: Graham, Bounds on Multiprocessing Timing Anomalies, 1969). So short jobs, for which a second lane costs
 * more than it helps, go to different lanes; long ones are split. Of a stream, what counts is the time until all are
 * done: each goes whole to the lane that is done with it first, and no set is looked at, as lanes are never without a
 * job for long, and nothing has to be brought from one device to another.
 *
 * <p><b>Data that stay.</b> What managed buffers hold is brought to a device once, so the time of these bytes is no
 * part of what a chunk or a set is said to take. A candidate whose lanes lack some of their shares is charged for it:
 * bytes times what a byte took on that link so far in this process, its lanes side by side, spread over the jobs to
 * come on each buffer, which are taken to be as many as have used it. So data of one job are paid for by that job, and
 * an iteration moves to a better split when it has gone on for as long as that takes to pay. A look is charged for its
 * move whole and both ways. Before any byte was moved nothing is charged.
 *
 * <p><b>The first job of a kind</b> begins on the lane that promises most, in a small chunk, and the others stand by:
 * they steal when that chunk has told what units take, or has not ended when a slow start would have. So a job that is
 * over by then does not wait for their starts. One that promises too little to steal still does as much as the others
 * do in the time that is fixed for it, so that it is known; should it be late, one that was seen does that again. A
 * set with a lane of which nothing is known is a look in itself: the others stand by, and no look is made beside it.
 * So is one with a lane that did so little that its part may take {@value #LARGE} times as long, should nothing of
 * what that took be fixed.
 *
 * <p><b>Chunks.</b> A lane takes at once what it will have done in time even if the speeds are as far off as they may
 * ({@link Pace#safe}): next to nothing of a job never seen, nearly all of its share of one that is known well. So
 * chunks shrink towards the end, as in guided self-scheduling, and no faster than the doubt demands. Where its chunks
 * overrun, it takes no more than the others can wait for ({@link Pace#insured}). A chunk is worth its launch, as far
 * as that is known ({@link Pace#floor}), and grows fourfold while all of its time may be fixed.
 */
record AdaptivePolicy(Objective objective) implements Policy, PolicyProvider {
    /** Part of the time that looks may cost in the long run. */
    static final double BUDGET = 0.01;
    /** Jobs whose time looks may cost at the beginning: one, at a set that takes twice as long. */
    static final double GRACE = 1;
    /** In the long run looks are a quarter of the jobs so far apart, so that fewer and fewer of all jobs are looks... */
    static final long SELDOM = 4;
    /** ...and no further than this, for devices come back. */
    static final long MOST_SPACING = 50;
    /** Jobs from one look to the next, at least. */
    static final long SPACING = 3;
    /** One that should take so many times as long as all jobs before it together, or may as is expected, is like a first one. */
    static final double LARGE = 4;
    /** A set that is better by less does not replace the one that is used most. */
    private static final double EVEN = 0.01;
    /** What equal devices differ by: lanes are taken in the order of their numbers, and a look for less waits its turn. */
    private static final double ALIKE = 0.2;

    AdaptivePolicy() {
        this(Objective.TIME);
    }

    @Override
    public String name() {
        return "adaptive";
    }

    @Override
    public String description() {
        return "the devices that should be done first, shares that make them finish together, and stealing";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(new Parameter(
                "objective",
                Type.TEXT,
                0,
                0,
                Objective.TIME.text(),
                "what the set of devices keeps least: " + "time, energy or edp, the product of both"));
    }

    @Override
    public Policy create(Settings settings) {
        return new AdaptivePolicy(Objective.parse(settings.text("objective")));
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        if (snapshot.granules() == 0) {
            return Plan.of(Plan.Sharing.STEALING, new long[snapshot.lanes().size()]);
        }
        CostModel model = snapshot.model();
        requirePower(snapshot);
        List<Forecast> candidates = candidates(snapshot);
        if (snapshot.coming() > 0) {
            Forecast first = firstDone(snapshot, candidates);
            return plan(
                    snapshot, candidates, first, first, "one of a stream: each whole on the one that is done first");
        }
        if (!model.known()) {
            Comparator<Forecast> busy = Comparator.comparingInt(
                    each -> snapshot.lanes().get(each.lanes().first()).jobs());
            Forecast first = Collections.min( // which shows soonest what a chunk takes, else that which promises most
                    singles(candidates),
                    busy.thenComparingDouble(
                            each -> model.lane(each.lanes().first()).fixedNanos()));
            return plan(snapshot, candidates, first, first, "first job of its kind: others help if it is long enough")
                    .standingBy(snapshot.available(), 0);
        }
        Forecast best = Collections.min(candidates, Comparator.comparingDouble(each -> cost(snapshot, each)));
        Forecast incumbent = Collections.max(candidates, Comparator.comparingLong(Forecast::jobs));
        if (cost(snapshot, incumbent) <= (1 + EVEN) * cost(snapshot, best)) {
            best = incumbent;
        }
        // What energy it takes that others help nobody can tell beforehand; and nobody helps where a job cannot be cut.
        boolean mayHelp = objective == Objective.TIME && snapshot.granules() > 1;
        boolean isLook = mayHelp && isOpen(best, model);
        Forecast look = isLook ? null : look(snapshot, candidates, best);
        if (look == null) {
            Forecast whole = snapshot.waiting() > 0 && objective == Objective.TIME
                    ? ListSchedule.whole(candidates, best, snapshot.waiting())
                    : null;
            Plan plan = whole == null
                    ? plan(snapshot, candidates, best, best, "least expected " + objective.text())
                    : plan(snapshot, candidates, whole, whole, "others wait: each whole on the one that is done first");
            boolean like = best.nanos() < LARGE * model.exploration().totalNanos();
            return like && !isLook ? plan : plan.standingBy(snapshot.available(), like ? best.nanos() : 0);
        }
        double left = left(snapshot, best);
        return plan(
                        snapshot,
                        candidates,
                        look,
                        best,
                        (objective == Objective.TIME
                                        ? "a look: it may be faster than "
                                        : "a look: it may take less than ")
                                + String.join(" + ", ids(snapshot, best.lanes())))
                .standingBy(best.lanes(), best.nanos() + (more(snapshot, look, best) > left ? 0 : left));
    }

    /** Whether a set has a lane of which nothing is known, or too little for what it is to do. */
    private static boolean isOpen(Forecast set, CostModel model) {
        double[] work = set.work();
        return IntStream.range(0, work.length)
                .filter(set.lanes()::has)
                .anyMatch(i -> model.isUnseen(i) || work[i] * model.mostNanosPerUnit(i) > LARGE * set.nanos());
    }

    private static List<Forecast> singles(List<Forecast> candidates) {
        return candidates.stream().filter(each -> each.lanes().size() == 1).toList();
    }

    /** The lane that is done first with all of the job. */
    private Forecast firstDone(Snapshot snapshot, List<Forecast> candidates) {
        boolean known =
                snapshot.model().known(); // else times only compare lanes, and jobs before this one count as it does
        return Collections.min(singles(candidates), Comparator.comparingDouble(each -> {
            int before = snapshot.lanes().get(each.lanes().first()).jobs();
            return known ? cost(snapshot, each) : cost(snapshot, each) * (before + 1);
        }));
    }

    /**
     * What looks may cost at present, in nanoseconds: when one would cost more, those that stand by take over. Where nobody can, as the job
     * cannot be cut, there is no grace: it may be the one that others wait for.
     */
    private static double left(Snapshot snapshot, Forecast best) {
        Exploration spent = snapshot.model().exploration();
        double grace = snapshot.granules() == 1 ? 0 : GRACE * best.nanos();
        return BUDGET * spent.totalNanos() + grace - spent.spentNanos();
    }

    /** The set that may be furthest below the best one, if a look at it is due and within the budget; else null. */
    private @Nullable Forecast look(Snapshot snapshot, List<Forecast> candidates, Forecast best) {
        CostModel model = snapshot.model();
        Exploration spent = model.exploration();
        if (spent.sinceLook() < SPACING) {
            return null;
        }
        boolean due = spent.sinceLook() >= spacing(model);
        boolean whole = snapshot.granules() == 1; // of which nobody can take anything over
        double left = left(snapshot, best);
        Forecast unseen = due && !whole ? withOneMore(snapshot, best, left, true) : null;
        if (unseen != null) {
            return unseen;
        }
        Forecast look = due && !whole ? withOneMore(snapshot, best, left, false) : null;
        double least = look == null ? 0 : behind(snapshot, look, best);
        double growing = growing(model);
        for (Forecast each : candidates) {
            if (look != null
                    && each.lanes().size() == 1
                    && look.lanes().has(each.lanes().first())) {
                continue; // beside the best set it tells more and costs less than alone
            }
            double behind = behind(snapshot, each, best);
            double doubt = doubt(model, each, best);
            boolean run = each.jobs() > 0;
            double bound = each.lanes().equals(best.lanes()) ? 0 : behind - (run ? Pace.SURE : growing) * doubt;
            double cost = lookCost(snapshot, each, best, whole);
            if (bound < least && (due || (behind < doubt && bound < -ALIKE)) && cost <= left) {
                look = each;
                least = bound;
            }
        }
        return look;
    }

    /** The best set with the lane that would make it fastest if it were as fast as it may be; null if none would, or costs too much. */
    private @Nullable Forecast withOneMore(Snapshot snapshot, Forecast best, double left, boolean unseen) {
        CostModel model = snapshot.model();
        Forecast found = null;
        double least = cost(snapshot, best) * (1 - EVEN);
        LaneSet available = ready(snapshot);
        for (int i = 0; i < snapshot.lanes().size(); i++) {
            LaneCost lane = model.lane(i);
            if (available.has(i) && !best.lanes().has(i) && (lane.chunks() == 0) == unseen) {
                Forecast hope = moved(snapshot, model.forecast(best.lanes().with(i), i));
                if (cost(snapshot, hope) < least
                        && lane.fixedNanos() - best.nanos() + bothWays(hope, best) <= left
                        && useful(snapshot, hope).has(i)) {
                    found = hope;
                    least = cost(snapshot, hope);
                }
            }
        }
        return found;
    }

    /**
     * What is expected of a set with what it takes to bring its lanes the data of their shares, which happens side by
     * side.
     */
    private static Forecast moved(Snapshot snapshot, Forecast of) {
        return snapshot.model().moving(of, () -> shares(snapshot, of), snapshot.data());
    }

    /** What a look takes to move data that the best set has where it needs them: there, and back if it disappoints. */
    private static double bothWays(Forecast look, Forecast best) {
        return 2 * Math.max(0, look.moveNanos() - best.moveNanos());
    }

    /** The lanes that work, without those of which nothing is known but that they were late, and that are not to be looked at yet. */
    private static LaneSet ready(Snapshot snapshot) {
        CostModel model = snapshot.model();
        LaneSet available = snapshot.available();
        LaneSet ready = LaneSet.where(
                snapshot.lanes().size(),
                i -> available.has(i) && (model.lane(i).chunks() > 0 || model.jobsToLook(i) == 0));
        return ready.isEmpty() ? available : ready;
    }

    /** Single lanes, then the fastest two, three and so on to all, without lanes that would have nothing to do. */
    private List<Forecast> candidates(Snapshot snapshot) {
        CostModel model = snapshot.model();
        LaneSet available = ready(snapshot);
        List<Forecast> list = new ArrayList<>();
        IntStream.range(0, snapshot.lanes().size())
                .filter(available::has)
                .forEach(i -> list.add(moved(snapshot, model.forecast(LaneSet.of(i)))));
        list.sort(Comparator.comparingDouble(Forecast::nanos));
        for (int from = 0, to; from < list.size(); from = to) {
            double most = list.get(from).nanos() * Math.exp(ALIKE);
            for (to = from + 1; to < list.size() && list.get(to).nanos() < most; ) {
                to++;
            }
            list.subList(from, to)
                    .sort(Comparator.comparingInt(each -> each.lanes().first()));
        }
        List<Forecast> fastest = List.copyOf(list);
        join(snapshot, fastest, list);
        if (objective != Objective.TIME) {
            List<Forecast> frugal = new ArrayList<>(fastest);
            frugal.sort(Comparator.comparingDouble(each -> each.nanos()
                    * extraWatts(snapshot.lanes().get(each.lanes().first()).power())));
            List<Forecast> others = new ArrayList<>();
            join(snapshot, frugal, others);
            others.removeIf(
                    each -> list.stream().anyMatch(other -> other.lanes().equals(each.lanes())));
            list.addAll(others);
        }
        return list;
    }

    /** Adds the first two, three and so on of some single lanes. */
    private static void join(Snapshot snapshot, List<Forecast> singles, List<Forecast> list) {
        CostModel model = snapshot.model();
        LaneSet set = LaneSet.NONE;
        for (int n = 0; n < singles.size(); n++) {
            Forecast single = singles.get(n);
            Forecast forecast =
                    n == 0 ? single : model.forecast(set.with(single.lanes().first()));
            LaneSet useful = useful(snapshot, forecast);
            if (!useful.equals(set)
                    && !useful.equals(forecast.lanes())) { // others are done before some of them have begun
                forecast = model.forecast(useful);
                useful = useful(snapshot, forecast).equals(useful) ? useful : set;
            }
            if (!useful.equals(set)) {
                set = useful;
                if (set.size() > 1) {
                    list.add(moved(snapshot, forecast));
                }
            }
        }
    }

    /** The lanes of a set that have something to do. */
    private static LaneSet useful(Snapshot snapshot, Forecast forecast) {
        if (forecast.lanes().size() == 1) {
            return forecast.lanes();
        }
        return Apportion.some(
                forecast.lanes(),
                forecast.work(),
                snapshot.granules(),
                snapshot.model().profile());
    }

    private Plan plan(Snapshot snapshot, List<Forecast> candidates, Forecast chosen, Forecast best, String reason) {
        long[] shares = shares(snapshot, chosen);
        Exploration spent = snapshot.model().exploration();
        return Plan.of(Plan.Sharing.STEALING, shares)
                .balanced()
                .because(
                        chosen.lanes().equals(best.lanes())
                                ? 0
                                : Math.max(1, more(snapshot, chosen, best)), // a hopeful look is one too
                        best.nanos(),
                        () -> decision(snapshot, candidates, chosen, best, reason, spent));
    }

    /** Granules for each lane. */
    private static long[] shares(Snapshot snapshot, Forecast forecast) {
        if (forecast.lanes().size() == 1) { // however little its work is beside a fixed cost
            long[] all = new long[snapshot.lanes().size()];
            all[forecast.lanes().first()] = snapshot.granules();
            return all;
        }
        return Apportion.byWork(
                forecast.work(), snapshot.granules(), snapshot.model().profile());
    }

    @Override
    public long chunk(Progress progress, int lane) {
        double left = progress.work(lane);
        double power = Pace.part(progress, lane);
        if (power == 1) {
            return progress.remaining(lane); // nobody could help
        }
        double own = Pace.inHand(progress, lane);
        double part = Math.min(left + own, Pace.left(progress) * power);
        double safe = Pace.chunk(progress, lane, Pace.safe(progress, lane, power, part) - own, left);
        double insured = Pace.insured(progress, lane, power, part) - own;
        double seen = Pace.seen(progress, lane, part);
        return progress.granulesOfWork(lane, Math.min(Math.min(safe, insured), seen));
    }

    // ---- what is to be least ----

    /** @throws IllegalArgumentException if the policy needs to know what devices draw, and does not */
    private void requirePower(Snapshot snapshot) {
        List<String> unknown = objective == Objective.TIME
                ? List.of()
                : snapshot.lanes().stream()
                        .filter(lane -> !lane.power().known())
                        .map(Snapshot.LaneView::id)
                        .toList();
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("adaptive:" + objective.text()
                    + " needs to know what devices draw, and nobody has told of " + String.join(", ", unknown));
        }
    }

    private static double extraWatts(Power power) {
        return power.busyWatts() - power.idleWatts();
    }

    /**
     * What a set costs: its time, or the energy of all devices until the job is done, or the product. With costs of
     * units alone and lanes that end at once, the sets that may be best are the lanes that take least energy for a
     * unit, one, two and so on: corners of the convex set of what power and what speed sums of lanes can have.
     */
    private double cost(Snapshot snapshot, Forecast of) {
        if (objective == Objective.TIME) {
            return of.nanos();
        }
        double energy = 0;
        for (int i = 0; i < snapshot.lanes().size(); i++) {
            Power power = snapshot.lanes().get(i).power();
            energy += power.idleWatts() * of.nanos();
            energy += of.lanes().has(i) ? extraWatts(power) * (of.nanos() - of.awayNanos()) : 0;
        }
        return objective == Objective.ENERGY ? energy : energy * of.nanos();
    }

    /** Logarithm of how many times as much one costs. */
    private double behind(Snapshot snapshot, Forecast of, Forecast best) {
        return Math.log(cost(snapshot, of) / cost(snapshot, best));
    }

    /** Deviation of that; the power of a set is known. */
    private double doubt(CostModel model, Forecast of, Forecast best) {
        return (objective == Objective.EDP ? 2 : 1) * model.doubt(of, best);
    }

    /** What a set costs more than the best one, in the time of that. */
    private double more(Snapshot snapshot, Forecast of, Forecast best) {
        return objective == Objective.TIME
                ? of.nanos() - best.nanos()
                : best.nanos() * (cost(snapshot, of) / cost(snapshot, best) - 1);
    }

    // ---- what it says of itself ----

    private Decision decision(
            Snapshot snapshot,
            List<Forecast> candidates,
            Forecast chosen,
            Forecast best,
            String reason,
            Exploration spent) {
        CostModel model = snapshot.model();
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < snapshot.lanes().size(); i++) {
            LaneCost cost = model.lane(i);
            lanes.add(new Lane(
                    snapshot.lanes().get(i).id(),
                    cost.fixedNanos(),
                    model.known() ? cost.nanosPerUnit() : 0,
                    cost.doubt(),
                    cost.chunks(),
                    leftOut(snapshot, candidates, chosen, best, i)));
        }
        List<Forecast> sets = new ArrayList<>(candidates);
        int at = 0;
        while (at < sets.size() && !sets.get(at).lanes().equals(chosen.lanes())) {
            at++;
        }
        if (at == sets.size()) {
            sets.add(chosen);
        }
        sets.set(at, chosen); // which may be a look at a lane as fast as it may be
        Function<Forecast, Candidate> candidate = each -> new Candidate(
                ids(snapshot, each.lanes()),
                model.known() ? Math.round(each.nanos()) : 0,
                each.lanes().equals(best.lanes()) ? each.doubt() : model.doubt(each, best),
                each.contention(),
                each.jobs());
        List<Candidate> considered = sets.stream().map(candidate).toList();
        return new Decision(lanes, considered, at, reason, spent.spentNanos(), spent.totalNanos());
    }

    private String leftOut(Snapshot snapshot, List<Forecast> candidates, Forecast chosen, Forecast best, int lane) {
        if (chosen.lanes().has(lane)) {
            return "";
        }
        if (!snapshot.lanes().get(lane).available()) {
            return "its device does not work at present, or still builds";
        }
        long jobs = snapshot.model().jobsToLook(lane);
        if (jobs > 0) {
            return "it was late where its equals were not; looked at again in " + jobs(jobs);
        }
        Forecast with = candidates.stream()
                .filter(each -> each.lanes().has(lane) && each.lanes().hasAll(chosen.lanes()))
                .min(Comparator.comparingDouble(each -> cost(snapshot, each)))
                .orElse(null);
        if (with == null) {
            return "the others are done before it would have begun" + again(snapshot, candidates, best, lane);
        }
        double more = cost(snapshot, with) / cost(snapshot, chosen) - 1;
        return more < 0
                ? "a look at the others without it"
                : "with it the job would take " + Math.round(100 * more) + "% "
                        + (objective == Objective.TIME ? "longer" : "more " + objective.text())
                        + again(snapshot, candidates, best, lane);
    }

    /** When a lane that the best set is without may be {@linkplain #look looked at} again. */
    private String again(Snapshot snapshot, List<Forecast> candidates, Forecast best, int lane) {
        CostModel model = snapshot.model();
        boolean whole = snapshot.granules() == 1;
        double cost = Double.POSITIVE_INFINITY; // of the cheapest look that may show something
        Forecast hope = moved(snapshot, model.forecast(best.lanes().with(lane), lane));
        if (!whole
                && cost(snapshot, hope) < cost(snapshot, best) * (1 - EVEN)
                && useful(snapshot, hope).has(lane)) {
            cost = model.lane(lane).fixedNanos() - best.nanos() + bothWays(hope, best);
        }
        boolean soon = false;
        for (Forecast each : candidates) {
            double behind = behind(snapshot, each, best);
            double doubt = doubt(model, each, best);
            double bound = behind - (each.jobs() > 0 ? Pace.SURE : growing(model)) * doubt;
            if (each.lanes().has(lane) && bound < 0) {
                cost = Math.min(cost, lookCost(snapshot, each, best, whole));
                soon |= behind < doubt && bound < -ALIKE;
            }
        }
        if (cost == Double.POSITIVE_INFINITY) {
            return "; looked at again when what is known of it has faded";
        }
        long due = (soon ? SPACING : spacing(model)) - model.exploration().sinceLook();
        long paid = (long) Math.ceil((cost - left(snapshot, best)) / (BUDGET * best.nanos()));
        return "; looked at again in about " + jobs(Math.max(1, Math.max(due, paid)));
    }

    /** What a look may take longer than the best set, whose lanes take over after its time where a job can be cut. */
    private double lookCost(Snapshot snapshot, Forecast look, Forecast best, boolean whole) {
        double cost = more(snapshot, look, best);
        return (look.jobs() > 0 || whole ? cost : Math.min(cost, best.nanos())) + bothWays(look, best);
    }

    /** By how many standard deviations a set that never ran may be off: the more, the more jobs there were. */
    private static double growing(CostModel model) {
        return Math.max(Pace.SURE, Math.sqrt(Math.log((double) model.jobs())));
    }

    private static String jobs(long number) {
        return number + (number == 1 ? " job" : " jobs");
    }

    /** Jobs from one look to the next, but for one that is expected to be worth it. */
    private static long spacing(CostModel model) {
        return Math.max(SPACING, Math.min(MOST_SPACING, model.jobs() / SELDOM));
    }

    private static List<String> ids(Snapshot snapshot, LaneSet lanes) {
        List<String> ids = new ArrayList<>(lanes.size());
        for (int i = 0; i < snapshot.lanes().size(); i++) {
            if (lanes.has(i)) {
                ids.add(snapshot.lanes().get(i).id());
            }
        }
        return ids;
    }
}
