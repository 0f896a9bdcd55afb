package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.history.History;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every primitive passes: each case gives what its reference says and the same bits on the JVM lane, on each device,
 * on two devices through shared memory and through transfers, on two platforms, and on four lanes, under every policy.
 */
public abstract class PrimitiveConformance {
    private static final List<Policy> ALL = List.of(
            Policies.fixed(),
            Policies.history(),
            Policies.guided(),
            Policies.guided(7),
            Policies.stealing(),
            Policies.stealing(5),
            Policies.adaptive());

    private List<? extends PrimitiveCase> cases = List.of();
    private final Map<String, Object> expected = new HashMap<>();

    /** The inputs to try: edge sizes, kinds of data, settings. Called before each test; equal calls give equal cases. */
    protected abstract List<? extends PrimitiveCase> cases();

    /** What to release after each test. */
    protected void release() {}

    @BeforeEach
    void makeCases() {
        cases = cases();
        assertFalse(cases.isEmpty());
        try (Evener jvm = open("jvm", true)) {
            for (PrimitiveCase one : cases) {
                Object output = one.run(jvm, Policies.single());
                one.check(output);
                assertEquals(null, expected.put(one.name(), output), "two cases with the name " + one.name());
            }
        }
    }

    @AfterEach
    void releaseCases() {
        release();
    }

    @Test
    void oneDevice() {
        for (String device : List.of("0.0", "0.1", "1.0")) {
            check(device, true, List.of(Policies.single(0)));
        }
    }

    @Test
    void oneDeviceThroughTransfers() {
        check("0.1", false, List.of(Policies.single(0), Policies.guided(5)));
    }

    @Test
    void twoDevicesInOneContext() {
        check("0.0,0.1", true, policies(2));
    }

    @Test
    void twoDevicesThroughTransfers() {
        check("0.0,0.1", false, List.of(Policies.fixed(0.37, 0.63), Policies.stealing(9)));
    }

    @Test
    void twoPlatforms() {
        check("0.1,1.0", true, List.of(Policies.fixed(0.7, 0.3), Policies.guided(6)));
    }

    @Test
    void threeAndFourLanes() {
        check("0.0,0.1,1.0", true, List.of(Policies.fixed(0.2, 0.5, 0.3)));
        check("0.0,0.1,1.0,jvm", true, List.of(Policies.fixed(), Policies.stealing(11), Policies.adaptive()));
    }

    private void check(String devices, boolean sharing, List<Policy> policies) {
        try (Evener evener = open(devices, sharing)) {
            for (PrimitiveCase one : cases) {
                for (Policy policy : policies) {
                    String where = one.name() + " on " + devices + (sharing ? "" : " through transfers") + " under "
                            + policy.name();
                    Object output = one.run(evener, policy);
                    try {
                        one.check(output);
                    } catch (AssertionError e) {
                        throw new AssertionError(where + ": " + e.getMessage(), e);
                    }
                    assertSame(expected.get(one.name()), output, where);
                }
            }
        }
    }

    private static void assertSame(Object expected, Object actual, String where) {
        if (!Arrays.deepEquals(new Object[] {expected}, new Object[] {actual})) {
            throw new AssertionError(where + ": not the bits of the JVM lane");
        }
    }

    private static List<Policy> policies(int lanes) {
        List<Policy> policies = new ArrayList<>(ALL);
        for (int tenth = 0; tenth <= 10; tenth++) {
            double[] split = new double[lanes];
            Arrays.fill(split, (1 - tenth / 10.0) / (lanes - 1));
            split[0] = tenth / 10.0;
            policies.add(Policies.fixed(split));
        }
        return policies;
    }

    private static Evener open(String devices, boolean sharing) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .history(History.inMemory())
                .sharedMemory(sharing)
                .open();
    }
}
