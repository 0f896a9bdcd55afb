/**
 * Kernels that others wrote, read from their text, and what a declaration of them would be
 * ({@link dev.evener.workloads.imports.KernelImport}). May use workloads; knows nothing of the command line.
 */
@NullMarked
package dev.evener.workloads.imports;

import org.jspecify.annotations.NullMarked;
