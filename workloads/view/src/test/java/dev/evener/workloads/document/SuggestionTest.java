package dev.evener.workloads.document;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionTest {
    private static final List<String> NAMES = List.of("policies", "sizes", "seed", "by");

    @ParameterizedTest
    @CsvSource({
        "policy, ''",
        "policys, policies",
        "Policies, policies",
        "polices, policies",
        "size, sizes",
        "sizzes, sizes",
        "sead, seed",
        "bx, ''",
        "devices, ''",
        "'', ''"
    })
    void theNearestNameIfOneIsNear(String wrong, String meant) {
        assertEquals(meant.isEmpty() ? "" : " (did you mean '" + meant + "'?)", Suggestion.of(wrong, NAMES));
    }
}
