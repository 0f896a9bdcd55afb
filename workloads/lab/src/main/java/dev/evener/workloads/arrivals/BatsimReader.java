package dev.evener.workloads.arrivals;

import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.JsonStream;
import dev.evener.workloads.document.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A trace as a Batsim workload, of versions 1 to 5: jobs, and profiles that say what they do; docs/records.md has
 * them. For one file.
 */
final class BatsimReader {
    private static final int DEEPEST = 20;
    private static final double MOST = 1e30;

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

    /** One job is in memory at a time, and of profiles what they take. */
    void read(Path file) throws IOException {
        try {
            Map<String, Profile> profiles = new HashMap<>();
            boolean there;
            try (InputStream in = TraceBuilder.open(file)) {
                there = JsonStream.members(in, TraceBuilder.LARGEST, "profiles", (name, profile) -> {
                    profiles.put(name, profile(profile));
                    return true;
                });
            }
            requireThere(there, "profiles");
            int[] line = new int[1];
            try (InputStream in = TraceBuilder.open(file)) {
                there = JsonStream.elements(in, TraceBuilder.LARGEST, "jobs", job -> {
                    line[0]++;
                    add(job, profiles, line[0]);
                    return !to.enough();
                });
            }
            requireThere(there, "jobs");
        } catch (DocumentException e) {
            throw e.where().isEmpty() ? e : e.in(Node.place(TraceBuilder.open(file), e.where()));
        }
    }

    private static void requireThere(boolean there, String member) {
        if (!there) {
            throw new DocumentException("", "'" + member + "' is missing");
        }
    }

    private void add(Node job, Map<String, Profile> profiles, int line) {
        double processors = job.get("res").whole(1, 1_000_000);
        double arrival = job.get("subtime").number(0, TraceBuilder.MOST_SECONDS);
        Work work = work(job.get("profile"), profiles, 0);
        double each = work.each() + work.whole() / processors;
        double walltime = job.find("walltime", -1.0, node -> node.number(-MOST, MOST));
        double seconds = Math.min(each, walltime > 0 ? walltime : each) * processors;
        work.notes().forEach(to::count);
        to.counted(walltime > 0 && walltime < each, "job stopped at its walltime");
        if (seconds > 0) {
            int priority = job.find("priority", 0, node -> (int) node.whole(-1000, 1000));
            Trace.Times times = Trace.Times.of(to, seconds, seconds, processors);
            to.add(job.get("id").scalar(), line, arrival, times, Trace.Terms.of(priority));
        } else {
            to.count("job left out: of a profile that neither waits nor computes");
        }
    }

    private Work work(Node name, Map<String, Profile> profiles, int depth) {
        Profile profile = profiles.get(name.scalar());
        if (profile == null) {
            throw name.wrong("there is no profile '" + name.scalar() + "'");
        }
        if (profile.wrong != null) {
            throw profile.wrong;
        }
        if (depth > DEEPEST) {
            throw new DocumentException(
                    profile.place, "is a sequence of itself, or of others more than " + DEEPEST + " deep");
        }
        Work work = known.get(name.scalar());
        if (work == null) {
            work = profile.own;
            for (Node part : profile.parts) {
                Work its = work(part, profiles, depth + 1);
                Set<String> notes = new TreeSet<>(work.notes());
                notes.addAll(its.notes());
                work = new Work(
                        work.each() + its.each() * profile.times, work.whole() + its.whole() * profile.times, notes);
            }
            known.put(name.scalar(), work);
        }
        return work;
    }

    /**
     * What is kept of a profile.
     *
     * @param place in the document
     * @param own what it takes without its parts
     * @param times how often it goes through its parts
     * @param wrong what is wrong with it, which is told once a job has it; null if nothing is
     */
    private record Profile(
            String place,
            Work own,
            double times,
            List<Node> parts,
            @Nullable DocumentException wrong) {}

    private Profile profile(Node profile) {
        try {
            return read(profile);
        } catch (DocumentException e) {
            return new Profile("", new Work(0, 0, Set.of()), 0, List.of(), e);
        }
    }

    private Profile read(Node profile) {
        Set<String> notes = new TreeSet<>();
        Node com = profile.find("com");
        if (com != null
                && com.each(0, 1_000_000, n -> n.number(0, MOST)).stream().anyMatch(bytes -> bytes > 0)) {
            notes.add("job with phases of communication, which is not simulated");
        }
        double each = 0;
        double whole = 0;
        double times = 1;
        List<Node> parts = List.of();
        String type = profile.get("type").text();
        switch (type) {
            case "delay", "DelayProfile" -> each = profile.get("delay").number(0, 1e9);
            case "parallel_homogeneous", "msg_par_hg", "ptask_homogeneous", "ParallelTaskHomogeneousProfile" -> {
                double cpu = profile.find("cpu", 0.0, node -> node.number(0, MOST)) / flops;
                boolean spread = profile.find("generation_strategy", "", Node::text)
                        .toLowerCase(Locale.ROOT)
                        .replace("_", "")
                        .endsWith("spreaduniformly");
                each = spread ? 0 : cpu;
                whole = spread ? cpu : 0;
            }
            case "parallel_homogeneous_total", "msg_par_hg_tot" ->
                whole = profile.get("cpu").number(0, MOST) / flops;
            case "parallel", "msg_par", "ptask", "ParallelTaskProfile" -> { // all of it progresses at one rate
                List<Double> all =
                        profile.find("cpu", List.of(), cpu -> cpu.list(1, 1_000_000, n -> n.number(0, MOST)));
                each = all.stream().mapToDouble(Double::doubleValue).max().orElse(0) / flops;
            }
            case "composed", "sequence", "sequential_composition", "SequentialCompositionProfile" -> {
                Node repeat = profile.find("repeat") == null ? profile.find("nb") : profile.find("repeat");
                times = repeat == null ? 1 : repeat.whole(1, 1_000_000);
                parts = profile.get("seq").list(1, 1_000_000);
            }
            default -> notes.add("job with phases of type " + type + ", which take no time");
        }
        return new Profile(profile.path(), new Work(each, whole, notes), times, parts, null);
    }
}
