package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.simulation.MachineEvent.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MachineEventTest {
    @Test
    void whatCanHappenIsUnderstood() {
        assertEquals(
                new MachineEvent("0.1", Kind.LOST, 2_000_000_000L, Long.MAX_VALUE, 1),
                MachineEvent.parse(" 0.1 lost at 2 s"));
        assertEquals(
                new MachineEvent("jvm", Kind.HANGS, 1500, Long.MAX_VALUE, 1), MachineEvent.parse("jvm hangs at 1.5us"));
        assertEquals(
                new MachineEvent("1.0", Kind.BACK, 3_000_000, Long.MAX_VALUE, 1),
                MachineEvent.parse("1.0 Back at 3ms"));
        assertEquals(
                new MachineEvent("0.0", Kind.SLOWED, 1_000_000_000L, 4_000_000_000L, 3),
                MachineEvent.parse("0.0 slowed 3x from 1 s to 4 s"));
        assertEquals(
                new MachineEvent("0.0", Kind.SLOWED, 0, Long.MAX_VALUE, 1.5), MachineEvent.parse("0.0 slowed 1.5 x"));
        assertEquals(
                new MachineEvent("0.0", Kind.LATE, 2_000_000, 302_000_000, 1),
                MachineEvent.parse("0.0 late by 300 ms at 2 ms"));
        assertEquals(
                new MachineEvent("0.0", Kind.SLOWED, 0, 5_000_000, 2), MachineEvent.parse("0.0 slowed 2x to 5 ms"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "lost at 2 s",
                "0.1 lost",
                "0.1 lost at 2",
                "0.1 lost at -2 s",
                "0.1 slowed from 1 s to 2 s",
                "0.1 slowed 0.5x from 1 s to 2 s",
                "0.1 slowed 2x from 2 s to 2 s",
                "0.1 lost at 99999999999999999999999999999 s",
                "0.1 slowed 2x from 1 s to 2 s and on"
            })
    void whatCannotIsRefused(String text) {
        String message = assertThrows(IllegalArgumentException.class, () -> MachineEvent.parse(text))
                .getMessage();
        assertTrue(message.startsWith("event '" + text + "': "), message);
    }
}
