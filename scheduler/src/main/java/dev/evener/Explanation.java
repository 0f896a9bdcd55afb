package dev.evener;

import dev.evener.policy.Decision;
import java.util.Locale;

/** A decision in words: the model in use, the sets considered, and what became of it. Stateless. */
final class Explanation {
    private Explanation() {}

    static String of(Report report, Decision decision) {
        StringBuilder text = new StringBuilder();
        line(
                text,
                "%s, %d units, policy %s: %s",
                report.workload(),
                report.units(),
                report.policy(),
                decision.reason());
        for (Decision.Lane lane : decision.lanes()) {
            String leftOut = lane.leftOut().isEmpty() ? "" : "; left out: " + lane.leftOut();
            if (lane.nanosPerUnit() > 0) {
                line(
                        text,
                        "    device %s: %s a chunk + %s a unit ± %.1f%%, from %d %s%s",
                        lane.device(),
                        time(lane.fixedNanos()),
                        time(lane.nanosPerUnit()),
                        100 * lane.doubt(),
                        lane.chunks(),
                        lane.chunks() == 1 ? "chunk" : "chunks",
                        leftOut);
            } else {
                line(text, "    device %s: nothing is known%s", lane.device(), leftOut);
            }
        }
        for (int i = 0; i < decision.considered().size(); i++) {
            Decision.Candidate candidate = decision.considered().get(i);
            line(
                    text,
                    "  %s %s: %s",
                    i == decision.chosen() ? ">" : " ",
                    String.join(" + ", candidate.devices()),
                    predicted(candidate));
        }
        if (decision.totalNanos() > 0) {
            line(
                    text,
                    "    looks at other devices have cost %.2f%% of the time so far",
                    100 * decision.exploredNanos() / decision.totalNanos());
        }
        Double error = report.predictionError();
        line(
                text,
                "  it took %s%s",
                time((double) report.wallNanos()),
                error == null
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                ", %.1f%% %s than predicted",
                                Math.abs(100 * error),
                                error < 0 ? "less" : "more"));
        return text.toString();
    }

    private static String predicted(Decision.Candidate candidate) {
        if (candidate.predictedNanos() <= 0) {
            return "nothing is known";
        }
        String contention = candidate.devices().size() == 1
                ? ""
                : String.format(Locale.ROOT, ", %.2f x the time for a unit alone", candidate.contention());
        return String.format(
                Locale.ROOT,
                "%s ± %.1f%%%s, %s",
                time((double) candidate.predictedNanos()),
                100 * candidate.doubt(),
                contention,
                candidate.jobs() == 0 ? "not run yet" : candidate.jobs() + (candidate.jobs() == 1 ? " job" : " jobs"));
    }

    private static String time(double nanos) {
        return nanos < 1e3
                ? String.format(Locale.ROOT, "%.3g ns", nanos)
                : nanos < 1e6
                        ? String.format(Locale.ROOT, "%.1f µs", nanos / 1e3)
                        : String.format(Locale.ROOT, "%.3f ms", nanos / 1e6);
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
    }
}
