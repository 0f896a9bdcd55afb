/** OpenCL C as text: its lines, what they include, and which names they may use. Knows no other package. */
@NullMarked
package dev.evener.internal.source;

import org.jspecify.annotations.NullMarked;
