package dev.evener.internal;

/**
 * How many processors this process has. Java counts those of the thread that asks, which are fewer once {@link CoreBinding} has
 * given some away. Any thread.
 */
public final class Processors {
    private static final int COUNT = Runtime.getRuntime().availableProcessors();

    private Processors() {}

    /** As many as there were when this was asked first, which is before any thread is bound. */
    public static int count() {
        return COUNT;
    }
}
