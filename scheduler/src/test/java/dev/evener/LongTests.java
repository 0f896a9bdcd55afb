package dev.evener;

/** Whether tests are to try all they know ({@code -Dlong}) or what finds the same mistakes in a fraction of the time. */
public final class LongTests {
    public static final boolean ASKED_FOR = Boolean.getBoolean("long");

    private LongTests() {}

    /** How many of something to try: usually fewer than in a long run. */
    public static int orAll(int usual, int all) {
        return ASKED_FOR ? all : usual;
    }
}
