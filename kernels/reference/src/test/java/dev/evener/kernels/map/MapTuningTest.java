package dev.evener.kernels.map;

import dev.evener.kernels.TunedCase;
import dev.evener.kernels.TuningConformance;
import java.util.List;

class MapTuningTest extends TuningConformance {
    MapTuningTest() {
        super("map");
    }

    @Override
    protected List<? extends TunedCase> cases(boolean groupsOnCpus) {
        return List.of(
                new MapConformanceTest.AddFloats(300_007, groupsOnCpus),
                new MapConformanceTest.InvertBytes(900_007, groupsOnCpus));
    }
}
