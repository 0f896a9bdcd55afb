/** The lane of JVM threads, for machines without OpenCL. */
@NullMarked
package dev.evener.internal.jvm;

import org.jspecify.annotations.NullMarked;
