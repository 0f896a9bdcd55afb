/**
 * What happened to jobs, made visible: a trace for Perfetto and a page for a browser. An {@code EventLog} hears what Eveners
 * tell; {@code JobEvents} sorts it by job, which traces, charts and tables are made from. {@code TraceWriter} writes the former,
 * {@code HtmlReport} the page, whose charts {@code report.js} draws from the page's data. May use the runtime's events, and of
 * {@code bench} the statistics.
 */
@NullMarked
package dev.evener.workloads.view;

import org.jspecify.annotations.NullMarked;
