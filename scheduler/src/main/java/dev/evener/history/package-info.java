/** What each device achieved on each kernel, kept across runs. */
@NullMarked
package dev.evener.history;

import org.jspecify.annotations.NullMarked;
