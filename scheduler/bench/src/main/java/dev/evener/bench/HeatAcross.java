package dev.evener.bench;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.iteration.Iteration;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * {@link Heat} across devices: an iteration whose ranges wait for each other, one whose steps are jobs of their own, steps that are joined
 * each, and all submitted at once; by equal shares and by the default policy. Prints the least microseconds a step of five rounds
 * behind two, all rounds, the rows of each device in one more step, and whether all ways end with the same bits.
 */
public final class HeatAcross {
    private static final int ROUNDS = 7;
    private static final int UNMEASURED = 2;

    private enum Way {
        CHAIN,
        JOBS,
        JOINED,
        ONCE;

        void run(Evener evener, Job step, ManagedBuffer one, ManagedBuffer other, int steps) {
            Job back = step.swap(one, other);
            List<JobFuture> left = new ArrayList<>();
            switch (this) {
                case CHAIN, JOBS ->
                    Iteration.of(step)
                            .rotating(one, other)
                            .ahead(this == CHAIN ? 32 : 15)
                            .run(evener, steps)
                            .join();
                case JOINED, ONCE -> {
                    for (int i = 0; i < steps; i++) {
                        JobFuture job = evener.submit(i % 2 == 0 ? step : back);
                        if (this == JOINED) {
                            job.join();
                        } else {
                            left.add(job);
                        }
                    }
                }
            }
            left.forEach(JobFuture::join);
        }
    }

    private HeatAcross() {}

    /**
     * Measures each way on each set of devices.
     *
     * @param args rows of the square, an even number of steps of a round, then selectors of devices
     */
    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        int steps = Integer.parseInt(args[1]);
        Map<Integer, Integer> bits = new HashMap<>(); // of the content after all rounds
        for (String devices : Arrays.asList(args).subList(2, args.length)) {
            int lanes = Evener.select(DeviceSelector.parse(devices)).size();
            double[] equal = new double[lanes];
            Arrays.fill(equal, 1);
            for (Way way : Way.values()) {
                for (Policy policy : List.of(Policies.adaptive(), Policies.fixed(equal))) {
                    measure(n, steps, devices, way, policy, bits);
                }
            }
        }
    }

    private static void measure(int n, int steps, String devices, Way way, Policy policy, Map<Integer, Integer> bits) {
        try (Evener evener = Evener.builder()
                        .devices(DeviceSelector.parse(devices))
                        .history(History.inMemory())
                        .policy(policy)
                        .open();
                ManagedBuffer one = evener.allocateManaged(ElementType.FLOAT, (long) n * n);
                ManagedBuffer other = evener.allocateManaged(ElementType.FLOAT, (long) n * n)) {
            Heat.fill(one, Heat.values(n));
            Job step = Heat.step(one, other, n);
            double[] took = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                long start = System.nanoTime();
                way.run(evener, step, one, other, steps);
                took[round] = (System.nanoTime() - start) / 1e3 / steps;
            }
            int content = Arrays.hashCode(Heat.content(one));
            boolean same = content == bits.computeIfAbsent(n, size -> content);
            String rows = evener.submit(step).join().devices().stream()
                    .map(Report.DeviceUse::units)
                    .map(String::valueOf)
                    .collect(Collectors.joining(" "));
            System.out.printf(
                    Locale.ROOT,
                    "%d %s %s %s: %.1f us a step of %s, rows %s, %s bits%n",
                    n,
                    devices,
                    way,
                    policy.name(),
                    Arrays.stream(took).skip(UNMEASURED).min().orElse(0),
                    Arrays.stream(took)
                            .mapToObj(each -> String.format(Locale.ROOT, "%.0f", each))
                            .toList(),
                    rows,
                    same ? "same" : "OTHER");
        }
    }
}
