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
    /** Digits of a figure: counts of jobs have up to so many. */
    private static final int DIGITS = 9;
    /** Greatest number that is read: no product of two such overflows. */
    private static final double MOST = 1e100;
    /** Greatest count: no sum of such overflows. */
    private static final double MOST_COUNTED = 1e15;

    private KernelEntry() {}

    // ---- writing ----

    /** What is written of a kind, which is locked. */
    static Map<String, Object> entry(KernelHistory kernel) {
        List<Object> lanes = new ArrayList<>();
        kernel.lanes.forEach((device, lane) -> {
            double[][] state = lane.state();
            lanes.add(entry(
                    "device",
                    device,
                    "chunks",
                    lane.chunks,
                    "state",
                    numbers(state[0]),
                    "fit",
                    numbers(state[1]),
                    "gaps",
                    numbers(state[2]),
                    "variances",
                    numbers(state[3]),
                    "seen",
                    numbers(state[4])));
        });
        List<Object> sets = new ArrayList<>();
        for (SetModel set : kernel.sets) {
            sets.add(entry("devices", set.devices, "state", numbers(set.state())));
        }
        Map<String, Object> job = entry(
                "phases",
                kernel.phases.stream()
                        .map(phase -> entry("kernel", phase.kernel(), "shape", phase.shape()))
                        .toList(),
                "updatedMillis",
                kernel.updatedMillis,
                "state",
                numbers(kernel.state()),
                "sets",
                sets,
                "lanes",
                lanes);
        if (!kernel.passed.isEmpty()) {
            job.put("passed", List.copyOf(kernel.passed));
        }
        if (kernel.profile.learnt()) {
            job.put(
                    "profile",
                    DoubleStream.of(kernel.profile.state())
                            .mapToObj(each -> Math.rint(each * PROFILE_PARTS) / PROFILE_PARTS)
                            .toList());
        }
        return job;
    }

    private static Map<String, Object> entry(Object... namesAndValues) {
        Map<String, Object> entry = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            entry.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return entry;
    }

    private static List<Double> numbers(double... values) {
        return DoubleStream.of(values).mapToObj(value -> rounded(value, DIGITS)).toList();
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
        for (Entry saved : job.entries("sets")) {
            List<String> devices = saved.texts("devices");
            long key = devices.stream().mapToLong(JobHistory::hash).sum();
            SetModel set = new SetModel(key, devices);
            set.restore(saved.numbers("state", SetModel.NUMBERS));
            if (kernel.sets.size() < KernelHistory.MOST_SETS) {
                kernel.sets.add(set);
            }
        }
        for (Entry saved : job.entries("lanes")) {
            LaneModel lane = kernel.lane(saved.text("device").intern());
            lane.chunks = saved.count("chunks");
            lane.restore(new double[][] {
                saved.numbers("state", lane.state()[0].length),
                saved.numbers("fit"),
                saved.numbers("gaps"),
                saved.numbers("variances"),
                saved.numbers("seen")
            });
        }
        if (written.containsKey("profile")) {
            kernel.profile.restore(job.numbers("profile", 2 * ProfileEstimate.PARTS));
        }
        if (written.containsKey("passed")) {
            job.texts("passed").stream().limit(KernelHistory.MOST_PASSED).forEach(kernel.passed::add);
        }
        kernel.restore(job.numbers("state", kernel.state().length));
        return kernel;
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

        List<String> texts(String name) throws IOException {
            List<String> texts = new ArrayList<>();
            for (Object each : list(name)) {
                if (!(each instanceof String text)) {
                    throw new IOException("\"" + name + "\" holds what is no text");
                }
                texts.add(text.intern());
            }
            return texts;
        }

        double[] numbers(String name, int count) throws IOException {
            double[] numbers = numbers(name);
            if (numbers.length != count) {
                throw new IOException("\"" + name + "\" has " + numbers.length + " numbers, not " + count);
            }
            return numbers;
        }

        double[] numbers(String name) throws IOException {
            List<?> list = list(name);
            double[] numbers = new double[list.size()];
            for (int i = 0; i < numbers.length; i++) {
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
