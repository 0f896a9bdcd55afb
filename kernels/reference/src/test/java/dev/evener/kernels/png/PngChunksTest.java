package dev.evener.kernels.png;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.kernels.png.PngCase.Kind;
import dev.evener.policy.Policies;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/**
 * libpng, by default, reads no chunk above 8,000,000 bytes that is longer than the rows stored without compression. Noise takes more:
 * codes of whole bits are a little longer than its bytes.
 */
class PngChunksTest {
    private static final int LIBPNG_LIMIT = 8_000_000; // PNG_USER_CHUNK_MALLOC_MAX

    @Test
    void noiseIsWrittenInChunksThatLibpngReads() {
        PngCase noise = new PngCase(Kind.NOISE, 11_000, 260, 0, false);
        try (Evener evener =
                Evener.builder().devices(DeviceSelector.parse("jvm")).open()) {
            byte[] file = (byte[]) noise.run(evener, Policies.single(0));
            ByteBuffer chunks = ByteBuffer.wrap(file).position(8);
            long data = 0;
            while (chunks.hasRemaining()) {
                int length = chunks.getInt();
                assertTrue(length <= LIBPNG_LIMIT, "a chunk of " + length + " bytes");
                data += chunks.getInt() == PngFile.IDAT ? length : 0;
                chunks.position(chunks.position() + length + Integer.BYTES);
            }
            assertEquals(file.length, chunks.position());
            assertTrue(data > LIBPNG_LIMIT, "only " + data + " bytes: nothing had to be divided");
            noise.check(file);
        }
    }
}
