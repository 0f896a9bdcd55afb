package dev.evener.workloads.bench;

import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Parameter.Devices;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The jobs that the values of a parameter are tried on. Stateless. */
final class Trial {
    private static final long MI = 1L << 20;
    private static final long SEED = 1;

    /** So much larger are jobs for devices that run many work-items at once. */
    private static final int FOR_OTHERS = 4;

    private Trial() {}

    /**
     * Their requests: large enough not to lie in a cache, small enough that every value's buffers fit in memory.
     *
     * @param quick a quarter of that
     */
    static List<Request> of(Parameter parameter, boolean quick) {
        int size = (parameter.devices() == Devices.OTHER ? FOR_OTHERS : 1) * (quick ? 1 : 4);
        List<Request> requests = new ArrayList<>();
        switch (parameter.primitive()) {
            case "map" -> add(requests, "vector-add", size * MI, Distribution.UNIFORM);
            case "scan" -> add(requests, "scan", size * MI, Distribution.UNIFORM);
            case "sort" -> add(requests, "sort", size * MI, Distribution.UNIFORM);
            case "matrix" -> add(requests, "matmul", 1L << 18, Distribution.UNIFORM);
            case "tonemap" -> add(requests, "tonemap", size * MI / 2, Distribution.UNIFORM);
            case "compact" -> {
                add(requests, "compact", size * MI, Distribution.UNIFORM);
                add(requests, "compact", size * MI, Distribution.SORTED);
            }
            case "histogram" -> { // what suits uniform data only is of no use
                add(requests, "histogram", 4L * size * MI, Distribution.UNIFORM);
                add(requests, "histogram", 4L * size * MI, Distribution.CONSTANT);
            }
            default -> throw new IllegalArgumentException("no trial for " + parameter.text());
        }
        return requests;
    }

    private static void add(List<Request> requests, String workload, long items, Distribution distribution) {
        Workload named = Workloads.named(workload);
        requests.add(Request.synthetic(named, Values.of(named, Map.of()), items, distribution, SEED));
    }
}
