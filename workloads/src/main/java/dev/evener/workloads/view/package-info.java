/** What happened to jobs, made visible: a trace for Perfetto and a page for a browser. */
@NullMarked
package dev.evener.workloads.view;

import org.jspecify.annotations.NullMarked;
