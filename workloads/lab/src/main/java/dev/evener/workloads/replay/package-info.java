/**
 * Recorded tasks run again ({@link dev.evener.workloads.replay.TaskRunner}): those of records, live
 * ({@link dev.evener.workloads.replay.Replayer}) and on a virtual clock ({@link dev.evener.workloads.replay.SimulatedReplay}), those
 * of files from elsewhere as they arrived ({@link dev.evener.workloads.replay.ArrivalRun}); and how commands note their jobs
 * in records ({@link dev.evener.workloads.replay.JobLog}). May use workloads and arrivals; knows nothing of the command line.
 */
@NullMarked
package dev.evener.workloads.replay;

import org.jspecify.annotations.NullMarked;
