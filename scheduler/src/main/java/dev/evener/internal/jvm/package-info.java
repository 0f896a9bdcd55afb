/**
 * The lane of JVM threads, for machines without OpenCL, and what measures it. It uses the {@code Lane} of {@code internal.run}, and
 * nothing of OpenCL. Start with {@link dev.evener.internal.jvm.JvmLane}.
 */
@NullMarked
package dev.evener.internal.jvm;

import org.jspecify.annotations.NullMarked;
