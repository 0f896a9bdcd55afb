package dev.evener.workloads.experiment;

import dev.evener.DeviceInfo;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All contenders on one workload, at one size, on one set of devices.
 *
 * @param request what was run
 * @param items the size it had, in whole units
 * @param bytesPerItem bytes a device reads and writes for an item, over all phases
 * @param flopsPerItem floating-point operations for an item; 0 where there are none or they depend on the data
 * @param devices the devices, in lane order
 * @param rounds how often each contender was measured
 * @param warmUpJobs jobs before anything counted
 * @param outcomes one for each contender, single devices first
 * @param bestSingle the fastest of the single devices
 * @param bestStatic the best static split; null without a sweep
 * @param sweep every static split that was tried, in the order of trial; a split may be there more than once
 * @param mismatches one sentence for each contender whose result was wrong
 */
public record Comparison(
        Request request,
        long items,
        double bytesPerItem,
        double flopsPerItem,
        List<DeviceInfo> devices,
        int rounds,
        long warmUpJobs,
        List<Outcome> outcomes,
        Outcome bestSingle,
        @Nullable Outcome bestStatic,
        List<Timed> sweep,
        List<String> mismatches) {
    public Comparison {
        devices = List.copyOf(devices);
        outcomes = List.copyOf(outcomes);
        sweep = List.copyOf(sweep);
        mismatches = List.copyOf(mismatches);
    }

    /** What was run. */
    public Workload workload() {
        return request.workload();
    }

    /**
     * What went wrong on a device and was made good by others, with the names of the contenders that it happened to. Where a
     * device alone or the best static split is among them, what is relative to it means little.
     */
    public Map<String, List<String>> recovered() {
        Map<String, List<String>> contenders = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            for (String failure : outcome.recovered()) {
                contenders.computeIfAbsent(failure, f -> new ArrayList<>()).add(outcome.name());
            }
        }
        return contenders;
    }

    /** What a policy under test achieved. */
    public Optional<Outcome> policy(String name) {
        return outcomes.stream()
                .filter(o -> o.role() == Role.POLICY && o.name().equals(name))
                .findFirst();
    }

    /** The policy under test with the least median; none if none was. */
    public Optional<Outcome> bestPolicy() {
        return outcomes.stream()
                .filter(o -> o.role() == Role.POLICY)
                .min(Comparator.comparingDouble(Outcome::medianNanos));
    }
}
