/**
 * The life of a job, from its submission to its report: who may start, how it is cut, which lane gets which chunk. Uses policies, the
 * history, {@code internal.recovery} and {@code internal.fold}; knows nothing of OpenCL, but asks the {@link
 * dev.evener.internal.run.Lane} for all that touches a device. Begin with {@link dev.evener.internal.run.JobRun}.
 */
@NullMarked
package dev.evener.internal.run;

import org.jspecify.annotations.NullMarked;
