package dev.evener.kernels;

import dev.evener.Evener;
import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What every primitive passes: each case gives what its reference says and the same bits on the JVM lane, on each device,
 * on a device beside it, on two devices through shared memory and through transfers, on two platforms, and on four lanes,
 * under policies that cut in different ways: everything to one device, fixed shares, and small chunks that are stolen. A long
 * run has all policies and every tenth as a share; what chooses shares is tested where policies are.
 *
 * <p>Each set of devices is opened once, as every context builds all programs anew. A short run has half of the sets for each primitive,
 * others for others.
 */
@InTurn(2)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class PrimitiveConformance {
    private List<? extends PrimitiveCase> cases = List.of();
    private @Nullable Expectations expected;

    /** The inputs to try: edge sizes, kinds of data, settings. */
    protected abstract List<? extends PrimitiveCase> cases();

    /** Those to try on a second device of one kind: all, unless they need many programs, which PoCL builds for each device. */
    protected List<? extends PrimitiveCase> fewerOf(List<? extends PrimitiveCase> all) {
        return all;
    }

    /** Those to try on two platforms: all, unless they need many programs, as Rusticl takes a second and more for each. */
    protected List<? extends PrimitiveCase> someOf(List<? extends PrimitiveCase> all) {
        return all;
    }

    @BeforeAll
    void makeCases() {
        cases = cases();
        expected = new Expectations(cases);
    }

    @Test
    void oneContext() {
        List<Policy> policies =
                new ArrayList<>(List.of(Policies.single(0), Policies.fixed(0.3, 0.7), Policies.stealing(5)));
        if (LongTests.ASKED_FOR) {
            policies.addAll(List.of(
                    Policies.single(1),
                    Policies.fixed(),
                    Policies.history(),
                    Policies.guided(),
                    Policies.guided(7),
                    Policies.stealing(),
                    Policies.adaptive()));
            for (int tenth = 0; tenth <= 10; tenth++) {
                policies.add(Policies.fixed(tenth / 10.0, 1 - tenth / 10.0));
            }
        }
        check("0.0,0.1", true, fewerOf(cases), policies);
    }

    /** Every case there is, with the JVM lane. */
    @Test
    void oneDeviceAndTheJvm() {
        check(
                "0.0,jvm",
                true,
                cases,
                List.of(Policies.single(0), Policies.single(1), Policies.fixed(0.37, 0.63), Policies.stealing(5)));
    }

    @Test
    void throughTransfers() {
        check(
                "0.0,0.1",
                false,
                fewerOf(cases),
                LongTests.ASKED_FOR
                        ? List.of(
                                Policies.single(1),
                                Policies.guided(5),
                                Policies.fixed(0.37, 0.63),
                                Policies.stealing(9))
                        : List.of(Policies.single(1), Policies.guided(5)));
    }

    @Test
    void twoPlatformsAndTheJvm() {
        check(
                "0.0,0.1,1.0,jvm",
                true,
                someOf(cases),
                LongTests.ASKED_FOR
                        ? List.of(
                                Policies.single(2),
                                Policies.fixed(0, 0.7, 0.3, 0),
                                Policies.fixed(0.2, 0.5, 0.3, 0),
                                Policies.fixed(),
                                Policies.guided(6),
                                Policies.stealing(11),
                                Policies.adaptive())
                        : List.of(Policies.single(2), Policies.fixed(0.2, 0.5, 0.3, 0), Policies.adaptive()));
    }

    private void check(String devices, boolean sharing, List<? extends PrimitiveCase> cases, List<Policy> policies) {
        Expectations expectations = Objects.requireNonNull(expected);
        try (Evener evener = TestBed.open(devices, sharing)) {
            for (PrimitiveCase one : cases) {
                for (Policy policy : policies) {
                    Object output = one.run(evener, policy);
                    expectations.check(
                            one,
                            output,
                            "on " + devices + (sharing ? "" : " through transfers") + " under " + policy.name());
                }
            }
        }
    }
}
