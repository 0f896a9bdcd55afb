package dev.evener.internal.run;

import dev.evener.LongTests;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The policies of the literature; in a short run the one that keeps most. */
@ParameterizedClass(name = "{0}")
@MethodSource("names")
class LiteraturePoliciesTest extends PolicyConformance {
    private final String name;

    LiteraturePoliciesTest(String name) {
        this.name = name;
    }

    static List<String> names() {
        return LongTests.ASKED_FOR ? List.of("gss", "fac2", "tss", "awf-b", "hguided") : List.of("awf-b");
    }

    @Override
    Policy policy(Random random, int lanes) {
        return Policies.named(name);
    }
}
