/** The life of a job: partition, lanes, phases, dispatch. Knows nothing of OpenCL. */
@NullMarked
package dev.evener.internal.run;

import org.jspecify.annotations.NullMarked;
