package dev.evener.workloads.experiment.file;

import dev.evener.DeviceSelector;
import dev.evener.policy.Policy;
import dev.evener.workloads.experiment.Scenario;
import dev.evener.workloads.experiment.Settings;
import dev.evener.workloads.experiment.Setup;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an experiment's file says. docs/experiment-files.md describes the format.
 *
 * @param name what it is called
 * @param question what it is to answer; may be empty
 * @param tasks what is run, under which policies
 * @param sets the devices, each set after the other
 * @param scenarios what happens to the devices, at least one
 * @param distribution how made-up data are spread
 * @param settings how thoroughly everything is measured; its policies are those of tasks that name none
 * @param chunkDeadline after how long in a chunk a device counts as hung; null for no limit
 */
public record Description(
        String name,
        String question,
        List<Task> tasks,
        List<DeviceSelector> sets,
        List<Scenario> scenarios,
        Distribution distribution,
        Settings settings,
        @Nullable Duration chunkDeadline) {

    /**
     * One workload at one size, with one value of each parameter.
     *
     * @param request what is run
     * @param policies who competes, by name
     */
    public record Task(Request request, Map<String, Policy> policies) {
        public Task {
            policies = new LinkedHashMap<>(policies);
        }
    }

    public Description {
        tasks = List.copyOf(tasks);
        sets = List.copyOf(sets);
        scenarios = List.copyOf(scenarios);
    }

    /** The same on other devices. */
    public Description on(List<DeviceSelector> others) {
        return new Description(name, question, tasks, others, scenarios, distribution, settings, chunkDeadline);
    }

    /** The same with so many rounds. */
    public Description repeated(int rounds) {
        Settings other = settings.withRounds(rounds);
        return new Description(name, question, tasks, sets, scenarios, distribution, other, chunkDeadline);
    }

    /** Every comparison, in the order in which they are made: by devices, then by task, then by scenario. */
    public List<Setup> setups() {
        List<Setup> setups = new ArrayList<>();
        for (DeviceSelector set : sets) {
            for (Task task : tasks) {
                for (Scenario scenario : scenarios) {
                    setups.add(new Setup(
                            set, scenario, task.request(), settings.withPolicies(task.policies()), chunkDeadline));
                }
            }
        }
        return setups;
    }
}
