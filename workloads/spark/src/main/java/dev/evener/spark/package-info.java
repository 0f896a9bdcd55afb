/**
 * Evener on Apache Spark: Spark places, retries and commits; one Evener in each executor drives its devices. May use Spark's
 * RDD API and Hadoop's file systems, and of Evener what embedders may. Start with {@link dev.evener.spark.EvenerPlugin}; docs/spark.md says
 * when it pays.
 */
@NullMarked
package dev.evener.spark;

import org.jspecify.annotations.NullMarked;
