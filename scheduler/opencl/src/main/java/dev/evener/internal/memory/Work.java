package dev.evener.internal.memory;

import dev.evener.internal.job.JobSpec;

/** Units of a job's phase that a lane runs as one chunk. */
public record Work(JobSpec job, JobSpec.Phase phase, long firstUnit, long units) {}
