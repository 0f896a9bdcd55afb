package dev.evener.model;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * A kind of job as an object of JSON, and back. What is as it was before anything was learnt is left out; what is read is checked piece
 * by piece. Stateless.
 */
final class KernelEntry {
    /** A profile is kept to a hundred-thousandth, so that an even one takes little room. */
    private static final double PROFILE_PARTS = 1e5;
    /** Digits of a figure that stands on its own. */
    private static final int DIGITS = 6;
    /** Digits of covariances: what is known of a sum may be the small difference of large ones. */
    private static final int MORE_DIGITS = 9;
    /** Greatest number that is read: no product of two such overflows. */
    private static final double MOST = 1e100;
    /** Greatest count: no sum of such overflows. */
    private static final double MOST_COUNTED = 1e15;

    private KernelEntry() {}

    // ---- writing ----

    /** What is written of a kind, which is locked. */
    static Map<String, Object> entry(KernelHistory kernel) {
        List<Object> lanes = new ArrayList<>();
        kernel.lanes.forEach((device, lane) ->
                lanes.add(entry("device", device, "chunks", lane.chunks, "state", numbers(DIGITS, lane.state()))));
        List<Object> sizes = new ArrayList<>();
        kernel.sizes.forEach((octave, size) -> {
            if (size.jobs > 0) {
                sizes.add(size(octave, size));
            }
        });
        Map<String, Object> job = entry(
                "phases",
                kernel.phases.stream()
                        .map(phase -> entry("kernel", phase.kernel(), "shape", phase.shape()))
                        .toList(),
                "updatedMillis",
                kernel.updatedMillis,
                "lanes",
                lanes,
                "sizes",
                sizes);
        if (kernel.profile.learnt()) {
            job.put(
                    "profile",
                    DoubleStream.of(kernel.profile.state())
                            .mapToObj(each -> Math.rint(each * PROFILE_PARTS) / PROFILE_PARTS)
                            .toList());
        }
        return job;
    }

    private static Object size(int octave, SizeModel size) {
        List<Object> sets = new ArrayList<>();
        size.sets.forEach((set, own) ->
                sets.add(entry("devices", set, "jobs", own.jobs(), "state", numbers(DIGITS, own.state()))));
        List<Object> terms = new ArrayList<>();
        for (int i = 0; i < size.belief.size(); i++) {
            double[] row = new double[i + 1];
            for (int j = 0; j <= i; j++) {
                row[j] = size.belief.covariance(i, j);
            }
            terms.add(entry(
                    "term",
                    size.belief.terms().get(i),
                    "mean",
                    rounded(size.belief.mean(i), DIGITS),
                    "covariance",
                    numbers(MORE_DIGITS, row)));
        }
        return entry(
                "octave",
                octave,
                "jobs",
                size.jobs,
                "state",
                numbers(DIGITS, size.totalNanos, size.spentNanos),
                "sets",
                sets,
                "belief",
                terms);
    }

    private static Map<String, Object> entry(Object... namesAndValues) {
        Map<String, Object> entry = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            entry.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return entry;
    }

    private static List<Double> numbers(int digits, double... values) {
        return DoubleStream.of(values).mapToObj(value -> rounded(value, digits)).toList();
    }

    private static double rounded(double value, int digits) {
        double more = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
        double power = Math.pow(10, Math.abs(more)); // exact up to 22
        return Math.abs(value) < 1e-30
                ? 0
                : more < 0 ? Math.rint(value / power) * power : Math.rint(value * power) / power;
    }

    // ---- reading ----

    /**
     * What was written of a kind.
     *
     * @throws IOException if it is not what {@link #entry} makes
     */
    static KernelHistory kernel(Map<?, ?> written) throws IOException {
        Entry job = new Entry(written);
        List<JobKey.Phase> phases = new ArrayList<>();
        for (Entry phase : job.entries("phases")) {
            phases.add(new JobKey.Phase(phase.text("kernel"), phase.text("shape")));
        }
        KernelHistory kernel = new KernelHistory(phases);
        kernel.updatedMillis = job.count("updatedMillis");
        for (Entry saved : job.entries("lanes")) {
            KernelHistory.Lane lane = kernel.lane(saved.text("device").intern());
            lane.chunks = saved.count("chunks");
            lane.restore(saved.numbers("state", lane.state().length));
        }
        if (written.containsKey("profile")) {
            kernel.profile.restore(job.numbers("profile", 2 * ProfileEstimate.PARTS));
        }
        for (Entry saved : job.entries("sizes")) {
            kernel.sizes.put((int) Math.min(62, saved.count("octave")), size(saved));
        }
        return kernel;
    }

    private static SizeModel size(Entry saved) throws IOException {
        SizeModel size = new SizeModel();
        size.jobs = Math.max(1, saved.count("jobs"));
        size.known = true;
        double[] state = saved.numbers("state", 2);
        size.totalNanos = Math.abs(state[0]);
        size.spentNanos = Math.abs(state[1]);
        for (Entry set : saved.entries("sets")) {
            size.sets.put(
                    set.text("devices").intern(),
                    SizeModel.OfSet.of(set.count("jobs"), set.numbers("state", SizeModel.OfSet.NUMBERS)));
        }
        for (Entry term : saved.entries("belief")) {
            double[] row = term.numbers("covariance", size.belief.size() + 1);
            double[] mean = term.numbers("mean", 1);
            size.belief.restore(term.text("term").intern(), mean[0], row);
        }
        return size;
    }

    /** What is read, checked piece by piece. */
    private record Entry(Map<?, ?> map) {
        List<Entry> entries(String name) throws IOException {
            List<Entry> entries = new ArrayList<>();
            for (Object each : list(name)) {
                if (!(each instanceof Map<?, ?> entry)) {
                    throw new IOException("an entry of \"" + name + "\" is not an object");
                }
                entries.add(new Entry(entry));
            }
            return entries;
        }

        private List<?> list(String name) throws IOException {
            if (map.get(name) instanceof List<?> list) {
                return list;
            }
            throw new IOException("\"" + name + "\" is not a list");
        }

        String text(String name) throws IOException {
            if (map.get(name) instanceof String text) {
                return text;
            }
            throw new IOException("an entry has no text \"" + name + "\"");
        }

        long count(String name) throws IOException {
            return (long) Math.max(0, Math.min(MOST_COUNTED, number(name, map.get(name))));
        }

        double[] numbers(String name, int count) throws IOException {
            List<?> list = map.get(name) instanceof Number single ? List.of(single) : list(name);
            if (list.size() != count) {
                throw new IOException("\"" + name + "\" has " + list.size() + " numbers, not " + count);
            }
            double[] numbers = new double[count];
            for (int i = 0; i < count; i++) {
                numbers[i] = number(name, list.get(i));
            }
            return numbers;
        }

        private static double number(String name, Object value) throws IOException {
            if (value instanceof Number n && Math.abs(n.doubleValue()) <= MOST) {
                return n.doubleValue();
            }
            throw new IOException("\"" + name + "\" is no number of at most " + MOST);
        }
    }
}
