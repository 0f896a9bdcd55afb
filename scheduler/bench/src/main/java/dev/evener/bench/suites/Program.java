package dev.evener.bench.suites;

/**
 * A program of a suite.
 *
 * @param suite whose it is
 * @param name as the suite has it
 * @param body makes its buffers and runs its jobs in order
 */
record Program(String suite, String name, Body body) {
    /** What a program does, once for each run; every run must do the same. */
    interface Body {
        void run(Run run);
    }
}
