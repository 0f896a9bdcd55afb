/** What the runtime's packages share. Not for use by applications. */
@NullMarked
package dev.evener.internal;

import org.jspecify.annotations.NullMarked;
