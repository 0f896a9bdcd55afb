package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A trace as a Batsim workload: jobs, and profiles that say what they do. docs/records.md describes them. For one file. */
final class BatsimReader {
    private static final int DEEPEST = 20;

    private final TraceBuilder<Trace.Times> to;
    private final double flops;
    private final Map<String, Work> known = new HashMap<>(); // of profiles: a sequence may name one many times

    /** What a profile takes: seconds of each of a job's processors, seconds of one for all of it, and what is not honoured. */
    private record Work(double each, double whole, Set<String> notes) {}

    /** @param flops of one processor in a second */
    BatsimReader(TraceBuilder<Trace.Times> to, double flops) {
        this.to = to;
        this.flops = flops;
    }

    void read(Path file) throws IOException {
        String text;
        try (InputStream in = TraceBuilder.open(file)) {
            text = BoundedLines.utf8(in.readNBytes((int) TraceBuilder.LARGEST));
        }
        try {
            Node document = Node.object(text);
            Node profiles = document.get("profiles");
            int line = 0;
            for (Node job : document.get("jobs").list(1, TraceBuilder.MOST_JOBS)) {
                if (to.enough()) {
                    break;
                }
                line++;
                double processors = job.get("res").whole(1, 1_000_000);
                double arrival = job.get("subtime").number(0, TraceBuilder.MOST_SECONDS);
                Work work = work(job.get("profile"), profiles, 0);
                double seconds = work.each() * processors + work.whole();
                work.notes().forEach(to::count);
                if (seconds > 0) {
                    int priority = job.find("priority", 0, node -> (int) node.whole(-1000, 1000));
                    Trace.Times times = Trace.Times.of(to, seconds, seconds, processors);
                    to.add(job.get("id").scalar(), line, arrival, times, priority);
                } else {
                    to.count("job left out: of a profile that neither waits nor computes");
                }
            }
        } catch (DocumentException e) {
            throw e.where().isEmpty() ? e : e.in(Node.place(text, e.where()));
        }
    }

    private Work work(Node name, Node profiles, int depth) {
        Node profile = profiles.find(name.scalar());
        if (profile == null) {
            throw name.wrong("there is no profile '" + name.scalar() + "'");
        }
        if (depth > DEEPEST) {
            throw profile.wrong("is a sequence of itself, or of others more than " + DEEPEST + " deep");
        }
        Work work = known.get(name.scalar());
        if (work == null) {
            work = read(profile, profiles, depth);
            known.put(name.scalar(), work);
        }
        return work;
    }

    private Work read(Node profile, Node profiles, int depth) {
        Set<String> notes = new TreeSet<>();
        if (profile.find("com") != null) {
            notes.add("job with phases of communication, which is not simulated");
        }
        double each = 0;
        double whole = 0;
        String type = profile.get("type").text();
        switch (type) {
            case "delay" -> each = profile.get("delay").number(0, 1e9);
            case "parallel_homogeneous", "msg_par_hg" ->
                each = profile.get("cpu").number(0, 1e30) / flops;
            case "parallel_homogeneous_total", "msg_par_hg_tot" ->
                whole = profile.get("cpu").number(0, 1e30) / flops;
            case "parallel", "msg_par" -> {
                List<Double> all = profile.get("cpu").list(1, 1_000_000, node -> node.number(0, 1e30));
                whole = all.stream().mapToDouble(Double::doubleValue).sum() / flops;
            }
            case "composed", "sequence", "sequential_composition" -> {
                Node repeat = profile.find("repeat") == null ? profile.find("nb") : profile.find("repeat");
                double times = repeat == null ? 1 : repeat.whole(1, 1_000_000);
                for (Node part : profile.get("seq").list(1, 1_000_000)) {
                    Work work = work(part, profiles, depth + 1);
                    each += work.each() * times;
                    whole += work.whole() * times;
                    notes.addAll(work.notes());
                }
            }
            default -> notes.add("job with phases of type " + type + ", which take no time");
        }
        return new Work(each, whole, notes);
    }
}
