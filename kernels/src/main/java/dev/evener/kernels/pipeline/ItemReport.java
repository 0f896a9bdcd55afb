package dev.evener.kernels.pipeline;

import dev.evener.Report;
import java.util.List;

/**
 * What happened to one item of a {@link Pipeline}.
 *
 * @param item its number, from 0 in the order of submission
 * @param latencyNanos from its submission until its last stage was done
 * @param stages the report of each device stage's job, in order
 */
public record ItemReport(long item, long latencyNanos, List<Report> stages) {
    public ItemReport {
        stages = List.copyOf(stages);
    }
}
