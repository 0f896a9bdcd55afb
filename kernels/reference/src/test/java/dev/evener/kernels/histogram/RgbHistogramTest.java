package dev.evener.kernels.histogram;

import static dev.evener.kernels.Refusals.refused;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.GpuForms;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Plain calls, refusals, and the form for other devices than CPUs. */
class RgbHistogramTest {
    @Test
    void theFormForOtherDevicesCountsTheSame() {
        GpuForms.check(RgbCase.all(true));
    }

    @Test
    void aPlainCall() {
        try (Evener evener = open("jvm")) {
            HostBuffer pixels = evener.allocate(ElementType.UINT, 3);
            HostBuffer counts = evener.allocate(ElementType.UINT, 6);
            pixels.ints().put(new int[] {0xff80007f, 0x00ffff00, 0x7f000080});
            RgbHistogram.run(evener, RgbStyle.BEST, 2, pixels, counts);
            int[] found = new int[6];
            counts.ints().get(found);
            assertEquals("[2, 1, 2, 1, 1, 2]", Arrays.toString(found));
        }
    }

    @Test
    void whatIsWrongIsRefused() {
        try (Evener evener = open("jvm")) {
            HostBuffer pixels = evener.allocate(ElementType.UINT, 30);
            HostBuffer bytes = evener.allocate(ElementType.UBYTE, 30);
            HostBuffer counts = evener.allocate(ElementType.UINT, 30);
            refused("0 bins", () -> RgbHistogram.job(RgbStyle.BEST, 0, pixels, counts));
            refused("257 bins", () -> RgbHistogram.job(RgbStyle.BEST, 257, pixels, counts));
            refused("must hold uint, not uchar", () -> RgbHistogram.job(RgbStyle.BEST, 10, bytes, counts));
            refused("must hold uint or ulong", () -> RgbHistogram.job(RgbStyle.BEST, 10, pixels, bytes));
            refused("one buffer is given", () -> RgbHistogram.job(RgbStyle.BEST, 10, pixels, pixels));
            refused("three times 9 bins need 27", () -> RgbHistogram.job(RgbStyle.BEST, 9, pixels, counts));
        }
    }
}
