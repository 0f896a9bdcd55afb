package dev.evener.workloads.replay;

import dev.evener.kernels.tuning.Tuning;
import dev.evener.record.Recording;
import dev.evener.workloads.bench.Tuner;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** How records tell the tuning of commands that say themselves how they tune. Stateless. */
public final class TunedTasks {
    private static final String PREFIX = "tuning.";

    /** Commands whose tasks say all that is tuned, so that what is kept for the devices does not count. */
    private static final Set<String> OWN = Set.of("bench", "tune");

    private TunedTasks() {}

    /** What is not at its default, as parameters of a command's task; none where what is kept for the devices counts. */
    public static Map<String, String> parameters(String command, Tuning tuning) {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (OWN.contains(command)) {
            tuning.changed().forEach((parameter, value) -> parameters.put(PREFIX + parameter.text(), value.toString()));
        }
        return parameters;
    }

    /** The parameters of the workload itself. */
    static Map<String, String> others(Recording.Task task) {
        Map<String, String> others = new LinkedHashMap<>(task.parameters());
        if (OWN.contains(task.command())) {
            others.keySet().removeIf(name -> name.startsWith(PREFIX));
        }
        return others;
    }

    /**
     * How a task is tuned.
     *
     * @param kept what is kept for the devices
     * @throws IllegalArgumentException if there is no such parameter, or it cannot have that value
     */
    static Tuning tuning(Recording.Task task, Tuning kept) {
        if (!OWN.contains(task.command())) {
            return kept;
        }
        Tuning tuning = Tuning.defaults();
        for (Map.Entry<String, String> each : task.parameters().entrySet()) {
            if (each.getKey().startsWith(PREFIX)) {
                tuning = Tuner.tuned(tuning, each.getKey().substring(PREFIX.length()) + "=" + each.getValue());
            }
        }
        return tuning;
    }
}
