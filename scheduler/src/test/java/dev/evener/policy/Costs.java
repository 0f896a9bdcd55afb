package dev.evener.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A {@link CostModel} of plain numbers: what each lane takes for a chunk and for a unit, and nothing else unless it is said. Lanes
 * of a set finish together.
 */
public final class Costs implements CostModel {
    final double[] fixed;
    final double[] perUnit;
    final double[] away;
    final long[] chunks;
    final double units;
    final Map<LaneSet, Double> contention = new HashMap<>();
    final Map<LaneSet, Double> doubts = new HashMap<>();
    final Set<LaneSet> unused = new HashSet<>();
    boolean known = true;
    long jobs = 100;
    WorkProfile profile = WorkProfile.EVEN;
    Exploration exploration = new Exploration(0, 0, 100);
    final double[] hopes;
    int forecasts;

    private Costs(double units, double[] fixed, double[] perUnit) {
        this.units = units;
        this.fixed = fixed;
        this.perUnit = perUnit;
        this.away = new double[fixed.length];
        this.chunks = new long[fixed.length];
        this.hopes = new double[fixed.length];
        Arrays.fill(chunks, 9);
        Arrays.fill(hopes, 1);
    }

    /**
     * A model of a job.
     *
     * @param units of the job
     * @param fixed nanoseconds of a chunk, by lane
     * @param perUnit nanoseconds of a unit, by lane
     */
    public static Costs of(double units, double[] fixed, double[] perUnit) {
        return new Costs(units, fixed.clone(), perUnit.clone());
    }

    /** Chunks cost nothing beside their units. */
    static Costs of(double units, double... perUnit) {
        return new Costs(units, new double[perUnit.length], perUnit.clone());
    }

    /** No job was seen: times are only relative to each other. */
    public Costs unknown() {
        known = false;
        jobs = 0;
        Arrays.fill(chunks, 0);
        return this;
    }

    /** The first of the lanes, bit {@code i} standing for lane {@code i}. */
    public static LaneSet lanes(long bits) {
        return LaneSet.where(Long.SIZE, i -> (bits >>> i & 1) == 1);
    }

    /** Whether each lane of its set gets something. */
    public static boolean complete(Forecast forecast) {
        return LaneSet.where(forecast.work().length, i -> forecast.work()[i] > 0)
                .hasAll(forecast.lanes());
    }

    /** A unit takes so many times as long on each lane of this set. */
    Costs contending(long set, double times) {
        contention.put(lanes(set), times);
        return this;
    }

    /** How sure it is of this set; of others it is certain. */
    Costs doubting(long set, double deviation) {
        doubts.put(lanes(set), deviation);
        return this;
    }

    /** A lane may be so many times as fast as is expected. */
    Costs hoping(int lane, double times) {
        hopes[lane] = times;
        return this;
    }

    /** No job was seen on these. */
    Costs neverOn(long set) {
        unused.add(lanes(set));
        return this;
    }

    /** So many of its kind were seen. */
    Costs after(long seen) {
        jobs = seen;
        return this;
    }

    /** What looks have cost. */
    Costs explored(double spentNanos, double totalNanos, long sinceLook) {
        exploration = new Exploration(spentNanos, totalNanos, sinceLook);
        return this;
    }

    public Costs costing(double... density) {
        profile = WorkProfile.of(density);
        return this;
    }

    /** A snapshot of so many granules, whose lanes are called a, b and so on and are all available. */
    public Snapshot snapshot(long granules, long unitsPerGranule) {
        return snapshot(granules, unitsPerGranule, -1);
    }

    /** A lane is at work for other jobs for so long. */
    Costs away(int lane, double nanos) {
        away[lane] = nanos;
        return this;
    }

    /** The same, behind which so many jobs wait. */
    Snapshot behindWhichWait(int waiting, long granules) {
        Snapshot alone = snapshot(granules, 1L);
        return new Snapshot(granules, 1, alone.lanes(), this, waiting);
    }

    /** One of a stream with so many others, each lane having so many jobs before it. */
    Snapshot besideWhichCome(int coming, long granules, int... jobs) {
        List<Snapshot.LaneView> lanes = new ArrayList<>();
        for (int i = 0; i < fixed.length; i++) {
            lanes.add(new Snapshot.LaneView(id(i), true, away[i], jobs[i]));
        }
        return new Snapshot(granules, 1, lanes, this, 0, coming, 1, (lane, first, count) -> Snapshot.Move.NOTHING);
    }

    /** The same, of which only some lanes are available. */
    Snapshot snapshot(long granules, long unitsPerGranule, long available) {
        List<Snapshot.LaneView> lanes = new ArrayList<>();
        for (int i = 0; i < fixed.length; i++) {
            lanes.add(new Snapshot.LaneView(id(i), i >= Long.SIZE || (available >>> i & 1) == 1));
        }
        return new Snapshot(granules, unitsPerGranule, lanes, this, 0);
    }

    static String id(int lane) {
        return lane < 26 ? String.valueOf((char) ('a' + lane)) : "lane " + lane;
    }

    /** Time of a lane for so many units alone. */
    double predict(int lane, double of) {
        return fixed[lane] + of * perUnit[lane];
    }

    @Override
    public long jobs() {
        return jobs;
    }

    @Override
    public boolean known() {
        return known;
    }

    @Override
    public Forecast moving(Forecast of, Supplier<long[]> shares, Snapshot.Placement data) {
        return of;
    }

    @Override
    public LaneCost lane(int lane) {
        return new LaneCost(fixed[lane], perUnit[lane], doubts.getOrDefault(LaneSet.of(lane), 0.0), chunks[lane]);
    }

    /** Lanes in the order in which they could begin, until the next one would come too late. */
    @Override
    public Forecast forecast(LaneSet set) {
        return forecast(set, -1);
    }

    /** A hopeful lane takes as little as it may by its {@linkplain #hoping hope}. */
    @Override
    public Forecast forecast(LaneSet set, int hopeful) {
        forecasts++;
        double[] fixed = this.fixed.clone();
        double[] perUnit = this.perUnit.clone();
        if (hopeful >= 0) {
            fixed[hopeful] /= hopes[hopeful];
            perUnit[hopeful] /= hopes[hopeful];
        }
        double factor = contention.getOrDefault(set, 1.0);
        List<Integer> lanes = IntStream.range(0, fixed.length)
                .filter(set::has)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> away[i] + fixed[i]))
                .toList();
        double time = Double.POSITIVE_INFINITY;
        double rates = 0;
        double late = 0;
        double lost = 0;
        for (int lane : lanes) {
            double start = away[lane] + fixed[lane];
            if (start < time) {
                rates += 1 / (factor * perUnit[lane]);
                late += start / (factor * perUnit[lane]);
                lost += away[lane] / (factor * perUnit[lane]);
                time = (units + late) / rates;
            }
        }
        double[] work = new double[fixed.length];
        for (int lane : lanes) {
            work[lane] = Math.max(0, (time - away[lane] - fixed[lane]) / (factor * perUnit[lane]));
        }
        return new Forecast(
                set,
                time,
                lost / rates,
                doubts.getOrDefault(set, 0.0),
                factor,
                work,
                unused.contains(set) ? 0 : jobs,
                new double[0],
                0,
                0);
    }

    @Override
    public double doubt(Forecast a, Forecast b) {
        return a.lanes().equals(b.lanes()) ? 0 : Math.hypot(a.doubt(), b.doubt());
    }

    @Override
    public WorkProfile profile() {
        return profile;
    }

    @Override
    public Exploration exploration() {
        return exploration;
    }
}
