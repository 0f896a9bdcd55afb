/**
 * What lanes take: the cost model, how it learns from jobs, and its file. Uses the public API and the policies' view of a model.
 * Begin with {@link dev.evener.model.JobHistory}.
 */
@NullMarked
package dev.evener.model;

import org.jspecify.annotations.NullMarked;
