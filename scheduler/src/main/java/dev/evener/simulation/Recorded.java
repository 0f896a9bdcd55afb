package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.record.RunEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Jobs of a run, to be simulated. Stateless. */
final class Recorded {
    private Recorded() {}

    /** The jobs in the order of their submission. */
    static List<SimulatedJob> jobs(
            List<RunEvent> recorded, List<DeviceInfo> devices, Function<RunEvent.Submitted, Policy> policies) {
        Map<Long, Long> ends = new HashMap<>();
        for (RunEvent event : recorded) {
            if (event instanceof RunEvent.Ended e) {
                ends.put(e.job(), e.at());
            }
        }
        List<SimulatedJob> jobs = new ArrayList<>();
        long origin = 0;
        Long before = null; // when the job before had ended
        for (RunEvent event : recorded) {
            if (event instanceof RunEvent.Submitted job) {
                origin = jobs.isEmpty() ? job.at() : origin;
                boolean follows = before != null && before <= job.at();
                long arrival = Math.max(0, job.at() - (follows && before != null ? before : origin));
                List<String> ids = job.devices().size() == devices.size()
                        ? List.of()
                        : job.devices().stream().map(i -> devices.get(i).id()).toList();
                jobs.add(new SimulatedJob(
                        job.name(),
                        job.units(),
                        job.granule(),
                        job.kernels(),
                        ids,
                        policies.apply(job),
                        null,
                        arrival,
                        follows,
                        null));
                before = ends.get(job.job());
            }
        }
        return jobs;
    }

    /** How each job was cut. */
    static Function<RunEvent.Submitted, Policy> policies(List<RunEvent> recorded) {
        Map<Long, RunEvent.Planned> plans = new HashMap<>();
        for (RunEvent event : recorded) {
            if (event instanceof RunEvent.Planned p) {
                plans.put(p.job(), p);
            }
        }
        return job -> policy(job, plans.get(job.job()));
    }

    private static Policy policy(RunEvent.Submitted job, RunEvent.Planned plan) {
        if (plan != null && job.policy().equals("static")) {
            return Policies.fixed(
                    plan.shares().stream().mapToDouble(Long::doubleValue).toArray());
        }
        if (plan != null && job.policy().equals("single")) {
            for (int i = 0; i < plan.shares().size(); i++) {
                if (plan.shares().get(i) == job.units()) {
                    return Policies.single(i);
                }
            }
        }
        try {
            return Policies.named(job.policy());
        } catch (IllegalArgumentException e) {
            throw new EvenerException(
                    "job " + job.job() + " '" + job.name() + "' was cut by policy '" + job.policy()
                            + "', which is not Evener's own: choose one of " + String.join(", ", Policies.NAMES),
                    e);
        }
    }
}
