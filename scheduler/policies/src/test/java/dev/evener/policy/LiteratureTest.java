package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The policies of this module are found by their names, behind the scheduler's own. */
class LiteratureTest {
    @Test
    void everyNameNamesItsPolicy() {
        List<String> names = Policies.names();
        assertEquals(
                List.of("gss", "fac2", "tss", "fsc", "mfsc", "tap", "awf-b", "awf-c", "awf-d", "awf-e", "hguided"),
                names.subList(6, names.size()));
        for (String name : names) {
            assertEquals(name, Policies.named(name).name());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"hguided:least=4,k=2,3.5|hguided:2,3.5,least=4", "tss:last=5|tss:last=5"})
    void aTextSaysWhatIsSet(String text, String canonical) {
        assertEquals(canonical, Policies.named(text).name());
        assertEquals(Policies.named(canonical), Policies.named(text));
        assertEquals(canonical.split(":", -1)[0], Policies.nameOf(text));
    }

    @Test
    void whatCannotBeSetIsRefusedWithTheReason() {
        assertMessage("'least' is there twice", "gss:least=3,least=4", 2);
        assertMessage("the policy hguided:k=1,2 is for ", "hguided:k=1,2", 3);
    }

    private static void assertMessage(String part, String text, int lanes) {
        String message = assertThrows(IllegalArgumentException.class, () -> Policies.named(text, lanes))
                .getMessage();
        assertTrue(message.contains(part), message);
    }

    @Test
    void whatKeepsStateIsMadeForEachKind() {
        Policy adaptive = Policies.named("awf-b");
        assertNotSame(adaptive.forKind(), adaptive.forKind());
    }
}
