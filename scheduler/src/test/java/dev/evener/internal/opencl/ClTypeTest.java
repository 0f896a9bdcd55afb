package dev.evener.internal.opencl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names as drivers give them, and as they might. */
class ClTypeTest {

    @ParameterizedTest
    @CsvSource({
        "float*, true, 4, true, 1",
        "float4*, true, 4, true, 4",
        "uchar3*, true, 1, false, 3",
        "void*, true, 0, false, 1",
        "half8*, true, 2, true, 8",
        "ulong, false, 8, false, 1",
        "double16, false, 8, true, 16",
        "unsigned int, false, 4, false, 1",
        "unsigned, false, 4, false, 1",
        "unsigned long*, true, 8, false, 1",
        "unsigned *, true, 4, false, 1",
        "const float *restrict, true, 4, true, 1",
        "__global uint*, true, 4, false, 1",
    })
    void theLanguagesOwnTypesAreKnown(String name, boolean pointer, int bytes, boolean floating, int components) {
        assertEquals(new ClType(name, pointer, bytes, floating, components), ClType.of(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "u32", "real*", "S", "float5", "float**", "image2d_t", "Unsigned", "struct S*", "uvoid"})
    void othersAreNot(String name) {
        assertNull(ClType.of(name));
    }

    @Test
    void whatIsNotSaidIsNotKnown() {
        assertNull(ClType.of(null));
    }

    @Test
    void threeTakeTheRoomOfFour() {
        assertEquals(16, ClType.of("float3").size());
        assertEquals(8, ClType.of("int2").size());
    }
}
