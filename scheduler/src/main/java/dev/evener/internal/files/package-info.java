/** Files that appear whole, plain ones that are read, JSON in them, and where they lie. Uses nothing else of Evener's. */
@NullMarked
package dev.evener.internal.files;

import org.jspecify.annotations.NullMarked;
