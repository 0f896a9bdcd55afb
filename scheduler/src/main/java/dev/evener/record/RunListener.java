package dev.evener.record;

/**
 * Hears what happens to jobs while they run. Called by the threads of lanes and by those that submit, several at a time: an
 * implementation must be thread-safe, must return at once and must not throw; what it throws is logged once and ignored.
 * Events of one job come in the order of their causes; those of different lanes interleave, so times may go back a little.
 */
@FunctionalInterface
public interface RunListener {
    /** Something happened. */
    void heard(RunEvent event);
}
