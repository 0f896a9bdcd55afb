package dev.evener;

import java.time.LocalDate;
import java.time.ZoneOffset;

/** Whether tests are to try all they know ({@code -Dlong}) or what finds the same mistakes in a fraction of the time. */
public final class LongTests {
    public static final boolean ASKED_FOR = Boolean.getBoolean("long");

    /**
     * Another number every day, for tests of which a short run has some combinations in turn: a failure names the one that it met, and a
     * long run has all. {@code -Dturn=N} has those of another day.
     */
    @SuppressWarnings("TimeInStaticInitializer") // one day for all of a run
    public static final int TURN =
            Integer.getInteger("turn", (int) LocalDate.now(ZoneOffset.UTC).toEpochDay());

    private LongTests() {}

    /** How many of something to try: usually fewer than in a long run. */
    public static int orAll(int usual, int all) {
        return ASKED_FOR ? all : usual;
    }
}
