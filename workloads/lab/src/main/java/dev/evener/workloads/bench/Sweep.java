package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.record.RecordReader;
import dev.evener.record.Recording;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import dev.evener.workloads.arrivals.Trace.Terms;
import dev.evener.workloads.arrivals.Trace.Times;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.random.RandomCase;
import dev.evener.workloads.replay.SimulatedTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * An experiment on simulated machines: each policy on each machine with each trace, as often as there are seeds. Read from a file that
 * docs/bench.md describes. Immutable.
 *
 * @param machines at least 1
 * @param traces at least 1
 * @param policies by their names in records, at least 1
 * @param seeds of what is drawn and of the times of chunks, at least 1; those of all policies are the same, so that their runs are pairs
 * @param bound of bounded slow-downs, in seconds
 */
public record Sweep(List<On> machines, List<Trace> traces, List<String> policies, List<Long> seeds, double bound) {
    private static final List<String> MEMBERS = List.of(
            "format", "version", "name", "question", "machines", "traces", "policies", "seeds", "seed", "bound");
    private static final List<String> RANDOM = List.of("random", "seed", "promised");
    private static final List<String> DRAWN = List.of("name", "jobs", "seconds", "load", "kernels");
    private static final List<String> ELSEWHERE = List.of("name", "file", "map");
    private static final List<String> SERIES = List.of("name", "series");
    private static final int MOST_RUNS = 1_000_000;
    private static final int MOST_JOBS = 1_000_000;

    public Sweep {
        machines = List.copyOf(machines);
        traces = List.copyOf(traces);
        policies = List.copyOf(policies);
        seeds = List.copyOf(seeds);
    }

    /**
     * A machine.
     *
     * @param name what it is called
     * @param machine what it is
     * @param drawn the number and promise that it was drawn with; empty if it was not drawn
     * @param description all that it is, for digests
     */
    public record On(String name, Machine machine, List<Object> drawn, Object description) {
        /** The jobs that are drawn with it, of which an oracle is known. */
        RandomCase series(int jobs) {
            return new RandomCase((Long) drawn.get(0), jobs, (Boolean) drawn.get(1));
        }
    }

    /** What is run. Any thread. */
    public sealed interface Trace {
        /** What it is called. */
        String name();

        /** All that it is, for digests. */
        default String description() {
            return toString();
        }

        /** The machine as the trace's jobs see it. */
        default Machine on(Machine machine) {
            return machine;
        }

        /** On which terms its jobs run, in the order of their outcomes; empty if they have none. */
        default List<Terms> terms() {
            return List.of();
        }

        /**
         * Runs it.
         *
         * @throws EvenerException if the machine cannot
         */
        List<Simulator.Outcome> run(On on, Policy policy, long seed, RunListener... listeners);
    }

    /** The jobs of a record's run, at their times; described in few letters. */
    record Recorded(String name, Recording.Run of, String description) implements Trace {
        @Override
        public List<Simulator.Outcome> run(On on, Policy policy, long seed, RunListener... listeners) {
            Simulator simulator = new Simulator(on.machine()).seed(seed);
            Stream.of(listeners).forEach(simulator::listener);
            return simulator.replay(of.events(), of.devices(), policy).run();
        }
    }

    /** The jobs of another system, at their times; described in few letters. */
    record Elsewhere(String name, dev.evener.workloads.arrivals.Trace<Times> of, String description) implements Trace {
        @Override
        public List<Simulator.Outcome> run(On on, Policy policy, long seed, RunListener... listeners) {
            RunListener told = listeners.length == 0 ? null : listeners[0];
            return new SimulatedTrace(on.machine(), policy, seed, List.of(), told).outcomesOfTimes(of);
        }

        @Override
        public Machine on(Machine machine) {
            return new SimulatedTrace(machine, Policies.adaptive(), 0, List.of(), null).forTimes(of);
        }

        @Override
        public List<Terms> terms() {
            return of.order().stream()
                    .map(place -> of.jobs().get(place).terms())
                    .toList();
        }
    }

    /** The jobs that were drawn with a random machine, each when the one before has long ended. */
    record Series(String name, int jobs) implements Trace {
        @Override
        public List<Simulator.Outcome> run(On on, Policy policy, long seed, RunListener... listeners) {
            if (on.drawn().isEmpty()) {
                throw new EvenerException(
                        "'series' are jobs drawn with a random machine, and " + on.name() + " is none");
            }
            return on.series(jobs).run(policy, seed, listeners);
        }
    }

    /**
     * Jobs drawn for the machine.
     *
     * @param least seconds that the shortest job takes the fastest device alone
     * @param most and the longest; sizes are spread evenly in their logarithm
     * @param load work that comes, as a part of what all devices can do; 0 if each job comes when the one before has ended
     * @param kernels what is run, each as often; empty for all that all devices know
     */
    record Drawn(String name, int jobs, double least, double most, double load, List<String> kernels) implements Trace {
        @Override
        public List<Simulator.Outcome> run(On on, Policy policy, long seed, RunListener... listeners) {
            Simulator simulator = new Simulator(on.machine()).seed(seed);
            Stream.of(listeners).forEach(simulator::listener);
            List<DeviceModel> devices = on.machine().devices();
            Set<String> known = new LinkedHashSet<>(devices.get(0).kernels().keySet());
            devices.forEach(each -> known.retainAll(each.kernels().keySet()));
            List<String> run = List.copyOf(kernels.isEmpty() ? known : kernels);
            if (run.isEmpty() || !known.containsAll(run)) {
                throw new EvenerException(on.name() + " has kernels " + known + " on all devices, and '" + name
                        + "' needs " + (run.isEmpty() ? "one" : run));
            }
            SplittableRandom random = new SplittableRandom(seed);
            double clock = 0;
            double spread = Math.log(most / least);
            double mean = 1e9 * (spread == 0 ? least : (most - least) / spread);
            for (int job = 0; job < jobs; job++) {
                String kernel = run.get(random.nextInt(run.size()));
                double[] speeds = devices.stream()
                        .mapToDouble(each -> speed(each.kernels().get(kernel)))
                        .toArray();
                double fastest = 0;
                double all = 0;
                for (double each : speeds) {
                    fastest = Math.max(fastest, each);
                    all += each;
                }
                double nanos = 1e9 * least * Math.exp(random.nextDouble() * spread);
                long units = Math.round(Math.max(1, Math.min(nanos * fastest, 1e15)));
                SimulatedJob made = SimulatedJob.of(kernel, units, 1, policy);
                simulator.submit(load == 0 ? made.after(0) : made.at(Math.round(clock)));
                clock -= Math.log(1 - random.nextDouble()) * mean * fastest / all / Math.max(load, 1e-9);
            }
            return simulator.run();
        }

        /** Units in a nanosecond, of large chunks. */
        private static double speed(KernelModel of) {
            return 1 / Math.max(1e-9, of.nanosPerUnit() * of.factor().median());
        }
    }

    /**
     * Reads one.
     *
     * @param folder of the file, from which others are named
     * @throws DocumentException if it is not right, or a file that it names is not
     */
    static Sweep read(Node root, Path folder) {
        root.only(MEMBERS);
        List<On> machines = new ArrayList<>();
        for (Node each : root.get("machines").list(1, WorkloadReader.MOST)) {
            addMachines(each, folder, machines);
        }
        List<Trace> traces = root.get("traces").list(1, WorkloadReader.MOST, each -> trace(each, folder));
        if (traces.stream().map(Trace::name).distinct().count() < traces.size()) {
            throw root.get("traces").wrong("every trace has a name of its own");
        }
        List<String> policies = root.get("policies")
                .list(
                        1,
                        WorkloadReader.MOST,
                        each -> each.text(t -> Policies.named(t).name(), Policies.names()));
        long first = root.find("seed", 1L, n -> n.whole(Long.MIN_VALUE / 2, Long.MAX_VALUE / 2));
        long count = root.find("seeds", 1L, n -> n.whole(1, MOST_RUNS));
        double runs = 1.0 * machines.size() * traces.size() * policies.size() * count;
        if (runs > MOST_RUNS) {
            throw root.wrong("comes to " + Math.round(runs) + " runs; expected " + MOST_RUNS + " at most");
        }
        List<Long> seeds = LongStream.range(first, first + count).boxed().toList();
        double bound = root.find("bound", 0.01, n -> n.number(1e-9, 1e9));
        return new Sweep(machines, traces, policies.stream().distinct().toList(), seeds, bound);
    }

    private static void addMachines(Node node, Path folder, List<On> machines) {
        if (node.isText()) {
            Path file = folder.resolve(node.text());
            Machine machine = from(node, () -> Machine.read(file));
            machines.add(new On(file.getFileName().toString(), machine, List.of(), machine.toString()));
            return;
        }
        long count = node.only(RANDOM).get("random").whole(1, WorkloadReader.MOST);
        long first = node.find("seed", 1L, n -> n.whole(0, Integer.MAX_VALUE));
        boolean promised = node.find("promised", true, Node::flag);
        for (long seed = first; seed < first + count; seed++) {
            Machine machine = new RandomCase(seed, 1, promised).machine();
            String name = "random " + seed + (promised ? "" : " unpromised");
            machines.add(new On(name, machine, List.of(seed, promised), machine.toString()));
        }
    }

    private static Trace trace(Node node, Path folder) {
        if (node.isText()) {
            Path file = folder.resolve(node.text());
            if (dev.evener.workloads.arrivals.Trace.isNameOf(file)) {
                return elsewhere(file.getFileName().toString(), file, List.of(), node);
            }
            Recording recording = from(node, () -> RecordReader.read(file));
            return recording.runs().stream()
                    .filter(run -> run.events().stream().anyMatch(RunEvent.Chunk.class::isInstance))
                    .findFirst()
                    .<Trace>map(run -> recorded(file, run))
                    .orElseThrow(() -> node.wrong("the record holds no job that was run"));
        }
        String name = node.find("name", "", PlanReader::label);
        if (node.find("file") != null) {
            Path file = folder.resolve(node.only(ELSEWHERE).get("file").text());
            List<String> rules = node.find("map", List.of(), n -> n.list(1, WorkloadReader.MOST, Node::text));
            return elsewhere(name.isEmpty() ? file.getFileName().toString() : name, file, rules, node);
        }
        if (node.find("series") != null) {
            int jobs = (int) node.only(SERIES).get("series").whole(1, MOST_JOBS);
            return new Series(name.isEmpty() ? "series of " + jobs : name, jobs);
        }
        int jobs = (int) node.only(DRAWN).get("jobs").whole(1, MOST_JOBS);
        List<Double> seconds = node.get("seconds").each(1, 2, n -> n.number(1e-9, 1e6));
        double least = seconds.get(0);
        double most = seconds.get(seconds.size() - 1);
        if (least > most) {
            throw node.get("seconds").wrong("expected the least before the most");
        }
        double load = node.find("load", 0.0, n -> n.number(1e-6, 1e6));
        List<String> kernels = node.find("kernels", List.of(), n -> n.list(1, WorkloadReader.MOST, Node::text));
        return new Drawn(name.isEmpty() ? jobs + " jobs" : name, jobs, least, most, load, kernels);
    }

    private static Elsewhere elsewhere(String name, Path file, List<String> rules, Node node) {
        var trace = from(node, () -> dev.evener.workloads.arrivals.Trace.times(file, rules));
        return new Elsewhere(
                name, trace, Case.digest(Map.of("jobs", trace.jobs().toString())));
    }

    private static Recorded recorded(Path file, Recording.Run run) {
        String events = Case.digest(Map.of(
                "devices", run.devices().toString(), "events", run.events().toString()));
        return new Recorded(file.getFileName().toString(), run, events);
    }

    /** Reads a file. */
    private interface Reading<T> {
        T read() throws IOException;
    }

    private static <T> T from(Node node, Reading<T> file) {
        try {
            return file.read();
        } catch (IOException | EvenerException | DocumentException | IllegalArgumentException e) {
            throw node.wrong(e instanceof IOException ? "cannot be read: " + e : String.valueOf(e.getMessage()));
        }
    }

    /** What of its traces was left out, and that no policy can be told from another if that is so, in a line each. */
    public List<String> notes() {
        Stream<String> ofTraces = traces.stream()
                .flatMap(each -> each instanceof Elsewhere e
                        ? e.of().notes().stream().map(note -> each.name() + ": " + note)
                        : Stream.of());
        return Stream.concat(
                        ofTraces,
                        Stream.ofNullable(SweepReport.impossible(machines.size(), seeds.size(), policies.size())))
                .toList();
    }

    /** How many runs there are. */
    public int runs() {
        return machines.size() * traces.size() * policies.size() * seeds.size();
    }

    /**
     * Runs each policy on the first machine with the first seed, to be looked at.
     *
     * @param listener of a run, by what it is called and its devices
     * @return how many that were
     */
    public int show(BiFunction<String, List<DeviceInfo>, RunListener> listener) {
        On on = machines.get(0);
        List<DeviceInfo> devices =
                on.machine().devices().stream().map(DeviceModel::device).toList();
        for (Trace trace : traces) {
            for (String policy : policies) {
                RunListener told = listener.apply(policy + ", " + trace.name() + ", " + on.name(), devices);
                trace.run(on, Policies.named(policy), seeds.get(0), told);
            }
        }
        return traces.size() * policies.size();
    }

    /** What the figures of a run depend on. */
    static String digest(On on, Trace trace, String policy, long seed, double bound, String version) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("machine", on.description());
        map.put("trace", trace.description());
        map.put("policy", policy);
        map.put("seed", seed);
        map.put("bound", bound);
        map.put("version", version);
        map.put("figures", "with bounds and quantiles"); // were others in earlier builds
        return Case.digest(map);
    }
}
