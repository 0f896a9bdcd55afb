package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.evener.Evener;
import dev.evener.policy.Policies;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What cases give on the JVM lane, compared with their references once: all else has to give the same bits. */
final class Expectations {
    private final Map<String, Object> outputs = new HashMap<>();

    Expectations(List<? extends PrimitiveCase> cases) {
        assertFalse(cases.isEmpty());
        try (Evener jvm = TestBed.open("jvm")) {
            for (PrimitiveCase one : cases) {
                Object output = one.run(jvm, Policies.single());
                one.check(output);
                assertNull(outputs.put(one.name(), output), "two cases with the name " + one.name());
            }
        }
    }

    /**
     * Compares an output with what is expected.
     *
     * @param where how it came about, for the message
     * @throws AssertionError if they differ, with what the reference has to say
     */
    void check(PrimitiveCase one, Object output, String where) {
        if (Arrays.deepEquals(new Object[] {outputs.get(one.name())}, new Object[] {output})) {
            return;
        }
        String reason = "not the bits of the JVM lane, though near enough for the reference";
        try {
            one.check(output);
        } catch (AssertionError e) {
            reason = e.getMessage();
        }
        throw new AssertionError(one.name() + " " + where + ": " + reason);
    }
}
