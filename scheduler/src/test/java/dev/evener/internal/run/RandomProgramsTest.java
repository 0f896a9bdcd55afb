package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.LongTests;
import dev.evener.internal.ManagedData;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.run.ScriptedLane.Script;
import dev.evener.internal.run.ScriptedLane.Trouble;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random programs of jobs and of what the host does in between, on devices that hold data, have little memory, fail, die and hang.
 * Whatever the order in which all of that runs: a value that is read is the one of the sequential program, or its reader is told the
 * first cause, and then there is one. Everything ends, nothing is left behind, and a device without trouble stays in use. Who closes a
 * buffer spoils no job that was submitted before, and its memory is written by nobody once it is another's.
 */
@Timeout(value = 3600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RandomProgramsTest {
    private static final int PROGRAMS = LongTests.orAll(200, 6_000);
    private static final int THAT_HANG = LongTests.orAll(20, 2_000);
    private static final int PROGRAMS_A_MACHINE = 10;
    private static final Duration PATIENCE = Duration.ofMillis(1);
    private static final Duration CHUNK_DEADLINE = Duration.ofMillis(250);

    // ---- machines ----

    /** Lanes with and without memory of their own. At least one of them has no trouble. */
    static final class Machine implements AutoCloseable {
        final List<ResidentLane> lanes = new ArrayList<>();
        final Queue<String> wrong = new ConcurrentLinkedQueue<>();
        final PoisonedMemory memory = new PoisonedMemory(wrong);
        final boolean hangs;
        final History history = History.inMemory(); // of jobs that are to be known
        final Dispatcher dispatcher;
        final ManagedData.Turns turns;

        Machine(Random random, Set<Trouble> troubles) {
            int count = 2 + random.nextInt(3);
            int good = random.nextInt(count);
            for (int i = 0; i < count; i++) {
                boolean inPlace = i > 1 || random.nextInt(5) == 0;
                boolean troubled = i != good && !troubles.isEmpty() && random.nextInt(3) > 0;
                Trouble[] all = troubles.toArray(Trouble[]::new);
                lanes.add(new ResidentLane(
                        "0." + i,
                        script(random, troubled ? all[random.nextInt(all.length)] : Trouble.NONE),
                        inPlace ? ResidentLane.IN_PLACE : budget(random),
                        8 + random.nextInt(100),
                        random.nextBoolean(),
                        wrong));
            }
            this.hangs = troubles.contains(Trouble.HANGS);
            this.dispatcher = new Dispatcher(
                    List.copyOf(lanes), History.inMemory(), ScratchPool.NONE, Duration.ofSeconds(30), PATIENCE);
            this.turns = dispatcher.turns();
        }

        private static Script script(Random random, Trouble trouble) {
            long pause = trouble == Trouble.HANGS
                    ? TimeUnit.MILLISECONDS.toNanos(1_000 + random.nextInt(500)) // after its chunks were taken away
                    : random.nextInt(3) == 0 ? 40_000 : 0;
            return new Script(trouble, random.nextInt(60), 4 + random.nextInt(20), pause);
        }

        /** For one to two buffers of up to 64 numbers, for some or for all. */
        private static long budget(Random random) {
            return switch (random.nextInt(4)) {
                case 0 -> 300;
                case 1 -> 600;
                case 2 -> 1000;
                default -> Long.MAX_VALUE;
            };
        }

        boolean isTroubled(String id) {
            return lanes.stream().anyMatch(lane -> lane.device().id().equals(id) && lane.isTroubled());
        }

        /** Whether its chunks come near their deadline because this machine is short of time. */
        boolean isSlow(String id) {
            return lanes.stream().anyMatch(lane -> lane.device().id().equals(id) && isSlow(lane));
        }

        private boolean isSlow(ResidentLane lane) {
            return hangs && lane.slowestNanos() > CHUNK_DEADLINE.toNanos() / 4;
        }

        boolean isTroubled() {
            return lanes.stream().anyMatch(ResidentLane::isTroubled);
        }

        JobFuture submit(Job job, Policy policy, History known, @Nullable CompletableFuture<?> after) {
            return dispatcher.submit(job, policy, known, chunkDeadline(), after == null ? List.of() : List.of(after));
        }

        @Nullable
        Duration chunkDeadline() {
            return hangs ? CHUNK_DEADLINE : null;
        }

        /** Those without trouble take work. */
        void requireHealthy() {
            for (ResidentLane lane : lanes) {
                if (!lane.isTroubled() && !isSlow(lane)) {
                    Job job = Job.named("healthy")
                            .units(1)
                            .kernel("k")
                            .jvm(c -> {})
                            .devices(DeviceSelector.ids(List.of(lane.device().id())))
                            .build();
                    assertEquals(
                            List.of(),
                            get(submit(job, Policies.single(), History.inMemory(), null))
                                    .failures());
                }
            }
        }

        @Override
        public void close() {
            dispatcher.close();
            turns.close(Duration.ofSeconds(30));
        }

        void requireNothingLeft() {
            for (ResidentLane lane : lanes) {
                assertTrue(lane.isClosed(), lane.device().id() + " is not closed");
                assertEquals(0, lane.held(), "bytes on " + lane.device().id());
            }
            memory.check();
            assertEquals(List.of(), List.copyOf(wrong));
        }
    }

    static <T> T get(CompletableFuture<T> future) {
        return future.thenApply(value -> value).orTimeout(120, TimeUnit.SECONDS).join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "THROWS,HAS_LITTLE_MEMORY,DOES_NOT_BUILD", "DIES,THROWS", "HANGS"})
    void everyValueIsTheSequentialOneOrItsReaderIsToldWhy(String kinds) {
        Set<Trouble> troubles = new HashSet<>();
        Arrays.stream(kinds.split(",", -1))
                .filter(kind -> !kind.isEmpty())
                .forEach(k -> troubles.add(Trouble.valueOf(k)));
        int programs = kinds.equals("HANGS") ? THAT_HANG : PROGRAMS;
        int read = 0;
        int lost = 0;
        for (int seed = 0; seed < programs; ) {
            Machine machine = new Machine(new Random(seed), troubles);
            try (machine) {
                for (int i = 0; i < PROGRAMS_A_MACHINE; i++, seed++) {
                    RandomProgram own = new RandomProgram(machine, seed);
                    try {
                        own.run();
                    } catch (RuntimeException | AssertionError e) {
                        throw new AssertionError(own.story(), e);
                    }
                    read += own.read;
                    lost += own.lost;
                }
                machine.requireHealthy();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("program " + seed + " with " + troubles + ": " + e, e);
            }
            machine.requireNothingLeft();
        }
        assertTrue(read > 2 * programs, read + " read, " + lost + " lost");
    }
}
