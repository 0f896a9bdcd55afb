/**
 * Policies of the literature, as yardsticks for others: they use what any plug-in may, and no more. All take chunks from one range, and
 * count in granules, of which each lane that works takes part as one processor.
 */
@NullMarked
package dev.evener.policy.baseline;

import org.jspecify.annotations.NullMarked;
