package dev.evener.history;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The history's file: versioned JSON, written atomically, set aside when it cannot be understood. */
final class HistoryFile {
    private static final VersionedFile KIND = new VersionedFile(
            "evener-history", 2, "jobs", 16L << 20, "history", "it is not an Evener history", "the history");

    /** Far above every time and size there is, and no product of two numbers below it overflows. */
    private static final double MOST = 1e100;

    private static final int OCTAVES = 63;

    private HistoryFile() {}

    static List<Knowledge> load(Path file) {
        return KIND.load(file, HistoryFile::knowledge);
    }

    // ---- writing ----

    static boolean save(Path file, Collection<Knowledge> kinds) {
        List<Object> jobs = new ArrayList<>();
        for (Knowledge knowledge : kinds) {
            synchronized (knowledge) {
                if (!knowledge.costs.isEmpty()) {
                    jobs.add(job(knowledge));
                }
            }
        }
        return KIND.save(file, jobs);
    }

    private static Map<String, Object> job(Knowledge knowledge) {
        List<Object> phases = new ArrayList<>();
        for (Like.Phase phase : knowledge.phases) {
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("kernel", phase.kernel());
            saved.put("shape", phase.shape());
            phases.add(saved);
        }
        List<Object> costs = new ArrayList<>();
        knowledge.costs.forEach((key, curves) -> {
            for (int p = 0; p < curves.length; p++) {
                Map<String, Object> saved = new LinkedHashMap<>();
                saved.put("device", key.device());
                saved.put("company", key.company().identities());
                saved.put("phase", p);
                saved.put("sizes", sizes(curves[p], 0, knowledge));
                costs.add(saved);
            }
        });
        List<Object> outcomes = new ArrayList<>();
        knowledge.outcomes.forEach((set, curve) -> {
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("devices", set.identities());
            saved.put("sizes", sizes(curve, 1, knowledge));
            outcomes.add(saved);
        });
        Map<String, double[]> starts = new TreeMap<>();
        knowledge.starts.forEach((device, byPhase) -> starts.put(
                device, Arrays.stream(byPhase).mapToDouble(s -> s.nanos).toArray()));
        List<Object> usages = new ArrayList<>();
        knowledge.usages.forEach((octave, usage) -> {
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("octave", octave);
            saved.put("jobs", usage.jobs);
            if (usage.usual != null) {
                saved.put("usual", usage.usual.identities());
            }
            usages.add(saved);
        });
        Map<String, Object> job = new LinkedHashMap<>();
        job.put("phases", phases);
        job.put("outcomes", outcomes);
        job.put("costs", costs);
        job.put("launches", byPhase(knowledge.launches));
        job.put("starts", byPhase(starts));
        job.put("runs", usages);
        return job;
    }

    private static List<Object> byPhase(Map<String, double[]> byDevice) {
        List<Object> list = new ArrayList<>();
        byDevice.forEach((device, nanos) -> {
            for (int p = 0; p < nanos.length; p++) {
                Map<String, Object> saved = new LinkedHashMap<>();
                saved.put("device", device);
                saved.put("phase", p);
                saved.put("nanos", nanos[p]);
                list.add(saved);
            }
        });
        return list;
    }

    private static List<Object> sizes(Curve curve, int whole, Knowledge knowledge) {
        List<Object> sizes = new ArrayList<>();
        for (int octave : curve.numbers()) {
            Level.State state = curve.known(octave).state();
            Map<String, Object> saved = new LinkedHashMap<>();
            saved.put("octave", octave);
            saved.put("units", state.units());
            saved.put("nanos", state.nanos());
            saved.put("spread", state.spread());
            saved.put("samples", state.samples());
            saved.put("gain", state.gain());
            if (whole == 1) {
                saved.put("elasticity", state.elasticity());
                saved.put("overheadNanos", state.overheadNanos());
                saved.put("age", Math.max(0, knowledge.usage(octave).jobs - state.seenAt()));
            }
            sizes.add(saved);
        }
        return sizes;
    }

    // ---- reading ----

    private static Knowledge knowledge(Map<?, ?> job) throws IOException {
        List<Like.Phase> phases = new ArrayList<>();
        for (Object item : list(job, "phases")) {
            Map<?, ?> phase = map(item);
            phases.add(new Like.Phase(string(phase, "kernel"), string(phase, "shape")));
        }
        if (phases.isEmpty()) {
            throw new IOException("a job has no phases");
        }
        Knowledge knowledge = new Knowledge(phases);
        for (Object item : list(job, "runs")) {
            Map<?, ?> saved = map(item);
            Knowledge.Usage usage = knowledge.usage(octave(saved));
            usage.jobs = whole(saved, "jobs");
            if (saved.containsKey("usual")) {
                usage.usual = devices(saved, "usual");
                usage.habit = 1;
            }
        }
        for (Object item : list(job, "outcomes")) {
            Map<?, ?> saved = map(item);
            sizes(saved, knowledge.outcomesOf(devices(saved, "devices")), knowledge, true);
        }
        for (Object item : list(job, "costs")) {
            Map<?, ?> saved = map(item);
            Knowledge.CostKey key = new Knowledge.CostKey(string(saved, "device"), devices(saved, "company"));
            if (!key.company().identities().contains(key.device())) {
                throw new IOException("device " + key.device() + " is not in its own company");
            }
            sizes(saved, knowledge.costsOf(key)[phase(saved, knowledge)], knowledge, false);
        }
        byPhase(list(job, "launches"), knowledge, knowledge.launches);
        if (job.containsKey("starts")) { // which files of earlier builds do not have
            Map<String, double[]> starts = new TreeMap<>();
            byPhase(list(job, "starts"), knowledge, starts);
            starts.forEach((device, nanos) -> {
                for (int p = 0; p < nanos.length; p++) {
                    knowledge.startOf(device, p).nanos = nanos[p];
                }
            });
        }
        return knowledge;
    }

    private static void byPhase(List<?> list, Knowledge knowledge, Map<String, double[]> byDevice) throws IOException {
        for (Object item : list) {
            Map<?, ?> saved = map(item);
            double[] nanos =
                    byDevice.computeIfAbsent(string(saved, "device"), d -> new double[knowledge.phases.size()]);
            nanos[phase(saved, knowledge)] = Math.min(number(saved, "nanos"), JobHistory.MOST_NANOS);
        }
    }

    private static void sizes(Map<?, ?> entry, Curve curve, Knowledge knowledge, boolean whole) throws IOException {
        for (Object item : list(entry, "sizes")) {
            Map<?, ?> saved = map(item);
            int octave = octave(saved);
            double units = number(saved, "units");
            double nanos = number(saved, "nanos");
            long samples = whole(saved, "samples");
            if (units < 1 || nanos < 1 || samples < 1) {
                throw new IOException("an entry has no observations");
            }
            curve.put(
                    octave,
                    new Level.State(
                            samples,
                            units,
                            nanos,
                            whole ? number(saved, "elasticity") : 1,
                            number(saved, "spread"),
                            number(saved, "gain"),
                            whole ? number(saved, "overheadNanos") : 0,
                            whole ? knowledge.usage(octave).jobs - whole(saved, "age") : 0));
        }
    }

    private static Devices devices(Map<?, ?> entry, String name) throws IOException {
        List<String> identities = new ArrayList<>();
        for (Object item : list(entry, name)) {
            if (!(item instanceof String identity)) {
                throw new IOException("\"" + name + "\" has an entry that is no text");
            }
            identities.add(identity);
        }
        if (identities.isEmpty() || new HashSet<>(identities).size() < identities.size()) {
            throw new IOException("\"" + name + "\" is empty or names a device twice");
        }
        return new Devices(identities);
    }

    private static int octave(Map<?, ?> entry) throws IOException {
        return (int) below(entry, "octave", OCTAVES);
    }

    private static int phase(Map<?, ?> entry, Knowledge knowledge) throws IOException {
        return (int) below(entry, "phase", knowledge.phases.size());
    }

    private static long below(Map<?, ?> entry, String name, int end) throws IOException {
        long value = whole(entry, name);
        if (value >= end) {
            throw new IOException("\"" + name + "\" is " + value + " and must be below " + end);
        }
        return value;
    }

    /** A count; cut to what can be counted on without overflow. */
    private static long whole(Map<?, ?> entry, String name) throws IOException {
        return (long) Math.min(number(entry, name), Integer.MAX_VALUE);
    }

    static List<?> list(Map<?, ?> entry, String name) throws IOException {
        if (entry.get(name) instanceof List<?> list) {
            return list;
        }
        throw new IOException("\"" + name + "\" is not a list");
    }

    static Map<?, ?> map(Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw new IOException("an entry is not an object");
    }

    static String string(Map<?, ?> entry, String name) throws IOException {
        if (entry.get(name) instanceof String s) {
            return s;
        }
        throw new IOException("an entry has no text \"" + name + "\"");
    }

    static double number(Map<?, ?> entry, String name) throws IOException {
        if (entry.get(name) instanceof Number n && n.doubleValue() >= 0 && n.doubleValue() < MOST) {
            return n.doubleValue();
        }
        throw new IOException("an entry has no number \"" + name + "\" of at least 0 and below " + MOST);
    }
}
