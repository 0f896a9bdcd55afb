package dev.evener.internal.run;

import dev.evener.LongTests;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The policies that the command line knows; in a short run one of each kind of sharing. */
@ParameterizedClass(name = "{0}")
@MethodSource("names")
class NamedPoliciesTest extends PolicyConformance {
    private final String name;

    NamedPoliciesTest(String name) {
        this.name = name;
    }

    static List<String> names() {
        return LongTests.ASKED_FOR ? Policies.names() : List.of("static", "guided", "adaptive");
    }

    @Override
    Policy policy(Random random, int lanes) {
        return Policies.named(name);
    }
}
