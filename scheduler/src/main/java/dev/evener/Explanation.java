package dev.evener;

import dev.evener.policy.Decision;
import java.util.Locale;

/** A decision in words. Stateless. */
final class Explanation {
    private Explanation() {}

    static String of(Report report, Decision decision) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%s, %d units, policy %s: %s%n",
                report.workload(),
                report.units(),
                report.policy(),
                decision.reason()));
        for (int i = 0; i < decision.considered().size(); i++) {
            Decision.Candidate candidate = decision.considered().get(i);
            text.append(i == decision.chosen() ? "  > " : "    ")
                    .append(String.join(" + ", candidate.devices()))
                    .append(": ")
                    .append(predicted(candidate))
                    .append(System.lineSeparator());
        }
        Double error = report.predictionError();
        text.append(String.format(Locale.ROOT, "  it took %.3f ms", report.wallNanos() / 1e6));
        if (error != null) {
            text.append(String.format(
                    Locale.ROOT, ", %.1f%% %s than predicted", Math.abs(100 * error), error < 0 ? "less" : "more"));
        }
        return text.append(System.lineSeparator()).toString();
    }

    private static String predicted(Decision.Candidate candidate) {
        if (candidate.predictedNanos() <= 0) {
            return "nothing is known";
        }
        return String.format(
                Locale.ROOT,
                "%.3f ms predicted, %s",
                candidate.predictedNanos() / 1e6,
                candidate.samples() == 0
                        ? candidate.probed()
                                ? "at least, from what the devices were probed to do"
                                : "from other sizes and from each device's own speed"
                        : String.format(
                                Locale.ROOT,
                                "from %d %s of about this size, spread %.1f%%",
                                candidate.samples(),
                                candidate.samples() == 1 ? "run" : "runs",
                                100 * candidate.spread()));
    }
}
