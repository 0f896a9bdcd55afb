package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Jobs of a run, to be simulated. Stateless. */
final class Recorded {
    private Recorded() {}

    /** How a job is cut among some of the devices that it could use, by their places among these. */
    @FunctionalInterface
    interface Cut {
        Policy of(RunEvent.Submitted job, List<Integer> places);
    }

    /**
     * The jobs in the order of their submission. Devices of which the machine does not say what the job takes there have no part
     * in it, unless all are such.
     */
    static List<SimulatedJob> jobs(List<RunEvent> recorded, List<DeviceInfo> devices, Machine machine, Cut cut) {
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
                List<String> recordedIds =
                        job.devices().stream().map(i -> devices.get(i).id()).toList();
                boolean all = job.devices().size() == devices.size();
                List<String> able = machine.devices().stream()
                        .filter(d -> d.knows(job.name(), job.kernels()))
                        .map(d -> d.device().id())
                        .filter(id -> all || recordedIds.contains(id))
                        .toList();
                boolean limited = !able.isEmpty() && able.size() < (all ? machine.devices() : recordedIds).size();
                List<String> ids = limited ? able : all ? List.of() : recordedIds;
                List<Integer> places = IntStream.range(0, recordedIds.size())
                        .filter(i -> !limited || able.contains(recordedIds.get(i)))
                        .boxed()
                        .toList();
                SimulatedJob like = SimulatedJob.like(job, ids, cut.of(job, places));
                jobs.add(follows ? like.after(arrival) : like.at(arrival));
                before = ends.get(job.job());
            }
        }
        return jobs;
    }

    /** How each job was cut. */
    static Cut policies(List<RunEvent> recorded) {
        Map<Long, RunEvent.Planned> plans = new HashMap<>();
        for (RunEvent event : recorded) {
            if (event instanceof RunEvent.Planned p) {
                plans.put(p.job(), p);
            }
        }
        return (job, places) -> policy(job, plans.get(job.job()), places);
    }

    private static Policy policy(RunEvent.Submitted job, RunEvent.Planned plan, List<Integer> places) {
        boolean told = plan != null && plan.shares().size() == job.devices().size();
        List<Long> shares = told ? places.stream().map(plan.shares()::get).toList() : List.of();
        String name = Policies.nameOf(job.policy());
        boolean sameLanes =
                places.size() == job.devices().size() && !job.policy().equals(name);
        if (!sameLanes && name.equals("static") && shares.stream().anyMatch(s -> s > 0)) {
            return Policies.fixed(shares.stream().mapToDouble(Long::doubleValue).toArray());
        }
        if (!sameLanes && name.equals("single") && shares.contains(job.units())) {
            return Policies.single(shares.indexOf(job.units()));
        }
        try {
            return Policies.named(job.policy());
        } catch (IllegalArgumentException e) {
            throw new EvenerException(
                    "job " + job.job() + " '" + job.name() + "' was cut by a policy that is not here: "
                            + e.getMessage(),
                    e);
        }
    }
}
