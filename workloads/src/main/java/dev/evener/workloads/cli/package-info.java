/**
 * The commands of the {@code evener} program and their options. {@link dev.evener.workloads.cli.EvenerCommand} has them all; those that
 * measure extend {@code MeasuringCommand}, those that run jobs on given data {@code JobCommand}; what {@code --help} says of options
 * is in {@code help.properties}. May use every other package; what they print is in {@code report} and {@code bench}.
 */
@NullMarked
package dev.evener.workloads.cli;

import org.jspecify.annotations.NullMarked;
