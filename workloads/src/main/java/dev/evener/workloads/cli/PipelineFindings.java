package dev.evener.workloads.cli;

import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.workloads.experiment.Estimate;
import dev.evener.workloads.experiment.PipelineFinding;
import dev.evener.workloads.experiment.Statistics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What streams of frames took in each way, for people and for other programs. */
final class PipelineFindings {
    private static final String CSV_HEADINGS =
            "experiment,way,frames,slots,median_seconds,mad_seconds,frames_per_second,"
                    + "of_best_alone,of_best_alone_low,of_best_alone_high,median_latency_seconds,problem";

    private final About about;
    private final List<PipelineFinding> findings;
    private final PipelineFinding best;

    /**
     * What was measured.
     *
     * @param experiment its name
     * @param size of the frames
     * @param pixels of a frame, on average
     * @param frames in a stream
     * @param slots under way at once
     * @param rounds of each way
     * @param seed of frames and order
     */
    record About(String experiment, String size, double pixels, int frames, int slots, int rounds, long seed) {}

    PipelineFindings(About about, List<PipelineFinding> findings) {
        this.about = about;
        this.findings = findings;
        this.best = findings.stream()
                .filter(PipelineFinding::alone)
                .min(Comparator.comparingDouble(f -> Statistics.median(f.seconds())))
                .orElseThrow();
    }

    /** How many times as fast as the best single device, with its interval. */
    private Estimate ofBest(PipelineFinding finding) {
        return Statistics.medianRatio(best.seconds(), finding.seconds());
    }

    private double rate(PipelineFinding finding) {
        return about.frames() / Statistics.median(finding.seconds());
    }

    /** A row for each way. */
    String table() {
        TextTable table = new TextTable(
                "way", ">frames/s", ">spread", ">Mpixel/s", ">x best alone", ">95 %", ">latency ms", "busy ms a frame");
        for (PipelineFinding finding : findings) {
            double[] seconds = finding.seconds();
            Estimate ratio = ofBest(finding);
            table.row(
                    finding.way(),
                    format("%.1f", rate(finding)),
                    format("%.1f%%", 100 * Statistics.medianAbsoluteDeviation(seconds) / Statistics.median(seconds)),
                    format("%.0f", rate(finding) * about.pixels() / 1e6),
                    format("%.2f", ratio.value()),
                    format("%.2f-%.2f", ratio.low(), ratio.high()),
                    format("%.2f", 1e3 * Statistics.median(finding.latencySeconds())),
                    busy(finding.last()));
        }
        return format(
                        "%s, %d frames of %s, %d under way, medians of %d rounds",
                        about.experiment(), about.frames(), about.size(), about.slots(), about.rounds())
                + System.lineSeparator()
                + table;
    }

    private static String busy(PipelineReport report) {
        List<String> parts = new ArrayList<>();
        for (PipelineReport.StageUse stage : report.stages()) {
            StringBuilder part = new StringBuilder(stage.name());
            stage.busyNanos()
                    .forEach((device, nanos) ->
                            part.append(format(" %s %.2f", device, nanos / 1e6 / Math.max(1, stage.jobs()))));
            parts.add(part.toString());
        }
        return String.join("; ", parts);
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("experiment", about.experiment());
        map.put("size", about.size());
        map.put("pixels", about.pixels());
        map.put("frames", about.frames());
        map.put("slots", about.slots());
        map.put("rounds", about.rounds());
        map.put("seed", about.seed());
        map.put("bestAlone", best.way());
        map.put("findings", findings.stream().map(this::toMap).toList());
        return map;
    }

    private Map<String, Object> toMap(PipelineFinding finding) {
        Estimate ratio = ofBest(finding);
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("way", finding.way());
        map.put("medianSeconds", Statistics.median(finding.seconds()));
        map.put("madSeconds", Statistics.medianAbsoluteDeviation(finding.seconds()));
        map.put("framesPerSecond", rate(finding));
        map.put("ofBestAlone", ratio.value());
        map.put("ofBestAloneLow", ratio.low());
        map.put("ofBestAloneHigh", ratio.high());
        map.put("medianLatencySeconds", Statistics.median(finding.latencySeconds()));
        map.put("problem", finding.problem());
        map.put("lastRound", finding.last().toMap());
        return map;
    }

    String csv() {
        StringBuilder csv = new StringBuilder(CSV_HEADINGS).append(System.lineSeparator());
        for (PipelineFinding finding : findings) {
            Estimate ratio = ofBest(finding);
            csv.append(String.join(
                            ",",
                            about.experiment(),
                            finding.way(),
                            Integer.toString(about.frames()),
                            Integer.toString(about.slots()),
                            number(Statistics.median(finding.seconds())),
                            number(Statistics.medianAbsoluteDeviation(finding.seconds())),
                            number(rate(finding)),
                            number(ratio.value()),
                            number(ratio.low()),
                            number(ratio.high()),
                            number(Statistics.median(finding.latencySeconds())),
                            finding.problem() == null
                                    ? ""
                                    : '"' + finding.problem().replace("\"", "\"\"") + '"'))
                    .append(System.lineSeparator());
        }
        return csv.toString();
    }

    private static String number(double value) {
        return format("%.6g", value);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
