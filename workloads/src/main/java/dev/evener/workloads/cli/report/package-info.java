/** What {@code run}, {@code tonemap} and {@code replay} print of what came out: figures as tables for people and as JSON. */
@NullMarked
package dev.evener.workloads.cli.report;

import org.jspecify.annotations.NullMarked;
