/** What happens to jobs as a stream of events: heard while they run, kept in a file, read again. */
@org.jspecify.annotations.NullMarked
package dev.evener.record;
