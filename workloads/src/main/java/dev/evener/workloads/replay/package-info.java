/**
 * Records run again: live ({@link dev.evener.workloads.replay.Replayer}) and on a virtual clock
 * ({@link dev.evener.workloads.replay.SimulatedReplay}), and how commands note their jobs in records
 * ({@link dev.evener.workloads.replay.JobLog}). May use workloads; knows nothing of the command line.
 */
@NullMarked
package dev.evener.workloads.replay;

import org.jspecify.annotations.NullMarked;
