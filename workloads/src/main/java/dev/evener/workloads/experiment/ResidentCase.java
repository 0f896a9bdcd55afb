package dev.evener.workloads.experiment;

import dev.evener.Job;
import dev.evener.kernels.tuning.Tuning;

/** A primitive with data, of which those that it reads stay on the device. Owns its buffers. One thread. */
interface ResidentCase extends AutoCloseable {
    /** What speeds are told in. */
    String unit();

    /** Amount of work, so that it divided by nanoseconds is the speed in that unit. */
    double scale();

    /** Whether it makes a difference how it is tuned. */
    boolean tuned();

    /** The job, tuned; the one before must not be used any more. */
    Job job(Tuning tuning);

    /** Whether what the job computed last is wrong. */
    boolean problem();

    @Override
    void close();
}
