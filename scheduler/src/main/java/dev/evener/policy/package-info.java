/** How an index space is cut and who gets what. Pure: snapshots in, shares out. */
@NullMarked
package dev.evener.policy;

import org.jspecify.annotations.NullMarked;
