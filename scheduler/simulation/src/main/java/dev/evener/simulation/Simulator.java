package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.Report;
import dev.evener.Variant;
import dev.evener.event.RunEvent;
import dev.evener.event.RunEvent.BufferUse;
import dev.evener.event.RunListener;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Power;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import dev.evener.policy.WorkProfile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs on a {@link Machine} that is modelled. What decides and what counts is the runtime itself, its policies, job
 * state machine, pool and history; only the clock and what chunks take are made up. So a simulation tells what another
 * policy, another device or a failure would have done, without the devices and in a fraction of the time.
 *
 * <pre>{@code
 * Machine machine = Models.fit(devices, events);           // what a real run told
 * List<Simulator.Outcome> outcomes = new Simulator(machine)
 *         .seed(1)
 *         .event(MachineEvent.parse("0.1 slowed 3x from 1 s to 4 s"))
 *         .replay(events, devices, Policies.adaptive())
 *         .run();
 * }</pre>
 *
 * <p>The same machine, jobs, events and seed give the same events, to the nanosecond. Times begin at 0. For one thread and
 * for one {@link #run}.
 */
public final class Simulator {
    private static final int DEVICES = 63;

    private final Machine machine;
    private final VirtualTime time = new VirtualTime();
    private final SimulatedData data = new SimulatedData();
    private final List<SimulatedJob> jobs = new ArrayList<>();
    private final List<MachineEvent> events = new ArrayList<>();
    private final List<RunListener> listeners = new ArrayList<>();
    private final Deque<Course> together = new ArrayDeque<>(); // that wait for several devices at once
    private final Set<String> taken = new HashSet<>(); // by others of these
    private History history = History.inMemory();
    private long seed;
    private boolean ran;

    /**
     * What became of a job.
     *
     * @param job the job
     * @param submitted when it was submitted, in nanoseconds; -1 if that never happened, because it follows one that did not end
     * @param report null if it failed, or never ended
     * @param failure why; null if it succeeded
     * @param leastNanos less than which it cannot take, whatever the policy: all devices that may have a part, as
     *     fast as they ever
     *     are and undisturbed, end at once
     */
    public record Outcome(
            SimulatedJob job,
            long submitted,
            @Nullable Report report,
            @Nullable String failure,
            double leastNanos) {
        /** When it arrived: before it was submitted, where others had to end first. */
        public long arrived() {
            return job.follows() || submitted < 0 ? submitted : Math.min(submitted, job.arrival());
        }
    }

    /** Of this machine. */
    public Simulator(Machine machine) {
        this.machine = Objects.requireNonNull(machine, "machine");
    }

    /** What random numbers begin with; 0 if nothing else is said. */
    public Simulator seed(long value) {
        this.seed = value;
        return this;
    }

    /** What jobs are decided by that bring no history of their own; by default one that knows nothing. Jobs teach it. */
    public Simulator history(History which) {
        this.history = Objects.requireNonNull(which, "history");
        return this;
    }

    /** Who is told of all that happens, as of a real run. May be given more than once. */
    public Simulator listener(RunListener which) {
        listeners.add(Objects.requireNonNull(which, "listener"));
        return this;
    }

    /** Something that will happen to a device. */
    public Simulator event(MachineEvent event) {
        events.add(Objects.requireNonNull(event, "event"));
        return this;
    }

    /** One job more. */
    public Simulator submit(SimulatedJob job) {
        jobs.add(Objects.requireNonNull(job, "job"));
        return this;
    }

    /**
     * The jobs that were recorded, cut as they were: by the policy of that name, or in the same shares or on the same device
     * where the policy was {@code static} or {@code single}. Otherwise as {@link #replay(List, List, Policy)}.
     *
     * @throws EvenerException if a job was cut by a policy that is not found, or of another version; it says which
     */
    public Simulator replay(List<RunEvent> recorded, List<DeviceInfo> devices) {
        return replay(recorded, devices, Recorded.policies(recorded));
    }

    /**
     * The jobs that were recorded, cut by another policy. A job that had been submitted after the one before it had ended
     * follows that one here as well, after the same pause; others come at their recorded times. A job that could use all
     * devices can use all that the machine has. The jobs of each policy have a history of their own, as in comparisons, which
     * begins empty. A device of which the machine does not say what a job takes there has no part in it.
     *
     * @param recorded events of one run
     * @param devices which the events count
     */
    public Simulator replay(List<RunEvent> recorded, List<DeviceInfo> devices, Policy policy) {
        return replay(recorded, devices, (job, places) -> policy);
    }

    private Simulator replay(List<RunEvent> recorded, List<DeviceInfo> devices, Recorded.Cut cut) {
        Map<String, History> histories = new HashMap<>();
        for (SimulatedJob job : Recorded.jobs(recorded, devices, machine, cut)) {
            History own = histories.computeIfAbsent(Policies.nameOf(job.policy().name()), name -> History.inMemory());
            submit(job.learningIn(own));
        }
        return this;
    }

    /**
     * Runs all jobs to their end.
     *
     * @return what became of them, in the order in which they were given
     * @throws EvenerException if a job or an event names a kernel or a device that the machine does not know
     * @throws IllegalStateException if it ran already
     */
    public List<Outcome> run() {
        if (ran) {
            throw new IllegalStateException("a simulator runs once");
        }
        ran = true;
        VirtualRuntime runtime = new VirtualRuntime(time, devices(), history, listeners);
        events.forEach(event -> plan(event, runtime));
        SplittableRandom random = new SplittableRandom(seed * 64 + DEVICES); // devices have the numbers before that
        List<Course> courses = new ArrayList<>();
        Map<String, Power> powers = new HashMap<>();
        machine.devices().stream()
                .filter(model -> model.power().known())
                .forEach(model -> powers.put(model.device().id(), model.power()));
        List<SimulatedJob> placed = GraphPlacement.place(machine, jobs);
        for (SimulatedJob job : placed) {
            Policy asked = job.atOnce() > 0 ? Policies.fixed() : job.policy();
            Policy policy = new TimedPolicy(powers.isEmpty() ? asked : Power.telling(asked, powers), this, random);
            Job made = job(job);
            courses.add(new Course(job, jobs.get(courses.size()), ids -> {
                job.buffers().forEach(use -> data.before(use, runtime));
                return runtime.submit(ids.isEmpty() ? made : job(job.on(ids)), policy, job.history());
            }));
        }
        for (int i = 0; i < courses.size(); i++) {
            Course course = courses.get(i);
            boolean follows = placed.get(i).follows() && i > 0;
            List<Integer> before = placed.get(i).behind();
            course.awaited = before.size() + (follows ? 1 : 0);
            before.forEach(place ->
                    courses.get(Objects.checkIndex(place, courses.size())).next.add(course));
            if (follows) {
                courses.get(i - 1).next.add(course);
            } else if (course.awaited == 0) {
                course.comes();
            }
        }
        runtime.run();
        return courses.stream().map(Course::outcome).toList();
    }

    /**
     * A policy that takes its time to cut a job. Otherwise it is the policy itself: histories keep plans for equal policies, and
     * a plan that is kept costs nothing.
     *
     * @param by whose time passes
     */
    private record TimedPolicy(Policy policy, Simulator by, SplittableRandom random) implements Policy {
        @Override
        public String name() {
            return policy.name();
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            by.time.spend(Math.round(by.machine.planNanos(name()).at(random.nextDouble())));
            return policy.plan(snapshot);
        }

        @Override
        public Policy forKind() {
            return new TimedPolicy(policy.forKind(), by, random);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            return policy.chunk(progress, lane);
        }
    }

    /** Jobs that need several devices at once, as long as there are those. */
    private void startTogether() {
        for (Course first = together.peek(); first != null; first = together.peek()) {
            List<String> free =
                    able(first.job).filter(id -> !taken.contains(id)).toList();
            if (free.size() < first.job.atOnce()) {
                return;
            }
            together.remove();
            List<String> its = free.subList(0, first.job.atOnce());
            taken.addAll(its);
            first.submit(its);
        }
    }

    private Stream<String> able(SimulatedJob job) {
        return machine.devices().stream()
                .map(model -> model.device().id())
                .filter(id -> job.devices().isEmpty() || job.devices().contains(id));
    }

    /** One job's way through the simulation. */
    private final class Course {
        private final SimulatedJob job;
        private final SimulatedJob asked; // which its policy may have bound to a device
        private final Function<List<String>, CompletableFuture<Report>> submission;
        private final List<Course> next = new ArrayList<>(); // that wait for its end
        private int awaited; // jobs that have not ended yet
        private long submitted = -1;
        private @Nullable Report report;
        private @Nullable String failure = "it never ended: a device hangs, and the job has no deadline for chunks";

        Course(SimulatedJob job, SimulatedJob asked, Function<List<String>, CompletableFuture<Report>> submission) {
            this.job = job;
            this.asked = asked;
            this.submission = submission;
        }

        void comes() {
            if (job.follows()) {
                time.in(job.arrival(), this::submit);
            } else {
                time.at(Math.max(job.arrival(), time.getAsLong()), this::submit);
            }
        }

        private void submit() {
            if (job.atOnce() == 0) {
                submit(List.of());
            } else {
                together.add(this);
                startTogether();
            }
        }

        /** @param ids devices that it needs at once; empty for all that it may use */
        void submit(List<String> ids) {
            submitted = time.getAsLong();
            CompletableFuture<?> unused = submission.apply(ids).whenComplete((result, problem) -> {
                taken.removeAll(ids);
                startTogether();
                report = result;
                failure = problem == null ? null : String.valueOf(problem.getMessage());
                for (Course each : next) {
                    each.awaited--;
                    if (each.awaited == 0) {
                        each.comes();
                    }
                }
            });
        }

        Outcome outcome() {
            return new Outcome(
                    asked,
                    submitted,
                    report,
                    submitted >= 0 ? failure : "it was never submitted: a job that it follows never ended",
                    Bounds.nanos(machine, asked));
        }
    }

    private List<SimulatedDevice> devices() {
        Map<String, WorkProfile> profiles = new TreeMap<>();
        machine.kernels().forEach((name, work) -> {
            if (work.profile().size() > 1) {
                profiles.put(name, work.integral());
            }
        });
        Map<String, Integer> memories = new HashMap<>();
        Map<String, Bus> buses = new HashMap<>();
        List<SimulatedDevice> made = new ArrayList<>();
        for (DeviceModel model : machine.devices()) {
            int memory = memories.computeIfAbsent(model.memory(), name -> memories.size());
            List<Optional<Bus>> way = model.link().buses().stream()
                    .map(name -> Optional.of(name)
                            .filter(known -> !known.isEmpty())
                            .map(known -> buses.computeIfAbsent(known, key -> new Bus())))
                    .toList();
            boolean shared = way.stream().anyMatch(Optional::isPresent);
            made.add(new SimulatedDevice(model, profiles, memory, shared ? way : List.of(), seed(made.size()), time));
        }
        return made;
    }

    /** What a device's random numbers begin with: consecutive numbers, and far from those of other seeds after so many devices. */
    private long seed(int device) {
        return (seed + device / DEVICES * 0x9e3779b97f4a7c15L) * 64 + device % DEVICES;
    }

    private void plan(MachineEvent event, VirtualRuntime runtime) {
        int lane = lane(event.device(), "an event");
        time.at(event.at(), () -> runtime.happens(event, lane));
        if (event.kind() == MachineEvent.Kind.SLOWED && event.until() < Long.MAX_VALUE) {
            time.at(event.until(), () -> runtime.isOver(lane));
        }
    }

    private int lane(String id, String who) {
        List<String> ids =
                machine.devices().stream().map(model -> model.device().id()).toList();
        if (!ids.contains(id)) {
            throw new EvenerException(who + " names device " + id + ", but the machine has " + ids);
        }
        return ids.indexOf(id);
    }

    /** Whether no other device may run the job, and the machine says what all of it takes on this one. */
    private boolean onlyAlone(SimulatedJob job, DeviceModel model) {
        int devices = job.devices().isEmpty()
                ? machine.devices().size()
                : job.devices().size();
        return devices == 1 && model.alone().containsKey(job.name());
    }

    /** The job as the runtime knows jobs: of buffers there are only the books, and host steps take their time. */
    private Job job(SimulatedJob job) {
        if (job.atOnce() > able(job).count()) {
            throw new EvenerException("job '" + job.name() + "' needs " + job.atOnce()
                    + " devices at once, and may use " + able(job).toList());
        }
        JobBuilder builder = Job.named(job.name()).units(job.units());
        builder.granule(Math.max(1, Math.min(job.granule(), job.units()))).priority(job.priority());
        // What it takes includes host steps. Its phases have a source, as on any device, by which it is known.
        JobBuilder alone = Job.named(job.name())
                .units(job.units())
                .source("its form for one device")
                .jobView(); // which wants nothing that says where a chunk begins
        if (!job.devices().isEmpty()) {
            builder.devices(DeviceSelector.ids(job.devices()));
        }
        if (job.chunkDeadline() != null) {
            builder.chunkDeadline(job.chunkDeadline());
        }
        for (int i = 0; i < job.kernels().size(); i++) {
            int phase = i;
            String kernel = job.kernels().get(i);
            for (DeviceModel model : machine.devices()) {
                boolean mayRun = job.devices().isEmpty()
                        || job.devices().contains(model.device().id());
                if (mayRun && !model.kernels().containsKey(kernel) && !onlyAlone(job, model)) {
                    throw new EvenerException("job '" + job.name() + "' runs kernel " + kernel
                            + ", of which the machine does not say what it takes on device "
                            + model.device().id() + ": add it to the device's kernels, which are "
                            + model.kernels().keySet());
                }
            }
            builder.kernel(kernel).jvm(chunk -> {});
            for (DeviceKind kind : DeviceKind.values()) {
                builder.variant(kind, Variant.groups(1)); // so that the granule is the recorded one
            }
            KernelWork work = machine.kernels().getOrDefault(kernel, KernelWork.EVEN);
            long host = Math.round(work.hostNanos() + work.hostNanosPerUnit() * job.units());
            List<BufferUse> its =
                    job.buffers().stream().filter(use -> use.phase() == phase).toList();
            data.declare(builder, its, host > 0 ? () -> time.spend(host) : null);
            data.declare(alone.kernel(kernel).jvm(chunk -> {}), its, null);
        }
        if (machine.devices().stream().anyMatch(model -> model.alone().containsKey(job.name()))) {
            builder.alone(alone.build());
        }
        job.devices().forEach(id -> lane(id, "job '" + job.name() + "'"));
        return builder.build();
    }
}
