package dev.evener.simulation;

import dev.evener.event.RunEvent;
import dev.evener.event.RunEvent.BufferUse;
import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Sorts out what the events of a run tell of its devices. */
final class Evidence {
    final List<Sample> samples = new ArrayList<>();
    final List<Seen> devices = new ArrayList<>();
    final Map<String, List<String>> kernelsOf = new HashMap<>(); // by the names of jobs that a device ran alone
    final Map<String, List<double[]>> hostNanos = new HashMap<>(); // by the kernel's name, as a line over parts
    final Map<String, List<Double>> planNanos = new TreeMap<>(); // by the policy's name
    final Set<Long> keeping =
            new HashSet<>(); // jobs with data that stay on devices: what is moved once is no cost of a unit

    final BusFit buses;
    private final List<Busy> busy = new ArrayList<>(); // of each device

    /** What tells of one device. */
    static final class Seen {
        /** Jobs that it ran alone, a chunk for each phase, under the job's name; times are those of a phase on average. */
        final List<Sample> alone = new ArrayList<>();

        final List<Double> wakeNanos = new ArrayList<>();
        final List<Double> noticeNanos = new ArrayList<>();
        int ahead; // how many chunks it had enqueued while it ran another, at most
    }

    /** All of one job. */
    private static final class Course {
        final RunEvent.Submitted submitted;
        RunEvent.@Nullable Planned planned;
        RunEvent.@Nullable Ended ended;
        boolean faulty;
        final List<RunEvent.Chunk> chunks = new ArrayList<>();
        final List<RunEvent.PhaseEnded> phases = new ArrayList<>();

        Course(RunEvent.Submitted submitted) {
            this.submitted = submitted;
        }

        /** Whether it went as it should; a job that began again has two plans. */
        boolean tells() {
            return planned != null && ended != null && ended.failure() == null && !faulty && !chunks.isEmpty();
        }

        /** Whether one device ran all of it, a chunk for each phase. */
        boolean isAlone() {
            Set<Integer> seen = new HashSet<>();
            for (RunEvent.Chunk chunk : chunks) {
                if (chunk.units() != submitted.units()
                        || chunk.device() != chunks.get(0).device()
                        || !seen.add(chunk.phase())) {
                    return false;
                }
            }
            return true;
        }

        /** Whether that was in a form of its own, whose phases are none of the declared kernels. */
        boolean isOwnForm() {
            return isAlone()
                    && (chunks.size() != submitted.kernels().size()
                            || phases.stream().anyMatch(p -> p.parts() != 0 && p.parts() != submitted.units()));
        }
    }

    Evidence(int count, List<RunEvent> events) {
        for (int i = 0; i < count; i++) {
            devices.add(new Seen());
        }
        Map<Long, Course> courses = new HashMap<>();
        List<Course> inOrder = new ArrayList<>();
        for (RunEvent event : events) {
            if (event instanceof RunEvent.Submitted s) {
                if (s.buffers().stream().anyMatch(use -> use.kept() != BufferUse.Kept.HOST)) {
                    keeping.add(s.job());
                }
                Course course = new Course(s);
                courses.put(s.job(), course);
                inOrder.add(course);
                continue;
            }
            Course course = courses.get(event.job());
            if (course == null) {
                continue; // the record began later
            }
            if (event instanceof RunEvent.Planned p) {
                course.faulty |= course.planned != null;
                course.planned = p;
            } else if (event instanceof RunEvent.Chunk c && c.device() >= 0 && c.device() < count) {
                course.chunks.add(c);
            } else if (event instanceof RunEvent.PhaseEnded p) {
                course.phases.add(p);
            } else if (event instanceof RunEvent.Fault) {
                course.faulty = true;
            } else if (event instanceof RunEvent.Ended e) {
                course.ended = e;
            }
        }
        for (int i = 0; i < count; i++) {
            busy.add(new Busy());
        }
        inOrder.stream()
                .flatMap(course -> course.chunks.stream())
                .filter(chunk -> chunk.end() > chunk.start())
                .sorted(Comparator.comparingLong(RunEvent.Chunk::start))
                .forEach(chunk -> busy.get(chunk.device()).add(chunk.start(), chunk.end()));
        buses = new BusFit(
                count, inOrder.stream().flatMap(c -> c.chunks.stream()).toList());
        Set<List<String>> built = new HashSet<>();
        for (Course course : inOrder) {
            if (course.tells()) {
                boolean first = built.add(course.submitted.kernels());
                add(course, first);
            }
        }
    }

    private void add(Course course, boolean first) {
        List<String> kernels = course.submitted.kernels();
        Map<Integer, RunEvent.PhaseEnded> ends = new HashMap<>();
        course.phases.forEach(phase -> ends.put(phase.phase(), phase));
        Map<Integer, List<RunEvent.Chunk>> byDevice = new HashMap<>();
        Map<Integer, RunEvent.Chunk> lastOf = new HashMap<>();
        for (RunEvent.Chunk chunk : course.chunks) {
            byDevice.computeIfAbsent(chunk.device(), d -> new ArrayList<>()).add(chunk);
            lastOf.merge(chunk.phase(), chunk, (a, b) -> a.end() >= b.end() ? a : b);
        }
        RunEvent.Planned planned = course.planned;
        RunEvent.Ended done = course.ended;
        if (planned != null && done != null) { // from the job's turn on, but for what came after it was planned
            planNanos
                    .computeIfAbsent(Policies.nameOf(course.submitted.policy()), policy -> new ArrayList<>())
                    .add((double) (done.wallNanos() - (done.at() - planned.at())));
        }
        boolean ownForm = course.isOwnForm();
        ends.forEach((phase, end) -> {
            if (phase < kernels.size() && !ownForm) {
                hostNanos
                        .computeIfAbsent(kernels.get(phase), k -> new ArrayList<>())
                        .add(new double[] {1, (double) course.submitted.units(), (double) end.hostNanos()});
            }
        });
        boolean whole = course.isAlone();
        byDevice.forEach((device, chunks) -> {
            chunks.sort(Comparator.comparingLong(RunEvent.Chunk::queued));
            for (int i = 0; i < chunks.size(); i++) {
                RunEvent.Chunk chunk = chunks.get(i);
                RunEvent.Chunk next = i + 1 < chunks.size() ? chunks.get(i + 1) : null;
                double notice = -1;
                boolean followed = next != null && next.phase() == chunk.phase() && next.queued() < chunk.end();
                if (followed) {
                    notice = chunk.noticeNanos();
                } else if (next != null && next.phase() == chunk.phase()) {
                    notice = next.queued() - chunk.end();
                } else if (chunk.equals(lastOf.get(chunk.phase())) && ends.containsKey(chunk.phase())) {
                    RunEvent.PhaseEnded end = ends.get(chunk.phase());
                    notice = end.at() - end.hostNanos() - chunk.end();
                }
                // In phases that are not the last, times are read when the lane comes for more.
                double settle = -1;
                if (!followed && notice >= 0 && chunk.noticeNanos() >= 0 && chunk.phase() == kernels.size() - 1) {
                    settle = Math.max(0, notice - chunk.noticeNanos());
                    notice = chunk.noticeNanos();
                }
                if (notice >= 0) {
                    devices.get(device).noticeNanos.add(notice);
                }
                RunEvent.Chunk before = i == 0 ? null : chunks.get(i - 1);
                // The device may have had another chunk to end before it could begin with this one.
                long idle = before != null && before.phase() == chunk.phase() ? before.end() : chunk.begun();
                devices.get(device).ahead |= chunk.submitted() < idle ? 1 : 0;
                if (!first && (before == null || before.phase() < chunk.phase())) {
                    woken(course, ends, lastOf, chunk);
                }
                if (chunk.phase() < kernels.size() && chunk.end() > chunk.start() && !ownForm) {
                    samples.add(sample(course, kernels.get(chunk.phase()), chunk, idle, notice, settle));
                }
            }
            RunEvent.Ended ended = course.ended;
            if (whole && ended != null) {
                devices.get(device).alone.add(whole(course, chunks, ended.at()));
                kernelsOf.put(course.submitted.name(), kernels);
            }
        });
    }

    /** How long it took a lane from being called to its first chunk of a phase. */
    private void woken(
            Course course,
            Map<Integer, RunEvent.PhaseEnded> ends,
            Map<Integer, RunEvent.Chunk> lastOf,
            RunEvent.Chunk chunk) {
        RunEvent.Planned planned = course.planned;
        if (chunk.phase() == 0 && planned != null) {
            devices.get(chunk.device()).wakeNanos.add((double) Math.max(0, chunk.queued() - planned.at()));
            return;
        }
        RunEvent.PhaseEnded end = ends.get(chunk.phase() - 1);
        RunEvent.Chunk last = lastOf.get(chunk.phase() - 1);
        if (end != null && last != null && last.device() != chunk.device()) { // who ended the phase did not sleep
            devices.get(chunk.device()).wakeNanos.add((double) Math.max(0, chunk.queued() - end.at()));
        }
    }

    private Sample sample(Course course, String kernel, RunEvent.Chunk c, long idle, double notice, double settle) {
        List<long[]> turns = new ArrayList<>();
        for (int device = 0; device < devices.size(); device++) {
            if (device != c.device()) {
                busy.get(device).turns(device, c.start(), c.end(), turns);
            }
        }
        long submitted = Math.max(c.begun(), Math.min(c.submitted(), c.start()));
        long span = c.end() - c.start();
        return new Sample(
                c.job(),
                kernel,
                c.device(),
                (double) c.firstUnit(),
                (double) c.units(),
                (double) course.submitted.units(),
                // Without transfers, gaps between the passes of a chunk belong to it.
                (double) (c.transferNanos() == 0 ? span : c.kernelNanos()),
                new Beside(c.start(), c.end(), turns),
                (double) c.transferNanos(),
                c.bytesIn(),
                c.bytesOut(),
                buses.waitedToEnd(c) ? -1 : (double) span,
                (double) Math.max(0, c.begun() - c.queued()),
                (double) (submitted - c.begun()),
                buses.waitedToBegin(c, Math.max(submitted, idle))
                        ? -1
                        : (double) Math.max(0, c.start() - Math.max(submitted, idle)),
                notice,
                settle);
    }

    /** All phases of a job, which may be others than it was declared with, spread over as many as it was. */
    private static Sample whole(Course course, List<RunEvent.Chunk> chunks, long end) {
        double phases = course.submitted.kernels().size();
        double nanos = 0;
        double saves = 0;
        double launches = 0;
        for (RunEvent.Chunk chunk : chunks) {
            // What is moved follows from the job's buffers, where they are known.
            boolean apart =
                    chunk.transferNanos() > 0 && !course.submitted.buffers().isEmpty();
            nanos += apart ? chunk.kernelNanos() : chunk.end() - chunk.start();
            saves += Math.max(0, chunk.begun() - chunk.queued());
            launches += Math.max(0, chunk.start() - chunk.begun());
        }
        RunEvent.Chunk first = chunks.get(0);
        double rest = end - first.queued() - nanos - saves - launches; // taking notice, and host steps
        return new Sample(
                first.job(),
                course.submitted.name(),
                first.device(),
                0,
                (double) first.units(),
                (double) first.units(),
                nanos / phases,
                new Beside(1),
                0,
                0,
                0,
                nanos / phases,
                saves / phases,
                0,
                launches / phases,
                Math.max(0, rest) / phases,
                -1);
    }
}
