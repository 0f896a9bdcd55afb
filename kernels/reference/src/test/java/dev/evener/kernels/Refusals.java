package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.function.Executable;

/** What a primitive does not accept. */
public final class Refusals {
    private Refusals() {}

    /** The call throws an {@link IllegalArgumentException} whose message contains this part. */
    public static void refused(String part, Executable call) {
        String message = String.valueOf(
                assertThrows(IllegalArgumentException.class, call).getMessage());
        assertTrue(message.contains(part), message);
    }
}
