package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.JsonStream;
import dev.evener.workloads.document.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * A job log of Microsoft's Philly clusters (Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN
 * Training Workloads", 2019): an array of jobs, each with its attempts and the GPUs that each had. A job's work is
 * that of all its attempts. For one file.
 */
record PhillyReader(TraceBuilder<Trace.Times> to) {
    private static final int MOST = 100_000;

    /** Reads a file, unless it is no such log: then it is false. */
    boolean read(Path file) throws IOException {
        int[] line = new int[1];
        try (InputStream in = TraceBuilder.open(file)) {
            return JsonStream.elements(in, TraceBuilder.LARGEST, "", job -> {
                line[0]++;
                add(job, line[0]);
                return !to.enough();
            });
        } catch (DocumentException e) {
            throw e.where().isEmpty() ? e : e.in(Node.place(TraceBuilder.open(file), e.where()));
        }
    }

    private void add(Node job, int line) {
        double work = 0;
        double most = 0;
        List<Node> attempts = job.find("attempts", List.of(), node -> node.list(0, MOST));
        for (Node attempt : attempts) {
            double seconds = time(attempt, "end_time") - time(attempt, "start_time");
            double gpus = 0;
            for (Node machine : attempt.find("detail", List.<Node>of(), node -> node.list(0, MOST))) {
                gpus += machine.find("gpus", List.<Node>of(), node -> node.list(0, MOST))
                        .size();
            }
            work += seconds > 0 ? seconds * gpus : 0;
            most = Math.max(most, gpus);
        }
        double arrival = time(job, "submitted_time");
        if (work == 0 || Double.isNaN(arrival)) {
            to.count("job left out: without a submit time, or it did not run on GPUs");
            return;
        }
        String user = job.find("user", "", Node::scalar);
        to.add(
                job.get("jobid").scalar(),
                line,
                arrival,
                Trace.Times.of(to, -1, work, most),
                new Trace.Terms(0, user, -1, 0));
        to.counted(attempts.size() > 1, "job with several attempts, which are simulated as one");
    }

    /** Not a number where it is not known. */
    private static double time(Node of, String name) {
        String text = of.find(name, "", Node::scalar);
        double date = Table.date(text);
        if (Double.isNaN(date) && !text.isEmpty() && !text.equalsIgnoreCase("none")) {
            throw of.get(name).wrong("'" + text + "' is no date such as 2017-10-05 14:50:06");
        }
        return date;
    }
}
