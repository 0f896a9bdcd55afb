package dev.evener.internal.run;

import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Every policy that the command line knows. */
@ParameterizedClass(name = "{0}")
@MethodSource("names")
class NamedPoliciesTest extends PolicyConformance {
    private final String name;

    NamedPoliciesTest(String name) {
        this.name = name;
    }

    static List<String> names() {
        return Policies.NAMES;
    }

    @Override
    Policy policy(Random random, int lanes) {
        return Policies.named(name);
    }
}
