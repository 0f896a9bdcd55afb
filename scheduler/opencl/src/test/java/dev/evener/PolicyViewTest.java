package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a policy is shown of a job: its number, where its data lie, what lanes have done, and one policy for each kind of job. */
class PolicyViewTest {
    private static final int N = 4096;
    private static final KernelSource SOURCE = KernelSource.of("view", """
            __kernel void bump(__global int *data) { data[get_global_id(0)] += 1; }
            __kernel void drop(__global int *data) { data[get_global_id(0)] -= 1; }
            """);

    /** Everything in quarters to whoever comes, and a note of what it saw. */
    private static final class Notes implements Policy {
        final List<Notes> kinds; // in the order in which they were asked for
        final List<Long> jobs = new CopyOnWriteArrayList<>();
        final List<List<Long>> missing = new CopyOnWriteArrayList<>(); // by lane, for the first half and for all
        final List<String> wrong = new CopyOnWriteArrayList<>();
        private final Policy plan;

        Notes(List<Notes> kinds, Policy plan) {
            this.kinds = kinds;
            this.plan = plan;
        }

        @Override
        public String name() {
            return "notes";
        }

        @Override
        public Policy forKind() {
            Notes own = new Notes(kinds, plan);
            kinds.add(own);
            return own;
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            jobs.add(snapshot.job());
            long all = snapshot.granules();
            missing.add(List.of(
                    snapshot.data().missingBytes(0, 0, all / 2),
                    snapshot.data().missingBytes(0, 0, all),
                    snapshot.data().missingBytes(1, 0, all / 2),
                    snapshot.data().missingBytes(1, 0, all)));
            snapshot.lanes().stream()
                    .filter(lane -> !(lane.freeNanos() >= 0))
                    .forEach(lane -> wrong.add(lane.toString()));
            return plan.plan(snapshot);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            if (progress.job() != jobs.get(jobs.size() - 1) || progress.phase() != 0) {
                wrong.add("job " + progress.job() + ", phase " + progress.phase());
            }
            double done = progress.doneGranules(lane);
            if (done > progress.granules() || (done > 0) != (progress.doneNanos(lane) > 0)) {
                wrong.add(done + " granules in " + progress.doneNanos(lane));
            }
            double wall = progress.doneWallNanos(lane);
            if ((done > 0) != (progress.doneChunks(lane) > 0)
                    || (done > 0) != (wall > 0)
                    || wall > progress.elapsedNanos()) {
                wrong.add(progress.doneChunks(lane) + " chunks in " + wall + " of " + progress.elapsedNanos());
            }
            return Math.max(1, progress.granules() / 4);
        }
    }

    private final Evener evener = Evener.builder()
            .devices(DeviceSelector.parse("0.0,0.1"))
            .sharedMemory(false)
            .history(History.inMemory())
            .open();

    @AfterEach
    void close() {
        evener.close();
    }

    private void run(ManagedBuffer data, String kernel, Policy policy) {
        Job job = Job.named("job")
                .units(N)
                .source(SOURCE)
                .kernel(kernel)
                .updates(data, Access.slice())
                .policy(policy)
                .build();
        evener.submit(job).join();
    }

    @Test
    void itSeesWhereTheDataLieAndTheNumberOfTheJob() {
        try (ManagedBuffer data = evener.allocateManaged(ElementType.INT, N)) {
            Notes first = new Notes(new CopyOnWriteArrayList<>(), Policies.single(0));
            Notes halves = new Notes(new CopyOnWriteArrayList<>(), Policies.fixed());
            try (ManagedBuffer.Scope scope = data.update()) {
                scope.ints().put(0, 1);
            }
            run(data, "bump", first);
            run(data, "bump", halves);
            run(data, "bump", first);
            Notes alone = first.kinds.get(0);
            long bytes = 4L * N;
            assertEquals(List.of(1L, 3L), alone.jobs);
            assertEquals(List.of(bytes / 2, bytes, bytes / 2, bytes), alone.missing.get(0), "on the host alone");
            assertEquals(
                    List.of(0L, 0L, bytes / 2, bytes),
                    halves.kinds.get(0).missing.get(0),
                    "where the first job left them");
            assertEquals(List.of(0L, bytes / 2, bytes / 2, bytes / 2), alone.missing.get(1), "in halves");
            assertEquals(List.of(), alone.wrong);
            assertEquals(List.of(), halves.kinds.get(0).wrong);
        }
    }

    @Test
    void oneIsMadeForEachKindOfJobAndKept() {
        try (ManagedBuffer data = evener.allocateManaged(ElementType.INT, N)) {
            Notes notes = new Notes(new CopyOnWriteArrayList<>(), Policies.stealing());
            for (String kernel : List.of("bump", "drop", "bump", "drop", "drop")) {
                run(data, kernel, notes);
            }
            assertEquals(
                    List.of(List.of(1L, 3L), List.of(2L, 4L, 5L)),
                    notes.kinds.stream().map(kind -> kind.jobs).toList());
            assertTrue(notes.jobs.isEmpty(), "what was given is only asked for others");
        }
    }
}
