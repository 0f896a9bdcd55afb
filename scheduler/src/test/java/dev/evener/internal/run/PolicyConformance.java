package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.LongTests;
import dev.evener.MadeUpBuffers;
import dev.evener.MadeUpDevices;
import dev.evener.Report;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.run.ScriptedLane.Script;
import dev.evener.internal.run.ScriptedLane.Trouble;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What must hold under every policy: each unit of each phase is run exactly once and the result is right, at every size and
 * granule, on lanes of any number and speed, whatever happens to them as long as one is left. One small subclass for each
 * policy. Of the random cases a short run has half, the others on the next day; a failure names the case. The limit on time is for a
 * run that hangs.
 */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class PolicyConformance {
    private static final Duration PATIENCE = Duration.ofMillis(1);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    /**
     * Which lanes that hang are waited for; where a machine is so busy that an honest chunk takes half of it, the case is tried again
     * with longer ones.
     */
    private static final Duration CHUNK_DEADLINE = Duration.ofSeconds(2);

    private static final int LONGER = 10;

    /** Of cases in which no lane hangs, so that it costs nothing. */
    private static final Duration NEVER = Duration.ofMinutes(10);

    /**
     * The policy under test.
     *
     * @param random for a policy that comes in several forms
     */
    abstract Policy policy(Random random, int lanes);

    // ---- cases ----

    /**
     * One dispatcher and some jobs in a row.
     *
     * @param groups work-group multiple of each lane's device, from which the granule follows
     * @param alignment of the devices, in bytes
     * @param fenced whether the jobs have a deadline for chunks
     */
    private record Case(
            long seed,
            List<Script> scripts,
            List<Integer> groups,
            int alignment,
            List<Integer> units,
            int elements,
            int phases,
            long maxChunkUnits,
            boolean fenced,
            Duration deadline) {

        Case(
                long seed,
                List<Script> scripts,
                List<Integer> groups,
                int alignment,
                List<Integer> units,
                int elements,
                int phases,
                long maxChunkUnits,
                boolean fenced) {
            this(seed, scripts, groups, alignment, units, elements, phases, maxChunkUnits, fenced, NEVER);
        }

        /** The same with lanes that hang and come back by themselves, if they do, some time after this deadline. */
        Case within(Duration limit) {
            List<Script> hanging = scripts.stream()
                    .map(s -> s.trouble() != Trouble.HANGS || s.pauseNanos() == 0
                            ? s
                            : new Script(s.trouble(), s.chunk(), s.mostUnits(), limit.toNanos() * 3 / 2))
                    .toList();
            return new Case(seed, hanging, groups, alignment, units, elements, phases, maxChunkUnits, fenced, limit);
        }

        boolean oneLaneIsGood() {
            return scripts.stream().anyMatch(s -> s.trouble() == Trouble.NONE);
        }
    }

    /** Whatever is shown to a policy is no less than nothing: the last granule may be short, and an empty range begin behind it. */
    private static Policy watched(Policy policy, int lanes, Queue<String> wrong, Set<PhaseRun> phases) {
        return new Policy() {
            @Override
            public String name() {
                return policy.name();
            }

            @Override
            public Plan plan(Snapshot snapshot) {
                return policy.plan(snapshot);
            }

            @Override
            public long chunk(Progress progress, int lane) {
                phases.add((PhaseRun) progress);
                for (int each = 0; each < lanes; each++) {
                    if (progress.work(each) < 0) {
                        wrong.add("work of " + progress.work(each) + " left on lane " + each);
                    }
                }
                return policy.chunk(progress, lane);
            }
        };
    }

    private static DeviceInfo device(Case of, int lane) {
        return MadeUpDevices.device(
                "0." + lane,
                "scripted",
                "scripted " + lane,
                lane % 2 == 0 ? DeviceKind.CPU : DeviceKind.GPU,
                of.alignment(),
                1,
                of.groups().get(lane),
                "scripted " + lane);
    }

    /** Runs the jobs of a case one after another and checks each. */
    private void run(Case of) {
        List<ScriptedLane> lanes = new ArrayList<>();
        try {
            tryToRun(of, lanes);
        } catch (Exception | AssertionError e) {
            long half = of.deadline().toNanos() / 2;
            if (lanes.stream().anyMatch(lane -> lane.longestNanos() > half)
                    && of.deadline().compareTo(NEVER) < 0) {
                run(of.within(of.deadline().multipliedBy(LONGER)));
            } else {
                throw new AssertionError("in " + of + ": " + e.getMessage(), e);
            }
        }
    }

    private void tryToRun(Case of, List<ScriptedLane> lanes) throws Exception {
        Random random = new Random(of.seed());
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        Set<PhaseRun> phases = ConcurrentHashMap.newKeySet();
        int count = of.scripts().size();
        List<DeviceInfo> devices =
                IntStream.range(0, count).mapToObj(i -> device(of, i)).toList();
        History history = History.inMemory();
        Dispatcher dispatcher = null;
        try {
            for (int units : of.units()) {
                try (Trial trial = new Trial(units, of.elements(), of.phases())) {
                    JobBuilder builder = trial.job("trial");
                    if (of.fenced()) {
                        builder.chunkDeadline(of.deadline());
                    }
                    Job job = builder.build();
                    if (dispatcher == null) {
                        for (int i = 0; i < count; i++) {
                            lanes.add(new ScriptedLane(
                                    devices.get(i),
                                    of.scripts().get(i),
                                    of.maxChunkUnits(),
                                    its -> Granules.unitsPerGranule(its, devices),
                                    (of.seed() + i) % 2 == 0,
                                    wrong));
                        }
                        dispatcher = new Dispatcher(
                                List.copyOf(lanes),
                                history,
                                new ScratchPool((type, elements, perUnit) -> MadeUpBuffers.of(type, elements)),
                                CLOSE_LIMIT,
                                PATIENCE);
                        Dispatcher made = dispatcher;
                        lanes.forEach(lane -> lane.hangsUntil(() -> made.health(List.of(), false)
                                .quarantined()
                                .containsKey(lane.device().id())));
                    }
                    Policy policy = watched(policy(random, count), count, wrong, phases);
                    runOne(of, dispatcher, history, policy, phases, job, trial, lanes);
                    assertEquals(List.of(), List.copyOf(wrong));
                    if (random.nextBoolean()) {
                        lanes.forEach(ScriptedLane::comeBack); // or they hang through the next job as well
                    }
                }
            }
        } finally {
            if (dispatcher != null) {
                dispatcher.close();
            }
        }
        assertTrue(lanes.stream().allMatch(lane -> lane.closed), "all lanes are closed");
        assertEquals(List.of(), List.copyOf(wrong));
    }

    private static void runOne(
            Case of,
            Dispatcher dispatcher,
            History history,
            Policy policy,
            Set<PhaseRun> phases,
            Job job,
            Trial trial,
            List<ScriptedLane> lanes)
            throws Exception {
        int[] before = lanes.stream().mapToInt(ScriptedLane::met).toArray();
        CompletableFuture<Report> future = dispatcher.submit(job, policy, history, null);
        if (of.seed() % 3 != 0) { // one that waits for the lanes, so that the host ends the first aside
            Job next = Job.named("next").units(0).kernel("none").jvm(c -> {}).build();
            CompletableFuture<Report> ignored = dispatcher.submit(next, policy, history, null);
        }
        Report report;
        try {
            report = future.get(120, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (of.oneLaneIsGood()) {
                throw e;
            }
            assertInstanceOf(EvenerException.class, e.getCause());
            assertTrue(
                    e.getCause().getMessage().contains("scripted"), e.getCause().getMessage());
            return;
        }
        trial.check();
        assertEquals(
                job.units(),
                report.devices().stream().mapToLong(Report.DeviceUse::units).sum());
        assertEquals(lanes.size(), report.devices().size());
        for (int i = 0; i < lanes.size(); i++) {
            String id = "device 0." + i + " ";
            boolean named = report.failures().stream().anyMatch(f -> f.startsWith(id));
            int lane = i;
            // Nobody hears of a chunk that fails when another lane has done it again, in this job or in one before.
            boolean heard = phases.stream().noneMatch(phase -> phase.task(lane).overtaken);
            if (lanes.get(i).met() > before[i] && heard) {
                assertTrue(named, id + "had trouble, but the report says " + report.failures());
            } else if (of.scripts().get(i).trouble() == Trouble.NONE) {
                assertTrue(!named, id + "had none, but the report says " + report.failures());
            }
        }
    }

    private static List<Script> good(int lanes) {
        return Collections.nCopies(lanes, Script.GOOD);
    }

    // ---- sizes ----

    @Test
    void everyUnitOnceAtEdgeSizesAndGranules() {
        for (int granule : List.of(1, 3, 64, 1000)) {
            List<Integer> sizes =
                    List.of(0, 1, 2, granule - 1, granule, granule + 1, 2 * granule, 7 * granule + 5, 100_000);
            for (int lanes : List.of(1, 2, 3, 8)) {
                List<Integer> groups = Collections.nCopies(lanes, granule);
                run(new Case(granule, good(lanes), groups, 1, sizes, 1, 1, Integer.MAX_VALUE, false));
            }
        }
    }

    /** Some of the lanes fail whose numbers are a word apart, others do not. */
    @Test
    void everyUnitOnceOnMoreLanesThanAWordHasBits() {
        for (int lanes : List.of(64, 65, 128)) {
            List<Script> scripts = new ArrayList<>(good(lanes));
            scripts.set(1, new Script(Trouble.DIES, 0, 0, 0));
            scripts.set(lanes - 2, new Script(Trouble.THROWS, 1, 0, 0));
            List<Integer> sizes = List.of(lanes - 1, 3000, 1000);
            run(new Case(lanes, scripts, Collections.nCopies(lanes, 1), 1, sizes, 1, 2, 100, false));
        }
    }

    /** Slices whose cuts must be aligned on every device make granules of their own. */
    @Test
    void everyUnitOnceWhereAlignmentsAndSlicesMakeTheGranule() {
        for (int elements : List.of(1, 3, 5, 16)) {
            for (int alignment : List.of(4, 64, 512)) {
                List<Integer> sizes = List.of(1, 127, 128, 129, 1_001, 20_000);
                run(new Case(elements, good(3), List.of(1, 3, 16), alignment, sizes, elements, 2, 700, false));
            }
        }
    }

    @Test
    void everyUnitOnceWhateverTheLanesTheirSpeedsAndTheirMemory() {
        for (long seed : seeds(40)) {
            run(random(seed, InTrouble.NONE));
        }
    }

    // ---- faults ----

    /** Troubles that no deadline has to pass for. */
    private static final List<Trouble> AT_ONCE =
            List.of(Trouble.THROWS, Trouble.DIES, Trouble.DOES_NOT_BUILD, Trouble.HAS_LITTLE_MEMORY);

    private enum InTrouble {
        NONE,
        SOME,
        ALL_BUT_ONE,
        ALL
    }

    private static Case random(long seed, InTrouble inTrouble) {
        Random random = new Random(Objects.hash(seed, inTrouble.name()));
        int lanes = inTrouble == InTrouble.ALL_BUT_ONE ? 2 + random.nextInt(5) : 1 + random.nextInt(8);
        boolean slow = random.nextBoolean();
        int survivor = random.nextInt(lanes);
        List<Script> scripts = new ArrayList<>();
        List<Integer> groups = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            boolean in = inTrouble == InTrouble.ALL
                    || (inTrouble == InTrouble.ALL_BUT_ONE && i != survivor)
                    || (inTrouble == InTrouble.SOME && i != survivor && random.nextInt(3) == 0);
            Trouble trouble = in ? AT_ONCE.get(random.nextInt(AT_ONCE.size())) : Trouble.NONE;
            long pause = slow && random.nextInt(2) == 0 ? random.nextInt(100_000) : 0;
            scripts.add(new Script(trouble, random.nextInt(4), random.nextInt(400), pause));
            groups.add(pick(random, 1, 1, 3, 16, 64));
        }
        int maxChunkUnits = pick(random, 1, 100, 1000, 1 << 20, Integer.MAX_VALUE);
        int most = maxChunkUnits == 1 ? 300 : 6000; // more would only take longer
        List<Integer> units = new ArrayList<>();
        for (int j = 0; j < 3; j++) {
            units.add(random.nextInt(random.nextInt(4) == 0 ? 70 : most));
        }
        return new Case(
                seed,
                scripts,
                groups,
                pick(random, 1, 4, 128),
                units,
                1 + random.nextInt(3),
                1 + random.nextInt(3),
                maxChunkUnits,
                random.nextBoolean());
    }

    private static List<Long> seeds(long count) {
        return LongTests.inTurn(2, LongStream.range(0, count).boxed().toList());
    }

    private static int pick(Random random, int... values) {
        return values[random.nextInt(values.length)];
    }

    @Test
    void everyUnitOnceWithSomeLanesInTrouble() {
        for (long seed : seeds(80)) {
            run(random(seed, InTrouble.SOME));
        }
    }

    @Test
    void everyUnitOnceWithAllLanesButOneInTrouble() {
        for (long seed : seeds(60)) {
            run(random(seed, InTrouble.ALL_BUT_ONE));
        }
    }

    @Test
    void withEveryLaneInTroubleAJobIsRightOrSaysWhyNot() {
        for (long seed : seeds(40)) {
            run(random(seed, InTrouble.ALL));
        }
    }

    /** Side by side, because most of the time is spent waiting for deadlines. */
    @Test
    void everyUnitOnceWithLanesThatHangAndComeBackLate() throws Exception {
        List<Case> cases = new ArrayList<>();
        for (long seed = 0; seed < 16; seed++) {
            Case drawn = random(seed, seed % 2 == 0 ? InTrouble.SOME : InTrouble.NONE);
            List<Script> scripts = new ArrayList<>(drawn.scripts());
            List<Integer> groups = new ArrayList<>(drawn.groups());
            Random random = new Random(seed);
            for (int i = 0; i <= seed % 3; i++) {
                long length = random.nextBoolean() ? 0 : CHUNK_DEADLINE.toNanos() * 3 / 2;
                scripts.add(
                        random.nextInt(scripts.size() + 1), new Script(Trouble.HANGS, random.nextInt(3), 0, length));
                groups.add(1);
            }
            cases.add(new Case(
                    seed,
                    scripts,
                    groups,
                    drawn.alignment(),
                    List.of(drawn.maxChunkUnits() == 1 ? 400 : 5000, 300, 200),
                    drawn.elements(),
                    drawn.phases(),
                    drawn.maxChunkUnits(),
                    true,
                    CHUNK_DEADLINE));
        }
        ExecutorService pool = Executors.newFixedThreadPool(cases.size());
        try {
            List<Callable<Boolean>> calls = new ArrayList<>();
            for (Case each : cases) {
                calls.add(() -> {
                    run(each);
                    return true;
                });
            }
            for (Future<Boolean> done : pool.invokeAll(calls)) {
                assertTrue(done.get());
            }
        } finally {
            pool.shutdownNow();
        }
    }

    /** The same lanes again and again: what one job leaves behind must not hurt the next. */
    @Test
    void manyJobsInARowOnLanesThatFailOnceAndAreProbed() {
        for (long seed = 0; seed < 4; seed++) {
            Random random = new Random(seed);
            List<Script> scripts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                scripts.add(new Script(i == 3 ? Trouble.NONE : Trouble.THROWS, random.nextInt(20), 0, 0));
            }
            Integer[] units = new Integer[25];
            Arrays.setAll(units, i -> random.nextInt(3000));
            run(new Case(seed, scripts, List.of(1, 1, 3, 1), 4, List.of(units), 1, 2, 500, false));
        }
    }
}
