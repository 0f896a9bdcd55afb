package dev.evener.kernels;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.History;

/**
 * Eveners for tests, on the devices that the tests' environment sets up: 0.0 and 0.1 in one context, 1.0 on a platform of
 * its own, and jvm.
 *
 * <p>They learn from and leave nothing on disk. That spares half of the time: to hand out a program's binary, PoCL compiles
 * every kernel in it for group sizes that nothing runs; the runtime's own tests cover the cache of binaries.
 */
public final class TestBed {
    private TestBed() {}

    /** The devices of this list, such as {@code 0.0,jvm}, with shared memory where they have it. */
    public static Evener open(String devices) {
        return open(devices, true);
    }

    /** As {@link #open(String)}; without sharing, everything goes through transfers. */
    public static Evener open(String devices, boolean sharing) {
        return builder(devices).sharedMemory(sharing).open();
    }

    /** Whether a driver among them ends loops early: llvmpipe of Mesa 22 after 65,535 rounds, that of Mesa 25 never. */
    public static boolean endsLoopsEarly(Evener evener) {
        return evener.notes().stream().anyMatch(note -> note.contains("its loops end after"));
    }

    /** For a test that needs more than devices. */
    public static EvenerBuilder builder(String devices) {
        return Evener.builder().devices(DeviceSelector.parse(devices)).history(History.inMemory());
    }
}
