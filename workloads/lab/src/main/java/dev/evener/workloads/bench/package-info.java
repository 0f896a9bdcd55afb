/**
 * Measuring contenders on cases: who competes ({@link dev.evener.workloads.bench.Case}), the rounds
 * ({@link dev.evener.workloads.bench.CaseRun}), and what came out ({@link dev.evener.workloads.bench.Result}) as tables, CSV and JSON.
 * docs/bench.md describes the method. Beside it, what devices do apart from any job
 * ({@link dev.evener.workloads.bench.DeviceMeasurement}). May use workloads and records; knows nothing of the command line.
 */
@NullMarked
package dev.evener.workloads.bench;

import org.jspecify.annotations.NullMarked;
