package dev.evener;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.IntStream;

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

    /** Every so-manieth of what there is to try, others each day, of which a long run has all. */
    public static <T> List<T> inTurn(int every, List<T> all) {
        return ASKED_FOR
                ? all
                : IntStream.range(0, all.size())
                        .filter(i -> Math.floorMod(i + TURN, every) == 0)
                        .mapToObj(all::get)
                        .toList();
    }

    /** How many of something to try: usually fewer than in a long run. */
    public static int orAll(int usual, int all) {
        return ASKED_FOR ? all : usual;
    }
}
