package dev.evener.kernels.histogram;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.history.History;
import dev.evener.policy.Policies;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plain calls, refusals, and the form for other devices than CPUs. */
class RgbHistogramTest {
    @ParameterizedTest
    @ValueSource(strings = {"0.0", "1.0"})
    void theFormForOtherDevicesCountsTheSame(String device) {
        try (Evener evener = open(device)) {
            for (RgbCase one : RgbCase.all(true)) {
                one.check(one.run(evener, Policies.single()));
            }
        }
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
            refused("must be uint, not uchar", () -> RgbHistogram.job(RgbStyle.BEST, 10, bytes, counts));
            refused("must be uint or ulong", () -> RgbHistogram.job(RgbStyle.BEST, 10, pixels, bytes));
            refused("are one buffer", () -> RgbHistogram.job(RgbStyle.BEST, 10, pixels, pixels));
            refused("three times 9 bins need 27", () -> RgbHistogram.job(RgbStyle.BEST, 9, pixels, counts));
        }
    }

    private static void refused(String reason, Runnable call) {
        String message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
        assertTrue(message.contains(reason), message);
    }

    private static Evener open(String devices) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .history(History.inMemory())
                .open();
    }
}
