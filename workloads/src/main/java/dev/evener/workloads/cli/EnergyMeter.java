package dev.evener.workloads.cli;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.Evener;
import dev.evener.History;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Power;
import dev.evener.workloads.document.BoundedLines;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the machine takes in energy while it is open: its processors by the counters of RAPL (Linux's powercap),
 * NVIDIA's GPUs by power that {@code nvidia-smi} reads ten times a second, summed up over time. All of each, whoever
 * uses it. One thread reads; methods are for one other.
 */
final class EnergyMeter implements AutoCloseable {
    private static final Path POWERCAP = Path.of("/sys/class/powercap");
    private static final List<String> SMI = List.of(
            "nvidia-smi", "--query-gpu=index,power.draw.instant", "--format=csv,noheader,nounits", "-lms", "100");
    private static final long EACH_MILLIS = 1000; // no counter goes round faster
    private static final long FIRST_SECONDS = 5; // until nvidia-smi has loaded its driver
    private static final long PROBE_NANOS = 2_000_000_000; // readings of nvidia-smi are a tenth of a second apart
    private static final long PAUSE_NANOS = 100_000_000;
    private static final long PROBE_ITEMS = 1 << 20;

    private final LongSupplier clock;
    private final List<Counter> counters = new ArrayList<>();
    private final Map<String, Trace> powers = new TreeMap<>();
    private final List<String> notes = new ArrayList<>();
    private final CountDownLatch first = new CountDownLatch(1);
    private final @Nullable Process smi;
    private final Thread reader;
    private Map<String, Double> begin = Map.of();

    /** What was taken, in joules, by what took it; and why something is missing, in one line each. */
    record Reading(Map<String, Double> joules, List<String> notes) {
        /** Null where there are no counters. */
        @Nullable
        Double total() {
            return joules.isEmpty()
                    ? null
                    : joules.values().stream().mapToDouble(each -> each).sum();
        }

        String text() {
            Double total = total();
            String parts = joules.entrySet().stream()
                    .map(each -> each.getKey() + " " + format("%.4g", each.getValue()))
                    .collect(Collectors.joining(", "));
            String found = total == null ? "energy: not known" : format("energy: %.4g J (%s)", total, parts);
            return found + (notes.isEmpty() ? "" : "; " + String.join("; ", notes)) + System.lineSeparator();
        }

        void put(Map<String, Object> map) {
            map.put("joules", total());
            map.put("joulesBy", joules);
        }
    }

    /** A counter of microjoules that goes round. */
    private static final class Counter {
        final String name;
        private final Path file;
        private final double range;
        private double last;
        double joules;

        Counter(String name, Path file, double range) throws IOException {
            this.name = name;
            this.file = file;
            this.range = range;
            last = number(file);
        }

        void read() throws IOException {
            double now = number(file);
            joules += (now < last ? now + range - last : now - last) / 1e6;
            last = now;
        }
    }

    /** Power over time, as lines between readings. */
    private static final class Trace {
        private long at;
        private double watts;
        private double joules;

        void is(double now, long nanos) {
            joules += at == 0 ? 0 : (nanos - at) / 1e9 * (watts + now) / 2;
            at = nanos;
            watts = now;
        }

        double joules(long nanos) {
            return joules + (nanos - at) / 1e9 * watts;
        }
    }

    /** Of this machine, from now on. */
    static EnergyMeter open() {
        return new EnergyMeter(POWERCAP, SMI, System::nanoTime);
    }

    EnergyMeter(Path powercap, List<String> command, LongSupplier clock) {
        this.clock = clock;
        find(powercap);
        smi = start(command);
        reader = new Thread(this::readAll, "evener-energy");
        reader.setDaemon(true);
        reader.start();
        try {
            if (smi != null && !first.await(FIRST_SECONDS, TimeUnit.SECONDS)) {
                notes.add("nvidia-smi tells no power");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        begin = now();
    }

    private void find(Path powercap) {
        try (Stream<Path> zones = Files.exists(powercap) ? Files.list(powercap) : Stream.empty()) {
            for (Path zone : zones.sorted().toList()) { // zones of a package's parts are in their names intel-rapl:0:0
                if (zone.getFileName().toString().matches("intel-rapl:\\d+")) {
                    String name = text(zone.resolve("name"));
                    if (name.startsWith("package")) {
                        double range = number(zone.resolve("max_energy_range_uj"));
                        counters.add(new Counter(name, zone.resolve("energy_uj"), range));
                    }
                }
            }
            if (counters.isEmpty()) {
                notes.add("no counters of processors (RAPL) in " + powercap);
            }
        } catch (IOException e) {
            notes.add("the counters of processors (RAPL) cannot be read: " + UserError.reason(e)
                    + (e instanceof AccessDeniedException ? "; root may" : ""));
        }
    }

    private static String text(Path file) throws IOException {
        try (InputStream in = BoundedLines.open(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    private static double number(Path file) throws IOException {
        return Double.parseDouble(text(file));
    }

    private @Nullable Process start(List<String> command) {
        try {
            return new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            notes.add("no power of GPUs: nvidia-smi is not there");
            return null;
        }
    }

    private void readAll() {
        if (smi == null) {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    Thread.sleep(EACH_MILLIS);
                    now();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return;
        }
        try (BufferedReader lines = smi.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                hear(line);
            }
        } catch (IOException e) {
            // closed
        } finally {
            first.countDown();
        }
    }

    /** A line such as {@code 0, 76.38}. */
    synchronized void hear(String line) {
        String[] cells = line.split(",", -1);
        if (cells.length == 2 && cells[1].strip().matches("\\d+(\\.\\d+)?")) {
            powers.computeIfAbsent("GPU " + cells[0].strip(), name -> new Trace())
                    .is(Double.parseDouble(cells[1].strip()), clock.getAsLong());
            first.countDown();
            now(); // counters that go round
        }
    }

    private synchronized Map<String, Double> now() {
        Map<String, Double> joules = new LinkedHashMap<>();
        try {
            for (Counter each : counters) {
                each.read();
                joules.put(each.name, each.joules);
            }
        } catch (IOException e) {
            notes.add("a counter of the processors could not be read: " + UserError.reason(e));
            counters.clear();
        }
        powers.forEach((name, power) -> joules.put(name, power.joules(clock.getAsLong())));
        return joules;
    }

    /** What was taken since it was opened. */
    Reading read() {
        Map<String, Double> joules = now();
        joules.replaceAll((name, all) -> all - begin.getOrDefault(name, 0.0));
        return new Reading(joules, List.copyOf(notes));
    }

    /**
     * What each device draws, by its id: all that is counted beyond what is drawn without work, while it alone computes.
     * Takes two seconds, and two for each device.
     *
     * @throws IllegalStateException if that is not counted, saying why
     */
    Map<String, Power> powers(Evener evener) {
        double idle = watts(() -> LockSupport.parkNanos(PAUSE_NANOS));
        Workload workload = Workloads.named("fma");
        Request request =
                Request.synthetic(workload, Values.of(workload, Map.of()), PROBE_ITEMS, Distribution.UNIFORM, 1);
        Map<String, Power> found = new TreeMap<>();
        try (PreparedWorkload probe = workload.prepare(evener, request)) {
            int lanes = evener.devices().size();
            for (int lane = 0; lane < lanes; lane++) {
                String id = evener.devices().get(lane).id();
                Policy alone = Policies.single(lane);
                Runnable work = () ->
                        evener.submit(probe.job(), alone, History.inMemory()).join();
                work.run(); // which builds programs
                double busy = watts(work);
                if (!(busy > idle)) {
                    throw new IllegalStateException(String.join(
                            "; ",
                            Stream.concat(
                                            Stream.of("nothing that is counted draws more while " + id + " is at work"),
                                            notes.stream())
                                    .toList()));
                }
                found.put(id, new Power(idle / lanes, idle / lanes + busy - idle));
            }
        }
        return found;
    }

    /** Of all that is counted, while something is done again and again. */
    private double watts(Runnable work) {
        Double before = read().total();
        if (before == null) {
            throw new IllegalStateException("nothing counts energy here: " + String.join("; ", notes));
        }
        long start = System.nanoTime();
        do {
            work.run();
        } while (System.nanoTime() - start < PROBE_NANOS);
        double seconds = (System.nanoTime() - start) / 1e9;
        return (Objects.requireNonNull(read().total()) - before) / seconds;
    }

    @Override
    public void close() {
        reader.interrupt();
        if (smi != null) {
            smi.destroy();
        }
    }
}
