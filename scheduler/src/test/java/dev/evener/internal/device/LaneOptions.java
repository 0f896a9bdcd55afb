package dev.evener.internal.device;

import dev.evener.Contexts;
import dev.evener.internal.PageLocked;

/** What lanes are told in tests that open them without an Evener. */
public final class LaneOptions {
    private LaneOptions() {}

    /** Memory is shared where it can be. */
    public static BackEnd.Options usual() {
        return of(true);
    }

    /** The same, but with transfers to every device. */
    public static BackEnd.Options copying() {
        return of(false);
    }

    private static BackEnd.Options of(boolean allowSharing) {
        return new BackEnd.Options(allowSharing, Long.MAX_VALUE, 0, PageLocked.LEAST, Contexts.MEASURED, false, true);
    }
}
