package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.evener.Evener;
import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Parameter.Devices;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever a primitive's parameters are set to, its result is the reference's: each value by itself (in a short run the
 * extremes), and several together, on one device and, of what CPUs run, split with the JVM lane.
 */
@InTurn(2)
public abstract class TuningConformance {
    private final String primitive;

    protected TuningConformance(String primitive) {
        this.primitive = primitive;
    }

    /**
     * Cases large enough for the parameters to matter.
     *
     * @param groupsOnCpus whether CPUs are to run the form for other devices
     */
    protected abstract List<? extends TunedCase> cases(boolean groupsOnCpus);

    @ParameterizedTest
    @EnumSource(Devices.class)
    void noResultDependsOnAnyValue(Devices devices) {
        List<? extends TunedCase> all = cases(devices == Devices.OTHER);
        // CPU drivers take long to build what is for other devices.
        List<? extends TunedCase> cases = devices == Devices.CPU ? all : all.subList(0, 1);
        List<Policy> policies = devices == Devices.CPU
                ? List.of(Policies.single(0), Policies.fixed(0.4, 0.6))
                : List.of(Policies.single(0));
        Expectations expected = new Expectations(cases);
        try (Evener evener = TestBed.open("0.0,jvm")) {
            for (Tuning tuning : tunings(devices)) {
                for (TunedCase one : cases) {
                    for (Policy policy : policies) {
                        Object output = one.run(evener, policy, tuning);
                        expected.check(one, output, "with " + tuning + " under " + policy.name());
                    }
                }
            }
        }
    }

    private List<Tuning> tunings(Devices devices) {
        List<Parameter> parameters = Arrays.stream(Parameter.values())
                .filter(p -> p.primitive().equals(primitive) && p.devices() == devices)
                // Which groups do not know, only those whose warps exchange values, which have tests of their own.
                .filter(p -> LongTests.ASKED_FOR || p != Parameter.SORT_KEYS)
                .toList();
        assertFalse(
                parameters.isEmpty()
                        && Arrays.stream(Parameter.values())
                                .noneMatch(p -> p.primitive().equals(primitive)),
                "no such primitive");
        List<Tuning> tunings = new ArrayList<>();
        for (Parameter parameter : parameters) {
            for (int value : values(parameter)) {
                tunings.add(Tuning.defaults().with(parameter, value));
            }
        }
        if (parameters.size() > 1) {
            for (int i = 1; i < LongTests.orAll(2, 3); i++) {
                Tuning tuning = Tuning.defaults();
                for (Parameter parameter : parameters) {
                    List<Integer> choices = parameter.choices();
                    tuning = tuning.with(parameter, choices.get(i % choices.size()));
                }
                tunings.add(tuning);
            }
        }
        return tunings;
    }

    /** All but the default; in a short run the least and the largest of them, as most take programs of their own. */
    private static Set<Integer> values(Parameter parameter) {
        List<Integer> others =
                parameter.choices().subList(1, parameter.choices().size());
        return LongTests.ASKED_FOR
                ? Set.copyOf(others)
                : new TreeSet<>(List.of(Collections.min(others), Collections.max(others)));
    }
}
