package dev.evener.internal.order;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReadyJobsTest {
    private static final int LANES = 4;

    private record Waiting(int number, List<Integer> lanes) {}

    /** What {@link ReadyJobs#start} is to do, by going through all jobs. */
    private static List<Waiting> started(List<Waiting> waiting, Set<Integer> idle) {
        List<Waiting> started = new ArrayList<>();
        Set<Integer> spokenFor = new HashSet<>();
        for (Waiting job : waiting) {
            if (Collections.disjoint(job.lanes(), spokenFor) && idle.containsAll(job.lanes())) {
                started.add(job);
            } else {
                spokenFor.addAll(job.lanes());
            }
        }
        return started;
    }

    @Test
    void startsWhatAWalkThroughAllJobsStarts() {
        Random random = new Random(3);
        for (int round = 0; round < 2000; round++) {
            ReadyJobs<Waiting, Integer> ready =
                    new ReadyJobs<>(Comparator.comparingInt(Waiting::number), Waiting::lanes);
            List<Waiting> waiting = new ArrayList<>();
            int count = random.nextInt(12);
            for (int number = 0; number < count; number++) {
                int wanted = 1 + random.nextInt((1 << LANES) - 1);
                waiting.add(new Waiting(number, lanes(wanted)));
            }
            List<Waiting> mixed = new ArrayList<>(waiting);
            Collections.shuffle(mixed, random);
            mixed.forEach(ready::add);
            for (Waiting gone : mixed.subList(0, mixed.size() / 4)) {
                waiting.remove(gone);
                ready.remove(gone);
                ready.remove(gone); // which it is no more
            }
            Set<Integer> idle = new HashSet<>(lanes(random.nextInt(1 << LANES)));
            List<Waiting> expected = started(waiting, idle);

            List<Waiting> started = new ArrayList<>();
            ready.start(
                    LANES,
                    Integer.MAX_VALUE,
                    (job, spokenFor) -> Collections.disjoint(job.lanes(), spokenFor) && idle.containsAll(job.lanes())
                            ? null
                            : job.lanes(),
                    started::add);

            assertEquals(expected, started, "round " + round);
            assertEquals(waiting.size() - expected.size(), ready.size(), "round " + round);
            waiting.removeAll(expected);
            for (int number = -1; number < 12; number++) {
                int each = number;
                assertEquals(
                        waiting.stream().allMatch(job -> each < job.number()),
                        ready.isBehind(new Waiting(each, List.of(0))),
                        "round " + round);
            }
        }
    }

    private static List<Integer> lanes(int bits) {
        return IntStream.range(0, LANES)
                .filter(lane -> (bits >> lane & 1) == 1)
                .boxed()
                .toList();
    }
}
