package dev.evener.workloads.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizesTest {
    @ParameterizedTest
    @CsvSource({
        "1,1",
        "4194304,4194304",
        "16Ki,16384",
        "16ki,16384",
        "16K,16000",
        "3k,3000",
        "1Mi,1048576",
        "2M,2000000",
        "1Gi,1073741824",
        "1G,1000000000"
    })
    void sizesAreRead(String text, long size) {
        assertEquals(size, Sizes.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "0", "0Ki", "-1", "1.5Mi", "Ki", "16 Ki", "16i", "16T", "1e6", "0x10", "1234567890123456"})
    void whatIsNoSizeIsRefused(String text) {
        String message = assertThrows(IllegalArgumentException.class, () -> Sizes.parse(text))
                .getMessage();
        assertTrue(message.startsWith("'" + text + "' is not a size"), message);
    }

    @Test
    void whatIsTooLargeIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Sizes.parse("999999999999999G"));
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1000,1000", "1024,1Ki", "16384,16Ki", "1048576,1Mi", "1048577,1048577", "3221225472,3Gi"})
    void sizesAreShownExactly(long size, String text) {
        assertEquals(text, Sizes.text(size));
        assertEquals(size, Sizes.parse(text));
    }
}
