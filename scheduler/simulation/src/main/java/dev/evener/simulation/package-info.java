/** Jobs run on machines that are modelled: the runtime's own policies, job state machine and history on a virtual clock. */
@NullMarked
package dev.evener.simulation;

import org.jspecify.annotations.NullMarked;
