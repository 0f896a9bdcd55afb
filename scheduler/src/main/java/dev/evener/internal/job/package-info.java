/**
 * What a job is: what its builder was told, the checks of that, and the description that all else works by. It knows buffers, and
 * nothing of lanes or of how a job is run. Begin with {@link dev.evener.internal.job.JobSpec}.
 */
@NullMarked
package dev.evener.internal.job;

import org.jspecify.annotations.NullMarked;
