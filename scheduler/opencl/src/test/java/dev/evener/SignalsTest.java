package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A JVM whose signal handlers PoCL has taken says what is at stake, or is refused: only the log of a provider that may be missing did. */
class SignalsTest {
    private static List<String> said(boolean chained, String... arguments) throws IOException, InterruptedException {
        ProcessBuilder builder = ChildJava.of(Program.class, (Object[]) arguments);
        if (!chained) {
            builder.environment().remove("LD_PRELOAD");
        }
        builder.command().add(1, PrintingLogs.OPTION);
        Process program = builder.start();
        List<String> said = program.inputReader().lines().toList();
        assertEquals(0, program.waitFor(), said::toString);
        return said;
    }

    @Test
    void withoutChainingItIsLoggedAndNoted() throws Exception {
        List<String> said = said(false, "noted");
        assertEquals(2, said.size(), said::toString);
        assertTrue(said.get(0).startsWith("ERROR "), said::toString);
        assertEquals("noted: " + said.get(0).substring("ERROR ".length()), said.get(1));
        assertTrue(
                said.get(1).contains("signal handlers of this JVM: a division by zero ")
                        && said.get(1).contains("libjsig.so"),
                said::toString);
    }

    @Test
    void orRefused() throws Exception {
        List<String> said = said(false, "refused");
        assertEquals("refused: " + said.get(0).substring("ERROR ".length()), said.get(1));
    }

    @Test
    void withChainingThereIsNothingToSay() throws Exception {
        assertEquals(List.of("opened"), said(true, "refused"));
    }

    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            EvenerBuilder builder =
                    Evener.builder().devices(DeviceSelector.parse("0.0")).history(History.inMemory());
            try (Evener evener =
                    args[0].equals("refused") ? builder.requireSignals().open() : builder.open()) {
                evener.notes().forEach(note -> System.out.println("noted: " + note));
                if (evener.notes().isEmpty()) {
                    System.out.println("opened");
                }
            } catch (EvenerException e) {
                System.out.println("refused: " + e.getMessage());
            }
        }
    }
}
